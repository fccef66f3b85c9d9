"""Labels of the components: `nlp.pipe_labels`, `spacy.explain`, and spaCy's commands."""

import json
from pathlib import Path

import pytest
import spacy
import tiny
import tiny_pairs
from spacy.cli._util import app as spacy_app
from spacy.glossary import GLOSSARY
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_sentid.components.label_glossary import explain_labels
from spacy_sentid.text.units import NSU_KINDS


def test_the_labels_are_those_that_the_component_writes() -> None:
    assert tiny.trained().pipe_labels[tiny.NAME] == ["SU", "NSU"]
    nlp = spacy.blank("en")
    nlp.add_pipe(tiny.NAME)  # the bundled weights have learned kinds
    assert nlp.pipe_labels == {tiny.NAME: ["SU", *NSU_KINDS]}
    pipe = tiny.pipe_of(nlp)
    doc = nlp("Page 3\n\nI like cats.")
    assert {span.label_ for key in doc.spans for span in doc.spans[key]} <= set(pipe.labels)
    pipe.cfg["nsu_kinds"] = False
    assert pipe.labels == ("SU", "NSU")


def test_the_tagger_has_one_label() -> None:
    assert tiny_pairs.trained().pipe_labels == {"paraphrase_tagger": ["UNPARAPHRASED"]}


def test_labels_are_no_data_to_initialize_with() -> None:
    # Otherwise 'spacy init labels' would write a file that `initialize` does not take.
    assert tiny.pipe_of(tiny.trained()).label_data is None


def test_spacy_explains_all_labels() -> None:
    nlp = tiny.trained()
    tiny_pairs.trained()
    for label in ("SU", "NSU", *NSU_KINDS, "UNPARAPHRASED"):
        assert spacy.explain(label), label
    assert all(spacy.explain(label) for label in nlp.pipe_labels[tiny.NAME])


def test_explanations_of_others_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GLOSSARY, "SU", "sugar unit")
    explain_labels({"SU": "sentential unit"})
    assert spacy.explain("SU") == "sugar unit"


# spaCy's commands


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a config and a corpus for two steps of training."""
    folder = tmp_path_factory.mktemp("labels")
    nlp = tiny.blank()
    # 'spacy debug data' wants at least 100 documents.
    docs = [example.reference for example in tiny.examples(nlp)] * 20
    for name in ("train", "dev"):
        DocBin(docs=docs).to_disk(folder / f"{name}.spacy")
    config = nlp.config.copy()
    for name in ("train", "dev"):
        config["paths"][name] = str(folder / f"{name}.spacy")
    config["training"].update(max_steps=2, eval_frequency=1)
    config.to_disk(folder / "config.cfg")
    return folder / "config.cfg"


def run_spacy(*arguments: object) -> str:
    result = CliRunner().invoke(spacy_app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.output


def test_spacy_debug_data_accepts_the_labels(config: Path) -> None:
    assert "✘" not in run_spacy("debug", "data", config)


def test_spacy_init_labels_has_nothing_to_write(config: Path, tmp_path: Path) -> None:
    run_spacy("init", "labels", config, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_spacy_train_saves_the_labels(config: Path, tmp_path: Path) -> None:
    run_spacy("train", config, "-o", tmp_path)
    meta = json.loads((tmp_path / "model-last" / "meta.json").read_text(encoding="utf8"))
    assert meta["labels"] == {tiny.NAME: ["SU", "NSU"]}
    assert spacy.load(tmp_path / "model-last").pipe_labels == meta["labels"]
