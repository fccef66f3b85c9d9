"""NPU and POU ratios and end punctuation of treebanks, by genre, and the command."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacy_sentid.cli import app
from spacy_sentid.conllu.treebank import read_treebank
from spacy_sentid.corpus_augmenter.profile import Profile, Profiler, Tally, mark_rows

WORD = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_"
SENTENCE = [("Cats", "NOUN", 2, "nsubj"), ("sleep", "VERB", 0, "root")]
PHRASE = [("Page", "NOUN", 0, "root"), ("3", "NUM", 1, "nummod")]
COPULA = [("It", "PRON", 3, "nsubj"), ("is", "AUX", 3, "cop"), ("Bo", "PROPN", 0, "root")]


def mark(form: str, upos: str = "PUNCT") -> tuple[str, str, int, str]:
    return (form, upos, 1, "punct")


def write_unit(words: list[tuple], *comments: str) -> str:
    rows = [WORD.format(n, form, *rest) for n, (form, *rest) in enumerate(words, start=1)]
    return "\n".join([*(f"# {comment}" for comment in comments), *rows]) + "\n\n"


def profile_of_file(path: Path) -> Profile:
    profiler = Profiler()
    for unit in read_treebank(path):
        profiler.add(unit)
    return profiler.finish()


def profile_of(tmp_path: Path, *units: str) -> Profile:
    path = tmp_path / "a.conllu"
    path.write_text("".join(units), encoding="utf8")
    return profile_of_file(path)


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize(
    ("words", "is_npu", "is_pou", "no_end_mark"),
    [
        (SENTENCE, 0, 1, 1),
        ([*SENTENCE, mark(".")], 0, 0, 0),
        ([*SENTENCE, mark("?")], 0, 0, 0),
        ([*SENTENCE, mark("。")], 0, 0, 0),
        ([*SENTENCE, mark(":")], 0, 0, 1),
        ([*SENTENCE, mark("!!")], 0, 0, 1),
        ([*SENTENCE, mark("."), mark(")")], 0, 0, 1),
        ([*SENTENCE, mark(".", "SYM")], 0, 1, 1),
        (PHRASE, 1, 1, 1),
        ([*PHRASE, mark(".")], 1, 0, 0),
        ([*COPULA, mark(".")], 0, 0, 0),
    ],
)
def test_a_unit_is_counted_by_its_root_and_its_last_word(
    tmp_path, words, is_npu, is_pou, no_end_mark
):
    whole = profile_of(tmp_path, write_unit(words)).whole
    assert (whole.npu_ratio, whole.pou_ratio, whole.no_end_mark_ratio) == (
        is_npu,
        is_pou,
        no_end_mark,
    )
    assert (whole.n_units, whole.n_words) == (1, len(words))


def test_only_marks_are_counted_by_form(tmp_path):
    endings = [".", ".", "?", "...", None]
    units = [write_unit(SENTENCE + ([mark(form)] if form else [])) for form in endings]
    whole = profile_of(tmp_path, *units).whole
    assert whole.last_marks == {".": 2, "?": 1, "...": 1}
    assert (whole.n_pou, whole.n_no_end_mark) == (1, 2)


def test_without_relations_the_npu_ratio_is_unknown_and_the_pou_ratio_known(tmp_path):
    bare = [(form, upos, "_", "_") for form, upos, *_ in PHRASE]
    whole = profile_of(tmp_path, write_unit(bare)).whole
    assert (whole.n_units, whole.npu_ratio, whole.pou_ratio) == (1, None, 1.0)


def test_without_tags_both_ratios_are_unknown(tmp_path):
    untagged = [(form, "_", *rest) for form, _, *rest in PHRASE]
    whole = profile_of(tmp_path, write_unit(untagged)).whole
    assert (whole.n_units, whole.npu_ratio, whole.pou_ratio) == (1, None, None)
    assert mark_rows([("a", whole)]) == [["", "a"], ["none", "unknown"]]


def test_the_npu_ratio_is_of_the_units_with_a_tree(tmp_path):
    bare = [(form, upos, "_", "_") for form, upos, *_ in PHRASE]
    whole = profile_of(tmp_path, write_unit(bare), write_unit(PHRASE), write_unit(SENTENCE)).whole
    assert (whole.n_with_tree, whole.npu_ratio) == (2, 0.5)


@pytest.mark.parametrize("key", ["genre", "meta::genre"])
def test_a_comment_sets_the_genre_of_its_unit(tmp_path, key):
    units = [write_unit(PHRASE, f"{key} = law"), write_unit(SENTENCE, f"{key} = blog")]
    profile = profile_of(tmp_path, *units)
    assert {name: tally.n_npu for name, tally in profile.genres.items()} == {"blog": 0, "law": 1}


def test_a_comment_at_newdoc_applies_to_the_document(tmp_path):
    profile = profile_of(
        tmp_path,
        write_unit(PHRASE, "newdoc id = d1", "meta::genre = law"),
        write_unit(PHRASE),
        write_unit(PHRASE, "meta::genre = blog"),
        write_unit(PHRASE),
        write_unit(PHRASE, "newdoc id = d2"),
        write_unit(PHRASE),
    )
    assert {name: tally.n_units for name, tally in profile.genres.items()} == {"blog": 1, "law": 3}
    assert profile.whole.n_units == 6


def test_rare_marks_are_counted_together():
    tally = Tally(n_with_tag=8, n_pou=1, last_marks=Counter({".": 4, "?": 1, "!": 1, ":": 1}))
    assert mark_rows([("a", tally)], n_marks=2) == [
        ["", "a"],
        [".", "4 (50.0)"],
        ["!", "1 (12.5)"],
        ["others", "2 (25.0)"],
        ["none", "1 (12.5)"],
    ]


def test_the_command_prints_ratios_marks_and_genres(tmp_path):
    path = tmp_path / "few.conllu"
    sentence = write_unit([*SENTENCE, mark(".")], "genre = law")
    path.write_text(sentence * 3 + write_unit(PHRASE, "genre = list"))
    lines = [line.split() for line in run("treebank", "profile", path).splitlines()]
    for line in (
        ["NPU", "%", "25.0"],
        ["POU", "%", "25.0"],
        [".", "3", "(75.0)"],
        ["none", "1", "(25.0)"],
        ["few", "by", "genre"],
        ["law", "3", "9", "0.0", "0.0", "0.0"],
        ["list", "1", "2", "100.0", "100.0", "100.0"],
        ["all", "4", "11", "25.0", "25.0", "25.0"],
    ):
        assert line in lines


def test_the_command_says_what_is_unknown(tmp_path):
    path = tmp_path / "bare.conllu"
    path.write_text(write_unit([(form, upos, "_", "_") for form, upos, *_ in PHRASE]))
    assert "NPU %          unknown" in run("treebank", "profile", path, "--all-su")
    path.write_text(write_unit([(form, "_", "_", "_") for form, *_ in PHRASE]))
    assert "POU %          unknown" in run("treebank", "profile", path, "--all-su")


def test_json_has_counts_and_ratios_of_files_and_genres(sample, tmp_path):
    target = tmp_path / "new" / "profile.json"
    path = tmp_path / "a.conllu"
    path.write_text(write_unit(PHRASE, "genre = list"))
    run("treebank", "profile", path, sample / "dev.conllu", "--json", target)
    first, second = json.loads(target.read_text())["files"]
    assert first["file"] == str(path)
    assert first["table_3"]["nsu"] == 1
    assert first["genres"]["list"]["npu_ratio"] == first["npu_ratio"] == 1.0
    assert first["genres"]["list"]["last_marks"] == {}
    assert (second["n_units"], second["genres"]) == (85, {})
    assert second["last_marks"]["."] > 0


def test_ewt_has_the_ratios_of_table_1(find_corpus):
    path = find_corpus("ud/UD_English-EWT-r2.8/en_ewt-ud-dev.conllu")
    profile = profile_of_file(path)
    assert profile.whole.npu_ratio == pytest.approx(0.230, abs=0.005)
    assert profile.whole.pou_ratio == pytest.approx(0.195, abs=0.005)
    assert profile.whole.no_end_mark_ratio == pytest.approx(0.304, abs=0.005)
