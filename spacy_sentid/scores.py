"""Compute precision, recall and F1, and summarise the scores of several runs.

counts -> precision, recall, F1
{score: value} of each run -> means and standard deviations
"""

from collections.abc import Callable, Sequence
from statistics import fmean, stdev
from typing import Any


def precision_recall_f(
    right: int, found: int, gold: int, *, empty: float = 0.0
) -> tuple[float, float, float]:
    """Compute precision, recall and F1 from counts.

    empty: Value of all three if there is nothing in gold and nothing was found.

    >>> precision_recall_f(1, 2, 1)[:2], precision_recall_f(0, 0, 0, empty=1.0)
    ((0.5, 1.0), (1.0, 1.0, 1.0))
    """
    if not found and not gold:
        return empty, empty, empty
    precision = right / found if found else 0.0
    recall = right / gold if gold else 0.0
    return precision, recall, 2 * right / (found + gold)


def summarise_scores(scores: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Compute the mean and the sample standard deviation of each score; no "sd" for a single run.

    scores: Values, or dictionaries of them. Only those that all runs have are summarised.

    >>> summarise_scores([{"f": 0.5}, {"f": 0.5}])
    {'mean': {'f': 0.5}, 'sd': {'f': 0.0}}
    """
    functions: dict[str, Callable] = {"mean": fmean}
    if len(scores) > 1:
        functions["sd"] = stdev
    return {name: _combine(scores, function) for name, function in functions.items()}


def _combine(runs: Sequence[dict[str, Any]], function: Callable) -> dict[str, Any]:
    columns = {
        name: [run[name] for run in runs] for name in runs[0] if all(name in r for r in runs)
    }
    return {
        name: _combine(values, function) if isinstance(values[0], dict) else function(values)
        for name, values in columns.items()
    }
