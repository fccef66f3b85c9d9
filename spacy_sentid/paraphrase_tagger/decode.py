"""Decoding of probabilities into unparaphrased words and spans."""

from collections.abc import Iterable, Sequence
from itertools import groupby


def runs_of_ones(tags: Iterable[int]) -> list[tuple[int, int]]:
    """Find the runs of ones, half-open.

    >>> runs_of_ones([0, 1, 1, 0, 1])
    [(1, 3), (4, 5)]
    """
    runs = []
    start = 0
    for tag, run in groupby(tags):
        end = start + len(list(run))
        if tag:
            runs.append((start, end))
        start = end
    return runs


def find_spans(
    probs: Sequence[float], threshold: float, extend: float | None = None
) -> list[tuple[int, int]]:
    """Find the unparaphrased spans of one text, half-open.

    probs: P(unparaphrased) of each word, in [0, 1].
    threshold: Words of at least this probability are in a span.
    extend: Words of at least this probability are too if a run of them includes a word above the
        threshold. This adds the function words of a phrase. None = no extension.

    >>> probs = [0.4, 0.1, 0.4, 0.9, 0.4]
    >>> find_spans(probs, 0.5, 0.3), find_spans(probs, 0.5)
    ([(2, 5)], [(3, 4)])
    """
    low = threshold if extend is None else min(extend, threshold)
    runs = runs_of_ones(prob >= low for prob in probs)
    return [(start, end) for start, end in runs if max(probs[start:end]) >= threshold]
