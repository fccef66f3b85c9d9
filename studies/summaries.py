"""Means over seeds, with their deviation or interval.

values -> mean and sample deviation; share of n items -> interval
"""

from math import sqrt
from typing import NamedTuple

ROUNDING = 1e-9  # tolerance for rounding errors
Z = 1.96  # 95 % of a normal distribution are within this many deviations


class Summary(NamedTuple):
    """A summary of the values over seeds."""

    mean: float
    sd: float | None = None  # sample standard deviation; None if there is only one value
    n_seeds: int = 0  # 0 = no seeds
    interval: tuple[float, float] | None = None  # interval of a share, if requested

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval if there is one, or else the mean minus and plus one deviation."""
        sd = self.sd or 0.0
        return self.interval or (self.mean - sd, self.mean + sd)


def find_interval(share: float, n: float) -> tuple[float, float]:
    """Compute the 95 % interval of a share of n items (Wilson score interval), inside [0, 1].

    >>> [round(bound, 3) for bound in find_interval(0.25, 4)]
    [0.046, 0.699]
    >>> [round(bound, 3) for bound in find_interval(0.0, 30)]
    [0.0, 0.114]
    """
    scale = 1 + Z**2 / n
    center = (share + Z**2 / (2 * n)) / scale
    half = Z * sqrt(share * (1 - share) / n + Z**2 / (4 * n**2)) / scale
    return max(center - half, 0.0), min(center + half, 1.0)


def compare_means(
    found: Summary | None, baseline: Summary | None, *, higher_is_better: bool = True
) -> str:
    """Return "+" or "-" if a mean is better or worse than a baseline by more than its deviation.

    >>> compare_means(Summary(0.6), Summary(0.5, 0.05)), compare_means(Summary(0.6), Summary(0.5))
    ('+', '')
    """
    if found is None or baseline is None or baseline.sd is None:
        return ""
    gain = found.mean - baseline.mean
    if abs(gain) <= baseline.sd + ROUNDING:
        return ""
    return "+" if (gain > 0) == higher_is_better else "-"
