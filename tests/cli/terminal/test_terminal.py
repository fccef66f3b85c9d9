"""Layout of units on a terminal, with and without colours."""

import re
from itertools import pairwise

import ansi_html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.cli.terminal import layout as terminal
from spacy_sentid.cli.terminal.columns import count_columns
from spacy_sentid.cli.terminal.layout import STYLES, Look, find_look, lay_out_texts, lay_out_units
from spacy_sentid.text.units import NSU_KINDS
from spacy_sentid.view.text.kinds import UNSURE

CODES = re.compile(r"\x1b\[[0-9;]*m")


def unit(text: str, piece: str, label: str = "SU", score: float = 0.9, **fields) -> dict:
    start = text.index(piece)
    return {"start_char": start, "end_char": start + len(piece), "label": label, "score": score} | (
        fields
    )


def units_of(text: str, *pieces: tuple) -> list[dict]:
    return [
        unit(text, piece, *([] if kind is None else ["NSU"]), kind=kind or "")
        for piece, kind in pieces
    ]


def lay_out(text: str, *pieces: tuple, columns: int = 40) -> list[str]:
    return list(lay_out_units(text, units_of(text, *pieces), Look(columns)))


def test_a_sentence_flows_over_its_line_ends():
    text = "The driver told me that\nthe crate never\nleft the van. He was sure."
    assert lay_out(text, (text[:-13].rstrip(), None), ("He was sure.", None)) == [
        "┌ The driver told me that the      0.90",
        "└ crate never left the van.",
        "[ He was sure.                     0.90",
    ]


def test_other_units_keep_their_lines_and_columns():
    text = "  Item   Due\n  Oak    May\n\n  Ash\tJune"
    assert lay_out(text, (text.strip(), "LIST_ITEM")) == [
        "┌   Item   Due          list item  0.90",
        "│   Oak    May",
        "│",
        "└   Ash   June",
    ]


def test_a_unit_after_another_one_on_its_line_has_no_indentation():
    text = "Bo:   Hello, all.\n      Yours"
    assert lay_out(text, ("Bo:", "METADATA"), ("Hello, all.", None), ("Yours", "SALUTATION")) == [
        "[ Bo:                    metadata  0.90",
        "[ Hello, all.                      0.90",
        "[       Yours            greeting  0.90",
    ]


def test_a_table_that_fits_is_not_wrapped_to_make_room_for_its_kind():
    text = "Plinth       Tarn       20 Sept"
    assert lay_out(text, (text, "LIST_ITEM")) == [
        "┌ Plinth       Tarn       20 Sept",
        "└                       list item  0.90",
    ]


def test_quoted_lines_are_kept():
    text = "> Can visitors see it\n> while you clean it?"
    assert lay_out(text, (text, None)) == [
        "┌ > Can visitors see it            0.90",
        "└ > while you clean it?",
    ]


@pytest.mark.parametrize("gap", ["\n\n", "\r\n\r\n", "\n \n\n"])
def test_blank_lines_between_units_are_kept_once(gap):
    assert lay_out(f"A.{gap}B.", ("A.", None), ("B.", None))[1] == ""
    assert len(lay_out("A.\n   B.", ("A.", None), ("B.", None))) == 2


def test_unsure_units_have_a_question_mark_without_colours():
    text = "A. B."
    units = [unit(text, "A.", score=UNSURE), unit(text, "B.", score=UNSURE - 0.001)]
    lines = list(lay_out_units(text, units, Look(40)))
    assert [line.split()[-1] for line in lines] == ["0.50", "0.49?"]


def test_units_without_a_known_kind_are_not_sentences():
    [line] = lay_out("Page 3", ("Page 3", ""))
    assert line == "[ Page 3           not a sentence  0.90"


def test_colors_differ_but_the_text_is_the_same():
    text = "Page 3\nI sleep. You do."
    units = [unit(text, "Page 3", "NSU", kind="METADATA"), unit(text, "I sleep.")]
    units.append(unit(text, "You do.", score=0.1))
    plain, colored = (
        list(lay_out_texts([("a.txt", text, units)], Look(60, has_color=has_color)))
        for has_color in (False, True)
    )
    assert [CODES.sub("", line) for line in colored] == plain
    shown = "\n".join(colored)
    assert "\x1b[38;5;32m[\x1b[0m I sleep." in shown
    assert "\x1b[2m[\x1b[0m \x1b[2mPage 3\x1b[0m" in shown
    assert "\x1b[38;5;244mmetadata\x1b[0m" in shown
    assert "\x1b[38;5;136m\x1b[1m0.10?\x1b[0m" in shown


