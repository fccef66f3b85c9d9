"""Long pairs in windows: each stretch of one text against each of the other, and back again.

Doc of a pair -> Docs of stretches -> support in each -> support of each word: the best it found
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc

from ..arrays import Floats1d, Ints1d
from .pairs import get_pair, make_pair_of_words, pair_id


class Part(NamedTuple):
    """A stretch of text 1 and one of text 2."""

    number: int  # of the Doc in its batch
    doc: Doc  # the pair of the two stretches; the Doc itself if it is not long
    tokens: Ints1d  # (len(doc),) which tokens of the whole Doc these are


def cut_long_pairs(docs: Sequence[Doc], window: int) -> list[Part]:
    """Cut pairs with a text of more than `window` tokens into stretches that overlap by half."""
    parts = []
    for number, doc in enumerate(docs):
        first, second = get_pair(doc)
        if len(first) <= window and len(second) <= window:
            parts.append(Part(number, doc, np.arange(len(doc))))
            continue
        for start1, end1 in cut_evenly(len(first), window):
            for start2, end2 in cut_evenly(len(second), window):
                tokens = [
                    *range(start1, end1),
                    *range(second.start + start2, second.start + end2),
                ]
                words = [doc[i].text for i in tokens]
                cut = end1 - start1
                if all(map(str.isspace, words[:cut])) or all(map(str.isspace, words[cut:])):
                    continue  # nothing to compare with
                part = make_pair_of_words(doc.vocab, words[:cut], words[cut:], pair_id=pair_id(doc))
                parts.append(Part(number, part, np.asarray(tokens)))
    return parts


def cut_evenly(length: int, window: int) -> list[tuple[int, int]]:
    """Cut a text into stretches of at most `window` tokens that overlap by half, or leave it whole.

    >>> cut_evenly(5, 8), cut_evenly(20, 8)
    ([(0, 5)], [(0, 8), (4, 12), (8, 16), (12, 20)])
    """
    if length <= window:
        return [(0, length)]
    step = max(window // 2, 1)
    starts = range(0, length - window + step, step)
    return [(min(start, length - window), min(start, length - window) + window) for start in starts]


def merge_parts(
    docs: Sequence[Doc], parts: Sequence[Part], supports: Sequence[Floats1d]
) -> tuple[list[Floats1d], list[Ints1d]]:
    """Give each token its best support.

    supports: (len(part.doc),) for each part.
    RETURNS: (n_tokens,) for each Doc, 0 for tokens in no part (a long stretch of white space); and
        the number of the part that each came from, -1 for none.
    """
    merged: list[Floats1d] = [None] * len(docs)
    origins: list[Ints1d] = [None] * len(docs)
    for k, (part, support) in enumerate(zip(parts, supports, strict=True)):
        n = part.number
        if merged[n] is None:
            if len(part.doc) == len(docs[n]):  # the whole pair
                merged[n], origins[n] = support, np.full(len(support), k)
                continue
            merged[n] = np.full(len(docs[n]), -np.inf, dtype="float32")
            origins[n] = np.full(len(docs[n]), -1)
        is_better = (support > merged[n][part.tokens]) | (origins[n][part.tokens] < 0)
        chosen = part.tokens[is_better]
        merged[n][chosen] = support[is_better]
        origins[n][chosen] = k
    for support, origin in zip(merged, origins, strict=True):
        support[origin < 0] = 0
    return merged, origins
