"""Layouts of documents: the result of each change, and units that stay whole."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.corpora.layout import (
    LAYOUT_CHANGES,
    Piece,
    change_layout,
    join_pieces,
    split_document,
)
from spacy_sentid.text.units import NSU, SU, Unit

PIECES = [
    Piece("", "Tea", "HEADING"),
    Piece("\n\n", "1. Boil the\nwater, slowly.", SU),
    Piece(" ", "Wait.", NSU),
    Piece("\n", "2. Drink it.", SU),
]
WORDS = st.text("ab .,'\n>-1", min_size=1).map(str.strip).filter(bool)
GAPS = st.sampled_from([" ", "\n", "\n\n", "  ", "\t", "\n    "])
SOME = st.lists(st.builds(Piece, GAPS, WORDS, st.sampled_from([SU, NSU, "HEADING"])), min_size=1)


def change(name: str, pieces: list[Piece] = PIECES, seed: int = 0) -> str:
    return join_pieces(LAYOUT_CHANGES[name](pieces, Random(seed)))[0]


def test_a_document_is_split_and_joined_again() -> None:
    text, units = join_pieces(PIECES)
    assert split_document(text, units) == PIECES
    assert [text[start:end] for start, end, _ in units] == [piece.text for piece in PIECES]


def test_text_outside_of_units_is_an_nsu() -> None:
    pieces = split_document("Hi Bo. I am. ", [Unit(7, 12, SU)])
    assert pieces == [Piece("", "Hi Bo.", NSU), Piece(" ", "I am.", SU)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("unwrap", "Tea\n\n1. Boil the water, slowly. Wait.\n2. Drink it."),
        ("join", "Tea 1. Boil the water, slowly. Wait. 2. Drink it."),
        ("one_a_line", "Tea\n1. Boil the water, slowly.\nWait.\n2. Drink it."),
        ("tighten", "Tea\n1. Boil the\nwater, slowly. Wait.\n2. Drink it."),
        ("loosen", "Tea\n\n1. Boil the\nwater, slowly. Wait.\n\n2. Drink it."),
        ("upper", "TEA\n\n1. BOIL THE\nWATER, SLOWLY. WAIT.\n2. DRINK IT."),
        ("end_marks", "Tea\n\n1. Boil the\nwater, slowly Wait.\n2. Drink it"),
        ("crlf", "Tea\r\n\r\n1. Boil the\r\nwater, slowly. Wait.\r\n2. Drink it."),
    ],
)
def test_each_change_has_the_expected_result(name: str, text: str) -> None:
    assert change(name) == text


def test_wrapping_breaks_lines_at_spaces_only() -> None:
    words = " ".join(["word"] * 60)
    text = change("wrap", [Piece("  ", words, SU), Piece(" ", words, SU)])
    assert text.split() == ["word"] * 120
    assert max(map(len, text.splitlines())) <= 100
    assert all(line.startswith("  word") for line in text.splitlines())


def test_lines_flow_but_rows_of_tables_stay_whole() -> None:
    row = Piece("\n", "Oak plank" + " " * 99 + "EUR 12", "LIST_ITEM")
    pieces = [Piece("", " ".join(["word"] * 60), SU), row]
    assert LAYOUT_CHANGES["flow"](pieces, Random(0))[1] == row
    assert "\n" in LAYOUT_CHANGES["flow"](pieces, Random(0))[0].text
    assert "\n" in LAYOUT_CHANGES["wrap"](pieces, Random(0))[1].text


def test_quote_marks_belong_to_the_unit_of_their_line() -> None:
    pieces = LAYOUT_CHANGES["quote"](PIECES, Random(0))
    mark = pieces[0].text.removesuffix("Tea")
    assert mark.strip(" >|") == ""
    assert pieces[1].text == f"{mark}1. Boil the\n{mark}water, slowly."
    assert pieces[2].text == "Wait."


def test_a_reply_quotes_one_side_of_a_blank_line() -> None:
    letter = [Piece("", "Yes.", SU), Piece("\n\n", "Can\nhe?", SU), Piece("\n\n", "Bo", NSU)]
    found = {change("reply", letter, seed) for seed in range(60)}
    assert {"Yes.\n\n> Can\n> he?\n>\n> Bo", "> Yes.\n>\n> Can\n> he?\n\nBo"} <= found
    assert all(text.startswith("Yes") or text.endswith("\nBo") for text in found)
    assert "Yes.\n\n> Can\n> he?\n\n> Bo" in found


def test_a_quote_mark_on_a_blank_line_is_an_nsu_of_its_own() -> None:
    lines = [Piece("", "Hi", NSU), Piece("\r\n\r\n", "Yes.", SU), Piece("\n\n\n", "No.", SU)]
    found = [LAYOUT_CHANGES["reply"](lines, Random(seed)) for seed in range(60)]
    marked = [Piece("\n", ">", "CODE"), Piece("\n", "> No.", SU)]
    assert any(pieces[-2:] == marked for pieces in found)
    assert any(Piece("\r\n", ">", "CODE") in pieces for pieces in found)


def test_all_items_get_the_same_mark() -> None:
    lines = change("lists", seed=3).split("\n")
    assert lines[2].removesuffix("Boil the") == lines[4].removesuffix("Drink it.")


def test_other_letters_make_other_words_in_the_same_layout() -> None:
    pieces = LAYOUT_CHANGES["letters"](PIECES, Random(0))
    before, after = join_pieces(PIECES)[0], join_pieces(pieces)[0]
    assert not set(re.findall(r"\w{2,}", after)) & set(re.findall(r"\w{2,}", before))
    for one, other in zip(before, after, strict=True):
        assert (one.isupper(), one.islower()) == (other.isupper(), other.islower())
        assert one == other or one.isalpha()


def test_units_of_only_punctuation_are_removed() -> None:
    pieces = LAYOUT_CHANGES["punctuation"]([*PIECES, Piece("\n", "***", NSU)], Random(0))
    text, units = join_pieces(pieces)
    assert len(units) == len(PIECES)
    assert not set(text) & set(".,*")


@pytest.mark.parametrize("name", LAYOUT_CHANGES)
@given(pieces=SOME, seed=st.integers(0, 20))
def test_no_change_breaks_a_unit(name: str, pieces: list[Piece], seed: int) -> None:
    text, units = join_pieces(LAYOUT_CHANGES[name](pieces, Random(seed)))
    end = 0
    for start, stop, label in units:
        assert not text[end:start].strip()
        assert text[start:stop].strip() == text[start:stop] != ""
        assert label in (SU, NSU, "HEADING", "CODE")
        end = stop
    assert not text[end:].strip()


def test_rates_of_zero_change_nothing() -> None:
    assert change_layout(PIECES, {}, Random(0)) == PIECES
