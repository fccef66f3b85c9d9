"""Width and wrapping of text on a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.cli.terminal.columns import clean, count_columns, isolate, wrap_flowing, wrap_kept

TEXTS = st.text(st.sampled_from("ab .,(\n\t我。é\u0301\u200bשא\U0001f600-"), max_size=60)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("abc", 3),
        ("我们", 4),
        ("ｆ", 2),  # full width
        ("e\u0301\u200d", 1),
        ("\u1112\u1161\u11ab", 2),  # one Korean syllable of three letters
        ("\N{GRINNING FACE}", 2),
        ("שלום", 4),
    ],
)
def test_columns_are_those_of_a_terminal(text, columns):
    assert count_columns(text) == columns


@given(TEXTS, st.integers(2, 20))
def test_wrapped_lines_fit_and_keep_the_characters(text, columns):
    for lines in (
        wrap_flowing(text, columns),
        wrap_kept(text.expandtabs().split("\n")[0], columns),
    ):
        assert all(count_columns(line) <= columns for line in lines)
    assert "".join("".join(wrap_flowing(text, columns)).split()) == "".join(text.split())


@given(st.lists(st.text("ab-é", min_size=1, max_size=10), min_size=1, max_size=9))
def test_words_that_fit_are_never_cut(words):
    lines = wrap_flowing("\n".join(words), 10)
    assert [word for line in lines for word in line.split()] == words


def test_longer_words_are_cut_between_characters():
    assert wrap_flowing("x " + "e\u0301" * 5, 4) == ["x", "e\u0301" * 4, "e\u0301"]


def test_very_long_words_take_linear_time():
    lines = wrap_flowing("é" * 200_000, 80)
    assert len(lines) == 2_500
    assert len(wrap_kept("é" * 200_000, 80)) == 2_500


def test_line_ends_in_chinese_leave_no_space_but_others_do():
    assert wrap_flowing("我们\n在 spaCy\n里", 40) == ["我们在 spaCy 里"]


def test_no_line_begins_with_closing_punctuation():
    assert wrap_flowing("我们（在）", 6) == ["我们", "（在）"]


def test_lines_of_tables_keep_their_columns():
    assert wrap_kept("  a    b", 8) == ["  a    b"]
    assert wrap_kept("     a    b", 8) == ["  a    b"]
    assert wrap_kept("aaaa    bbbb   c", 10) == ["aaaa", "bbbb   c"]


@pytest.mark.parametrize("char", "\0\x07\x1b\x7f\x9b\u202e\u2066\ud800")
def test_characters_that_disturb_a_terminal_are_replaced(char):
    assert clean(f"a{char}b") == "a\ufffdb"


def test_only_text_from_right_to_left_is_isolated():
    assert isolate("שלום 3") == "\u2068שלום 3\u2069"
    assert isolate("café") == "café"
