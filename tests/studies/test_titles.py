"""Noun phrases from section titles: each step of section 6.1.1, the draw, the command."""

import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from studies.__main__ import app
from studies.parser.titles import (
    clean_title,
    draw_titles,
    drop_duplicates,
    has_canonical_case,
    has_enough_words,
    has_plain_words,
    limit_first_words,
    lower_initials,
    make_language_check,
    read_titles,
    select_titles,
)

# Titles of Table 2, which pass all steps.
TABLE_2 = [
    ("en", "all passenger trains"),
    ("en", "cobordism of manifolds with additional structure"),
    ("fr", "ponts sur d'autres cours d'eau"),
    ("fr", "instance vérité et dignité"),
    ("de", "Meine Daten und ich"),
    ("de", "Mangelnde wissenschaftliche Grundlage"),
    ("es", "recopilatorios y discos especiales"),
    ("es", "contenido de agua en el suelo"),
]


def select(*lines: str, lang: str = "en", n: int = 100, seed: int = 0) -> list[str]:
    return select_titles(lines, lang=lang, n=n, seed=seed).titles


@pytest.mark.parametrize(("lang", "title"), TABLE_2)
def test_titles_of_table_2_are_kept(lang: str, title: str) -> None:
    assert select(title[0].upper() + title[1:], lang=lang) == [title]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Early life\r\n", "Early life"),
        ("\u00a0Early \t life ", "Early life"),
        ("ve\u0301rite\u0301", "vérité"),
        (" \n", ""),
    ],
)
def test_titles_are_composed_and_have_single_spaces(line: str, title: str) -> None:
    assert clean_title(line) == title


@pytest.mark.parametrize(
    ("title", "stays"),
    [("", False), ("history", False), ("early life", False), ("life and work", True)],
)
def test_titles_need_three_words(title: str, stays: bool) -> None:
    assert has_enough_words(title) is stays


@pytest.mark.parametrize(
    ("title", "stays"),
    [
        ("d'autres cours d'eau", True),
        ("d’autres cours d’eau", True),
        ("the Franco-Prussian war", True),
        ("la col·lecció d'art", True),
        ("कला और संस्कृति", True),  # vowel signs are combining marks
        ("هنر می‌خواهم و زندگی", True),  # a joiner inside a word
        ("season 2 of it", False),
        ("season ² of it", False),
        ("season Ⅱ of it", False),
        ("notes, and references", False),
        ("notes and references.", False),
        ("notes / other references", False),
        ("notes – other references", False),
        ("notes - other references", False),
        ("the 'old' town", False),
        ("the “old” town", False),
        ("the players' association", False),  # it could close a quotation
        ("pre- and postwar time", False),
        ("-ed and -ing forms", False),
        ("price in $ then", False),
        ("rhythm & blues music", False),
        ("soft\u00adhyphen in it", False),
        ("one \u200bof them", False),
        ("one\x07of the them", False),
        ("smile 🙂 and laugh", False),
        ("a--b or c", False),
    ],
)
def test_special_characters_are_allowed_only_inside_words(title: str, stays: bool) -> None:
    assert has_plain_words(title) is stays


@pytest.mark.parametrize(
    ("title", "stays"),
    [
        ("life in New York", True),
        ("A history of Rome", True),
        ("l'Église et l'État", True),
        ("D'Artagnan and Anglo-Saxon", True),
        ("هنر و زندگی", True),  # no upper case at all
        ("RNAb in cells", False),
        ("AIESEC in Austria", False),
        ("the iPhone and it", False),
        ("the McDonald family", False),
        ("World War II", False),
        ("co-OP in town", False),
    ],
)
def test_words_are_in_lower_or_title_case(title: str, stays: bool) -> None:
    assert has_canonical_case(title) is stays


@pytest.mark.parametrize(
    ("lang", "title", "lowered"),
    [
        ("en", "Second World War", "second world war"),
        ("fr", "L'Église et l'État", "l'église et l'état"),
        ("es", "Última Época", "última época"),
        ("de", "Meine Daten und ich", "Meine Daten und ich"),
        ("tr", "Irmak ve İstanbul", "ırmak ve istanbul"),
    ],
)
def test_initials_are_lowered_except_in_german(lang: str, title: str, lowered: str) -> None:
    assert lower_initials(title, lang) == lowered


def test_duplicates_are_found_after_lowering() -> None:
    assert list(drop_duplicates(["a b", "c", "a b"])) == ["a b", "c"]
    assert select("Life and Work", "life and work") == ["life and work"]
    assert len(select("Das gute Essen", "Das Gute essen", lang="de")) == 2


def test_at_most_three_titles_share_a_first_word() -> None:
    titles = ["list of a", "List of b", "use of a", "list of c", "list of d", "use of b"]
    assert list(limit_first_words(titles)) == [
        "list of a", "List of b", "use of a", "list of c", "use of b"
    ]  # fmt: skip


def test_duplicates_do_not_count_for_the_first_word() -> None:
    assert select("List of a", "list of a", "list of A", "list of b", "list of c") == [
        "list of a", "list of b", "list of c"
    ]  # fmt: skip


def test_draw_depends_on_the_seed_and_keeps_the_order() -> None:
    titles = [f"{a}{b} and so" for a in "abcdefgh" for b in "abcdefgh"]
    first = select(*titles, n=10)
    assert first == select(*titles, n=10) == sorted(first)
    assert len(set(first)) == 10
    assert first != select(*titles, n=10, seed=1)


def test_draw_takes_all_titles_if_there_are_too_few() -> None:
    assert draw_titles(["b", "a"], n=3, rng=random.Random(0)) == ["b", "a"]
    assert draw_titles([], n=3, rng=random.Random(0)) == []


