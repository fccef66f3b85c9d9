"""Filling short configs: the tokenizer is that of the language, the rest is as written."""

from pathlib import Path

import pytest
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from spacy_sentid.cli import app
from spacy_sentid.pipelines import fill_config


@pytest.mark.parametrize(
    ("lang", "tokens"), [("en", ["我爱你", "。"]), ("zh", ["我", "爱", "你", "。"])]
)
def test_the_tokenizer_is_that_of_the_language(
    root: Path, tmp_path: Path, lang: str, tokens: list[str]
) -> None:
    filled = tmp_path / "new" / "config.cfg"
    filled.parent.mkdir()
    fill_config(root / "configs/identifier_cnn.cfg", filled, lang=lang)
    config = load_config(filled)
    assert config["nlp"]["lang"] == lang
    nlp = load_model_from_config(config)
    assert [token.text for token in nlp.make_doc("我爱你。")] == tokens


def test_variables_and_choices_stay(root: Path, tmp_path: Path) -> None:
    command = [
        "train",
        "fill-config",
        str(root / "configs/identifier_clean.cfg"),
        str(tmp_path / "x.cfg"),
    ]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    config = load_config(tmp_path / "x.cfg")
    assert config["corpora"]["train"]["seed"] == "${system.seed}"
    assert config["corpora"]["train"]["p_synthetic_nsu"] == 0.2
    assert config["training"]["max_steps"] == 800
    assert config["components"]["sentence_identifier"]["unidirectional_weight"] == 0.5
