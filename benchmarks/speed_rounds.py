"""Measure the CPU time of systems in interleaved rounds, and compare them within rounds.

texts of each round -> every system in turn -> CPU seconds -> median and range, ratios

Wall time depends on the load of the machine. CPU time depends on it less, but other processes still
affect the caches and the clock of the core. Systems are therefore compared within rounds, where
this effect is about the same for all.
"""

import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from statistics import median
from typing import Any, NamedTuple

# Shorter runs are repeated on the same texts, and their mean is used.
MIN_SECONDS = 0.05


class Spread(NamedTuple):
    """The median, the lowest and the highest value of some rounds."""

    median: float
    low: float
    high: float


def find_spread(values: Iterable[float]) -> Spread:
    """Find the median and the range.

    >>> find_spread([3, 1, 2])
    Spread(median=2, low=1, high=3)
    """
    values = sorted(values)
    return Spread(median(values), values[0], values[-1])


def find_ratio(over: Sequence[float], under: Sequence[float]) -> Spread:
    """Divide values of the same round, and return the median and the range of the ratios.

    >>> find_ratio([2.0, 8.0, 3.0], [1.0, 2.0, 1.0])
    Spread(median=3.0, low=2.0, high=4.0)
    """
    return find_spread(a / b for a, b in zip(over, under, strict=True))


def time_rounds(
    runs: Mapping[str, Callable[[Any], object]],
    rounds: Sequence[Any],
    *,
    repeatable: Set[str] = frozenset(),
) -> dict[str, list[float]]:
    """Time all systems on the texts of each round, beginning each round with another system.

    runs: System -> function that processes the texts of a round.
    repeatable: Systems that cache nothing, so that short runs can be repeated.
    RETURNS: System -> CPU seconds in each round.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    names = list(runs)
    for number, texts in enumerate(rounds):
        first = number % max(len(names), 1)
        for name in names[first:] + names[:first]:
            gc.collect()
            taken = find_cpu_seconds(runs[name], texts)
            n_runs = 1
            while name in repeatable and taken < MIN_SECONDS:
                taken += find_cpu_seconds(runs[name], texts)
                n_runs += 1
            seconds[name].append(taken / n_runs)
    return seconds


def find_cpu_seconds(run: Callable[[Any], object], texts: Any) -> float:
    """Measure the CPU seconds of this process during a call."""
    start = time.process_time()
    run(texts)
    return time.process_time() - start


def find_percentile(values: Sequence[float], percent: float) -> float:
    """Find the value that a percentage of the values do not exceed.

    >>> find_percentile([4, 1, 3, 2], 50), find_percentile([4, 1, 3, 2], 99)
    (2, 4)
    """
    place = -(-len(values) * percent // 100)  # rounded up
    return sorted(values)[max(int(place) - 1, 0)]