def test_remaining_titles_are_counted_after_each_step() -> None:
    lines = [
        "\n", "Early life", "Notes, other references", "The CERN years", "Vida y obra",
        "Life and work", "Life and Work", "Life a a", "Life b b", "Life c c", "Use of it",
    ]  # fmt: skip
    found = select_titles(lines, lang="en", n=2, seed=0, is_foreign=lambda title: " y " in title)
    expected = {
        "titles": 10,
        "of three words or more": 9,
        "without special characters": 8,
        "in canonical case": 7,
        "not in another language": 6,
        "without duplicates": 5,
        "with 3 a first word": 4,
        "drawn": 2,
    }
    assert found.n_left == expected
    assert list(found.n_left) == list(expected)


def test_language_is_judged_before_initials_are_lowered() -> None:
    seen: list[str] = []
    select_titles(["Life and Work"], lang="en", n=1, seed=0, is_foreign=seen.append)
    assert seen == ["Life and Work"]


OF_LANGUAGE = {
    "en": ["Early life and career", "Awards and nominations", "The town and its people"],
    "fr": ["Histoire de la commune", "Faune et flore", "Vie privée et mort", "Origine du nom"],
    "de": ["Leben und Werk", "Kultur und Sehenswürdigkeiten", "Orden und Ehrenzeichen"],
    "es": ["Historia de la ciudad", "Vida y obra", "Premios y reconocimientos"],
}


@cache
def language_check(lang: str) -> Callable[[str], bool]:
    """Make the check of a language. It takes a second, so it is cached."""
    pytest.importorskip("py3langid")
    return make_language_check(lang)


@pytest.mark.parametrize("lang", OF_LANGUAGE)
def test_titles_of_another_language_are_foreign(lang: str) -> None:
    is_foreign = language_check(lang)
    for other, titles in OF_LANGUAGE.items():
        assert [is_foreign(title) for title in titles] == [other != lang] * len(titles)


@pytest.mark.parametrize("lang", ["en", "de", "es"])
def test_a_title_that_could_be_in_several_languages_is_kept(lang: str) -> None:
    assert not language_check(lang)("Flora and fauna")


@pytest.mark.parametrize(("lang", "title"), TABLE_2)
def test_titles_of_table_2_are_in_their_language(lang: str, title: str) -> None:
    assert not language_check(lang)(title)


def test_unknown_language_is_an_error() -> None:
    pytest.importorskip("py3langid")
    with pytest.raises(ValueError, match=r"'xx'.*--no-language-check"):
        make_language_check("xx")


def test_the_error_for_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    with pytest.raises(ValueError, match=r'pip install "spacy-sentid\[titles\]"'):
        make_language_check("en")


def test_a_byte_order_mark_is_not_part_of_the_title(tmp_path: Path) -> None:
    path = tmp_path / "titles.txt"
    path.write_bytes("\ufeffLife and work\n".encode())
    assert list(read_titles(path)) == ["Life and work\n"]


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf8")
    return path


def test_command_writes_the_titles_of_all_files(tmp_path: Path) -> None:
    first = write(tmp_path / "a.txt", "Life and Work\nSeason 2\n")
    second = write(tmp_path / "b.txt", "Life and work\nUse of it")
    target = tmp_path / "new" / "out.txt"
    done = run("titles", first, second, target, "--lang", "en", "--no-language-check")
    assert target.read_text() == "life and work\nuse of it\n"
    assert done.stdout == ""
    rows = [line.rsplit(maxsplit=1) for line in done.stderr.splitlines()]
    assert rows[0] == ["titles", "4"]
    assert ["drawn", "2"] in rows
    assert "--n" in done.stderr


def test_command_says_how_to_get_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    source = write(tmp_path / "a.txt", "Life and work\n")
    done = run("titles", source, tmp_path / "out.txt", "--lang", "en", code=1)
    assert "spacy-sentid[titles]" in done.stderr
    assert not (tmp_path / "out.txt").exists()


def test_command_draws_n_by_the_seed(tmp_path: Path) -> None:
    titles = [f"{a}{b} and so" for a in "abcdefgh" for b in "abcdefgh"]
    source, target = write(tmp_path / "a.txt", "\n".join(titles)), tmp_path / "out.txt"
    options = ["--lang", "de", "--no-language-check", "--n", 5, "--seed", 7]
    done = run("titles", source, target, *options)
    assert target.read_text().splitlines() == select(*titles, n=5, seed=7)
    assert "Warning" not in done.stderr


def test_command_checks_the_language(tmp_path: Path) -> None:
    pytest.importorskip("py3langid")
    source = write(tmp_path / "a.txt", "Leben und Werk\nHistoire de la commune\n")
    run("titles", source, tmp_path / "out.txt", "--lang", "de")
    assert (tmp_path / "out.txt").read_text() == "Leben und Werk\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Life and work\nl\xe9gende de la ville\n", "a.txt:2: "),
        (b"", "titles"),
        (b" \n\n", "titles"),
        (b"History\nSeason 2\n", "noun phrase"),
    ],
)
def test_bad_input_prints_one_error_line_and_writes_nothing(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    arguments = ["titles", tmp_path / "a.txt", tmp_path / "out.txt", "--lang", "fr"]
    done = run(*arguments, "--no-language-check", code=1)
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert message in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_output_must_not_be_an_input(tmp_path: Path) -> None:
    source = write(tmp_path / "a.txt", "Life and work\n")
    done = run("titles", source, source, "--lang", "en", "--no-language-check", code=1)
    assert "output" in done.stderr
    assert source.read_text() == "Life and work\n"


def test_language_and_output_are_required(tmp_path: Path) -> None:
    source = write(tmp_path / "a.txt", "Life and work\n")
    run("titles", source, tmp_path / "out.txt", code=2)
    run("titles", source, "--lang", "en", code=2)
