"""What lines and the whole text look like, as classes."""

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.features import hide_line_ends, read_tokens
from spacy_sentid.sentence_identifier.line_features import (
    FITS,
    INDENTS,
    RATIOS,
    STYLE_OFFSETS,
    STYLE_SIZES,
    LineFeatures,
    read_line_features,
)

NLP = spacy.blank("en")
LONG = "x" * 20
HAS_ROOM, IS_FULL = 0, FITS - 1
TEXTS = [
    "Tea\n\n  Boil the water.\n  Wait.\n1. Drink",
    "",
    "no line end",
    " \n\t",
    "A\r\nB C D",
]


def read(*texts: str) -> LineFeatures:
    return read_line_features(read_tokens([NLP.make_doc(text) for text in texts]))


def line_ends(text: str) -> list[list[int]]:
    """Classes of each line end: how the next word fits, ratio of the lengths, indentation."""
    return (read(text).classes - (0, FITS, FITS + RATIOS)).tolist()


def style(text: str) -> list[int]:
    """Classes of lines, width, end marks of lines, upper case, lower case, end marks of words."""
    (row,) = read(text).styles - STYLE_OFFSETS
    return row.tolist()


def test_the_token_after_a_line_end_is_its_place() -> None:
    assert read("Tea\n", "a b\nc\n\nd ").places.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("text", "fit"),
    [
        (f"aa\nbbb {LONG}", HAS_ROOM),
        (f"aaaaaaaaaaaaaaaa\nbbbbbb {LONG[7:]}", IS_FULL),
        (f"{LONG}\nbb", IS_FULL),
        # The next word is what goes on to the next white space.
        (f"{LONG[6:]}\ndon't-go {LONG[9:]}", IS_FULL),
        (f"{LONG[6:]}\ndo n't-go {LONG[10:]}", 2),
    ],
)
def test_a_line_was_full_if_the_next_word_does_not_fit(text: str, fit: int) -> None:
    assert line_ends(text)[0][0] == fit


@pytest.mark.parametrize(
    ("text", "ratio"), [("aaa\nbbbbbb", 0), ("aaaa\nbbbb", 1), ("aaaa\n\n\nbb", 2)]
)
def test_a_line_is_shorter_or_longer_than_the_next(text: str, ratio: int) -> None:
    assert line_ends(text)[0][1] == ratio


@pytest.mark.parametrize(
    ("text", "indent"),
    [
        ("a\nb", 1),
        ("  a\n  b", 1),
        ("\n\n  a\n  b", 1),
        ("\n\na\nb", 1),
        ("a\n  b", 2),
        ("a\r\n\tb", 2),
        ("a \n\n    \n b", 2),
        ("  a\nb", 0),
        ("\n  a\nb", 0),
    ],
)
def test_indentation_grows_stays_or_shrinks(text: str, indent: int) -> None:
    assert line_ends(text)[0][2] == indent


@pytest.mark.parametrize(
    ("text", "column", "value"),
    [
        ("a", 0, 0),
        ("a\nb", 0, 1),
        ("a\n" * 20, 0, 3),
        ("a" * 200, 1, 0),  # of one line the width is not known
        (f"{LONG * 3}\nb", 1, 1),
        ("I am.\nYou are.", 2, 3),
        ("Tea\nMilk", 2, 0),
        ("Tea\nI am.", 2, 2),
        ("I AM HERE", 3, 2),
        ("I am Bo", 3, 1),
        ("you are", 3, 0),
        ("you are", 4, 3),
        ("YOU ARE", 4, 0),
        ("you are", 5, 0),
        ("You are !", 5, 4),
    ],
)
def test_styles(text: str, column: int, value: int) -> None:
    assert style(text)[column] == value


@pytest.mark.parametrize("text", TEXTS)
def test_hidden_line_ends_are_spaces(text: str) -> None:
    hidden = read_line_features(hide_line_ends(read_tokens([NLP.make_doc(text)])))
    assert hidden.places.size == hidden.classes.size == 0
    assert (hidden.styles == read(" ".join(text.split())).styles).all()


def test_nothing_has_no_lines() -> None:
    assert [len(array) for array in read()] == [0, 0, 0]
    assert [len(array) for array in read("", " \n")] == [0, 0, 2]


any_text = st.text("aB.! \n\t-1\r\u2028", max_size=60)


@given(st.lists(any_text, max_size=4))
def test_a_batch_is_its_documents_one_after_the_other(texts: list[str]) -> None:
    together = read(*texts)
    n_tokens = 0
    places = []
    for text in texts:
        places += (read(text).places + n_tokens).tolist()
        n_tokens += sum(not token.is_space for token in NLP.make_doc(text))
    assert together.places.tolist() == places
    for name in ("classes", "styles"):
        alone = [row for text in texts for row in getattr(read(text), name).tolist()]
        assert getattr(together, name).tolist() == alone


@given(any_text)
def test_each_class_has_its_row_of_the_table(text: str) -> None:
    found = read(text)
    for rows, sizes in (
        (found.classes, (FITS, RATIOS, INDENTS)),
        (found.styles, STYLE_SIZES),
    ):
        classes = rows - np.cumsum((0, *sizes[:-1]))
        assert ((classes >= 0) & (classes < sizes)).all()
