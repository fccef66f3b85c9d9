"""Comparisons of the variants of the pause study on each test set.

counts of each sentence of all runs -> pairs -> rows: difference of F1 and its p-value
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from spacy_sentid.arrays import Ints2d
from studies.pauses.plans import Study
from studies.pauses.runs import Run, Variant, half_name
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
from studies.results import Row, list_rows
from studies.significance import compare_counts, word_f

Counts = Mapping[Run, Mapping[str, Ints2d]]  # run -> test set -> counts
SAME_SENTENCES = "self-training in the same sentences"


class Pair(NamedTuple):
    """Two variants to compare on a test set."""

    test: str
    a: Variant
    b: Variant

    @property
    def versus(self) -> str:
        """The name of the second variant in the rows of the first."""
        is_interval = self.b.system in {without for _, without, _ in INTERVALS}
        return SAME_SENTENCES if is_interval else self.b.system


def list_pairs(study: Study) -> list[Pair]:
    """List all pairs to compare, without duplicates. Their runs may be missing."""
    return list(dict.fromkeys(_list_pairs(study)))


def _list_pairs(study: Study) -> Iterator[Pair]:
    for test in study.tests:
        for system in MAIN:
            for reference in REFERENCES:
                if system != reference:
                    yield Pair(test, Variant(system), Variant(reference))
        for a, b in PAIRS:
            yield Pair(test, Variant(a), Variant(b))
        for _, without, with_pauses in INTERVALS:
            yield Pair(test, Variant(with_pauses), Variant(without))
    for file in study.simulate:
        test, itself = half_name(file), Variant(SELF_TRAINING, file)
        for reference in (BASE, SOURCE_ONLY):
            for variant in list_simulated(file, study.noises):
                if variant != Variant(reference):
                    yield Pair(test, variant, Variant(reference))
        for noise in study.noises:
            filtered = Variant(FILTERED, file, noise)
            yield Pair(test, filtered, Variant(NO_FILTER, file, noise))
            yield Pair(test, filtered, itself)
            yield Pair(test, Variant(NO_FILTER, file, noise), itself)


def list_simulated(file: str, noises: tuple[float, ...]) -> list[Variant]:
    """List the variants for the half of a simulated file, in the order of its table."""
    variants = [Variant(BASE), Variant(SOURCE_ONLY), Variant(SELF_TRAINING, file)]
    for noise in noises:
        variants += [Variant(name, file, noise) for name in SIMULATED if name != SELF_TRAINING]
    return variants


def compare_variants(counts: Counts, pair: Pair) -> tuple[float, float] | None:
    """Compare two variants over the seeds that both have.

    RETURNS: The F1 of the first minus that of the second (mean over the seeds), and the two-sided p
        of the difference (see `significance.compare_counts`). None without common seeds.
    """
    by_seed: list[dict[int, Any]] = []
    for variant in (pair.a, pair.b):
        by_seed.append(
            {
                run.seed: found[pair.test][:, :3].astype("int64")
                for run, found in counts.items()
                if run.variant == variant and pair.test in found
            }
        )
    seeds = sorted(set(by_seed[0]) & set(by_seed[1]))
    if not seeds:
        return None
    a, b = (np.stack([found[seed] for seed in seeds]) for found in by_seed)
    differences = word_f(a.sum(axis=1)) - word_f(b.sum(axis=1))
    return float(differences.mean()), compare_counts(a.sum(axis=0), b.sum(axis=0))


def compare_all(counts: Counts, pairs: list[Pair]) -> list[Row]:
    """Compare all pairs that have runs. The rows are those of the first variant."""
    rows = []
    for pair in pairs:
        found = compare_variants(counts, pair)
        if found is not None:
            rows += list_differences(pair, *found)
    return rows


def list_differences(pair: Pair, difference: float, p: float) -> list[Row]:
    """Make the rows of a comparison."""
    setting = {"test": pair.test, "versus": pair.versus, **pair.a.setting}
    return list_rows(pair.a.system, None, setting, {"difference": difference, "p": p})
