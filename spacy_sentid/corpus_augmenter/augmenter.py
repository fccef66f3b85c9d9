"""Augment Examples while a pipeline trains: the spaCy face of section 5.

Example -> its units -> without some end punctuation; noun phrases as Examples of their own
"""

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..settings import check_range
from .doc_parts import extract_tokens, keep_tokens
from .noun_phrases import MIN_WORDS, STRIPPED_RELATIONS
from .punctuation import END_MARKS, count_end_marks, find_removable
from .rewriting import Change

NAME = "np_punct_augmenter"
# Noun phrases that wait to be drawn; each keeps its Example in memory.
MAX_POOL = 1000


def make_np_punct_augmenter(
    remove_punct: float,
    add_np: float,
    marks: list[str] | None = None,
    min_words: int = MIN_WORDS,
    stripped: list[str] | None = None,
) -> "NpPunctAugmenter":
    """Build `spacy_sentid.np_punct_augmenter.v1`, for `[corpora.train.augmenter]`.

    remove_punct: Probability that a unit loses its end punctuation, if it can.
    add_np: Noun phrases to add for each unit, on average; no more than the corpus has.
    marks: Words that are end punctuation; None = `END_MARKS`.
    min_words: Least words of a noun phrase, before `stripped` go.
    stripped: Relations to its noun of what goes from the edges of a noun phrase; None =
        `STRIPPED_RELATIONS`.

    Draws from the global `random`, which `[training] seed` seeds. A corpus that spaCy lists once
    (`max_epochs` not -1) is augmented once.
    """
    check_range("remove_punct", remove_punct, high=1, name=NAME)
    check_range("add_np", add_np, high=float("inf"), below=True, name=NAME)
    change = Change(
        marks=END_MARKS if marks is None else frozenset(marks),
        min_words=min_words,
        stripped=STRIPPED_RELATIONS if stripped is None else frozenset(stripped),
    )
    return NpPunctAugmenter(remove_punct, add_np, change)


class NpPunctAugmenter:
    """Yield Examples, perhaps with less end punctuation, and noun phrases of the corpus.

    The units are the sentences of a reference, or all of it where none are annotated. Noun phrases
    need UPOS and a tree; end punctuation UPOS, or `punct` relations. An Example itself is not
    changed, and yielded as it is if nothing goes from it.

    Noun phrases are drawn from those of all Examples so far, each once, as an Example of one unit
    often has none. What is owed where there are too few is added later.
    """

    def __init__(self, remove_punct: float, add_np: float, change: Change) -> None:
        self.remove_punct = remove_punct
        self.add_np = add_np
        self.change = change
        self.n_owed = 0.0
        self.pool: dict[str, _Phrase] = {}  # by text

    def __call__(self, nlp: Language, example: Example) -> Iterator[Example]:
        """Yield an Example, and noun phrases of it or of those before it."""
        units = list(_read_units(example.reference))
        gone = self._draw_marks(units)
        kept = [i for i in range(len(example.reference)) if i not in gone]
        yield _change(nlp, example, lambda doc: keep_tokens(doc, kept)) if gone else example
        if self.add_np:
            self._collect_phrases(example, units)
            self.n_owed += self.add_np * len(units)
            yield from self._draw_phrases(nlp)

    def _draw_marks(self, units: list["_Unit"]) -> set[int]:
        """Draw the units that lose their end punctuation: the tokens that go."""
        gone: set[int] = set()
        for unit in units if self.remove_punct else ():
            backwards = zip(reversed(unit.forms), reversed(unit.upos), strict=True)
            first = find_removable(count_end_marks(backwards, self.change.marks), unit.heads)
            if first is not None and random.random() < self.remove_punct:
                gone.update(unit.tokens[first:])
        return gone

    def _collect_phrases(self, example: Example, units: list["_Unit"]) -> None:
        """Put the noun phrases of an Example into the pool; one that is full loses others."""
        for unit in units:
            if not unit.has_tree:
                continue
            for phrase in self.change.find_phrases(unit.upos, unit.heads, unit.deprels):
                start, end = unit.tokens[phrase.start], unit.tokens[phrase.end - 1] + 1
                text = example.reference[start:end].text
                if text not in self.pool and len(self.pool) >= MAX_POOL:
                    self._take_phrase()
                self.pool[text] = _Phrase(example, start, end)

    def _draw_phrases(self, nlp: Language) -> Iterator[Example]:
        """Yield the noun phrases that are owed, as far as there are any."""
        while self.pool and self.n_owed > 0:
            # Each unit owes its share: what is left of one is drawn for.
            share = min(self.n_owed, 1.0)
            self.n_owed -= share
            if share == 1 or random.random() < share:
                example, start, end = self._take_phrase()
                yield _change(nlp, example, lambda doc: extract_tokens(doc, start, end))  # noqa: B023

    def _take_phrase(self) -> "_Phrase":
        """Take one out of the pool."""
        return self.pool.pop(random.choice(list(self.pool)))


class _Phrase(NamedTuple):
    """A noun phrase: tokens of the reference of an Example."""

    example: Example
    start: int
    end: int


class _Unit(NamedTuple):
    """The words of a unit, without white-space tokens; heads are indices among them."""

    tokens: list[int]
    forms: list[str]
    upos: list[str]
    heads: list[int]
    deprels: list[str]
    has_tree: bool


def _read_units(doc: Doc) -> Iterator[_Unit]:
    if not len(doc):
        return
    has_heads = doc.has_annotation("DEP")  # without, nothing is known to depend on a mark
    for sentence in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
        words = [token for token in sentence if not token.is_space]
        places = {token.i: n for n, token in enumerate(words)}
        if words:
            yield _Unit(
                tokens=list(places),
                forms=[token.text for token in words],
                upos=[t.pos_ or ("PUNCT" if t.dep_ == "punct" else "") for t in words],
                heads=[places.get(t.head.i, n) if has_heads else 0 for n, t in enumerate(words)],
                deprels=[token.dep_ for token in words],
                has_tree=all(token.dep for token in words),
            )


def _change(nlp: Language, example: Example, change: Callable[[Doc], Doc]) -> Example:
    """Change both sides of an Example; where their words differ, the text is tokenized again."""
    reference = change(example.reference)
    if [t.text for t in example.predicted] == [t.text for t in example.reference]:
        return Example(change(example.predicted), reference)
    return Example(nlp.make_doc(reference.text), reference)