def test_the_legend_explains_a_sign_before_the_first_text_that_has_it():
    sure, both = "I sleep.", "I sleep. Page 3"
    texts = [
        ("a", sure, [unit(sure, sure)]),
        ("b", sure, [unit(sure, sure)]),
        ("c", both, [unit(both, sure, score=0.1), unit(both, "Page 3", "NSU", kind="CODE")]),
    ]
    assert list(lay_out_texts(texts, Look(60))) == [
        "│ sentence",
        "",
        "a",
        "[ I sleep.                                             0.90",
        "",
        "b",
        "[ I sleep.                                             0.90",
        "",
        "│ not a sentence, with its kind   ? unsure: score below 0.50",
        "",
        "c",
        "[ I sleep.                                             0.10?",
        "[ Page 3                                         code  0.90",
        "",
        "3 texts: 3 sentences, 1 other unit (1 code), 1 unsure.",
    ]


def test_texts_are_laid_out_as_they_arrive():
    def read():
        yield "a", "I sleep.", [unit("I sleep.", "I sleep.")]
        raise AssertionError("the second text is read too early")

    lines = lay_out_texts(read(), Look(40))
    assert [next(lines) for _ in range(4)][-1].startswith("[ I sleep.")


def test_empty_texts_are_named():
    assert list(lay_out_texts([("a", " ", [])], Look(40))) == [
        "a",
        "(empty)",
        "",
        "0 sentences, 0 other units.",
    ]


def test_titles_and_texts_do_not_control_the_terminal():
    text = "A\x1b[31m\u202e\ud800\x9b.\n\x0c\x1b]0;x\x07"
    units = [unit(text, text[:9]), unit(text, text[11:], "NSU", kind="CODE")]
    shown = "\n".join(lay_out_texts([("\x1b[1m.txt", text, units)], Look(40)))
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", shown)
    assert r"\x1b[1m.txt" in shown


PIECES = st.lists(
    st.tuples(
        st.text(st.sampled_from("xy w\n我é\u0301ש|"), min_size=1, max_size=90),
        st.sampled_from([None, "", *NSU_KINDS]),
        st.floats(0, 1),
        st.sampled_from([" ", "\n", "\n\n  ", ""]),
    ),
    max_size=5,
)


@given(PIECES, st.sampled_from([40, 80, 100, 120, 200]))
def test_lines_fit_and_keep_the_characters(pieces, columns):
    text, units = "", []
    for piece, kind, score, gap in pieces:
        start = len(text) + len(piece) - len(piece.lstrip())
        end = len(text) + len(piece.rstrip())
        text += piece + gap
        if end > start:
            label = "SU" if kind is None else "NSU"
            fields = {"label": label, "kind": kind or "", "score": score}
            units.append({"start_char": start, "end_char": end, **fields})
    lines = list(lay_out_units(text, units, Look(columns)))
    assert all(count_columns(line) <= columns for line in lines)
    assert not any(first == second == "" for first, second in pairwise(lines))
    shown = "".join(line[2:] for line in lines)
    for char in "xyw我|":  # letters that are not in the names of kinds
        assert shown.count(char) == text.count(char)


@pytest.mark.parametrize(
    ("environ", "is_terminal", "has_color"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colors_follow_the_environment(environ, is_terminal, has_color):
    look = find_look(80, encoding="utf8", is_terminal=is_terminal, environ=environ)
    assert look == Look(80, has_color)


def test_an_encoding_without_lines_gets_other_signs():
    look = find_look(80, encoding="cp1252", is_terminal=True, environ={})
    assert look.signs.isascii()
    assert len(look.signs) == len(terminal.SIGNS)


def brightness(color: str) -> float:
    """Return the relative luminance of "#rrggbb" as in WCAG."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("name", STYLES)
def test_colors_can_be_read_on_black_and_on_white(name):
    if "fg" in STYLES[name]:
        light = brightness(ansi_html.color_of(STYLES[name]["fg"])) + 0.05
        assert 1.05 / light >= 3
        assert light / 0.05 >= 3


def test_every_kind_has_a_style():
    assert set(NSU_KINDS) < set(STYLES)


def test_output_becomes_html_with_the_same_text():
    text = "Page <3>\nI sleep."
    units = [unit(text, "Page <3>", "NSU", score=0.1, kind="HEADING"), unit(text, "I sleep.")]
    lines = list(lay_out_texts([("a & b", text, units)], Look(60, has_color=True)))
    picture = ansi_html.make_picture("\n".join(lines), is_dark=True)
    assert "Page &lt;3&gt;" in picture
    assert "<b>a &amp; b</b>" in picture
    assert '<span style="color:#0087d7">[</span> I sleep.' in picture
    for tag in ("b", "i", "span", "pre"):
        assert len(re.findall(f"<{tag}[ >]", picture)) == picture.count(f"</{tag}>") > 0
    with pytest.raises(ValueError, match="Codes"):
        ansi_html.render_ansi("\x1b[7m")
