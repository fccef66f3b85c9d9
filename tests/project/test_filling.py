"""Short configs: extending another config, and filling in defaults of the language."""

from pathlib import Path

import pytest
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from spacy_sentid.cli import app
from spacy_sentid.configs import fill_config, read_config

BASE = """
[paths]
train = null

[training]
max_steps = 100
seed = ${system.seed}
layouts = {"space": 0.5, "line": 0.5}

[training.optimizer]
@optimizers = "Adam.v1"
eps = 0.1

[training.optimizer.learn_rate]
@schedules = "warmup_linear.v1"
total_steps = 100

[training.optimizer.learn_rate.inner]
value = 1

[system]
seed = 0
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A config that others extend."""
    path = tmp_path / "base.cfg"
    path.write_text(BASE)
    return path


def read_change(base: Path, change: str) -> dict:
    path = base.parent / "deeper" / "change.cfg"
    path.parent.mkdir()
    path.write_text(f'[extends]\nconfig = "../base.cfg"\n{change}')
    return read_config(path)


@pytest.mark.parametrize(
    ("lang", "tokens"), [("en", ["我爱你", "。"]), ("zh", ["我", "爱", "你", "。"])]
)
def test_the_config_has_the_tokenizer_of_the_language(
    root: Path, tmp_path: Path, lang: str, tokens: list[str]
) -> None:
    filled = tmp_path / "new" / "config.cfg"
    filled.parent.mkdir()
    fill_config(root / "configs/identifier.cfg", filled, lang=lang)
    config = load_config(filled)
    assert config["nlp"]["lang"] == lang
    nlp = load_model_from_config(config)
    assert [token.text for token in nlp.make_doc("我爱你。")] == tokens


def test_variables_and_chosen_settings_are_kept(root: Path, tmp_path: Path) -> None:
    short = str(root / "configs/identifier_clean.cfg")
    done = CliRunner().invoke(app, ["train", "fill-config", short, str(tmp_path / "x.cfg")])
    assert done.exit_code == 0, done.output
    config = load_config(tmp_path / "x.cfg")
    assert "extends" not in config
    assert config["corpora"]["train"]["seed"] == "${system.seed}"
    assert config["corpora"]["train"]["p_synthetic_nsu"] == 0.2
    assert config["corpora"]["train"]["layouts"] == {"space": 1.0}
    assert config["training"]["max_steps"] == 800
    assert config["components"]["sentence_identifier"]["nsu_span"] == "element"


def test_a_config_that_extends_nothing_is_unchanged(base: Path) -> None:
    assert read_config(base) == load_config(base)


def test_settings_replace_those_of_the_base(base: Path) -> None:
    found = read_change(base, '[training]\nmax_steps = 5\nlayouts = {"space": 1}\nnew = "a"\n')
    expected = load_config(base)
    expected["training"].update(max_steps=5, layouts={"space": 1}, new="a")
    assert found == expected


def test_settings_of_the_same_function_are_kept(base: Path) -> None:
    found = read_change(base, "[training.optimizer.learn_rate]\ntotal_steps = 5\n")
    rate = found["training"]["optimizer"]["learn_rate"]
    assert rate == {"@schedules": "warmup_linear.v1", "total_steps": 5, "inner": {"value": 1}}


def test_another_function_replaces_the_block(base: Path) -> None:
    change = '[training.optimizer.learn_rate]\n@schedules = "constant.v1"\nrate = 0.1\n'
    rate = read_change(base, change)["training"]["optimizer"]["learn_rate"]
    assert rate == {"@schedules": "constant.v1", "rate": 0.1}


def test_a_value_replaces_a_block_and_a_block_a_value(base: Path) -> None:
    change = "[training.optimizer]\nlearn_rate = 0.1\n\n[paths.train]\nfile = 1\n"
    found = read_change(base, change)
    assert found["training"]["optimizer"]["learn_rate"] == 0.1
    assert found["paths"] == {"train": {"file": 1}}


def test_configs_extend_in_steps(base: Path) -> None:
    read_change(base, "[training]\nmax_steps = 5\nseed = 1\n")
    last = base.with_name("last.cfg")
    last.write_text('[extends]\nconfig = "deeper/change.cfg"\n[training]\nseed = 2\n')
    training = read_config(last)["training"]
    assert (training["max_steps"], training["seed"]) == (5, 2)


@pytest.mark.parametrize(
    "change",
    ["[extends]\nconfig = x", "[extends]\nother = 1", '[extends]\nconfig = "missing.cfg"', "x = 1"],
)
def test_errors_name_the_file(tmp_path: Path, change: str) -> None:
    path = tmp_path / "change.cfg"
    path.write_text(change)
    with pytest.raises(ValueError, match=r"change\.cfg"):
        read_config(path)
