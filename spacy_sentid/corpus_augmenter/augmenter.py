"""Augment Examples during training: the registered spaCy augmenter (section 5).

Example -> its units -> without some end punctuation; noun phrases as separate Examples
"""

import random
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..components.settings import check_range
from .doc_parts import extract_tokens, keep_tokens
from .noun_phrases import find_noun_phrases
from .punctuation import END_MARKS, count_end_marks, find_removable

NAME = "np_punct_augmenter"
# Maximum number of noun phrases in the pool. Each keeps its Example in memory.
MAX_POOL = 1000


def make_np_punct_augmenter(
    remove_punct: float,
    add_np: float,
    marks: list[str] | None = None,
) -> "NpPunctAugmenter":
    """Build `spacy_sentid.np_punct_augmenter.v1`, for `[corpora.train.augmenter]`.

    remove_punct: Probability that end punctuation is removed from a unit, where possible.
    add_np: Average number of noun phrases to add per unit, limited by those in the corpus.
    marks: Words that are end punctuation; None = `END_MARKS`.

    The augmenter draws from the global `random`, which `[training] seed` seeds. With a `max_epochs`
    other than -1, spaCy reads the corpus once, so it is also augmented only once.
    """
    check_range("remove_punct", remove_punct, high=1, name=NAME)
    check_range("add_np", add_np, high=float("inf"), below=True, name=NAME)
    chosen = END_MARKS if marks is None else frozenset(marks)
    return NpPunctAugmenter(remove_punct, add_np, chosen)


class NpPunctAugmenter:
    """An augmenter that removes end punctuation from Examples, and adds noun phrases of the corpus.

    The units are the sentences of the reference, or the whole reference if it has no sentences.
    Noun phrases need UPOS and a tree. End punctuation needs UPOS, or `punct` relations. Examples
    are never modified. An Example from which nothing is removed is yielded as it is.

    Many units have no noun phrase. The phrases are therefore drawn from all Examples so far, each
    at most once. If there are not enough, the missing ones are added later.
    """

    def __init__(self, remove_punct: float, add_np: float, marks: Collection[str]) -> None:
        self.remove_punct = remove_punct
        self.add_np = add_np
        self.marks = marks
        self.n_owed = 0.0
        self.pool: dict[str, _Phrase] = {}  # by text

    def __call__(self, nlp: Language, example: Example) -> Iterator[Example]:
        """Augment an Example, and yield noun phrases of it or of earlier Examples after it."""
        units = list(_read_units(example.reference))
        gone = self._draw_marks(units)
        kept = [i for i in range(len(example.reference)) if i not in gone]
        yield _change(nlp, example, lambda doc: keep_tokens(doc, kept)) if gone else example
        if self.add_np:
            self._collect_phrases(example, units)
            self.n_owed += self.add_np * len(units)
            yield from self._draw_phrases(nlp)

    def _draw_marks(self, units: list["_Unit"]) -> set[int]:
        """Draw the units whose end punctuation is removed, and return the tokens to remove."""
        gone: set[int] = set()
        for unit in units if self.remove_punct else ():
            backwards = zip(reversed(unit.forms), reversed(unit.upos), strict=True)
            first = find_removable(count_end_marks(backwards, self.marks), unit.heads)
            if first is not None and random.random() < self.remove_punct:
                gone.update(unit.tokens[first:])
        return gone

    def _collect_phrases(self, example: Example, units: list["_Unit"]) -> None:
        """Add the noun phrases of an Example to the pool. A full pool drops random others."""
        for unit in units:
            if not unit.has_tree:
                continue
            for phrase in find_noun_phrases(unit.upos, unit.heads, unit.deprels):
                start, end = unit.tokens[phrase.start], unit.tokens[phrase.end - 1] + 1
                text = example.reference[start:end].text
                if text not in self.pool and len(self.pool) >= MAX_POOL:
                    self._take_phrase()
                self.pool[text] = _Phrase(example, start, end)

    def _draw_phrases(self, nlp: Language) -> Iterator[Example]:
        """Draw and yield the missing noun phrases, as long as the pool has any."""
        while self.pool and self.n_owed > 0:
            # The fraction that is left after whole phrases is a probability.
            share = min(self.n_owed, 1.0)
            self.n_owed -= share
            if share == 1 or random.random() < share:
                example, start, end = self._take_phrase()
                yield _change(nlp, example, lambda doc: extract_tokens(doc, start, end))  # noqa: B023

    def _take_phrase(self) -> "_Phrase":
        """Remove a random noun phrase from the pool, and return it."""
        return self.pool.pop(random.choice(list(self.pool)))


class _Phrase(NamedTuple):
    """A noun phrase, as a range of tokens of the reference of an Example."""

    example: Example
    start: int
    end: int


class _Unit(NamedTuple):
    """The words of a unit, without white-space tokens. Heads are indices of these words."""

    tokens: list[int]
    forms: list[str]
    upos: list[str]
    heads: list[int]
    deprels: list[str]
    has_tree: bool


def _read_units(doc: Doc) -> Iterator[_Unit]:
    if not len(doc):
        return
    has_heads = doc.has_annotation("DEP")  # without a tree, no word depends on an end mark
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
    """Change both Docs of an Example. If their words differ, the new text is tokenized again."""
    reference = change(example.reference)
    if [t.text for t in example.predicted] == [t.text for t in example.reference]:
        return Example(change(example.predicted), reference)
    return Example(nlp.make_doc(reference.text), reference)
