"""Gold aligned by characters: boundaries inside tokens, other text, incomplete gold."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_sentid.sentence_identifier.access.units import Keys
from spacy_sentid.sentence_identifier.learning.gold import Gold, read_gold, token_characters
from spacy_sentid.text.units import Unit

VOCAB = spacy.blank("en").vocab


def align(pred: list[str], gold: list[tuple[str, str]], joint: str = "") -> Gold:
    """Align gold units (text, label) with predicted tokens; the label "" is outside of units."""
    words = [text for text, _ in gold]
    reference = Doc(VOCAB, words=words, spaces=[False] * len(words))
    for key, label in (("su", "SU"), ("nsu", "NSU")):
        reference.spans[key] = [reference[i : i + 1] for i, (_, x) in enumerate(gold) if x == label]
    predicted = Doc(VOCAB, words=pred, spaces=[False] * len(pred))
    return read_gold(Example(predicted, reference), Keys())


@pytest.mark.parametrize(
    ("pred", "gold", "units", "known"),
    [
        pytest.param(
            ["Hi", ".", "Bo"], [("Hi.", "SU"), ("Bo", "NSU")],
            [(0, 2, "SU"), (2, 3, "NSU")], [1, 1, 1], id="borders between tokens",
        ),
        pytest.param(
            ["Hi", ".Bo", "ran"], [("Hi.", "SU"), ("Boran", "SU")],
            [(0, 2, "SU"), (2, 3, "SU")], [1, 0, 0], id="border inside a token",
        ),
        pytest.param(
            ["Hi", ".No.Bo", "ran"], [("Hi.", "SU"), ("No.", "SU"), ("Boran", "SU")],
            [(0, 2, "SU"), (2, 3, "SU")], [1, 0, 0], id="a unit inside a token",
        ),
        pytest.param(
            ["Hi", ".No.", "Bo"], [("Hi.", "SU"), ("No.", "SU"), ("Bo", "SU")],
            [(0, 2, "SU"), (2, 3, "SU")], [1, 0, 1], id="a unit that ends with a token",
        ),
        pytest.param(
            ["Hi", ".x", "y"], [("Hi.", "SU"), ("xy", "")],
            [(0, 2, "SU")], [1, 0, 0], id="no unit after a border inside a token",
        ),
        pytest.param(
            ["a", "b", "c"], [("a", ""), ("b", "SU"), ("c", "")],
            [(1, 2, "SU")], [0, 1, 0], id="partial gold",
        ),
        pytest.param(
            ["a", " \n", "b"], [("a", "SU"), (" \n", ""), ("b", "NSU")],
            [(0, 1, "SU"), (1, 2, "NSU")], [1, 1], id="white space is no token",
        ),
    ],
)  # fmt: skip
def test_gold_is_aligned_by_characters(
    pred: list[str], gold: list[tuple[str, str]], units: list, known: list[int]
) -> None:
    found = align(pred, gold)
    assert found.units == [Unit(*unit) for unit in units]
    assert found.known.astype(int).tolist() == known


def test_texts_that_differ_raise() -> None:
    with pytest.raises(ValueError, match="must be the same"):
        align(["Hi"], [("Ho", "SU")])


def test_a_doc_without_the_key_has_no_gold() -> None:
    doc = Doc(VOCAB, words=["Hi"])
    found = read_gold(Example(doc, doc.copy()), Keys())
    assert found.units is None
    assert found.known.tolist() == [False]


def test_empty_groups_are_gold_without_units() -> None:
    found = align(["a"], [("a", "")])
    assert found.units == []
    assert not found.known.any()


def test_token_characters_skip_white_space() -> None:
    doc = Doc(VOCAB, words=["Hi", "\n", "Bo"], spaces=[True, False, False])
    starts, ends = token_characters(doc)
    assert (starts.tolist(), ends.tolist()) == ([0, 4], [2, 6])


def test_token_characters_of_an_empty_doc_are_empty() -> None:
    assert [len(array) for array in token_characters(Doc(VOCAB))] == [0, 0]


WORDS = ["Hi", ".", "\n", "Bo", "ran", ".", " ", "x"]
SPACES = [False, True, False, True, False, False, False, False]


def test_tokens_that_start_elsewhere_have_no_gold_token() -> None:
    doc = Doc(VOCAB, words=["I", "can", "not"], spaces=[True, False, False])
    predicted = Doc(VOCAB, words=["I", "cannot"], spaces=[True, False])
    found = read_gold(Example(predicted, doc), Keys())
    assert found.tokens.tolist() == [0, 1]
    found = read_gold(Example(doc, predicted), Keys())
    assert found.tokens.tolist() == [0, 1, -1]
