"""The project workflows: the commands are well formed, and run offline on the sample."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
import srsly
from weasel.cli.run import project_run
from weasel.util.config import load_project_config

pytestmark = pytest.mark.usefixtures("light_processes")

SHELL_SYNTAX = ("&&", "||", "|", ">", "*", ";", "$(")


@pytest.fixture
def project(root: Path) -> dict:
    return srsly.read_yaml(root / "project.yml")


def test_workflows_name_commands(project):
    names = [command["name"] for command in project["commands"]]
    for steps in project["workflows"].values():
        assert set(steps) <= set(names)
    assert set().union(*project["workflows"].values()) == set(names)
    # weasel requires different names for workflows and commands.
    assert not set(project["workflows"]) & set(names)


def test_scripts_have_no_shell_syntax(project):
    for command in project["commands"]:
        assert command["help"]
        for line in command["script"]:
            assert line.startswith("python -m ")
            assert not any(sign in line for sign in SHELL_SYNTAX)


def test_files_that_commands_depend_on_exist_or_are_made(project, root):
    filled = load_project_config(root)["commands"]
    made = {path for command in filled for path in command.get("outputs", [])}
    made |= {asset["dest"] for asset in load_project_config(root)["assets"]}
    for command in filled:
        for path in command.get("deps", []):
            if path not in made:
                assert (root / path).exists(), path


def test_packages_have_a_description_and_places_for_author_and_licence(project, root):
    # Without these fields, spaCy lists the training loss as accuracy, and leaves others empty.
    lines = [line for command in project["commands"] for line in command["script"]]
    paths = [line.split("--meta-path ")[1].split()[0] for line in lines if "spacy package" in line]
    assert len(paths) == 2
    for path in paths:
        meta = srsly.read_json(root / path)
        assert meta.pop("description")
        assert meta == {"author": "", "email": "", "url": "", "license": "", "performance": {}}


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of the files that the workflow needs, with a tiny treebank."""
    for name in ("configs", "spacy_sentid", "assets/sample"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "project.yml", tmp_path)
    treebank = tmp_path / "my treebank"
    treebank.mkdir()
    for split in ("train", "dev", "test"):
        shutil.copy(root / f"assets/sample/{split}.conllu", treebank / f"en_my-ud-{split}.conllu")
    return tmp_path


def run_workflow(folder: Path, workflow: str) -> None:
    overrides = {"vars.treebank": "my treebank", "vars.max_steps": 2}
    project_run(folder, workflow, overrides=overrides, capture=True)


@pytest.mark.slow
def test_all_makes_a_package_from_another_treebank(copy):
    run_workflow(copy, "all")
    scores = json.loads((copy / "metrics" / "identifier.json").read_text())
    assert scores["settings"]["treebank"] == "my treebank"
    assert {run["p_cc"] for run in scores["runs"]} == {0.5, 0.0}
    package = copy / "packages" / "en_sentid_custom-0.1.0"
    meta = json.loads((package / "meta.json").read_text())
    assert meta["description"] == "Finds sentences, and what is not a sentence"
    nlp = spacy.load(package / "en_sentid_custom" / "en_sentid_custom-0.1.0")
    assert list(nlp("Page 3").spans) == ["su", "nsu"]
    lock = (copy / "project.lock").read_text()
    run_workflow(copy, "all")
    assert (copy / "project.lock").read_text() == lock


@pytest.mark.slow
def test_train_stops_when_a_split_is_missing(copy):
    (copy / "my treebank" / "en_my-ud-test.conllu").unlink()
    command = [sys.executable, "-m", "spacy", "project", "run", "train", str(copy)]
    command += ["--vars.treebank", "my treebank"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode
    assert "*test.conllu" in done.stderr
    assert not (copy / "corpus" / "identifier" / "train.spacy").exists()


@pytest.mark.slow
def test_words_makes_a_package(copy):
    overrides = {"vars.word_steps": 60, "vars.eval_frequency": 20}
    project_run(copy, "words", overrides=overrides, capture=True)
    (scores,) = json.loads((copy / "metrics" / "words.json").read_text())["files"]
    assert scores["word_f"] > 0.3
    package = copy / "packages" / "zh_sentid_custom_words-0.1.0" / "zh_sentid_custom_words"
    doc = spacy.load(package / "zh_sentid_custom_words-0.1.0")("我们在学校")
    assert doc.text == "我们在学校"
    assert len(doc) < 5
