"""Cutting long texts at safe places."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.text.long_texts import cut_text, find_cut

HARD = st.text(
    alphabet="ab .!。”)\r\n\t\u0301\u200d\ufe0f\U0001f468\U0001f3fd\u2029\udc80", max_size=60
)


@given(st.text(max_size=80) | HARD, st.integers(1, 40))
def test_pieces_joined_are_the_text(text, size):
    pieces = list(cut_text(text, size))
    assert "".join(piece for _, piece in pieces) == text
    assert all(0 < len(piece) <= size for _, piece in pieces)
    assert [start for start, _ in pieces] == [
        sum(len(piece) for _, piece in pieces[:n]) for n in range(len(pieces))
    ]


@given(HARD, st.integers(1, 40))
def test_a_cut_depends_on_at_most_one_character_after_it(text, size):
    assert find_cut(text, size) == find_cut(text[: size + 1], size)


@given(HARD, st.integers(4, 40))
def test_no_character_is_separated_from_its_marks(text, size):
    cut = find_cut(text, size)
    if cut == len(text):
        return
    if all(is_glued(text, at) for at in range(size // 2 + 1, size + 1)):
        assert cut == size
    else:
        assert not is_glued(text, cut)


def is_glued(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    return (
        before + after == "\r\n"
        or "\u200d" in (before, after)
        or after == "\U0001f3fd"
        or unicodedata.category(after)[0] == "M"
    )


@pytest.mark.parametrize(
    ("pieces", "size"),
    [
        # a blank line is better than the end of a sentence
        (["Page 3\n\n", "I sleep. "], 15),
        (["Page 3\r\n \t\r\n", "I sleep. "], 18),
        (["Page 3\r\r", "I sleep. "], 15),
        # unless it is far back
        (["a\n\nI sleep. ", "You sleep"], 17),
        # a line break after a sentence is better than other line breaks and spaces
        (["I sleep.\n", "You do. We\nsl"], 17),
        (["He said: “No!”\r\n", "I do. We "], 20),
        # the end of a sentence is better than a line break
        (["I sleep. ", "You\nsl"], 14),
        (["我睡觉。”", "你也睡\n"], 8),
        # a line break is better than other white space
        (["Page three\n", "of two "], 16),
        (["Page\u2029", "of two"], 8),
        # any white space
        (["Page three ", "of"], 12),
        # anywhere else, except inside a line break or a combined character
        (["xxxxx", "xx"], 5),
        (["xxxx", "x\u0301x"], 5),
        (["xxx", "x\u200dx"], 5),
        (["xxx", "\r\nx"], 4),
        (["xxx", "\U0001f44b\U0001f3fd."], 4),
    ],
)  # fmt: skip
def test_the_best_place_in_the_last_half_is_used(pieces, size):
    text = "".join(pieces)
    assert text[: find_cut(text, size)] == pieces[0]


def test_a_crlf_is_not_a_blank_line():
    assert find_cut("Page three\r\nof it. Or two", 20) == len("Page three\r\nof it. ")


def test_a_text_that_fits_is_not_cut():
    assert find_cut("I. You", 6) == 6
    assert list(cut_text("I. You", 6)) == [(0, "I. You")]


def test_an_empty_text_has_no_pieces():
    assert find_cut("", 3) == 0
    assert list(cut_text("", 3)) == []


def test_a_crlf_is_only_split_if_the_size_is_one():
    assert list(cut_text("\r\n", 1)) == [(0, "\r"), (1, "\n")]


def test_a_size_of_zero_is_an_error():
    with pytest.raises(ValueError, match="character"):
        find_cut("a", 0)


@pytest.mark.parametrize(
    "unit", ["x", ".", ".)", "\n", " ", "\r", "\u0301", "\n ", ". ", "。", ".\t\x0b", "\u200d"]
)
def test_a_long_text_is_cut(unit):
    # Code of quadratic complexity would take minutes.
    text = unit * (1_000_000 // len(unit))
    assert 0 < find_cut(text, len(text) - 1) < len(text)
