"""Decoding of probabilities into unparaphrased words and spans, with numpy only."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ..arrays import Bools1d, Floats1d, Ints1d


class Runs(NamedTuple):
    """Half-open runs of words, with the mean probability of each."""

    starts: Ints1d  # (n_runs,)
    ends: Ints1d
    scores: Floats1d


def find_runs(tags: Bools1d) -> tuple[Ints1d, Ints1d]:
    """Find where runs of True start and end, half-open."""
    edges = np.flatnonzero(np.diff(tags, prepend=False, append=False))
    return edges[::2], edges[1::2]


def runs_of_ones(tags: Iterable[int]) -> list[tuple[int, int]]:
    """Find the runs of ones, half-open.

    >>> runs_of_ones([0, 1, 1, 0, 1])
    [(1, 3), (4, 5)]
    """
    starts, ends = find_runs(np.fromiter(tags, dtype=bool))
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def decode_texts(
    probs: Floats1d, lengths: Ints1d, threshold: float, extend: float | None = None
) -> Runs:
    """Find the runs of unparaphrased words of many texts. A run never crosses into the next text.

    probs: (n_words,) probabilities of all texts, concatenated; -1 = never part of a run.
    lengths: (n_texts,) number of words of each text.
    """
    # A slot after each text, which is never tagged, keeps runs from crossing.
    numbers = np.repeat(np.arange(len(lengths)), lengths)
    padded = np.full(len(probs) + len(lengths), -1.0)
    padded[np.arange(len(probs)) + numbers] = probs
    starts, ends = find_runs(tag_words(padded, threshold, extend))
    sums = np.append(0, np.cumsum(padded))
    scores = (sums[ends] - sums[starts]) / (ends - starts)
    texts = np.searchsorted(np.cumsum(lengths + 1), starts, "right")
    return Runs(starts - texts, ends - texts, scores.astype("float32"))


def tag_words(probs: Floats1d, threshold: float, extend: float | None = None) -> Bools1d:
    """Tag the words of one text.

    probs: (n_words,) P(unparaphrased), in [0, 1].
    threshold: Words of at least this probability are tagged.
    extend: Words of at least this probability are tagged too if a run of them includes a word
        above the threshold. This adds the function words of a phrase. None = no extension.

    >>> probs = np.array([0.4, 0.1, 0.4, 0.9, 0.4])
    >>> tag_words(probs, 0.5, 0.3).astype(int).tolist()
    [0, 0, 1, 1, 1]
    >>> tag_words(probs, 0.5).astype(int).tolist()
    [0, 0, 0, 1, 0]
    """
    tags: Bools1d = np.asarray(probs) >= threshold
    if extend is None or extend >= threshold:
        return tags
    starts, ends = find_runs(np.asarray(probs) >= extend)
    n_tagged = np.append(0, np.cumsum(tags))
    with_tagged = n_tagged[ends] > n_tagged[starts]
    borders = np.zeros(len(tags) + 1, dtype="int8")
    borders[starts[with_tagged]] = 1
    borders[ends[with_tagged]] = -1
    return np.cumsum(borders[:-1]) > 0
