"""Kinds of words and spans, the most severe first, with a handwritten lexicon."""

import numpy
import pytest
import spacy

from spacy_sentid.paraphrase_tagger.matching.lexicon import EMPTY, WIDTH, Lexicon
from spacy_sentid.paraphrase_tagger.matching.severity import (
    KINDS,
    SIGNS_OF,
    find_kinds,
    find_severest,
    read_lexicon,
)
from spacy_sentid.paraphrase_tagger.matching.words import hash_core


def make_lexicon() -> Lexicon:
    """Make a lexicon where "rose" and "risen" have the opposite "fall", whose form is "fell"."""
    keys_of = {"rose": [[1], [], [], [2]], "risen": [[1], [], [], [2]], "fell": [[2], [], [], []]}
    rows = sorted((hash_core(word), keys) for word, keys in keys_of.items())
    lists = [keys for _, kinds in rows for keys in kinds]
    return Lexicon(
        numpy.array([form for form, _ in rows], "uint32"),
        numpy.zeros(len(rows), "float32"),
        numpy.cumsum([0, *map(len, lists)]).astype("int32"),
        numpy.array([key for keys in lists for key in keys], "int32"),
        numpy.zeros((len(rows), WIDTH), "int8"),
        EMPTY.groups,
    )


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("the 3 of May", "function number function number"),
        ("she cannot go", "function negation content"),
        ("He may never pay $ 5", "function modality negation content number number"),
        ("the mayor of Rome", "function content function name"),
        # A capital marks no name at the start of a sentence, or if all words have one.
        # Two names at the start and words in upper case are exceptions.
        ("Sales in Rome rose", "content function name content"),
        ("Ann Berg sold it", "name name content function"),
        ('" Sales rose', "function content content"),
        ("Sales Rose In Rome", "content content function content"),
        ("NATO signs deal", "name content content"),
        ("STOP THE BOATS", "content function content"),
        ("", ""),
    ],
)
def test_kinds_of_words(words, kinds):
    assert find_kinds(words.split()) == kinds.split()


@pytest.mark.parametrize(
    ("others", "expected"), [("it fell", "opposite"), ("it rose", "content"), ("", "content")]
)
def test_a_word_is_an_opposite_if_the_other_text_has_its_opposite(others, expected):
    assert find_kinds(["it", "rose"], others.split(), lexicon=make_lexicon())[1] == expected
    assert find_kinds(["it", "rose"], others.split())[1] == "content"


def test_the_opposites_of_a_pipeline_are_those_of_its_tagger():
    nlp = spacy.blank("en")
    assert find_kinds(["rose"], ["fell"], lexicon=read_lexicon(nlp)) == ["content"]
    nlp.add_pipe("paraphrase_tagger")
    assert find_kinds(["rose"], ["fell"], lexicon=read_lexicon(nlp)) == ["opposite"]


def test_a_span_has_its_severest_kind():
    assert find_severest(reversed(KINDS)) == "number"
    assert {kind for kind, _ in SIGNS_OF} < set(KINDS)
