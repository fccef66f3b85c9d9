"""The pretrained encoder of pairs: its input and output, settings, training and saving."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam, Linear, Model, chain, fix_random_seed, with_array

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair, doc_from_pair
from spacy_sentid.paraphrase_tagger.encoder.transformer import build_pair_transformer
from spacy_sentid.paraphrase_tagger.encoder.wordpieces import PairTokenizer, batch_by_length
from spacy_sentid.paraphrase_tagger.pairs import make_pair

pytest.importorskip("transformers", reason="needs the extra 'transformers'")
pytest.importorskip("torch", reason="needs the extra 'transformers'")

import torch
from tiny_encoders import HIDDEN, N_POSITIONS, SAVERS, TEXTS
from transformers import AutoModel, AutoTokenizer, BertModel, DistilBertConfig, DistilBertModel

from spacy_sentid.paraphrase_tagger.encoder.pair_encoder import make_tokenizer

torch.set_num_threads(1)
KINDS = sorted(SAVERS)


@pytest.fixture(scope="session")
def encoders(tmp_path_factory) -> dict[str, Path]:
    """Folders of an uncased BERT, a RoBERTa and a DeBERTa-v3, tiny and with random weights."""
    folders = {}
    for kind, save in SAVERS.items():
        torch.manual_seed(0)
        folders[kind] = tmp_path_factory.mktemp(kind) / "tiny"
        folders[kind].mkdir()
        save(folders[kind])
    return folders


def build(folder: Path | str, **options: Any) -> Model[list[Doc], Any]:
    fix_random_seed(0)
    model = build_pair_transformer(str(folder), **options)
    model.initialize()
    return model


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


@pytest.fixture(scope="module")
def docs(nlp) -> list[Doc]:
    return [make_pair(nlp, first.split(), second.split(), pair_id=first) for first, second in TEXTS]


# Input


def direct_states(folder: Path, doc: Doc) -> np.ndarray:
    """Compute the states of the first wordpieces of words with only transformers."""
    options = {"add_prefix_space": True} if (folder / "merges.txt").exists() else {}
    tokenizer = AutoTokenizer.from_pretrained(folder, **options)
    words = [[token.text for token in span] for span in doc.spans["pair"]]
    inputs = tokenizer(*words, is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(folder).eval()(**inputs).last_hidden_state[0].numpy()
    owners = list(zip(inputs.sequence_ids(), inputs.word_ids(), strict=True))
    firsts = [owners.index((side, i)) for side in (0, 1) for i in range(len(words[side]))]
    return states[firsts]


@pytest.mark.parametrize("kind", KINDS)
def test_states_are_those_of_the_first_wordpieces_of_the_joined_pair(encoders, docs, kind):
    model = build(encoders[kind])
    assert model.get_dim("nO") == HIDDEN
    for doc in docs:
        (found,) = model.predict([doc])
        assert found.dtype == "float32"
        assert np.allclose(found, direct_states(encoders[kind], doc), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_types_and_limit_are_those_of_the_tokenizer(encoders, nlp, kind):
    tokenizer = read_by(build(encoders[kind]))
    pair = tokenizer.read(make_pair(nlp, ["the"], ["the"]))
    assert set(pair.types) == ({0} if kind == "roberta" else {0, 1})
    assert tokenizer.has_types == (kind != "roberta")
    assert tokenizer.limit == N_POSITIONS


def read_by(model: Model) -> PairTokenizer:
    return model.shims[0].tokenizer


@pytest.mark.parametrize("match_features", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_states_do_not_depend_on_the_other_pairs_of_a_batch(encoders, docs, kind, match_features):
    model = build(encoders[kind], match_features=match_features)
    alone = [model.predict([doc])[0] for doc in docs]
    for order in ([0, 1, 2], [2, 1, 0]):
        together = model.predict([docs[i] for i in order])
        for i, found in zip(order, together, strict=True):
            assert np.allclose(found, alone[i], atol=1e-5)
    in_training, _ = model.begin_update(docs)
    for found, expected in zip(in_training, alone, strict=True):
        assert np.allclose(found, expected, atol=1e-5)


def test_many_pairs_are_encoded_in_small_batches(encoders, docs, monkeypatch):
    model = build(encoders["bert"])
    expected = model.predict(docs)
    monkeypatch.setattr("spacy_sentid.paraphrase_tagger.encoder.pair_encoder.MAX_PLACES", 30)
    for found, other in zip(model.predict(docs), expected, strict=True):
        assert np.allclose(found, other, atol=1e-5)


@pytest.mark.parametrize(
    ("lengths", "n_places", "batches"),
    [
        ([], 9, []),
        ([], None, []),
        ([5, 3, 4], None, [[1, 2, 0]]),
        ([5, 3, 4], 8, [[1, 2], [0]]),
        ([5, 20, 4], 8, [[2], [0], [1]]),
        ([2] * 5, 4, [[0, 1], [2, 3], [4]]),
    ],
)
def test_pairs_are_batched_by_length(lengths, n_places, batches):
    assert batch_by_length(lengths, n_places) == batches


def test_no_documents_return_no_arrays(encoders):
    model = build(encoders["bert"])
    assert model.predict([]) == []
    arrays, backprop = model.begin_update([])
    assert arrays == []
    assert backprop([]) == []


def test_white_space_has_zeros_and_is_not_read(encoders, nlp):
    model = build(encoders["bert"], match_features=True)
    spaced = make_pair(nlp, ["It", "\n", "rains", "."], ["  ", "It", "rained", "\t\n"])
    plain = make_pair(nlp, ["It", "rains", "."], ["It", "rained"])
    (found,), (expected,) = model.predict([spaced]), model.predict([plain])
    words = [not token.is_space for token in spaced]
    assert words == [True, False, True, True, False, True, True, False]
    assert np.allclose(found[words], expected, atol=1e-6)
    assert not found[np.logical_not(words)].any()
    arrays, backprop = model.begin_update([spaced])
    backprop([np.ones_like(arrays[0])])


def test_a_word_without_wordpieces_has_zeros(encoders, nlp):
    model = build(encoders["bert"])
    doc = make_pair(nlp, ["the", "\u200b"], ["sales"])
    assert read_by(model).read(doc).tokens == [0, 2]
    (found,) = model.predict([doc])
    assert found.any(axis=1).tolist() == [True, False, True]
    (found,) = model.predict([make_pair(nlp, ["\u200b"], ["\u200b"])])
    assert not found.any()


def test_spacing_does_not_matter(encoders, nlp):
    tokenizer = read_by(build(encoders["roberta"]))
    close = make_pair(nlp, "Sales rose.", "Sales fell.")
    apart = make_pair(nlp, "Sales rose .", "Sales fell .")
    assert tokenizer.read(close) == tokenizer.read(apart)


def test_documents_that_are_not_pairs_are_an_error(encoders, nlp):
    with pytest.raises(ValueError, match="make_pair"):
        build(encoders["bert"]).predict([nlp.make_doc("One text.")])


# Long pairs


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_with_too_many_wordpieces_is_an_error_that_names_it(encoders, nlp, kind):
    model = build(encoders[kind])
    doc = make_pair(nlp, ["the"] * 20, ["the"] * (N_POSITIONS - 20), pair_id="p7")
    with pytest.raises(ValueError, match=f"'p7'.* {N_POSITIONS} wordpieces"):
        model.predict([doc])


@pytest.mark.parametrize(("asked", "limit"), [(20, 20), (512, N_POSITIONS)])
def test_the_limit_is_the_lower_of_tokenizer_and_encoder(encoders, asked, limit):
    model = build(encoders["bert"], tokenizer_config={"model_max_length": asked})
    assert read_by(model).limit == limit


def test_an_encoder_may_have_no_limit(encoders):
    # This tokenizer was saved without one.
    endless = SimpleNamespace(config=SimpleNamespace())
    tokenizer = AutoTokenizer.from_pretrained(encoders["deberta"])
    assert make_tokenizer(tokenizer, endless).limit is None


# Settings


def test_match_features_change_the_states_only_when_on(encoders, nlp):
    plain, featured = (build(encoders["bert"], match_features=on) for on in (False, True))
    pairs = [make_pair(nlp, [word, "rose"], ["sales", "fell"]) for word in ("sales", "SALES")]
    first, second = plain.predict(pairs)
    assert np.array_equal(first, second)  # it is an uncased encoder
    first, second = featured.predict(pairs)
    assert not np.allclose(first, second, atol=1e-6)
    assert not np.allclose(plain.predict(pairs)[0], first, atol=1e-6)


def test_all_wordpieces_of_a_word_have_its_classes(encoders, nlp):
    tokenizer = read_by(build(encoders["bert"]))
    pair = tokenizer.read(make_pair(nlp, ["The", "rains"], ["the", "RAINED", "x"]))
    # r ##a ##i ##n ##s and r ##a ##i ##n ##e ##d
    assert pair.matches == [0, 3, *[2] * 5, 0, 3, *[2] * 6, 1, 0]
    assert pair.cases == [0, 2, *[1] * 5, 0, 1, *[3] * 6, 1, 0]
    assert pair.types == [0] * 8 + [1] * 9
    assert pair.firsts == [1, 2, 8, 9, 15]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.0, 0.0]),
        ({"dropout": 0.25}, [0.25, 0.25]),
        ({"dropout": 0.25, "transformer_config": {"hidden_dropout_prob": 0.5}}, [0.5, 0.25]),
    ],
)
def test_dropout_defaults_to_that_of_the_encoder(encoders, docs, options, expected):
    model = build(encoders["bert"], **options)
    config = model.shims[0]._model.encoder.config
    assert [config.hidden_dropout_prob, config.attention_probs_dropout_prob] == expected
    once, again = (model.begin_update(docs)[0][0] for _ in range(2))
    assert np.array_equal(once, again) == (expected == [0.0, 0.0])
    assert np.array_equal(model.predict(docs)[0], model.predict(docs)[0])


def test_the_dropout_of_other_encoders_is_set_too(encoders, tmp_path, docs):
    folder = tmp_path / "distilbert"
    shutil.copytree(encoders["bert"], folder)
    n_pieces = len((folder / "vocab.txt").read_text().splitlines())
    config = DistilBertConfig(vocab_size=n_pieces, dim=HIDDEN, n_layers=1, n_heads=2, hidden_dim=32)
    DistilBertModel(config).save_pretrained(folder)
    # The tokenizer returns token types, which this encoder does not take.
    (folder / "tokenizer_config.json").unlink()
    model = build(folder, dropout=0.3)
    found = model.shims[0]._model.encoder.config
    assert (found.dropout, found.attention_dropout) == (0.3, 0.3)
    assert not read_by(model).has_types
    assert model.predict(docs)[0].shape == (len(docs[0]), HIDDEN)


@pytest.mark.parametrize("share", [-0.1, 1.0])
def test_a_dropout_outside_its_range_is_an_error(share):
    with pytest.raises(ValueError, match="dropout"):
        build_pair_transformer("x", dropout=share)


@pytest.mark.parametrize("kind", KINDS)
def test_half_precision_returns_float32_states_close_to_the_exact_ones(encoders, docs, kind):
    exact, half = (build(encoders[kind], mixed_precision=on) for on in (False, True))
    arrays, backprop = half.begin_update(docs)
    backprop([np.ones_like(array) for array in arrays])
    for found, expected in zip(half.predict(docs), exact.predict(docs), strict=True):
        assert found.dtype == "float32"
        assert not np.array_equal(found, expected)
        assert np.allclose(found, expected, atol=0.1)


# Training


def train(model: Model, docs: list[Doc], n_steps: int) -> list[float]:
    """Train on which words the other text does not have, and return the losses."""
    targets = []
    for doc in docs:
        sides = [[token.lower_ for token in span] for span in doc.spans["pair"]]
        tags = [word not in sides[1 - i] for i in (0, 1) for word in sides[i]]
        targets.append(np.array(tags, dtype="float32")[:, None])
    tagger = chain(model, with_array(Linear(1)))
    tagger.initialize(docs, targets)
    optimizer = Adam(0.003)
    losses = []
    for _ in range(n_steps):
        guesses, backprop = tagger.begin_update(docs)
        errors = [guess - target for guess, target in zip(guesses, targets, strict=True)]
        losses.append(float(sum((error**2).sum() for error in errors)))
        assert backprop(errors) is docs
        tagger.finish_update(optimizer)
    return losses


@pytest.mark.parametrize("match_features", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_falls(encoders, docs, kind, match_features):
    losses = train(build(encoders[kind], match_features=match_features), docs, 40)
    assert losses[-1] < losses[0] / 4


@pytest.mark.parametrize("freeze", [False, True])
def test_frozen_embeddings_do_not_change(encoders, docs, freeze):
    model = build(encoders["bert"], freeze_embeddings=freeze, match_features=True)
    before = {name: value.clone() for name, value in model.shims[0]._model.state_dict().items()}
    train(model, docs, 2)  # one update does not reach the encoder, as the head starts at zero
    after = model.shims[0]._model.state_dict()
    changed = {name for name in after if not torch.equal(before[name], after[name])}
    words = "encoder.encoder.embeddings.word_embeddings.weight"
    assert changed == set(before) - ({words} if freeze else set())


def test_the_gradient_is_the_gradient_of_the_selected_states(encoders, docs):
    model = build(encoders["bert"])
    arrays, backprop = model.begin_update(docs)
    d_arrays = [np.zeros_like(array) for array in arrays]
    d_arrays[1][-1, 0] = 1.0
    backprop(d_arrays)
    module = model.shims[0]._model
    found = {name: value.grad.clone() for name, value in module.named_parameters()}
    module.zero_grad()
    arrays, backprop = model.begin_update(docs[1:2])
    d_array = np.zeros_like(arrays[0])
    d_array[-1, 0] = 1.0
    backprop([d_array])
    for name, value in module.named_parameters():
        assert torch.allclose(found[name], value.grad, atol=1e-6), name


# Saving


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_contain_weights_tokenizer_and_config(encoders, docs, kind, monkeypatch):
    options = {"match_features": True, "freeze_embeddings": True, "dropout": 0.25}
    model = build(encoders[kind], **options)
    train(model, docs, 2)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    again = build_pair_transformer("no-such/encoder", **options).from_bytes(model.to_bytes())
    again.initialize()
    assert again.get_dim("nO") == HIDDEN
    for found, expected in zip(again.predict(docs), model.predict(docs), strict=True):
        assert np.array_equal(found, expected)
    mine, theirs = read_by(model), read_by(again)
    assert mine._replace(backend=None) == theirs._replace(backend=None)
    module = again.shims[0]._model
    assert not module.encoder.encoder.get_input_embeddings().weight.requires_grad
    assert module.encoder.config.hidden_dropout_prob == 0.25
    assert again.to_bytes() == again.copy().to_bytes()
    train(again, docs, 1)


def test_weights_in_half_precision_are_trained_and_saved_in_full(encoders, docs, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(encoders["bert"], folder)
    BertModel.from_pretrained(folder).half().save_pretrained(folder)
    model = build(folder)
    train(model, docs, 2)
    again = build_pair_transformer(str(folder)).from_bytes(model.to_bytes())
    assert {value.dtype for value in again.shims[0]._model.parameters()} == {torch.float32}
    assert np.array_equal(again.predict(docs)[0], model.predict(docs)[0])


def test_bytes_of_an_encoder_that_is_not_loaded_are_empty(encoders):
    empty = build_pair_transformer(str(encoders["bert"]))
    again = build_pair_transformer(str(encoders["bert"])).from_bytes(empty.to_bytes())
    assert not again.has_dim("nO")
    again.initialize()
    assert again.get_dim("nO") == HIDDEN


def test_weights_of_other_settings_are_an_error(encoders):
    data = build(encoders["bert"], match_features=True).to_bytes()
    with pytest.raises(ValueError, match=r"matches\.weight.*cases\.weight"):
        build_pair_transformer("x").from_bytes(data)


@pytest.mark.slow
def test_saved_pipelines_load_without_the_pretrained_encoder(encoders, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(encoders["roberta"], folder)
    encoder = {"@architectures": "spacy_sentid.PairTransformer.v1", "name": str(folder)}
    tagger = {
        "@architectures": "spacy_sentid.PairTagger.v1",
        "features": None,
        "encoder": {**encoder, "match_features": True},
        "width": None,
    }
    nlp = spacy.blank("en")
    nlp.add_pipe("paraphrase_tagger", config={"model": tagger, "pretrained": None})

    def examples() -> list[Example]:
        pairs = [TaggedPair("", ["a"], ["b", "a"], [0], [1, 0])] * 4
        return [Example(doc_from_pair(nlp, pair), doc_from_pair(nlp, pair)) for pair in pairs]

    optimizer = nlp.initialize(examples)
    losses = [nlp.update(examples(), sgd=optimizer)["paraphrase_tagger"] for _ in range(5)]
    assert losses[-1] < losses[0]
    expected = supports(nlp(make_pair(nlp, *TEXTS[0])))
    assert len(set(expected)) > 1
    nlp.to_disk(tmp_path / "pipeline")
    shutil.rmtree(folder)
    code = f"""
