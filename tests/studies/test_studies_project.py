"""The project of the studies: commands run offline on the sample, or name the missing corpus."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly
from typer.testing import CliRunner
from weasel.cli.run import project_run

from studies.__main__ import app
from studies.results import read_results

RUN = "python run.py "


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of the files that the studies need, with a tiny treebank."""
    for name in ("configs", "spacy_sentid", "studies", "assets/sample", "assets/everyday"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    treebank = tmp_path / "my treebank"
    treebank.mkdir()
    for split in ("train", "dev", "test"):
        shutil.copy(root / f"assets/sample/{split}.conllu", treebank / f"en_my-ud-{split}.conllu")
    return tmp_path


def run_study(folder: Path, name: str, **variables: object) -> None:
    overrides = {f"vars.{key}": value for key, value in variables.items()}
    project_run(folder / "studies", name, overrides=overrides, capture=True)


def test_each_command_runs_the_study_of_its_name(root: Path) -> None:
    project = srsly.read_yaml(root / "studies" / "project.yml")
    for command in project["commands"]:
        (script,) = command["script"]
        assert script.startswith(f"{RUN}{command['name']} ")
        words = script.removeprefix(RUN).split()
        options = [word for word in words if word.startswith("--")]
        shown = CliRunner().invoke(app, [command["name"], "--help"], terminal_width=200).output
        assert all(option in shown for option in options), command["name"]


def test_files_of_the_variables_are_committed(root: Path) -> None:
    variables = srsly.read_yaml(root / "studies" / "project.yml")["vars"]
    paths = [part for value in variables.values() for part in re.split("[=,]", str(value))]
    paths = [path for path in paths if path.startswith(("assets/sample", "configs", "studies"))]
    assert paths
    assert all((root / path).exists() for path in paths)


@pytest.mark.parametrize(
    ("name", "default"), [("strategies", "brown/brown.jsonl"), ("text-scores", "nlg_meta")]
)
def test_a_corpus_that_is_not_committed_must_be_named(
    name: str, default: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SENTID_DATA", raising=False)
    done = CliRunner().invoke(app, [name])
    assert done.exit_code == 1
    assert default in done.output
    assert "SENTID_DATA" in done.output
    done = CliRunner().invoke(app, [name, str(tmp_path / "nowhere")])
    assert done.exit_code == 1
    assert "nowhere" in done.output
    monkeypatch.setenv("SENTID_DATA", str(tmp_path))
    done = CliRunner().invoke(app, [name])
    assert done.exit_code == 1
    assert str(tmp_path) in done.output


@pytest.mark.slow
def test_a_study_runs_in_the_root_of_the_repository(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SENTID_DATA", raising=False)
    command = [sys.executable, "-m", "spacy", "project", "run", "strategies", "studies"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root)
    assert done.returncode
    assert "SENTID_DATA" in done.stderr


@pytest.mark.slow
def test_the_identifier_study_writes_its_tables(copy):
    for name in ("studies/configs/identifier_study.cfg", "configs/identifier_clean.cfg"):
        path = copy / name  # the config of ours sets its own number of steps
        text = re.sub(r"(max_steps|total_steps) = \d+", r"\1 = 2", path.read_text())
        path.write_text(text)
    run_study(
        copy,
        "identifier",
        treebank="my treebank",
        segmentation="my treebank",
        seeds=1,
        max_steps=2,
        segmentation_steps=2,
    )
    results = read_results(copy / "metrics/studies/identifier.json")
    trained = {row.setting["trained"] for row in results.rows}
    assert trained == {"in-domain", "segmentation-only"}
    assert "as Table 13" in (copy / "metrics/studies/identifier.md").read_text()
    assert (copy / "metrics/studies/identifier.svg").exists()


@pytest.mark.slow
def test_the_parser_study_writes_its_tables(copy):
    run_study(copy, "parser", parser_seeds=1, parser_steps=3, parser_grid=".2/.2")
    results = read_results(copy / "metrics/studies/parser.json")
    assert {row.system for row in results.rows} == {"0/0", "0.2/0.2"}
    assert "## en" in (copy / "metrics/studies/parser.md").read_text()
    assert (copy / "metrics/studies/parser.svg").exists()


@pytest.mark.slow
def test_the_downstream_study_writes_its_tables(copy):
    run_study(
        copy,
        "downstream",
        downstream_treebank="my treebank",
        downstream_seeds=1,
        downstream_steps=3,
    )
    results = read_results(copy / "metrics/studies/downstream.json")
    assert "one line" in {row.setting.get("layout") for row in results.rows}
    assert "| parsed whole | 1 |" in (copy / "metrics/studies/downstream.md").read_text()
    assert (copy / "metrics/studies/downstream.svg").exists()


@pytest.mark.slow
def test_the_strategies_study_writes_its_tables(copy, find_corpus):
    brown = find_corpus("brown/brown.jsonl")
    run_study(copy, "strategies", brown=str(brown))
    found = read_results(copy / "metrics/studies/strategies.json")
    place = {"table": "success"}
    (low,), (high,) = (
        found.values(name, "success", place) for name in ("structure", "lexicon+abbreviations")
    )
    assert 0.9 < low < high < 1


@pytest.mark.slow
def test_the_pause_study_writes_its_tables(copy):
    run_study(
        copy,
        "pauses",
        pause_steps=20,
        pause_tune_steps=6,
        pause_systems="self-training,p0.5",
        pause_simulate="",
    )
    results = read_results(copy / "metrics/studies/pauses.json")
    assert {"base", "self-training", "p0.5"} <= {row.system for row in results.rows}
    assert "## Table 3" in (copy / "metrics/studies/pauses.md").read_text()
