"""`evaluate units` on the command line, for a pipeline and for any other system."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from spacy_sentid.cli import app


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def fail(*arguments: object) -> str:
    """Run a command that must fail, and return its message."""
    message = run(*arguments, code=1).stderr
    assert message.startswith("Error: ")
    return message


def score(inputs: Path, predictions: Path, *options: object, code: int = 0) -> Result:
    """Score the predictions of any system."""
    return run("evaluate", "units", inputs, "--predictions", predictions, *options, code=code)


def numbers(output: str, row: str) -> list[list[str]]:
    """List the scores in a row of a table, for each level."""
    lines = [line.split() for line in output.splitlines()[1:]]
    return [line[2:] for line in lines if line[1] == row]


def test_segmenter_adds_a_row(tiny_pipeline, sample, tmp_path):
    target = tmp_path / "scores.json"
    options = ["--segmenter", "sentencizer", "--json", target]
    model = ["--model", tiny_pipeline]
    output = run("evaluate", "units", sample / "test.conllu", *model, *options).stdout
    assert [line.split()[:2] for line in output.splitlines()[1:4]] == [
        ["word", "0.5"], ["word", "0"], ["word", "postprocess"]
    ]  # fmt: skip
    last = json.loads(target.read_text())["runs"][-1]
    assert (last["setting"], last["segmenter"], last["seed"]) == (
        "postprocess", "sentencizer", None
    )  # fmt: skip


def test_several_segmenters_have_a_row_each(tiny_pipeline, sample):
    segmenters = ["--segmenter", "sentencizer", "--segmenter", "rule_sentencizer"]
    options = ["--model", tiny_pipeline, "--p-cc", "0.5", *segmenters]
    output = run("evaluate", "units", sample / "test.conllu", *options).stdout
    assert [line.split()[1:3] for line in output.splitlines()[2:4]] == [
        ["postprocess", "(sentencizer)"], ["postprocess", "(rule_sentencizer)"]
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "row"),
    [
        (["--p-cc", "0.5", "--seed", "3"], "0.5"),
        (["--p-cc", "0", "--layout", "line"], "0"),
        (["--p-cc", "0", "--layout", "none"], "0"),
        (["--segmenter", "sentencizer"], "postprocess"),
        (["--segmenter", "sentencizer", "--layout", "paragraph"], "postprocess"),
    ],
)
@pytest.mark.usefixtures("wide_terminal")
def test_identify_and_score_agree_with_evaluate(tiny_pipeline, sample, tmp_path, options, row):
    inputs, found = tmp_path / "inputs.jsonl", tmp_path / "found.jsonl"
    treebank = [sample, "--split", "dev"]
    run("evaluate", "units", *treebank, "--texts", inputs, *options)
    run("identify", inputs, "--model", tiny_pipeline, "-o", found)
    output = score(inputs, found, "--json", tmp_path / "scores.json").stdout
    expected = run("evaluate", "units", *treebank, "--model", tiny_pipeline, *options).stdout
    assert output.splitlines()[0].split()[1] == "inputs"
    assert numbers(output, "inputs") == numbers(expected, row) != []
    scores = json.loads((tmp_path / "scores.json").read_text())["scores"]
    assert f"{100 * scores['bio_macro_f']:.1f}" == numbers(output, "inputs")[0][0]
    ids = [[json.loads(line)["id"] for line in path.open()] for path in (inputs, found)]
    assert ids[0] == ids[1]


@pytest.mark.usefixtures("wide_terminal")
def test_gold_as_predictions_is_perfect(sample, tmp_path):
    inputs = tmp_path / "inputs.jsonl"
    output = run("evaluate", "units", sample / "dev.conllu", "--texts", inputs).stdout
    assert output.endswith("texts, 85 units\n")
    levels = numbers(score(inputs, inputs).stdout, "inputs")
    assert {score for level in levels for score in level} == {"100.0"}


def test_ids_distinguish_settings(sample, tmp_path):
    path = sample / "dev.conllu"
    run("evaluate", "units", path, "--texts", tmp_path / "a.jsonl", "--seed", 1)
    run("evaluate", "units", path, "--texts", tmp_path / "b.jsonl", "--segmenter", "sentencizer")
    message = score(tmp_path / "a.jsonl", tmp_path / "b.jsonl", code=1).stderr
    assert "b.jsonl:1" in message
    assert "'postprocess-1'" in message


def test_texts_need_one_setting_and_a_jsonl_file(sample, tmp_path):
    write = ["evaluate", "units", sample, "--texts"]
    target = tmp_path / "a.jsonl"
    for option in (["--p-cc", 0, "--segmenter", "sentencizer"], ["--seed", 1, "--seed", 2]):
        assert "one --p-cc or --segmenter" in fail(*write, target, *option)
    assert ".jsonl" in fail(*write, tmp_path / "a.json")
    run(*write, target, "--p-cc", 1.5, code=2)
    assert list(tmp_path.iterdir()) == []


def test_empty_files_are_errors(sample, tmp_path):
    empty = tmp_path / "a.conllu"
    empty.touch()
    assert "unit" in fail("evaluate", "units", empty)
    assert "unit" in fail("evaluate", "units", empty, "--texts", tmp_path / "a.jsonl")
    assert "--texts" in score(empty, empty, code=1).stderr


@pytest.mark.parametrize(
    "option", [["--p-cc", 0], ["--split", "dev"], ["--texts", "a.jsonl"], ["--model", "en"]]
)
def test_options_that_do_not_apply_to_predictions_are_refused(sample, option):
    path = sample / "dev.conllu"
    assert option[0] in score(path, path, *option, code=1).stderr


@pytest.mark.parametrize("name", ["model", "texts", "predictions", "convert"])
def test_a_corpus_without_nsus_is_a_warning_and_not_an_error(tiny_pipeline, sample, tmp_path, name):
    path: Path = sample / "dev.conllu"
    inputs = tmp_path / "a.jsonl"
    write = ["evaluate", "units", path, "--texts", inputs, "--all-su"]
    run(*write)
    arguments = {
        "model": ["evaluate", "units", path, "--model", tiny_pipeline, "--all-su"],
        "texts": write,
        "predictions": ["evaluate", "units", inputs, "--predictions", inputs],
        "convert": ["treebank", "convert", path, tmp_path / "a.spacy", "--all-su"],
    }[name]
    message = "macro F1 is the mean of B and I.\n"
    assert run(*arguments).stderr.endswith(message)


def test_a_corpus_with_nsus_gives_no_warning(tiny_pipeline, sample):
    assert (
        "Warning"
        not in run("evaluate", "units", sample / "dev.conllu", "--model", tiny_pipeline).stderr
    )


def test_unknown_segmenter_is_an_error(tiny_pipeline, sample):
    options = ["--model", tiny_pipeline, "--segmenter", "nowhere"]
    message = fail("evaluate", "units", sample / "dev.conllu", *options)
    assert "'nowhere'" in message
