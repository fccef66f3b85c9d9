"""How two texts lie side by side: words with their neighbours, and words aligned in order.

matches -> similarity of words and of what is next to them -> alignment without crossings -> gaps
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Bools2d, Bools3d, Floats2d, Floats3d, Ints2d
from .matches import Matches, SideWords, align_in_order, measure_similarity, shift


class Context(NamedTuple):
    """Similarity of two words and of their neighbours; (n, m, n_pairs) each."""

    similarity: Floats3d
    before: Floats3d  # of the word before each of the two
    after: Floats3d
    near: Floats3d  # of up to two words to either side, summed
    distance: Floats3d  # how far apart the two stand in their texts, in [0, 1]
    in_context: Floats3d  # raised where the neighbours are alike too, lowered by distance


def measure_context(matches: Matches, first: SideWords, second: SideWords) -> Context:
    """Compare words with their neighbours."""
    similarity = measure_similarity(matches)
    before, after = shift(similarity, 1, 1), shift(similarity, -1, -1)
    near = 0.5 * (shift(similarity, 2, 2) + shift(similarity, -2, -2))
    near += before
    near += after
    for down, right in ((1, 2), (2, 1), (-1, -2), (-2, -1)):
        near += 0.25 * shift(similarity, down, right)
    near *= first.mask[:, None] & second.mask  # no neighbours of padding
    distance = np.abs(find_positions(first)[:, None] - find_positions(second))
    in_context = similarity * (1 + 0.4 * near - 0.3 * distance)
    return Context(similarity, before, after, near, distance, in_context)


def align(matches: Matches, context: Context, is_content: Bools2d) -> Bools3d:
    """Align words of equal stem or number without crossings, as a diff does.

    is_content: (n, n_pairs) for the words of text 1; the others count half.
    """
    weights = np.where(is_content, 1.3, 0.65).astype("float32")
    equal = (matches.stem | matches.number) * context.similarity
    beside = context.before + context.after
    return align_in_order(equal * weights[:, None] * (1 + 0.3 * beside))


def find_positions(side: SideWords) -> Floats2d:
    """Place each word between 0, the first of its text, and 1, the last."""
    last = np.maximum(side.lengths - 1, 1)
    return (np.arange(len(side.words))[:, None] / last).astype("float32")


def number_gaps(aligned: Bools2d) -> Ints2d:
    """Number the gaps between aligned words: as many aligned words stand before each."""
    return np.cumsum(aligned, axis=0) - aligned


def count_in_gaps(gaps: Ints2d, chosen: Bools2d, asked: Ints2d) -> Floats2d:
    """Count the chosen words of each gap, and give the counts of the gaps asked for."""
    n_gaps = max(gaps.max(initial=0), asked.max(initial=0)) + 1
    first = np.arange(gaps.shape[1]) * n_gaps
    counts = np.bincount((gaps + first)[chosen], minlength=len(first) * n_gaps)
    return counts[asked + first]
