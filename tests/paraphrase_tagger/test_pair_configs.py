"""configs/paraphrase_trf.cfg and paraphrase_paper.cfg are as described in docs/paraphrase.md."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import tiny_pairs
from spacy.cli.train import train

pytest.importorskip("transformers", reason="needs the extra 'transformers'")
pytest.importorskip("torch", reason="needs the extra 'transformers'")

import torch
from spacy.util import load_config
from tiny_encoders import save_deberta
from transformers import AutoModel

from spacy_sentid.paraphrase_tagger.corpus import format_pair

torch.set_num_threads(1)
TAGGER = "components.paraphrase_tagger"
WORDS = "embeddings.word_embeddings.weight"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("deberta") / "tiny"
    folder.mkdir()
    save_deberta(folder)
    return folder


def get(config: Any, path: str) -> Any:
    for key in path.split("."):
        config = config[key]
    return config


@pytest.mark.parametrize(
    ("setting", "ours", "paper"),
    [
        (f"{TAGGER}.smoothing", 0, 0),  # equation 3
        (f"{TAGGER}.model.features", None, None),
        (f"{TAGGER}.model.width", None, None),  # equation 2: one linear layer
        (f"{TAGGER}.model.dilations", [], []),
        (f"{TAGGER}.model.encoder.name", *["microsoft/deberta-v3-large"] * 2),
        (f"{TAGGER}.model.encoder.match_features", True, False),
        (f"{TAGGER}.model.encoder.freeze_embeddings", True, False),
        (f"{TAGGER}.model.encoder.dropout", 0.05, None),
        ("corpora.train.swap", True, False),
        ("training.max_steps", 680, 1000),
        ("training.batcher.size", 600, 256),  # words with padding, and pairs
        ("training.optimizer.L2", 0.01, 0),
        ("training.optimizer.learn_rate.total_steps", 680, 1000),
        ("training.optimizer.learn_rate.initial_rate", 2e-4, 3e-5),
    ],
)
def test_the_configs_differ_as_the_docs_say(
    root: Path, setting: str, ours: Any, paper: Any
) -> None:
    for name, value in (("trf", ours), ("paper", paper)):
        assert get(load_config(root / f"configs/paraphrase_{name}.cfg"), setting) == value


@pytest.mark.parametrize("name", ["paraphrase_trf", "paraphrase_paper"])
def test_a_tagger_is_trained_with_the_config(
    root: Path, tmp_path: Path, encoder: Path, name: str
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(f"{format_pair(pair)}\n" for pair in tiny_pairs.PAIRS))
    overrides = {
        "paths.train": str(pairs),
        "paths.dev": str(pairs),
        f"{TAGGER}.model.encoder.name": str(encoder),
        # The first update of a linear layer that starts at zero does not reach the encoder.
        "training.max_steps": 3,
        "training.eval_frequency": 3,
        "training.optimizer.learn_rate.warmup_steps": 0,
        "training.optimizer.learn_rate.initial_rate": 0.01,
    }
    train(root / f"configs/{name}.cfg", tmp_path / "out", overrides=overrides)
    nlp = spacy.load(tmp_path / "out/model-last")
    doc = nlp(tiny_pairs.docs(nlp)[0])
    assert np.isfinite(doc.spans["unparaphrased"].attrs["support"]).all()
    (shim,) = [
        shim for node in nlp.get_pipe("paraphrase_tagger").model.walk() for shim in node.shims
    ]
    before = AutoModel.from_pretrained(encoder).state_dict()
    after = {
        key.split("encoder.", 2)[-1]: value
        for key, value in shim._model.state_dict().items()
        if key.startswith("encoder.")
    }
    same = {key for key in before if torch.equal(before[key], after[key])}
    assert same == ({WORDS} if name == "paraphrase_trf" else set())
