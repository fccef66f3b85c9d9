"""The scale of the share of supported words, from identical, real and unrelated pairs.

tagged pairs -> each text with itself, with its reference, with that of another pair -> shares
"""

import random
from collections.abc import Sequence
from statistics import fmean, median
from typing import NamedTuple

from spacy.language import Language

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair
from spacy_sentid.paraphrase_tagger.nlg.comparison import Side
from spacy_sentid.paraphrase_tagger.nlg.evaluator import score_pairs

SEED = 0


class Scale(NamedTuple):
    """Shares of supported words over both texts of each pair, in [0, 1]."""

    name: str
    mean: float
    median: float
    mean_all: float  # mean share including function words and punctuation


def measure_scale(nlp: Language, pairs: Sequence[TaggedPair]) -> list[Scale]:
    """Measure the shares of each text with itself, its reference, and that of another pair."""
    hyps, refs = (
        [" ".join(words) for words in texts]
        for texts in zip(*((pair.words1, pair.words2) for pair in pairs), strict=True)
    )
    others = random.Random(SEED).sample(refs, len(refs))
    found = []
    for name, against in (("identical", hyps), ("as they are", refs), ("unrelated", others)):
        comparisons = [one.comparisons[0] for one in score_pairs(hyps, against, nlp=nlp)]
        sides = [side for one in comparisons for side in (one.hyp, one.ref)]
        shares = [side.supported or 0.0 for side in sides]
        found.append(Scale(name, fmean(shares), median(shares), fmean(map(_share_of_all, sides))))
    return found


def _share_of_all(side: Side) -> float:
    n_in_spans = sum(
        any(span.start_char <= word.start_char < span.end_char for span in side.spans)
        for word in side.words
    )
    return 1 - n_in_spans / len(side.words)
