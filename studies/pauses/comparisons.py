"""Which variants of the pause study differ, on which test set.

counts of each sentence of all runs -> pairs -> difference of F1 and its p
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from spacy_sentid.arrays import Ints2d
from studies.pauses.jobs import Job, Variant, half_name
from studies.pauses.plans import Plan
from studies.pauses.systems import (
    BASE,
    FILTERED,
    INTERVALS,
    MAIN,
    NO_FILTER,
    PAIRS,
    REFERENCES,
    SELF_TRAINING,
    SIMULATED,
    SOURCE_ONLY,
)
from studies.significance import compare_counts, word_f

Counts = Mapping[Job, Mapping[str, Ints2d]]  # of each run, by test set


class Pair(NamedTuple):
    """Two variants to compare on a test set."""

    test: str
    a: Variant
    b: Variant


class Comparison(NamedTuple):
    """How two variants differ."""

    difference: float  # F1 of a minus that of b, mean over the seeds that both have
    p: float  # two-sided; see `compare_counts`
    n_seeds: int


def list_pairs(plan: Plan) -> list[Pair]:
    """List all that is compared, whether its runs are there or not; each pair once."""
    return list(dict.fromkeys(_list_pairs(plan)))


def _list_pairs(plan: Plan) -> Iterator[Pair]:
    for test in plan.tests:
        for system in MAIN:
            for reference in REFERENCES:
                if system != reference:
                    yield Pair(test, Variant(system), Variant(reference))
        for a, b in PAIRS:
            yield Pair(test, Variant(a), Variant(b))
        for _, without, with_pauses in INTERVALS:
            yield Pair(test, Variant(with_pauses), Variant(without))
    for file in plan.simulate:
        test, itself = half_name(file), Variant(SELF_TRAINING, file)
        for reference in (BASE, SOURCE_ONLY):
            for variant in list_simulated(plan, file):
                if variant != Variant(reference):
                    yield Pair(test, variant, Variant(reference))
        for noise in plan.noises:
            filtered = Variant(FILTERED, file, noise)
            yield Pair(test, filtered, Variant(NO_FILTER, file, noise))
            yield Pair(test, filtered, itself)
            yield Pair(test, Variant(NO_FILTER, file, noise), itself)


def list_simulated(plan: Plan, file: str) -> list[Variant]:
    """List what is measured on the half of a simulated file, in the order of its table."""
    variants = [Variant(BASE), Variant(SOURCE_ONLY), Variant(SELF_TRAINING, file)]
    for noise in plan.noises:
        variants += [Variant(name, file, noise) for name in SIMULATED if name != SELF_TRAINING]
    return variants


def compare_variants(counts: Counts, pair: Pair) -> Comparison | None:
    """Compare two variants by the seeds that both have; None if there is none."""
    by_seed: list[dict[int, Any]] = []
    for variant in (pair.a, pair.b):
        by_seed.append(
            {
                job.seed: found[pair.test][:, :3].astype("int64")
                for job, found in counts.items()
                if job.variant == variant and pair.test in found
            }
        )
    seeds = sorted(set(by_seed[0]) & set(by_seed[1]))
    if not seeds:
        return None
    a, b = (np.stack([found[seed] for seed in seeds]) for found in by_seed)
    differences = word_f(a.sum(axis=1)) - word_f(b.sum(axis=1))
    return Comparison(
        float(differences.mean()), compare_counts(a.sum(axis=0), b.sum(axis=0)), len(seeds)
    )


def compare_all(counts: Counts, pairs: list[Pair]) -> dict[Pair, Comparison]:
    """Compare all pairs that have runs."""
    found = {pair: compare_variants(counts, pair) for pair in pairs}
    return {pair: comparison for pair, comparison in found.items() if comparison is not None}
