"""Layout of units on a terminal, with and without colours."""

import io
import re
from itertools import pairwise

import ansi_html
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from spacy_sentid.cli.terminal.layout import (
    SIGNS,
    STYLES,
    clean,
    isolate,
    lay_out_texts,
    lay_out_units,
    make_console,
    wrap,
)
from spacy_sentid.text.units import NSU_KINDS
from spacy_sentid.view.text.kinds import UNSURE

LEGEND = "│ sentence   │ not a sentence, with its kind   ? unsure:"
CODES = re.compile(r"\x1b\[[0-9;]*m")


def look(columns: int, *, has_color: bool = False) -> Console:
    return Console(width=columns, color_system="256" if has_color else None)


def plain(lines) -> list[str]:
    return [line.plain for line in lines]


def show(lines, console: Console) -> list[str]:
    """Show lines with their colours."""
    with console.capture() as shown:
        for line in lines:
            console.print(line, soft_wrap=True)
    return shown.get().splitlines()


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
    return plain(lay_out_units(text, units_of(text, *pieces), look(columns)))


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
    lines = plain(lay_out_units(text, units, look(40)))
    assert [line.split()[-1] for line in lines] == ["0.50", "0.49?"]


def test_units_without_a_known_kind_are_not_sentences():
    [line] = lay_out("Page 3", ("Page 3", ""))
    assert line == "[ Page 3           not a sentence  0.90"


def test_colors_differ_but_the_text_is_the_same():
    text = "Page 3\nI sleep. You do."
    units = [unit(text, "Page 3", "NSU", kind="METADATA"), unit(text, "I sleep.")]
    units.append(unit(text, "You do.", score=0.1))
    consoles = look(60), look(60, has_color=True)
    uncolored, colored = (
        show(lay_out_texts([("a.txt", text, units)], console), console) for console in consoles
    )
    assert [CODES.sub("", line) for line in colored] == uncolored
    shown = "\n".join(colored)
    assert "\x1b[38;5;32m[\x1b[0m I sleep." in shown
    assert "\x1b[2m[\x1b[0m \x1b[2mPage 3\x1b[0m" in shown
    assert "\x1b[38;5;244mmetadata  \x1b[0m" in shown
    assert "\x1b[1;38;5;136m0.10?\x1b[0m" in shown


def test_texts_are_between_a_legend_and_their_counts():
    sure, both = "I sleep.", "I sleep. Page 3"
    texts = [
        ("a", sure, [unit(sure, sure)]),
        ("c", both, [unit(both, sure, score=0.1), unit(both, "Page 3", "NSU", kind="CODE")]),
    ]
    assert plain(lay_out_texts(texts, look(60))) == [
        LEGEND,
        "score below 0.50",
        "",
        "a",
        "[ I sleep.                                             0.90",
        "",
        "c",
        "[ I sleep.                                             0.10?",
        "[ Page 3                                         code  0.90",
        "",
        "2 texts: 2 sentences, 1 other unit (1 code), 1 unsure.",
    ]


def test_texts_are_laid_out_as_they_arrive():
    def read():
        yield "a", "I sleep.", [unit("I sleep.", "I sleep.")]
        raise AssertionError("the second text is read too early")

    lines = lay_out_texts(read(), look(40))
    assert [next(lines).plain for _ in range(5)][-1].startswith("[ I sleep.")


def test_empty_texts_are_named():
    assert plain(lay_out_texts([("a", " ", [])], look(40)))[2:] == [
        "",
        "a",
        "(empty)",
        "",
        "0 sentences, 0 other units.",
    ]


def test_titles_and_texts_do_not_control_the_terminal():
    text = "A\x1b[31m\u202e\ud800\x9b.\n\x0c\x1b]0;x\x07"
    units = [unit(text, text[:9]), unit(text, text[11:], "NSU", kind="CODE")]
    shown = "\n".join(show(lay_out_texts([("\x1b[1m.txt", text, units)], look(40)), look(40)))
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
    lines = plain(lay_out_units(text, units, look(columns)))
    assert all(cell_len(line) <= columns for line in lines)
    assert not any(first == second == "" for first, second in pairwise(lines))
    shown = "".join(line[2:] for line in lines)
    for char in "xyw我|":  # letters that are not in the names of kinds
        assert shown.count(char) == text.count(char)


