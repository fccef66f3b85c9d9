"""Decide which words of a text are unparaphrased. numpy alone."""

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from ..arrays import Bools1d, Floats1d


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


def tag_words(probs: Floats1d, threshold: float, extend: float | None = None) -> Bools1d:
    """Tag the words of one text.

    probs: (n_words,) P(unparaphrased), in [0, 1].
    threshold: Words of at least this probability are tagged.
    extend: So are words of at least this probability that are next to a tagged one, directly or
        over other such words: a phrase is highlighted whole, with its function words. None = none.

    >>> probs = np.array([0.4, 0.1, 0.4, 0.9, 0.4])
    >>> tag_words(probs, 0.5, 0.3).astype(int).tolist()
    [0, 0, 1, 1, 1]
    >>> tag_words(probs, 0.5).astype(int).tolist()
    [0, 0, 0, 1, 0]
    """
    tags: Bools1d = np.asarray(probs) >= threshold
    if extend is None or extend >= threshold:
        return tags
    grown = np.zeros(len(tags), dtype=bool)
    for start, end in runs_of_ones(np.asarray(probs) >= extend):
        grown[start:end] = tags[start:end].any()
    return grown
