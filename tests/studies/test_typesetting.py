"""The experiment of section 2: fill lines, join hyphenated words, count errors."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.strategies.gold import GoldText, read_gold
from studies.strategies.typesetting import (
    check_patterns,
    compare_words,
    fill_lines,
    join_lines,
    list_paragraphs,
    list_whole_words,
    make_hyphenate,
    split_word,
    table_joining,
)


def never(word: str) -> list[int]:
    return []


def anywhere(word: str) -> list[int]:
    return list(range(2, len(word) - 1))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("abcde", ["ab-cde", "abc-de"]),
        ("(abcd),", ["(ab-cd),"]),
        ("Mc'abcd", []),  # too few letters before the apostrophe
        ("small-town", ["small--town"]),
        ("rock-and-roll", ["rock--and-roll", "rock-and--roll"]),
        ("1960-61", ["1960--61"]),
        ("--", []),
        ("two-", []),
        ("-ed", []),
        ("12", []),
        ("", []),
    ],
)
def test_words_are_split_after_their_hyphens_or_at_patterns(word: str, expected: list[str]) -> None:
    found = [
        f"{head}-{rest}" if "-" in word else f"{head}{rest}"
        for head, rest in split_word(word, anywhere)
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("a bb ccc", 4, ["a bb", "ccc"]),
        ("a bb ccc", 100, ["a bb ccc"]),
        ("aa abcdef", 7, ["aa abc-", "def"]),
        ("aa abcdef", 5, ["aa", "abcd-", "ef"]),
        ("12345678 a", 4, ["12345678", "a"]),
        ("abcdefghijkl", 5, ["abcd-", "efgh-", "ijkl"]),
        ("one-two-three", 8, ["one-two-", "three"]),
        ("", 5, []),
    ],
)
def test_lines_are_filled(text: str, columns: int, lines: list[str]) -> None:
    assert list(fill_lines(text, anywhere, columns=columns)) == lines


@given(st.text(alphabet="ab-, ", max_size=80), st.integers(4, 20))
def test_lines_keep_the_text(text: str, columns: int) -> None:
    lines = list(fill_lines(text, anywhere, columns=columns))
    assert "".join(lines).replace(" ", "").replace("-", "") == re.sub("[ -]", "", text)
    assert all(len(line) <= columns or " " not in line for line in lines)
    assert " ".join(fill_lines(text, never, columns=10_000)) == " ".join(text.split())


PARAGRAPH = (
    "The small-town AFL-CIO experiment by small-town people in 1960-61 was so-called, or two- or "
    "three-fold."
)


def test_lost_hyphens_of_words_are_errors() -> None:
    lines = ["The small-", "town AFL-", "CIO experi-", "ment by small-town people in 1960-",
             "61 was so-", "called, or two-", "or three-fold."]  # fmt: skip
    found = join_lines([PARAGRAPH], [lines], lexicon=None)
    assert (found.n_lines, found.n_hyphens) == (7, 5)  # 1960- ends in a digit
    assert (found.right, found.wrong, found.apart) == (1, 3, 1)
    assert found.examples == ["smalltown", "socalled", "twoor"]
    assert found.error_rate == 3 / 4


def test_hyphens_of_words_seen_elsewhere_are_kept() -> None:
    lines = ["The small-", "town experi-", "ment, a small-town experiment."]
    text = "The small-town experiment, a small-town experiment."
    words = list_whole_words([lines])
    assert words == {"The", "a", "small-town", "experiment"}
    assert join_lines([text], [lines], lexicon=words).wrong == 0
    assert join_lines([text], [lines], lexicon=None).wrong == 1


@pytest.mark.parametrize(
    ("gold", "found", "expected"),
    [
        ("a b", "a b", []),
        ("a-b c", "ab c", [("wrong", "ab")]),
        ("ab c", "a-b c", [("wrong", "a-b")]),
        ("a-b c", "a- b c", [("apart", "a- b")]),
        ("a- b c", "ab c", [("wrong", "ab")]),
        ("-- a-b", "-- ab", [("wrong", "ab")]),
        ("", "", []),
        ("a", "bb", [("wrong", "bb")]),
    ],
)
def test_words_are_compared(gold: str, found: str, expected: list) -> None:
    assert list(compare_words(gold.split(), found.split())) == expected


def test_paragraphs_are_taken_from_the_corpus() -> None:
    text = GoldText("a", "One. Two. Three.", [4, 9, 16], [9])
    assert list(list_paragraphs([text])) == ["One. Two.", "Three."]


def test_the_error_for_missing_patterns_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyphen", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r"spacy-sentid\[strategies\]"):
        check_patterns()


def test_few_words_of_brown_are_joined_wrongly(find_corpus: Callable[[str], Path]) -> None:
    gold = read_gold(find_corpus("brown/brown.jsonl"))
    paragraphs = list(list_paragraphs(gold[:25]))
    lines = [list(fill_lines(text, make_hyphenate())) for text in paragraphs]
    plain = join_lines(paragraphs, lines, lexicon=None)
    better = join_lines(paragraphs, lines, lexicon=list_whole_words(lines))
    assert 0.015 < plain.error_rate < 0.06
    assert better.error_rate < plain.error_rate
    assert plain.n_hyphens == plain.right + plain.wrong + plain.apart
    table = table_joining(plain, better, is_brown=True)
    assert [row[3] for row in table.rows[:4]] == [101_860, 12_473, 11_858, 615]
