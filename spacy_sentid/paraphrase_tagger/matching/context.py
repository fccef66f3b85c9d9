"""Alignment of two texts: words compared with their neighbours, and aligned in order.

matches -> similarity of words and of their neighbours -> alignment without crossings -> gaps
"""

from typing import NamedTuple

import numpy as np

from ...arrays import Bools2d, Bools3d, Floats2d, Floats3d, Ints2d
from .matches import Matches, SideWords, align_in_order, measure_similarity, shift


class Context(NamedTuple):
    """Similarity of any two words and of their neighbours, (n, m, n_pairs) each."""

    similarity: Floats3d
    before: Floats3d  # similarity of the two words before
    after: Floats3d  # similarity of the two words after
    near: Floats3d  # weighted sum over up to two words on either side
    distance: Floats3d  # difference of the relative positions in the texts, in [0, 1]
    in_context: Floats3d  # similarity, raised by similar neighbours and lowered by distance


def measure_context(matches: Matches, first: SideWords, second: SideWords) -> Context:
    """Compute the similarity of words in their context."""
    similarity = measure_similarity(matches)
    before, after = shift(similarity, 1, 1), shift(similarity, -1, -1)
    near = 0.5 * (shift(similarity, 2, 2) + shift(similarity, -2, -2))
    near += before
    near += after
    for down, right in ((1, 2), (2, 1), (-1, -2), (-2, -1)):
        near += 0.25 * shift(similarity, down, right)
    near *= first.mask[:, None] & second.mask  # padding has no neighbours
    distance = np.abs(find_positions(first)[:, None] - find_positions(second))
    in_context = similarity * (1 + 0.4 * near - 0.3 * distance)
    return Context(similarity, before, after, near, distance, in_context)


def align(matches: Matches, context: Context, is_content: Bools2d) -> Bools3d:
    """Align words with the same stem or number without crossings, as a diff does.

    is_content: (n, n_pairs) content words of text 1. Other words have half the weight.
    """
    weights = np.where(is_content, 1.3, 0.65).astype("float32")
    equal = (matches.stem | matches.number) * context.similarity
    beside = context.before + context.after
    return align_in_order(equal * weights[:, None] * (1 + 0.3 * beside))


def find_positions(side: SideWords) -> Floats2d:
    """Compute the relative position of each word, from 0 for the first to 1 for the last."""
    last = np.maximum(side.lengths - 1, 1)
    return (np.arange(len(side.words))[:, None] / last).astype("float32")


def number_gaps(aligned: Bools2d) -> Ints2d:
    """Number the gaps of each text. The number of a gap is the count of aligned words before it."""
    return np.cumsum(aligned, axis=0) - aligned


def count_in_gaps(gaps: Ints2d, chosen: Bools2d, asked: Ints2d) -> Floats2d:
    """Count the chosen words of each gap, and return the counts for the gaps `asked`."""
    n_gaps = max(gaps.max(initial=0), asked.max(initial=0)) + 1
    first = np.arange(gaps.shape[1]) * n_gaps
    counts = np.bincount((gaps + first)[chosen], minlength=len(first) * n_gaps)
    return counts[asked + first]
