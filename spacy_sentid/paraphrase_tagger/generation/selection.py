"""Selection of pairs by the filters of section 4.1 and by highlighted words (4.3 and 5.3).

two texts -> filters -> a reason to drop the pair, or none
tags -> share of highlighted words -> at most theta
"""

from collections.abc import Callable

from ...components.settings import require_extra
from ..corpus import TaggedPair
from .degenerate import LENGTHS
from .options import THETA, Filters
from .sentence_pairs import SentencePair

IDENTICAL, SHORT = "identical", "too short"
LOW_BLEU, HIGH_BLEU, HIGHLIGHTED = "BLEU too low", "BLEU too high", "highlighted"


def make_bleu() -> Callable[[str, str], float]:
    """Make a function that computes BLEU of a pair, 0 to 100, as the mean of both directions.

    BLEU depends on which sentence is the reference, and in a pair neither is. The sentence-level
    scores equal those of sacrebleu's `sentence_bleu` (13a tokens, case kept, exponential smoothing,
    effective order).

    >>> bleu = make_bleu()
    >>> round(bleu("He left the old house .", "He left the new house ."), 1)
    38.0
    """
    with require_extra("BLEU", extra="nlg"):
        from sacrebleu.metrics import BLEU
    metric = BLEU(effective_order=True)

    def bleu(text1: str, text2: str) -> float:
        both = metric.sentence_score(text1, [text2]), metric.sentence_score(text2, [text1])
        return sum(score.score for score in both) / 2

    return bleu


def make_filter(filters: Filters) -> Callable[[str, str], str | None]:
    """Make a function that returns the reason to drop a pair, or None to keep it.

    >>> reason_to_drop = make_filter(Filters())
    >>> reason_to_drop("It rose.", "It grew.")
    'too short'
    """
    bleu = make_bleu()

    def reason_to_drop(text1: str, text2: str) -> str | None:
        if text1.casefold().split() == text2.casefold().split():
            return IDENTICAL
        if min(len(text1.strip()), len(text2.strip())) < filters.min_chars:
            return SHORT
        if length_ratio(text1, text2) >= filters.max_length_ratio:
            return LENGTHS
        score = bleu(text1, text2)
        if score <= filters.min_bleu:
            return LOW_BLEU
        return HIGH_BLEU if score >= filters.max_bleu else None

    return reason_to_drop


def length_ratio(text1: str, text2: str) -> float:
    """Compute the ratio of the longer text to the shorter one, in words separated by spaces.

    >>> length_ratio("one two", "one two three")
    1.5
    """
    shorter, longer = sorted([len(text1.split()), len(text2.split())])
    return longer / shorter if shorter else float("inf")


def is_chosen(pair: SentencePair | TaggedPair, *, theta: float = THETA) -> bool:
    """Check if at most a share theta of the words of a pair is highlighted (5.3).

    A pair without tags has no highlighted words.

    >>> pair = TaggedPair("1", ["It", "rose"], ["It", "fell"], [0, 1], [0, 0])
    >>> is_chosen(pair, theta=0.25), is_chosen(pair, theta=0.2)
    (True, False)
    """
    return highlighted_share(pair.tags1, pair.tags2) <= theta


def highlighted_share(*tags: list[int] | None) -> float:
    """Compute the share of highlighted words (5.3) in one or more texts, 0 to 1.

    >>> highlighted_share([0, 1], [0, 0]), highlighted_share(None)
    (0.25, 0.0)
    """
    found = [tag for side in tags for tag in side or []]
    return sum(found) / len(found) if found else 0.0
