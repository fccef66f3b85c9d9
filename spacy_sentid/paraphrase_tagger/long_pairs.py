"""Long pairs in windows: each stretch of one text against each of the other, and back again.

Doc of a pair -> Docs of stretches -> support in each -> support of each word: the best it found
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ..arrays import Floats1d, Ints1d
from .pairs import get_pair, make_pair_of_words, pair_id

# Parts of one pair, at most: two texts of about 4,000 tokens each with windows of 128.
MAX_PARTS = 4_000
# Tokens that the model sees at a time in prediction.
BLOCK_TOKENS = 50_000


class PairPart(NamedTuple):
    """A stretch of text 1 and one of text 2."""

    number: int  # of the Doc in its batch
    doc: Doc  # the pair of the two stretches; the Doc itself if it is not long
    tokens: Ints1d  # (len(doc),) which tokens of the whole Doc these are


def cut_long_pairs(docs: Sequence[Doc], window: int) -> Iterator[PairPart]:
    """Cut pairs with a text of more than `window` tokens into stretches that overlap by half.

    Raises ValueError with the pair's id for a pair of more than MAX_PARTS parts.
    """
    for number, doc in enumerate(docs):
        first, second = get_pair(doc)
        if len(first) <= window and len(second) <= window:
            yield PairPart(number, doc, np.arange(len(doc)))
            continue
        parts = list(product(cut_evenly(len(first), window), cut_evenly(len(second), window)))
        if len(parts) > MAX_PARTS:
            raise ValueError(
                f"Pair {pair_id(doc)!r} must be at most {MAX_PARTS:,} comparisons of stretches, "
                f"got {len(parts):,}, of texts of {len(first):,} and {len(second):,} tokens. Cut "
                "the texts into sentences (as 'spacy-sentid score' does), or into parts."
            )
        for (start1, end1), (start2, end2) in parts:
            texts = first[start1:end1], second[start2:end2]
            if any(all(token.is_space for token in text) for text in texts):
                continue  # nothing to compare with
            words1, words2 = ([token.text for token in text] for text in texts)
            part = make_pair_of_words(doc.vocab, words1, words2, pair_id=pair_id(doc))
            tokens = np.concatenate([np.arange(text.start, text.end) for text in texts])
            yield PairPart(number, part, tokens)


def block_parts(parts: Iterable[PairPart]) -> Iterator[list[PairPart]]:
    """Group parts so that a block has at most about BLOCK_TOKENS tokens: memory stays bounded."""
    n_tokens = 0

    def number_block(part: PairPart) -> int:
        nonlocal n_tokens
        n_tokens += len(part.doc)
        return n_tokens // BLOCK_TOKENS

    for _, block in groupby(parts, key=number_block):
        yield list(block)


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
    docs: Sequence[Doc], parts: Iterable[tuple[PairPart, Floats1d]]
) -> tuple[list[Floats1d], list[Ints1d]]:
    """Give each token its best support.

    parts: Each with its support, (len(part.doc),).
    RETURNS: (n_tokens,) for each Doc, 0 for tokens in no part (a long stretch of white space); and
        the number of the part that each came from, -1 for none.
    """
    merged: list[Any] = [None] * len(docs)
    origins: list[Any] = [None] * len(docs)
    cut = set()
    for k, (part, support) in enumerate(parts):
        n = part.number
        if merged[n] is None:
            if len(part.doc) == len(docs[n]):  # the whole pair
                merged[n], origins[n] = support, np.full(len(support), k)
                continue
            cut.add(n)
            merged[n] = np.full(len(docs[n]), -np.inf, dtype="float32")
            origins[n] = np.full(len(docs[n]), -1)
        is_better = (support > merged[n][part.tokens]) | (origins[n][part.tokens] < 0)
        chosen = part.tokens[is_better]
        merged[n][chosen] = support[is_better]
        origins[n][chosen] = k
    for n in cut:
        merged[n][origins[n] < 0] = 0
    return merged, origins
