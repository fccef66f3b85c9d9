"""Tags of words, 0 and 1, and the spans they make up. numpy alone."""

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from ..arrays import Floats1d


def runs_of_ones(tags: Iterable[int]) -> list[tuple[int, int]]:
    """Find the runs of ones, half-open.

    >>> runs_of_ones([0, 1, 1, 0, 1])
    [(1, 3), (4, 5)]
    """
    runs = []
    for tag, group in groupby(enumerate(tags), key=lambda item: item[1]):
        if tag:
            indices = [i for i, _ in group]
            runs.append((indices[0], indices[-1] + 1))
    return runs


def sigmoid(logits: Floats1d) -> Floats1d:
    """Turn logits into probabilities."""
    return 1 / (1 + np.exp(-np.clip(logits, -60, 60)))
