"""Support of long pairs: each window of one text is compared with each window of the other.

Doc of a pair -> Docs of windows -> support in each window -> highest support of each word
"""

from collections.abc import Callable
from itertools import product

import numpy as np
from spacy.tokens import Doc

from ..arrays import Floats1d
from .pairs import get_pair, make_pair_of_words, pair_id

# Maximum number of comparisons, enough for two texts of 1,000 tokens with windows of 128.
MAX_PARTS = 400


def is_long(doc: Doc, window: int) -> bool:
    """Check if a text of a pair has more than `window` tokens."""
    return max(map(len, get_pair(doc))) > window


def score_long_pair(
    doc: Doc, window: int, score: Callable[[list[Doc]], list[Floats1d]]
) -> Floats1d:
    """Compute the support of each token, (n_tokens,), the highest of all comparisons.

    score: Returns the support of the tokens of pairs of at most `window` tokens a text.

    Raises ValueError with the pair's id if it needs more than MAX_PARTS comparisons.
    """
    first, second = get_pair(doc)
    cuts = list(product(cut_evenly(len(first), window), cut_evenly(len(second), window)))
    if len(cuts) > MAX_PARTS:
        raise ValueError(
            f"Pair {pair_id(doc)!r} must be short enough for {MAX_PARTS:,} comparisons, got "
            f"texts of {len(first):,} and {len(second):,} tokens, which need {len(cuts):,}. "
            "Cut the texts into sentences, as 'spacy-sentid score' does, or into parts."
        )
    parts, places = [], []
    for (start1, end1), (start2, end2) in cuts:
        texts = first[start1:end1], second[start2:end2]
        if any(all(token.is_space for token in text) for text in texts):
            continue  # a pair needs a word in each text
        words1, words2 = ([token.text for token in text] for text in texts)
        parts.append(make_pair_of_words(doc.vocab, words1, words2, pair_id=pair_id(doc)))
        places.append(np.concatenate([np.arange(text.start, text.end) for text in texts]))
    support = np.full(len(doc), -np.inf, dtype="float32")
    for tokens, found in zip(places, score(parts), strict=True):
        support[tokens] = np.maximum(support[tokens], found)
    support[[token.is_space for token in doc]] = 0
    return support


def cut_evenly(length: int, window: int) -> list[tuple[int, int]]:
    """Cut a text into windows of at most `window` tokens that overlap by half.

    >>> cut_evenly(5, 8), cut_evenly(20, 8)
    ([(0, 5)], [(0, 8), (4, 12), (8, 16), (12, 20)])
    """
    if length <= window:
        return [(0, length)]
    step = max(window // 2, 1)
    starts = range(0, length - window + step, step)
    return [(min(start, length - window), min(start, length - window) + window) for start in starts]
