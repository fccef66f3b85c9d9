"""Classes of words by the abbreviations and sentence starters of a language."""

import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.network.abbreviations import (
    INITIAL,
    N_ABBREVIATION_CLASSES,
    STARTER,
    classify_types,
)
from spacy_sentid.sentence_identifier.network.tokens import find_types, read_tokens
from spacy_sentid.text.language_data import KINDS

VOCAB = spacy.blank("en").vocab
CLASSES = {kind: number for number, kind in enumerate(KINDS, start=1)}


def classify(words: list[str], lang: str = "en") -> list[int]:
    types, inverse = find_types(read_tokens([Doc(VOCAB, words=words)]))
    return classify_types(types, VOCAB.strings, lang)[inverse].tolist()


@pytest.mark.parametrize(
    ("word", "kind"),
    [("Mr", "titles"), ("Fig", "numbered"), ("e.g", "inner"), ("Jan", "months"), ("Inc", "others")],
)
def test_abbreviations_have_the_class_of_their_kind(word: str, kind: str) -> None:
    assert classify([f"{word}.", word]) == [CLASSES[kind]] * 2


def test_initials_and_starters_have_their_own_classes() -> None:
    words = ["The", "J.", "cats", ".", "...", "x", "MR.", "😀"]
    assert classify(words) == [STARTER, INITIAL, 0, 0, 0, 0, 0, 0]


def test_each_language_has_its_own_abbreviations() -> None:
    assert classify(["Hr."]) == [0]
    assert classify(["Hr."], "de") == [CLASSES["titles"]]
    assert classify(["Hr.", "Mr.", "J."], "xx") == [0, 0, 0]


def test_no_words_have_no_classes() -> None:
    assert classify([]) == []


def test_all_classes_have_a_row() -> None:
    assert {INITIAL, STARTER, *CLASSES.values(), 0} == set(range(N_ABBREVIATION_CLASSES))
