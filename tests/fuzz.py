"""Check all laws on many hostile texts, in several processes.

    python tests/fuzz.py --texts 1000000 --seed 1

A fault is printed with the command that reproduces it, and with a short text that causes it.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from multiprocessing import get_context
from typing import NamedTuple

from hostile import KINDS, make_text
from hostile_commands import check_answers, check_files, check_records
from hostile_faults import Law, find_faults, shrink
from hostile_forms import check_forms
from hostile_laws import (
    check_cuts,
    check_filters,
    check_pairs,
    check_rules,
    check_units,
    check_words,
)  # fmt: skip

LAWS: dict[str, Law] = {
    "sentence_identifier": check_units,
    "forms": check_forms,
    "rule_sentencizer": check_rules,
    "word_segmenter": check_words,
    "paraphrase_tagger": check_pairs,
    "filters": check_filters,
    "long_texts": check_cuts,
    "identify": check_records,
    "files": check_files,
    "serve": check_answers,
}
# Number of texts that a law checks together.
BATCH = 600
# Number of batches after which a process ends, to free its vocabularies.
BATCHES_A_PROCESS = 40


class Batch(NamedTuple):
    """A part of the texts of a seed, with the laws to check on them."""

    seed: int
    first: int  # index of the first text
    n_texts: int
    laws: Sequence[str]


class Report(NamedTuple):
    """The results of a batch."""

    faults: list[str]
    seconds: Counter[str]  # CPU seconds by law


def check_batch(batch: Batch) -> Report:
    """Check the laws on a batch of texts."""
    seed = f"{batch.seed}/{batch.first}"
    made = [make_text(batch.seed, batch.first + n) for n in range(batch.n_texts)]
    texts = [text for _, text in made]
    faults: list[str] = []
    seconds: Counter[str] = Counter()
    for name in batch.laws:
        start = time.process_time()
        for number, reason in find_faults(LAWS[name], texts, seed)[:3]:
            text = shrink(LAWS[name], texts[number], seed)
            faults.append(
                f"{name}: text {batch.first + number} of seed {batch.seed} "
                f"({made[number].kind}): {reason}\n"
                f"  shorter: {text[:300]!r}\n"
                f"  repeat: python tests/fuzz.py --seed {batch.seed} --first {batch.first} "
                f"--texts {batch.n_texts} --laws {name}"
            )
        seconds[name] += time.process_time() - start
    return Report(faults, seconds)


def check_texts(
    n_texts: int,
    seed: int,
    *,
    first: int = 0,
    laws: Sequence[str] = tuple(LAWS),
    n_process: int = 1,
    tell: Callable[[str], object] = lambda _: None,
) -> list[str]:
    """Check laws on texts, return the faults, and report progress."""
    batches = [
        Batch(seed, at, min(BATCH, first + n_texts - at), laws)
        for at in range(first, first + n_texts, BATCH)
    ]
    faults: list[str] = []
    seconds: Counter[str] = Counter()
    start = time.monotonic()
    with ExitStack() as stack:
        reports: Iterable[Report] = map(check_batch, batches)
        if n_process > 1:
            pool = get_context("spawn").Pool(n_process, maxtasksperchild=BATCHES_A_PROCESS)
            reports = stack.enter_context(pool).imap_unordered(check_batch, batches)
        for n, report in enumerate(reports, start=1):
            faults += report.faults
            seconds += report.seconds
            for fault in report.faults:
                tell(fault)
            if n % 50 == 0 or n == len(batches):
                minutes = (time.monotonic() - start) / 60
                tell(f"{n}/{len(batches)} batches, {len(faults)} faults, {minutes:.1f} min")
    tell(f"{n_texts:,} texts, about {n_texts // len(KINDS):,} of each of {len(KINDS)} kinds")
    for name, value in seconds.items():
        tell(f"{name}: {value:.0f} s of CPU, {1e6 * value / n_texts:.0f} microseconds a text")
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="index of the first text")
    parser.add_argument("--laws", nargs="*", default=list(LAWS), choices=list(LAWS))
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    given = parser.parse_args()
    faults = check_texts(
        given.texts,
        given.seed,
        first=given.first,
        laws=given.laws,
        n_process=given.processes,
        tell=lambda line: print(line, flush=True),
    )
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
