"""Augment Examples while a pipeline trains: the spaCy face of section 5.

Example -> its units -> without some end punctuation; noun phrases as Examples of their own
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..settings import check_range
from .doc_parts import extract_tokens, keep_tokens
from .noun_phrases import MIN_WORDS, STRIPPED_RELATIONS
from .punctuation import END_MARKS, count_end_marks, find_removable
from .rewriting import Change

NAME = "np_punct_augmenter"


def make_np_punct_augmenter(
    remove_punct: float,
    add_np: float,
    marks: list[str] | None = None,
    min_words: int = MIN_WORDS,
    stripped: list[str] | None = None,
) -> Callable[[Language, Example], Iterator[Example]]:
    """Build `spacy_sentid.np_punct_augmenter.v1`, for `[corpora.train.augmenter]`.

    remove_punct: Probability that a unit loses its end punctuation, if it can.
    add_np: Noun phrases to add for each unit, on average; no more than its Example has.
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
    return partial(
        augment_example, remove_punct=remove_punct, add_np=add_np, change=change, rng=None
    )


def augment_example(
    nlp: Language,
    example: Example,
    *,
    remove_punct: float,
    add_np: float,
    change: Change,
    rng: Random | None,
) -> Iterator[Example]:
    """Yield an Example, perhaps with less end punctuation, and noun phrases of it.

    The units are the sentences of the reference, or all of it where none are annotated. Noun
    phrases need UPOS and a tree; end punctuation UPOS, or `punct` relations. The Example itself is
    not changed, and yielded as it is if nothing goes from it.

    rng: None = the global `random`.
    """
    draw: Any = rng or random
    units = list(_read_units(example.reference))
    gone: set[int] = set()
    pool: list[tuple[int, int]] = []
    texts: set[str] = set()
    for unit in units:
        backwards = zip(reversed(unit.forms), reversed(unit.upos), strict=True)
        first = find_removable(count_end_marks(backwards, change.marks), unit.heads)
        if first is not None and remove_punct and draw.random() < remove_punct:
            gone.update(unit.tokens[first:])
        if not unit.has_tree or not add_np:
            continue
        for phrase in change.find_phrases(unit.upos, unit.heads, unit.deprels):
            bounds = (unit.tokens[phrase.start], unit.tokens[phrase.end - 1] + 1)
            text = example.reference[bounds[0] : bounds[1]].text
            if text not in texts:
                texts.add(text)
                pool.append(bounds)
    kept = [i for i in range(len(example.reference)) if i not in gone]
    yield _change(nlp, example, lambda doc: keep_tokens(doc, kept)) if gone else example
    for start, end in _draw_phrases(pool, add_np * len(units), draw):
        yield _change(nlp, example, lambda doc: extract_tokens(doc, start, end))  # noqa: B023


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


def _draw_phrases(pool: list[tuple[int, int]], expected: float, draw: Any) -> list[tuple[int, int]]:
    """Draw noun phrases, in text order: on average the expected number of them."""
    n, rest = divmod(expected, 1)
    n_drawn = int(n) + (rest > 0 and draw.random() < rest)
    return sorted(draw.sample(pool, min(n_drawn, len(pool)))) if n_drawn else []


def _change(nlp: Language, example: Example, change: Callable[[Doc], Doc]) -> Example:
    """Change both sides of an Example; where their words differ, the text is tokenized again."""
    reference = change(example.reference)
    if [t.text for t in example.predicted] == [t.text for t in example.reference]:
        return Example(change(example.predicted), reference)
    return Example(nlp.make_doc(reference.text), reference)
