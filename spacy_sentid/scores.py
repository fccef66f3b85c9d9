"""Scores of several runs in one.

score -> value, for each run -> means and deviations
"""

from collections.abc import Sequence
from statistics import fmean, stdev


def summarise_scores(scores: Sequence[dict[str, float]]) -> dict[str, dict[str, float]]:
    """Take mean and sample standard deviation of each score; no "sd" for a single run.

    >>> summarise_scores([{"f": 0.5}, {"f": 0.5}])
    {'mean': {'f': 0.5}, 'sd': {'f': 0.0}}
    """
    summary = {"mean": {name: fmean(run[name] for run in scores) for name in scores[0]}}
    if len(scores) > 1:
        summary["sd"] = {name: stdev(run[name] for run in scores) for name in scores[0]}
    return summary
