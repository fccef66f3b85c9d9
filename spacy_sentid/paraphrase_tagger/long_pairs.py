"""Windows over long pairs: each stretch of one text is compared with each stretch of the other.

Doc of a pair -> Docs of stretches -> support in each stretch -> highest support of each word
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, product
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from ..arrays import Floats1d, Ints1d
from .pairs import get_pair, make_pair_of_words, pair_id

# Maximum number of parts of a pair, enough for two texts of 4,000 tokens with windows of 128.
MAX_PARTS = 4_000
# Approximate number of tokens that the model gets at a time in prediction.
BLOCK_TOKENS = 50_000


class PairPart(NamedTuple):
    """A stretch of text 1 with a stretch of text 2."""

    number: int  # index of the Doc in its batch
    doc: Doc  # the pair of the two stretches; the Doc itself if it is not long
    tokens: Ints1d  # (len(doc),) indices of these tokens in the whole Doc


def cut_long_pairs(docs: Sequence[Doc], window: int) -> Iterator[PairPart]:
    """Cut pairs with a text of more than `window` tokens into stretches that overlap by half.

    Raises ValueError with the pair's id if a pair has more than MAX_PARTS parts.
    """
    for number, doc in enumerate(docs):
        first, second = get_pair(doc)
        if len(first) <= window and len(second) <= window:
            yield PairPart(number, doc, np.arange(len(doc)))
            continue
        parts = list(product(cut_evenly(len(first), window), cut_evenly(len(second), window)))
        if len(parts) > MAX_PARTS:
            raise ValueError(
                f"Pair {pair_id(doc)!r} must be short enough for {MAX_PARTS:,} comparisons, got "
                f"texts of {len(first):,} and {len(second):,} tokens, which need {len(parts):,}. "
                "Cut the texts into sentences, as 'spacy-sentid score' does, or into parts."
            )
        for (start1, end1), (start2, end2) in parts:
            texts = first[start1:end1], second[start2:end2]
            if any(all(token.is_space for token in text) for text in texts):
                continue  # make_pair needs a word in each text
            words1, words2 = ([token.text for token in text] for text in texts)
            part = make_pair_of_words(doc.vocab, words1, words2, pair_id=pair_id(doc))
            tokens = np.concatenate([np.arange(text.start, text.end) for text in texts])
            yield PairPart(number, part, tokens)


def block_parts(parts: Iterable[PairPart]) -> Iterator[list[PairPart]]:
    """Group parts into blocks of about BLOCK_TOKENS tokens at most, which bounds memory."""
    n_tokens = 0

    def number_block(part: PairPart) -> int:
        nonlocal n_tokens
        n_tokens += len(part.doc)
        return n_tokens // BLOCK_TOKENS

    for _, block in groupby(parts, key=number_block):
        yield list(block)


def cut_evenly(length: int, window: int) -> list[tuple[int, int]]:
    """Cut a text into stretches of at most `window` tokens that overlap by half.

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
    """Merge the support of parts: each token gets the highest.

    parts: Parts, each with its support, (len(part.doc),).
    RETURNS: For each Doc, the support of its tokens, (n_tokens,), and the index of the part that
        each came from. Tokens in no part (long stretches of white space) get 0 and -1.
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