import os, sys
os.environ["HF_HUB_OFFLINE"] = "1"
import spacy
nlp = spacy.load({str(tmp_path / "pipeline")!r})
import torch
torch.set_num_threads(1)  # more threads hang in the processes that pipe forks
from spacy_sentid.paraphrase_tagger.pairs import make_pair
for n in (1, 2):
    docs = nlp.pipe([make_pair(nlp, *texts) for texts in {TEXTS * 2}], batch_size=2, n_process=n)
    print([doc.spans["unparaphrased"].attrs["support"].tolist() for doc in docs])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "forked" not in done.stderr
    one, two = map(json.loads, done.stdout.strip().splitlines())
    assert one[0] == pytest.approx(expected, abs=1e-4)
    for mine, theirs in zip(one, two, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-4)


def supports(doc: Doc) -> list[float]:
    return doc.spans["unparaphrased"].attrs["support"].tolist()


# Errors


@pytest.mark.parametrize("name", ["no-such-folder/no-such-encoder", "folder"])
def test_a_missing_encoder_is_an_error(name, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    name = str(tmp_path) if name == "folder" else name
    with pytest.raises(ValueError, match="encoder") as caught:
        build(name)
    assert name in str(caught.value)
    assert caught.value.__cause__ is not None


def test_unreadable_weights_are_an_error(encoders, tmp_path):
    folder = tmp_path / "encoder"
    shutil.copytree(encoders["bert"], folder)
    # The pointer that git-lfs leaves in place of a large file.
    (folder / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\n")
    with pytest.raises(ValueError, match="transformers"):
        build(folder)


def test_missing_packages_of_a_tokenizer_are_an_error(encoders, monkeypatch):
    # This happens with DeBERTa-v3, which has no file for a fast tokenizer on the hub.
    def fail(*args: Any, **options: Any) -> None:
        raise ImportError("requires the protobuf library but it was not found")

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", fail)
    with pytest.raises(ValueError, match="sentencepiece"):
        build(encoders["deberta"])


def test_a_slow_tokenizer_is_an_error(encoders):
    with pytest.raises(ValueError, match="use_fast"):
        build(encoders["bert"], tokenizer_config={"use_fast": False})


def test_an_encoder_without_weights_is_an_error(encoders, docs):
    with pytest.raises(ValueError, match=r"nlp\.initialize"):
        build_pair_transformer(str(encoders["bert"])).predict(docs)


def test_missing_packages_are_an_error():
    code = """
import sys
sys.modules["torch"] = None
from spacy_sentid.paraphrase_tagger.encoder.transformer import build_pair_transformer
try:
    build_pair_transformer("x")
except ValueError as error:
    assert "spacy-sentid[transformers]" in str(error)
    assert "torch" in str(error)
else:
    raise SystemExit(1)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
