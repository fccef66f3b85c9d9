"""A pretrained encoder in the identifier: case of words, saving, training."""

import shutil
import subprocess
import sys
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import compounding
from tiny import TEXT, TEXTS, assert_sane, gold_doc, unit_texts

pytest.importorskip("spacy_transformers")

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    BertConfig,
    BertModel,
    BertTokenizerFast,
    RobertaConfig,
    RobertaModel,
)
from weasel.cli.run import project_run

from spacy_sentid.layers.hf import EncoderOptions, ExtendedEncoder
from spacy_sentid.layers.word_case import N_CASE_CLASSES, find_cases

torch.set_num_threads(1)
HIDDEN = 32
LINES = [text for units in TEXTS for text in units[::2]]
SMALL = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


@pytest.fixture(scope="session")
def roberta(tmp_path_factory) -> Path:
    """Folder of a tiny RoBERTa with random weights."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("roberta") / "tiny"
    folder.mkdir()
    bpe = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    bpe.train_from_iterator(LINES, vocab_size=400, min_frequency=1, special_tokens=special)
    bpe.save_model(str(folder))
    from transformers import RobertaTokenizerFast

    tokenizer = RobertaTokenizerFast.from_pretrained(str(folder), model_max_length=256)
    tokenizer.save_pretrained(str(folder))
    config = RobertaConfig(
        vocab_size=len(tokenizer), max_position_embeddings=260, type_vocab_size=1, **SMALL
    )
    RobertaModel(config).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="session")
def bert(tmp_path_factory) -> Path:
    """Folder of a tiny uncased BERT with random weights."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("bert") / "tiny"
    folder.mkdir()
    letters = "abcdefghijklmnopqrstuvwxyz0123456789.-/"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "us"]
    pieces += [*letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(pieces))
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=256)
    tokenizer.save_pretrained(str(folder))
    BertModel(BertConfig(vocab_size=len(pieces), **SMALL)).save_pretrained(str(folder))
    return folder


def transformer_config(folder: Path, **options: Any) -> dict[str, Any]:
    model = {
        "@architectures": "spacy_sentid.UnitTransformer.v1",
        "name": str(folder),
        "case_features": False,
        "freeze_embeddings": False,
        "tokenizer_config": {"use_fast": True},
        "transformer_config": {},
        "get_spans": {
            "@span_getters": "spacy-transformers.strided_spans.v1",
            "window": 16,
            "stride": 12,
        },
    }
    return {"model": {**model, **options}}


def blank(folder: Path, **options: Any) -> Language:
    """Make a pipeline with a transformer and an identifier that listens to it."""
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=transformer_config(folder, **options))
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "grad_factor": 1.0,
        "pooling": {"@layers": "reduce_mean.v1"},
    }
    model = {
        "@architectures": "spacy_sentid.UnitTagger.v1",
        "segment_hidden": None,
        "segment_dropout": 0.0,
        "flags_hidden": 16,
        "tok2vec": listener,
    }
    settings = {"model": model, "pretrained": None, "decoder": "bos_eos", "threshold": 0.1}
    nlp.add_pipe("sentence_identifier", config=settings)
    return nlp


def examples(nlp: Language) -> list[Example]:
    docs = [gold_doc(nlp, units) for units in TEXTS]
    return [Example(nlp.make_doc(doc.text), doc) for doc in docs]


def train(nlp: Language, steps: int) -> list[float]:
    """Initialize and train a pipeline, and return the losses of the identifier."""
    spacy.util.fix_random_seed(0)
    egs = examples(nlp)
    optimizer = nlp.initialize(lambda: egs)
    optimizer.learn_rate = 0.005
    return [nlp.update(egs, sgd=optimizer)["sentence_identifier"] for _ in range(steps)]


ALL_ON = {"case_features": True, "freeze_embeddings": True}


@pytest.fixture(scope="module")
def trained(roberta: Path) -> Language:
    nlp = blank(roberta, **ALL_ON)
    losses = train(nlp, 60)
    assert losses[-1] < losses[0] / 4
    return nlp


