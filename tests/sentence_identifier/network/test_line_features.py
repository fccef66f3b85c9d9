"""Feature classes of lines and of the whole text."""

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.network.line_features import (
    FITS,
    INDENTS,
    RATIOS,
    STYLE_OFFSETS,
    STYLE_SIZES,
    LineFeatures,
    find_row_starts,
    read_line_features,
)
from spacy_sentid.sentence_identifier.network.tokens import hide_line_ends, read_tokens

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
    """Read the classes of each line break: fit of the next word, ratio of lengths, indentation."""
    return (read(text).classes - (0, FITS, FITS + RATIOS)).tolist()


def style(text: str) -> list[int]:
    """Read the classes of lines, width, line end marks, upper case, lower case, and end marks."""
    (row,) = read(text).styles - STYLE_OFFSETS
    return row.tolist()


def test_the_place_of_a_line_break_is_the_token_after_it() -> None:
    assert read("Tea\n", "a b\nc\n\nd ").places.tolist() == [3, 4]


@pytest.mark.parametrize(
    ("text", "fit"),
    [
        (f"aa\nbbb {LONG}", HAS_ROOM),
        (f"aaaaaaaaaaaaaaaa\nbbbbbb {LONG[7:]}", IS_FULL),
        (f"{LONG}\nbb", IS_FULL),
        # The next word ends at the next white space.
        (f"{LONG[6:]}\ndon't-go {LONG[9:]}", IS_FULL),
        (f"{LONG[6:]}\ndo n't-go {LONG[10:]}", 2),
    ],
)
def test_a_line_was_full_if_the_next_word_does_not_fit(text: str, fit: int) -> None:
    assert line_ends(text)[0][0] == fit


@pytest.mark.parametrize(
    ("text", "fit"),
    [
        (f"Tea   {LONG}\nCakes   12.00", HAS_ROOM),
        (f"Tea\t{LONG}\nCakes\t12.00", HAS_ROOM),
        # Wide spaces between sentences, and an indentation, do not make columns.
        (f"Tea.  {LONG}\nCakes", IS_FULL),
        (f"   {LONG}\n   Cakes", IS_FULL),
    ],
)
def test_the_row_of_a_table_ends_on_purpose(text: str, fit: int) -> None:
    assert line_ends(text)[0][0] == fit


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("Tea   1.00\nCake   2.00\nCoffee   3.00", ["Cake", "Coffee"]),
        ("Tea\t1.00\nCake\t2.00", ["Cake"]),
        ("Tea   1.00\n\nCake   2.00", []),
        ("Tea   1.00\nCake\nPie   2.00\n", []),
        ("He sat.  She sat.\nWe sat.  All sat.", []),
        ("  Tea\n  Cake", []),
        ("", []),
    ],
)
def test_a_row_of_a_table_starts_after_another_row(text: str, rows: list[str]) -> None:
    doc = NLP.make_doc(text)
    words = [token.text for token in doc if not token.is_space]
    starts = find_row_starts(read_tokens([doc]))
    assert [word for word, is_start in zip(words, starts, strict=True) if is_start] == rows


def test_rows_of_different_texts_do_not_form_a_table() -> None:
    docs = [NLP.make_doc("Tea   1.00") for _ in range(2)]
    assert not find_row_starts(read_tokens(docs)).any()


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
        ("a" * 200, 1, 0),  # the width of a single line is unknown
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
def test_hidden_line_breaks_are_spaces(text: str) -> None:
    hidden = read_line_features(hide_line_ends(read_tokens([NLP.make_doc(text)])))
    assert hidden.places.size == hidden.classes.size == 0
    assert (hidden.styles == read(" ".join(text.split())).styles).all()


def test_an_empty_doc_has_no_lines() -> None:
    assert [len(array) for array in read()] == [0, 0, 0]
    assert [len(array) for array in read("", " \n")] == [0, 0, 2]


any_text = st.text("aB.! \n\t-1\r\u2028", max_size=60)


@given(st.lists(any_text, max_size=4))
def test_features_of_a_batch_are_those_of_its_documents(texts: list[str]) -> None:
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
