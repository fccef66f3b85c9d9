"""`evaluate`, `assemble` and `score-units` on the command line."""

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
    """Run a command that is to fail, and return its message."""
    message = run(*arguments, code=1).stderr
    assert message.startswith("Error: ")
    return message


def numbers(output: str, row: str) -> list[list[str]]:
    """Scores of each level's row of a table."""
    lines = [line.split() for line in output.splitlines()[1:]]
    return [line[2:] for line in lines if line[1] == row]


def test_segmenter_adds_a_row(tiny_pipeline, sample, tmp_path):
    target = tmp_path / "scores.json"
    options = ["--segmenter", "sentencizer", "--json", target]
    output = run("evaluate", tiny_pipeline, sample / "test.conllu", *options).stdout
    assert [line.split()[:2] for line in output.splitlines()[1:4]] == [
        ["word", "0.5"], ["word", "0"], ["word", "postprocess"]
    ]  # fmt: skip
    last = json.loads(target.read_text())["runs"][-1]
    assert (last["setting"], last["segmenter"], last["seed"]) == (
        "postprocess", "sentencizer", None
    )  # fmt: skip


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
def test_assemble_identify_score_is_evaluate(tiny_pipeline, sample, tmp_path, options, row):
    inputs, found = tmp_path / "inputs.jsonl", tmp_path / "found.jsonl"
    treebank = [sample, "--split", "dev"]
    run("assemble", sample, inputs, "--split", "dev", *options)
    run("identify", inputs, "--model", tiny_pipeline, "-o", found)
    output = run("score-units", inputs, found, "--json", tmp_path / "scores.json").stdout
    expected = run("evaluate", tiny_pipeline, *treebank, *options).stdout
    assert output.splitlines()[0].split()[1] == "inputs"
    assert numbers(output, "inputs") == numbers(expected, row) != []
    scores = json.loads((tmp_path / "scores.json").read_text())["scores"]
    assert f"{100 * scores['bio_macro_f']:.1f}" == numbers(output, "inputs")[0][0]
    ids = [[json.loads(line)["id"] for line in path.open()] for path in (inputs, found)]
    assert ids[0] == ids[1]


def test_gold_as_predictions_is_perfect(sample, tmp_path):
    inputs = tmp_path / "inputs.jsonl"
    output = run("assemble", sample / "dev.conllu", inputs).stdout
    assert output.endswith("texts, 85 units\n")
    levels = numbers(run("score-units", inputs, inputs).stdout, "inputs")
    assert {score for level in levels for score in level} == {"100.0"}


def test_ids_tell_settings_apart(sample, tmp_path):
    path = sample / "dev.conllu"
    run("assemble", path, tmp_path / "a.jsonl", "--seed", 1)
    run("assemble", path, tmp_path / "b.jsonl", "--segmenter", "sentencizer")
    message = fail("score-units", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert "b.jsonl:1" in message
    assert "'postprocess-1'" in message


def test_assemble_wants_one_setting_and_a_jsonl_file(sample, tmp_path):
    target = tmp_path / "a.jsonl"
    both = ["--p-cc", 0, "--segmenter", "sentencizer"]
    assert "segmenter" in fail("assemble", sample, target, *both)
    assert ".jsonl" in fail("assemble", sample, tmp_path / "a.json")
    run("assemble", sample, target, "--p-cc", 1.5, code=2)
    assert list(tmp_path.iterdir()) == []


def test_empty_files_are_errors(sample, tmp_path):
    empty = tmp_path / "a.conllu"
    empty.touch()
    assert "no units" in fail("assemble", empty, tmp_path / "a.jsonl")
    assert "no inputs" in fail("score-units", empty, empty)


@pytest.mark.parametrize("name", ["evaluate", "assemble", "score-units", "convert"])
def test_no_nsu_is_said_and_no_error(tiny_pipeline, sample, tmp_path, name):
    path: Path = sample / "dev.conllu"
    inputs = tmp_path / "a.jsonl"
    run("assemble", path, inputs, "--all-su")
    arguments = {
        "evaluate": [tiny_pipeline, path, "--all-su"],
        "assemble": [path, inputs, "--all-su"],
        "score-units": [inputs, inputs],
        "convert": [path, tmp_path / "a.spacy", "--all-su"],
    }[name]
    message = "macro F1 is the mean of B and I.\n"
    assert run(name, *arguments).stderr.endswith(message)


def test_nsus_are_not_warned_about(tiny_pipeline, sample):
    assert "Warning" not in run("evaluate", tiny_pipeline, sample / "dev.conllu").stderr


def test_unknown_segmenter_is_an_error(tiny_pipeline, sample):
    options = ["--segmenter", "nowhere"]
    message = fail("evaluate", tiny_pipeline, sample / "dev.conllu", *options)
    assert "'nowhere'" in message
