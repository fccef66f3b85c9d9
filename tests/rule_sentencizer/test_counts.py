"""Counts of raw text, the data learned from them, and the command that lists abbreviations."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from spacy_sentid.cli import app
from spacy_sentid.rule_sentencizer.corpus import read_parts
from spacy_sentid.rule_sentencizer.counts import Abbreviation, Counts, learn, split_word

TEXT = """Mr. John Smith (of Smith Inc., he says) met Mr. Karl Marx in Sept. 1900.
The chili ended. 2 pounds of chili, etc. are enough? It ended, etc.
Sen. A. B. Day and J.P. Doe ended up in Asia. Asia is big. So is Schaack.
"""


def count(*texts: str, **settings: int) -> Counts:
    counts = Counts(**settings)
    for text in texts:
        counts.update(text)
    return counts


@pytest.mark.parametrize(
    ("string", "word", "rest"),
    [
        ("end.", "end", ""),
        ("end", "end", None),
        ('"(Inc.),"', "Inc", '),"'),
        ("Inc.,", "Inc", ","),
        ("etc.?", "etc", "?"),
        ("(etc).", "etc", ""),
        ("«Nr.»", "Nr", "»"),
        ("U.S.", "U.S", ""),
        ("3.5", "3.5", None),
        ("e.g", "e.g", None),
        ("wait...", "wait", None),
        ("...", "", None),
        (".", "", ""),
        ("Yes!", "Yes", None),
        ("ex-Gov.", "ex-Gov", ""),
        ("--", "--", None),
        ("", "", None),
    ],
)
def test_words_are_split_from_signs(string: str, word: str, rest: str | None) -> None:
    assert split_word(string) == (word, rest)


def test_words_are_counted_with_and_without_their_period() -> None:
    counts = count(TEXT)
    assert (counts.dotted["Mr"], counts.bare["Mr"]) == (2, 0)
    assert (counts.dotted["ended"], counts.bare["ended"]) == (1, 2)
    assert counts.dotted["1900"] == counts.bare["2"] == 0  # no letter at the start
    assert counts.n_words == len(TEXT.split())


def test_each_list_follows_its_rule() -> None:
    learned = learn([TEXT])
    assert learned.likely == {"Inc", "Sept", "etc"}  # "ended" also lacks the period
    assert learned.titles == {"Mr"}  # "Sen" occurs only once


def test_rare_strings_can_be_excluded() -> None:
    assert learn([TEXT], min_count=2).likely == {"etc"}


def test_some_occurrences_may_lack_the_period() -> None:
    text = "Mrs. A B " * 99 + "Mrs A B"
    assert learn([text]).titles == {"Mrs"}  # 1 %, the default
    assert learn([text], tolerance=0).titles == set()


@pytest.mark.parametrize("texts", [[], [""], [" \n"], ["12 -- ..."]])
def test_a_corpus_without_words_is_an_error(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="no words"):
        learn(texts)


def test_abbreviations_are_listed_with_reasons() -> None:
    counts = count(TEXT)
    assert counts.list_abbreviations(counts.learn()) == [
        Abbreviation("Mr", 2, 0, ("title",)),
        Abbreviation("etc", 2, 0, ("likely",)),
        Abbreviation("A", 1, 0, ("structure",)),
        Abbreviation("B", 1, 0, ("structure",)),
        Abbreviation("Inc", 1, 0, ("likely",)),
        Abbreviation("J.P", 1, 0, ("structure",)),
        Abbreviation("Sept", 1, 0, ("likely",)),
    ]


def state(counts: Counts) -> tuple[Counter[str], ...]:
    return counts.bare, counts.dotted, counts.likely, counts.before_names


def test_long_strings_are_not_kept() -> None:
    counts = count("x" * 3_000_000 + ".", "a" * 100 + " b.")
    assert (counts.bare, set(counts.dotted)) == (Counter(), {"b"})


@pytest.mark.parametrize("signs", [".", "a.", 'a."', '"', "<", "a. ", "1.", "\n", "(.)"])
def test_a_million_signs_are_counted(signs: str) -> None:
    # Quadratic time would be minutes.
    counts = count(signs * (1_000_000 // len(signs)))
    assert len(counts.bare) + len(counts.dotted) <= 2


# Files and the command.


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["train", "abbreviations", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("text", [TEXT, "", "é" * 40, "no line end", "a\r\nb\r\n", "字。\n" * 9])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_parts_are_the_file(tmp_path: Path, text: str, size: int) -> None:
    path = tmp_path / "a.txt"
    for mark in (b"", b"\xef\xbb\xbf"):
        path.write_bytes(mark + text.encode())
        assert "".join(read_parts(path, size=size)) == text


@pytest.mark.parametrize(
    "data",
    [
        b"a\n" * 40 + b"caf\xe9 x", b"abc\0def", "Mr. Wu".encode("utf-16"),
        "Mr. Wu".encode("utf-16-le"), b"\x1f\x8b\x08", "é".encode()[:1], b"\xef\xbb\xbfabc\xff",
    ],
)  # fmt: skip
def test_other_encodings_are_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"a\.txt must be text in UTF-8"):
        list(read_parts(path, size=4))
    assert "UTF-8" in run(path, code=1).stderr


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such file"):
        next(read_parts(tmp_path / "missing.txt"))


def test_the_end_of_a_file_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One\ntwo, etc. he")
    assert list(read_parts(path)) == ["One\ntwo, etc. he"]
    assert list(read_parts(path, size=2)) == ["One\n", "two, etc. he"]
    assert learn(read_parts(path)).likely == {"etc"}


def test_the_command_prints_the_list_and_writes_what_was_learned(tmp_path: Path) -> None:
    path, target = tmp_path / "a.txt", tmp_path / "out.json"
    path.write_text(TEXT)
    lines = run(path, "--json", target).stdout.splitlines()
    assert lines[:3] == [
        "abbreviation  why        with period  without",
        "Mr.           title                2        0",
        "etc.          likely               2        0",
    ]
    report = json.loads(target.read_text())
    assert report["learned"] == learn([TEXT]).to_dict()
    assert report["abbreviations"][0] == {
        "word": "Mr", "n_with": 2, "n_without": 0, "reasons": ["title"],
    }  # fmt: skip
    assert "Inc." not in run(path, "--min-count", 2).stdout


def test_the_command_needs_words(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n")
    assert "words" in run(path, code=1).stderr


def test_titles_are_learned_from_brown(find_corpus: Callable[[str], Path]) -> None:
    folder = find_corpus("brown/sentences")
    texts = [path.read_text(encoding="utf8") for path in sorted(folder.glob("*.txt"))]
    counts = count(*texts)
    learned = counts.learn()
    assert {"Mr", "Mrs", "Dr", "Gov", "Gen", "Rep", "Prof"} <= learned.titles
    assert len(learned.titles) == 22
