"""Decide which paraphrased copies of a row to keep, with a reason for each that is dropped.

texts of a row, of its copies -> new, not degenerate, diverse (ROUGE-2) -> tagger (theta) -> kept
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from spacy.language import Language

from ...components.settings import require_extra
from .candidates import tag_pairs
from .degenerate import find_fault
from .options import THETA
from .selection import highlighted_share
from .sentence_pairs import SentencePair

SAME, CLOSE, DUPLICATE = "same text", "ROUGE-2 too high", "duplicate"
OTHER, LESS, UNTAGGED = "says something else", "leaves something out", "not tagged"


class Copy(NamedTuple):
    """A paraphrased copy of a row: its source texts, its own texts, and the judgement."""

    sources: Sequence[str]
    texts: Sequence[str]
    rouge: list[float]  # ROUGE-2 F of each text against its source, 0 to 1
    reason: str | None  # reason to drop the copy; None = keep it

    @property
    def changed(self) -> list[tuple[str, str]]:
        """The pairs of source and text that differ, ignoring case and white space."""
        pairs = zip(self.sources, self.texts, strict=True)
        return [pair for pair in pairs if text_key(pair[0]) != text_key(pair[1])]


def make_rouge() -> Callable[[str, str], float]:
    """Make a function that computes ROUGE-2 F of two texts, 0 to 1, without stemming.

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
    """Normalise the case and white space of a text, to compare it with others."""
    return " ".join(text.casefold().split())


class CopyJudge:
    """A judge that finds reasons to drop copies.

    max_rouge: Copies are dropped if all their texts have at least this ROUGE-2 F against their
        source.
    nlp: A pipeline with a paraphrase tagger; None = do not check copies with a tagger.
    theta: Maximum share of unparaphrased words, both in a source and in its copy.
    """

    def __init__(
        self, *, max_rouge: float = 1.0, nlp: Language | None = None, theta: float = THETA
    ) -> None:
        self.max_rouge = max_rouge
        self.nlp = nlp
        self.theta = theta
        self.rouge = make_rouge()

    def judge(self, sources: Sequence[str], copies: Iterable[Sequence[str]]) -> list[Copy]:
        """Judge the copies of one row without the tagger."""
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
        # Texts of one word have no bigrams, so their ROUGE-2 is 0 even if they are equal.
        same = [pair not in copy.changed for pair in zip(sources, texts, strict=True)]
        if min(map(max, rouge, map(float, same))) >= self.max_rouge:
            return copy._replace(reason=CLOSE)
        if key in seen:
            return copy._replace(reason=DUPLICATE)
        seen.add(key)
        return copy

    def compare(self, copies: Sequence[Copy]) -> list[Copy]:
        """Judge the remaining copies with the tagger, if there is one, in a single batch."""
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