# The encoder


def make_encoder(folder: Path, attention: str = "sdpa", **options: bool) -> ExtendedEncoder:
    made = EncoderOptions(
        classes={"cases": N_CASE_CLASSES} if options.pop("case_features", False) else {},
        std=0.005,
        freeze_embeddings=options.pop("freeze_embeddings", False),
        half_on=("cpu",) if options.pop("mixed_precision", False) else (),
        **options,
    )
    model = RobertaModel if (folder / "merges.txt").exists() else BertModel
    encoder = model.from_pretrained(str(folder), attn_implementation=attention)
    return ExtendedEncoder(encoder, made).eval()


def states_of(encoder: ExtendedEncoder, ids: list[list[int]], **inputs: torch.Tensor) -> np.ndarray:
    """Encode windows of equal length."""
    tensor = torch.tensor(ids)
    inputs.setdefault("attention_mask", torch.ones(tensor.shape))
    with torch.no_grad():
        return encoder(input_ids=tensor, **inputs).last_hidden_state.numpy()


IDS = [0, 11, 12, 13, 14, 15, 16, 2]


def test_case_vectors_are_added_to_the_words(bert):
    encoder = make_encoder(bert, case_features=True)
    plain = make_encoder(bert)
    cases = torch.tensor([[0, 1, 1, 4, 7, 1, 1, 0]])
    assert not np.array_equal(states_of(encoder, [IDS], cases=cases), states_of(plain, [IDS]))
    torch.nn.init.zeros_(encoder.extra.cases.weight)
    found = states_of(encoder, [IDS], cases=cases)
    assert np.allclose(found, states_of(plain, [IDS]), atol=1e-6)


def test_case_classes_are_in_range():
    text = "I saw U.S. troops\non iPhone 4s, 中文 Ünder\u00a0X1 !?\n\n"
    offsets = np.array([[i, i + 1] for i in range(len(text))])
    found = find_cases(text, offsets)
    assert found.min() == 0
    assert found.max() < N_CASE_CLASSES
    assert [found[i] > 0 for i in range(len(text))] == [not c.isspace() for c in text]
    assert find_cases("", np.zeros((3, 2), dtype="int64")).tolist() == [0, 0, 0]


def test_bfloat16_gives_float32_states_close_to_those_of_float32(roberta):
    half = states_of(make_encoder(roberta, mixed_precision=True), [IDS])
    assert half.dtype == "float32"
    assert np.allclose(half, states_of(make_encoder(roberta), [IDS]), atol=0.1)


# The model of the component "transformer"


def transformer_states(nlp: Language, text: str) -> np.ndarray:
    return nlp(text)._.trf_data.model_output.last_hidden_state


@pytest.fixture(scope="module")
def stock(roberta: Path) -> Language:
    """A pipeline with the transformer of spacy-transformers."""
    nlp = spacy.blank("en")
    config = transformer_config(roberta)
    for option in ALL_ON:
        del config["model"][option]
    config["model"]["@architectures"] = "spacy-transformers.TransformerModel.v3"
    nlp.add_pipe("transformer", config=config)
    nlp.initialize()
    return nlp


