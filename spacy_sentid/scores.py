"""Compute precision, recall and F1, and summarise the scores of several runs.

counts -> precision, recall, F1
{score: value} of each run -> means and standard deviations
"""

from collections.abc import Sequence
from statistics import fmean, stdev


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


def summarise_scores(scores: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Compute the mean and the sample standard deviation of each score; no "sd" for a single run.

    >>> summarise_scores([{"f": 0.5}, {"f": 0.5}])
    {'mean': {'f': 0.5}, 'sd': {'f': 0.0}}
    """
    summary = {"mean": {name: fmean(run[name] for run in scores) for name in scores[0]}}
    if len(scores) > 1:
        summary["sd"] = {name: stdev(run[name] for run in scores) for name in scores[0]}
    return summary
