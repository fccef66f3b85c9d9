"""What the tables of the pause study are made of.

scores, comparisons -> cells: mean and sd over seeds, differences, marks
"""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

from studies.pauses.comparisons import Comparison, Pair
from studies.pauses.jobs import Job, Variant
from studies.pauses.plans import Plan
from studies.significance import DRAWS, LEVEL

# What is true of all tables.
NOTES = [
    "Percent; mean±standard deviation (n - 1) over the seeds.",
    f"b+ b-: F1 above, below that of the base of the same seeds, p < {LEVEL:g}; s+ s-: that of "
    "self-training. p: paired bootstrap over the sentences, counts summed over the seeds, "
    f"{DRAWS:,} draws, two-sided. It is about the choice of the test sentences; what the choice of "
    "the seed does is the deviation. Many pairs are compared: some p below "
    f"{LEVEL:g} are to be expected by chance.",
]


class Table(NamedTuple):
    """A table of text."""

    title: str
    rows: list[list[str]]  # the heading first
    notes: list[str]
    n_left: int = 1  # columns that are words


class Study(NamedTuple):
    """What there is to lay out."""

    plan: Plan
    results: Mapping[Job, Mapping[str, Any]]
    comparisons: Mapping[Pair, Comparison]

    def of(self, variant: Variant) -> list[Mapping[str, Any]]:
        """List the runs of a variant, by seed."""
        found = {job.seed: run for job, run in self.results.items() if job.variant == variant}
        return [found[seed] for seed in sorted(found)]

    def values(self, variant: Variant, test: str, key: str) -> list[float]:
        """List a score of a test set by seed; without runs that lack it."""
        scores = (run["scores"].get(test, {}) for run in self.of(variant))
        return [found[key] for found in scores if key in found]


def mean_and_sd(values: Sequence[float], digits: int = 2) -> str:
    """Write mean and sample standard deviation in percent; the latter from two values on.

    >>> mean_and_sd([0.5, 0.52]), mean_and_sd([0.5], 1), mean_and_sd([])
    ('51.00±1.41', '50.0', '-')
    """
    if not values:
        return "-"
    text = f"{100 * fmean(values):.{digits}f}"
    return f"{text}±{100 * stdev(values):.{digits}f}" if len(values) > 1 else text


def format_difference(found: Comparison | None) -> list[str]:
    """Write a difference in points of percent, and its p."""
    if found is None:
        return ["-", "-"]
    return [f"{100 * found.difference:+.2f}", f"{found.p:.3f}"]


def mark(found: Comparison | None, letter: str) -> str:
    """Give the mark of a difference; "" for none, or one that may be chance.

    >>> mark(Comparison(0.01, 0.02, 3), "b"), mark(Comparison(0.01, 0.2, 3), "b")
    ('b+', '')
    """
    if found is None or found.p >= LEVEL or found.difference == 0:
        return ""
    return f"{letter}{'+' if found.difference > 0 else '-'}"


def mean_count(runs: Sequence[Mapping[str, Any]], key: str) -> str:
    """Write the mean of a count of the target data over runs."""
    return f"{fmean(run['target'][key] for run in runs):,.0f}"
