"""Means over seeds, and how sure they are.

values -> mean and sample deviation; a share of so many things -> its interval
"""

from math import sqrt
from typing import NamedTuple

ROUNDING = 1e-9  # of means that are the same
Z = 1.96  # of a normal distribution: 95 % are within


class Summary(NamedTuple):
    """Values over seeds."""

    mean: float
    sd: float | None = None  # sample standard deviation; None for one value
    n_seeds: int = 0  # 0 = without seeds
    interval: tuple[float, float] | None = None  # of a share; None = not asked for

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval, or else one deviation to each side."""
        sd = self.sd or 0.0
        return self.interval or (self.mean - sd, self.mean + sd)


def find_interval(share: float, n: float) -> tuple[float, float]:
    """Find the 95 % interval of a share of n things (Wilson's score interval), inside [0, 1].

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
