"""Which paraphrased copies of a row are kept, and why others are not.

texts of a row, of its copies -> new, not degenerate, diverse (ROUGE-2) -> tagger (theta) -> kept
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from spacy.language import Language

from ...settings import require_extra
from .candidates import tag_pairs
from .degenerate import find_fault
from .options import THETA
from .selection import highlighted_share
from .sentence_pairs import SentencePair

SAME, CLOSE, DUPLICATE = "same text", "ROUGE-2 too high", "duplicate"
OTHER, LESS, UNTAGGED = "says something else", "leaves something out", "not tagged"


class Copy(NamedTuple):
    """A copy of a row: its texts, those they were written for, and what was found."""

    sources: Sequence[str]
    texts: Sequence[str]
    rouge: list[float]  # ROUGE-2 F of each text to its source, 0 to 1
    reason: str | None  # to drop it

    @property
    def changed(self) -> list[tuple[str, str]]:
        """The sources and texts that differ."""
        pairs = zip(self.sources, self.texts, strict=True)
        return [pair for pair in pairs if text_key(pair[0]) != text_key(pair[1])]


def make_rouge() -> Callable[[str, str], float]:
    """Make a function that gives ROUGE-2 F of two texts, 0 to 1, without stemming.

    >>> rouge = make_rouge()
    >>> rouge("the cat sat here", "The cat sat there.")
    0.6666666666666666
    """
    with require_extra("ROUGE", extra="nlg"):
        from rouge_score.rouge_scorer import RougeScorer
    scorer = RougeScorer(["rouge2"], use_stemmer=False)

    def rouge(original: str, paraphrase: str) -> float:
        return scorer.score(original, paraphrase)["rouge2"].fmeasure

    return rouge


def text_key(text: str) -> str:
    """Make what two texts share that are the same but for case and white space."""
    return " ".join(text.casefold().split())


class CopyJudge:
    """Finds the reasons to drop copies.

    max_rouge: A copy goes if ROUGE-2 F of each of its texts to its source is so much or more.
    nlp: A pipeline with a paraphrase tagger; None = copies are not compared with it.
    theta: Share of the words of a text, in the source and in the copy, that may be highlighted.
    """

    def __init__(
        self, *, max_rouge: float = 1.0, nlp: Language | None = None, theta: float = THETA
    ) -> None:
        self.max_rouge = max_rouge
        self.nlp = nlp
        self.theta = theta
        self.rouge = make_rouge()

    def judge(self, sources: Sequence[str], copies: Iterable[Sequence[str]]) -> list[Copy]:
        """Judge the copies of one row by their texts alone."""
        seen: set[str] = set()
        return [self._judge(sources, texts, seen) for texts in copies]

    def _judge(self, sources: Sequence[str], texts: Sequence[str], seen: set[str]) -> Copy:
        rouge = [self.rouge(*pair) for pair in zip(sources, texts, strict=True)]
        copy = Copy(sources, texts, rouge, None)
        faults = (find_fault(*pair) for pair in copy.changed)
        key = "\n".join(map(text_key, texts))
        if not copy.changed:
            return copy._replace(reason=SAME)
        if fault := next(filter(None, faults), None):
            return copy._replace(reason=fault)
        # Texts of one word have no bigrams: ROUGE-2 is 0 for the same word, too.
        same = [pair not in copy.changed for pair in zip(sources, texts, strict=True)]
        if min(map(max, rouge, map(float, same))) >= self.max_rouge:
            return copy._replace(reason=CLOSE)
        if key in seen:
            return copy._replace(reason=DUPLICATE)
        seen.add(key)
        return copy

    def compare(self, copies: Sequence[Copy]) -> list[Copy]:
        """Give copies without a reason that of the tagger, if there is one; all tagged at once."""
        if self.nlp is None:
            return list(copies)
        pairs = [(n, pair) for n, copy in enumerate(copies) for pair in copy.changed]
        pairs = [(n, pair) for n, pair in pairs if copies[n].reason is None]
        tagged = tag_pairs(self.nlp, [SentencePair(str(n), *pair) for n, pair in pairs])
        compared = list(copies)
        for (n, _), pair in zip(pairs, tagged, strict=True):
            if reason := self._compare(pair):
                compared[n] = copies[n]._replace(reason=reason)
        return compared

    def _compare(self, pair: SentencePair | ValueError) -> str | None:
        if isinstance(pair, ValueError):
            return UNTAGGED
        if highlighted_share(pair.tags2) > self.theta:
            return OTHER
        return LESS if highlighted_share(pair.tags1) > self.theta else None