def alone(folder: Path, **options: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("transformer", config=transformer_config(folder, **options))
    nlp.initialize()
    return nlp


def test_without_options_it_is_the_stock_transformer(roberta, stock):
    nlp = alone(roberta)
    assert nlp.get_pipe("transformer").model.get_dim("nO") == HIDDEN
    for text in (TEXT, TEXT * 20):
        found, expected = nlp(text)._.trf_data, stock(text)._.trf_data
        assert list(found.model_output) == list(expected.model_output)
        assert np.array_equal(found.model_output[0], expected.model_output[0])
        assert np.array_equal(found.align.data, expected.align.data)


def test_case_features_distinguish_us_from_US(bert):
    plain, cased = alone(bert), alone(bert, case_features=True)
    texts = "all of us.", "all of US."
    first, second = (transformer_states(plain, text) for text in texts)
    assert np.array_equal(first, second)
    first, second = (transformer_states(cased, text) for text in texts)
    assert not np.allclose(first, second)


def test_case_features_need_a_fast_tokenizer(bert):
    with pytest.raises(ValueError, match="case_features"):
        alone(bert, case_features=True, tokenizer_config={"use_fast": False})


def test_windows_longer_than_the_maximum_of_the_encoder_are_cut(roberta):
    nlp = alone(roberta, tokenizer_config={"model_max_length": 12}, **ALL_ON)
    assert transformer_states(nlp, TEXT * 3).shape[1] == 12


def test_the_config_of_the_encoder_can_be_changed(roberta):
    changes = {"hidden_dropout_prob": 0.25, "num_hidden_layers": 1}
    nlp = alone(roberta, transformer_config=changes)
    config = nlp.get_pipe("transformer").model.transformer.config
    assert config.hidden_dropout_prob == 0.25
    assert config.num_hidden_layers == 1


@pytest.mark.parametrize("freeze", [True, False])
def test_frozen_vectors_of_wordpieces_do_not_change(roberta, freeze):
    nlp = blank(roberta, freeze_embeddings=freeze)
    train(nlp, 2)  # one step is not enough for heads that start at zero
    before = RobertaModel.from_pretrained(str(roberta)).state_dict()
    after = nlp.get_pipe("transformer").model.transformer.encoder.state_dict()
    changed = {name for name in after if not torch.equal(before[name], after[name])}
    assert ("embeddings.word_embeddings.weight" not in changed) == freeze
    assert "encoder.layer.0.output.dense.weight" in changed


@pytest.mark.parametrize("name", ["no-such-folder/no-such-encoder", "folder"])
def test_a_missing_encoder_is_an_error(name, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    name = str(tmp_path) if name == "folder" else name
    with pytest.raises(ValueError, match=r"components\.transformer\.model\.name") as caught:
        alone(Path(name))
    assert name in str(caught.value)
    assert caught.value.__cause__ is not None


def test_unreadable_weights_are_an_error(bert, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(bert, folder)
    # The pointer that git leaves for a large file that it did not fetch.
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(ValueError, match="encoder"):
        alone(folder)


def test_missing_packages_are_an_error(light_env):
    code = """
from spacy_sentid.sentence_identifier.network.transformer import build_unit_transformer
try:
    build_unit_transformer("x", print, False, False, {}, {})
except ValueError as error:
    assert "spacy-sentid[transformers]" in str(error)
else:
    raise SystemExit(1)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env=light_env)


def test_listeners_cannot_be_replaced(trained):
    source = deepcopy(trained)
    with pytest.raises(ValueError, match="both"):
        source.replace_listeners("transformer", "sentence_identifier", ["model.tok2vec"])


# The pipeline


def test_the_pipeline_learns_units(trained):
    for example in examples(trained):
        doc = trained(example.text)
        assert [(span.start, span.end) for span in doc.spans["su"]] == [
            (span.start, span.end) for span in example.reference.spans["su"]
        ]


@pytest.mark.parametrize("options", [{}, {"mixed_precision": True}])
def test_the_loss_falls(roberta, options):
    losses = train(blank(roberta, **options), 8)
    assert losses[-1] < losses[0]


def test_long_documents_are_read_in_windows(trained):
    text = "\n".join(LINES * 20)
    doc = trained(text)
    assert len(doc._.trf_data.wordpieces) > 20
    assert_sane(doc, text)


def test_documents_without_words_have_no_units(trained):
    texts = ["", " \n ", TEXT, "\n"]
    for doc, text in zip(trained.pipe(texts), texts, strict=True):
        assert_sane(doc, text)
        assert unit_texts(doc) == unit_texts(trained(text))
    for text in ("", " \n "):
        assert not unit_texts(trained(text))
    trained.update([Example(trained.make_doc(""), Doc(trained.vocab))])


@pytest.mark.slow
def test_saved_pipelines_predict_the_same(trained, tmp_path):
    trained.to_disk(tmp_path / "pipeline")
    text = "\n".join(LINES)
    expected = unit_texts(trained(text))
    code = f"""
import warnings
warnings.simplefilter("error", UserWarning)
import spacy, torch
torch.set_num_threads(1)  # more threads hang in the processes that pipe forks
nlp = spacy.load({str(tmp_path / "pipeline")!r})
doc = nlp({text!r})
spans = sorted([*doc.spans["su"], *doc.spans["nsu"]], key=lambda span: span.start)
print([(span.text, span.label_) for span in spans])
print(doc._.trf_data.model_output.last_hidden_state.sum())
print([len(doc.spans["su"]) for doc in nlp.pipe([{text!r}] * 4, batch_size=2, n_process=2)])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    units, total, counts = done.stdout.strip().splitlines()
    assert units == str(expected)
    assert float(total) == pytest.approx(transformer_states(trained, text).sum(), abs=1e-2)
    assert counts == str([len(trained(text).spans["su"])] * 4)


@pytest.mark.slow
def test_a_batch_job_in_two_processes_does_not_hang(trained, tmp_path):
    trained.to_disk(tmp_path / "pipeline")
    (tmp_path / "lines.txt").write_text("\n".join(LINES * 4), encoding="utf8")
    code = """
import torch
torch.ones(300, 300) @ torch.ones(300, 300)  # threads that processes must not inherit
from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.work.work_settings import WorkSettings
if __name__ == "__main__":
    for n in (1, 2):
        work = WorkSettings(model="pipeline")
        settings = JobSettings(
            ["lines.txt"], f"out-{n}.jsonl", work, format="lines", n_process=n, shard_size=200
        )
        print(run_job(settings).n_records)
"""
    (tmp_path / "job.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "job.py"], cwd=tmp_path, capture_output=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [b"%d" % (len(LINES) * 4)] * 2
    assert (tmp_path / "out-1.jsonl").read_bytes() == (tmp_path / "out-2.jsonl").read_bytes()


def test_bytes_have_the_weights_and_the_options(trained, roberta):
    again = blank(roberta, **ALL_ON).from_bytes(trained.to_bytes())
    mine, theirs = (nlp.get_pipe("transformer").model.transformer for nlp in (trained, again))
    assert mine.options == theirs.options
    assert not theirs.encoder.get_input_embeddings().weight.requires_grad
    assert all(
        torch.equal(a, b) for a, b in zip(mine.parameters(), theirs.parameters(), strict=True)
    )
    assert again.to_bytes(exclude=["vocab", "tokenizer"])
    assert unit_texts(again(TEXT)) == unit_texts(trained(TEXT))


# The config and the workflow


def test_the_config_has_the_settings_of_the_paper(root):
    config = spacy.util.load_config(root / "configs/identifier_trf.cfg")
    config["paths"].update(train="train.spacy", dev="dev.spacy")
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert nlp.pipe_names == ["transformer", "sentence_identifier"]
    training = config.interpolate()["training"]
    rates = training["optimizer"]["learn_rate"]
    assert rates.pop("@schedules") == "compounding.v1"
    schedule = list(islice(compounding(**rates), 246))
    assert schedule[0] == pytest.approx(1e-4)
    assert schedule[245] == pytest.approx(1e-4 * 0.95**10, rel=1e-3)
    assert training["batcher"]["size"] == 8 * training["accumulate_gradient"]
    assert training["patience"] == 5 * training["eval_frequency"]


@pytest.mark.slow
def test_the_workflow_trains_a_pipeline(root, roberta, tmp_path):
    for name in ("configs", "spacy_sentid", "assets/sample"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "project.yml", tmp_path)
    overrides = {"vars.encoder": str(roberta), "vars.trf_steps": 2}
    project_run(tmp_path, "train-trf", overrides=overrides, capture=True)
    nlp = spacy.load(tmp_path / "training" / "identifier-trf" / "model-best")
    assert_sane(nlp(TEXT), TEXT)
