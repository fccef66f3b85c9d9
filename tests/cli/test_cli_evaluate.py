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
    return run("evaluate", "documents", inputs, "--predictions", predictions, *options, code=code)


@pytest.mark.parametrize(
    "options", [["--p-cc", "0.5", "--seed", "3"], ["--p-cc", "0", "--layout", "line"]]
)
def test_identify_and_score_agree_with_evaluate(tiny_pipeline, sample, tmp_path, options):
    inputs, found = tmp_path / "inputs.jsonl", tmp_path / "found.jsonl"
    scores, expected = tmp_path / "scores.json", tmp_path / "expected.json"
    treebank = [sample, "--split", "dev"]
    run("evaluate", "units", *treebank, "--texts", inputs, *options)
    run("identify", inputs, "--model", tiny_pipeline, "-o", found)
    score(inputs, found, "--json", scores)
    model = ["--model", tiny_pipeline]
    run("evaluate", "units", *treebank, *model, *options, "--json", expected)
    means = json.loads(expected.read_text())["summary"][0]["mean"]
    of_documents = json.loads(scores.read_text())["mean"]["as is"][""]
    assert {name: of_documents[name] for name in means} == means
    again = tmp_path / "again.json"
    run("evaluate", "documents", inputs, *model, "--json", again)
    assert json.loads(again.read_text())["mean"] == json.loads(scores.read_text())["mean"]
    ids = [[json.loads(line)["id"] for line in path.open()] for path in (inputs, found)]
    assert ids[0] == ids[1]


def test_gold_as_predictions_is_perfect(sample, tmp_path):
    inputs = tmp_path / "inputs.jsonl"
    output = run("evaluate", "units", sample / "dev.conllu", "--texts", inputs).stdout
    assert output.endswith("texts, 85 units\n")
    score(inputs, inputs, "--json", tmp_path / "scores.json")
    scores = json.loads((tmp_path / "scores.json").read_text())["mean"]["as is"][""]
    assert {scores[name] for name in ("su_f", "nsu_f", "bio_macro_f", "spans_nsu_f")} == {1}


def test_ids_distinguish_settings(sample, tmp_path):
    path = sample / "dev.conllu"
    run("evaluate", "units", path, "--texts", tmp_path / "a.jsonl", "--seed", 1)
    run("evaluate", "units", path, "--texts", tmp_path / "b.jsonl", "--seed", 2)
    message = score(tmp_path / "a.jsonl", tmp_path / "b.jsonl", code=1).stderr
    assert "b.jsonl must have a record" in message
    assert "'p0.5-seed1-1'" in message


def test_texts_need_one_setting_and_a_jsonl_file(sample, tmp_path):
    write = ["evaluate", "units", sample, "--texts"]
    target = tmp_path / "a.jsonl"
    for option in (["--p-cc", 0, "--p-cc", 1], ["--seed", 1, "--seed", 2]):
        assert "one --p-cc" in fail(*write, target, *option)
    assert ".jsonl" in fail(*write, tmp_path / "a.json")
    run(*write, target, "--p-cc", 1.5, code=2)
    assert list(tmp_path.iterdir()) == []


def test_empty_files_are_errors(sample, tmp_path):
    empty = tmp_path / "a.conllu"
    empty.touch()
    assert "unit" in fail("evaluate", "units", empty)
    assert "unit" in fail("evaluate", "units", empty, "--texts", tmp_path / "a.jsonl")


@pytest.mark.parametrize("option", [["--layout", "wrap"], ["--model", "en"]])
def test_options_that_do_not_apply_to_predictions_are_refused(sample, option):
    path = sample / "dev.conllu"
    assert option[0] in score(path, path, *option, code=1).stderr


@pytest.mark.parametrize("name", ["model", "texts", "convert"])
def test_a_corpus_without_nsus_is_a_warning_and_not_an_error(tiny_pipeline, sample, tmp_path, name):
    path: Path = sample / "dev.conllu"
    inputs = tmp_path / "a.jsonl"
    write = ["evaluate", "units", path, "--texts", inputs, "--all-su"]
    run(*write)
    arguments = {
        "model": ["evaluate", "units", path, "--model", tiny_pipeline, "--all-su"],
        "texts": write,
        "convert": ["treebank", "convert", path, tmp_path / "a.spacy", "--all-su"],
    }[name]
    message = "macro F1 is the mean of B and I.\n"
    assert run(*arguments).stderr.endswith(message)


def test_a_corpus_with_nsus_gives_no_warning(tiny_pipeline, sample):
    assert (
        "Warning"
        not in run("evaluate", "units", sample / "dev.conllu", "--model", tiny_pipeline).stderr
    )