@pytest.mark.parametrize(
    ("environ", "is_terminal", "has_color"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colors_follow_the_environment(environ, is_terminal, has_color, monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **environ}.items():
        monkeypatch.setenv(name, value)
    file = io.StringIO()
    monkeypatch.setattr(file, "isatty", lambda: is_terminal)
    console = make_console(file)
    lines = lay_out_units("I sleep.", units_of("I sleep.", ("I sleep.", None)), console)
    assert ("38;5;32" in "".join(show(lines, console))) == has_color


def test_an_encoding_without_lines_gets_other_signs():
    file = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    text = "I sleep. " * 20
    shown = "".join(
        plain(lay_out_units(text, units_of(text, (text.strip(), None)), make_console(file)))
    )
    assert shown.isascii()
    assert not set(SIGNS[1:]) & set(shown)


TEXTS = st.text(st.sampled_from("ab .,(\n\t我。é\u0301\u200bשא\U0001f600-"), max_size=60)


@given(TEXTS, st.integers(2, 20))
def test_wrapped_lines_fit_and_keep_the_characters(text, columns):
    lines = wrap(text, columns, look(80))
    assert all(cell_len(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.lists(st.text("ab-é", min_size=1, max_size=10), min_size=1, max_size=9))
def test_words_that_fit_are_never_cut(words):
    lines = wrap(" ".join(words), 10, look(80))
    assert [word for line in lines for word in line.split()] == words


def test_very_long_words_take_linear_time():
    assert len(wrap("é" * 200_000, 80, look(80))) == 2_500


def test_lines_of_tables_keep_their_columns():
    assert wrap("  a    b", 8, look(80)) == ["  a    b"]
    assert wrap("     a    b", 8, look(80)) == ["  a    b"]
    assert wrap("aaaa    bbbb   c", 10, look(80)) == ["aaaa", "bbbb   c"]


@pytest.mark.parametrize("char", "\0\x07\x1b\x7f\x9b\u202e\u2066\ud800")
def test_characters_that_disturb_a_terminal_are_replaced(char):
    assert clean(f"a{char}b") == "a\ufffdb"


def test_only_text_from_right_to_left_is_isolated():
    assert isolate("שלום 3") == "\u2068שלום 3\u2069"
    assert isolate("café") == "café"


def brightness(color: str) -> float:
    """Return the relative luminance of "#rrggbb" as in WCAG."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("name", STYLES)
def test_colors_can_be_read_on_black_and_on_white(name):
    for number in re.findall(r"color\((\d+)\)", STYLES[name]):
        light = brightness(ansi_html.color_of(int(number))) + 0.05
        assert 1.05 / light >= 3
        assert light / 0.05 >= 3


def test_every_kind_has_a_style():
    assert set(NSU_KINDS) < set(STYLES)


def test_output_becomes_html_with_the_same_text():
    text = "Page <3>\nI sleep."
    units = [unit(text, "Page <3>", "NSU", score=0.1, kind="HEADING"), unit(text, "I sleep.")]
    console = look(60, has_color=True)
    lines = show(lay_out_texts([("a & b", text, units)], console), console)
    picture = ansi_html.make_picture("\n".join(lines), is_dark=True)
    assert "Page &lt;3&gt;" in picture
    assert "<b>a &amp; b</b>" in picture
    assert '<span style="color:#0087d7">[</span> I sleep.' in picture
    for tag in ("b", "i", "span", "pre"):
        assert len(re.findall(f"<{tag}[ >]", picture)) == picture.count(f"</{tag}>") > 0
    with pytest.raises(ValueError, match="Codes"):
        ansi_html.render_ansi("\x1b[7m")
