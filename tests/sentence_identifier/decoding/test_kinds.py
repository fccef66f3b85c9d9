"""Kinds of NSUs in training and prediction."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
from spacy.cli.evaluate import evaluate
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_sentid.text.units import NSU_KINDS

MODEL = {**tiny.MODEL, "nsu_kinds": True}
TEXTS = [
    ("Price list", "HEADING", "I like cats.", "SU", "Page 3", "METADATA", "They sleep.", "SU"),
    ("Dear Bo,", "SALUTATION", "Dogs bark.", "SU", "Page 4", "METADATA", "She saw them.", "SU"),
    ("Price index", "HEADING", "It rained.", "SU", "Dear Al,", "SALUTATION", "He sings.", "SU"),
]


def examples(nlp: Language, texts: Sequence[tuple[str, ...]] = TEXTS) -> list[Example]:
    docs = [tiny.gold_doc(nlp, units) for units in texts]
    return [Example(nlp.make_doc(doc.text), doc) for doc in docs]


@pytest.fixture(scope="module")
def saved() -> bytes:
    nlp = tiny.blank(model=MODEL)
    tiny.train(nlp, 60, examples(nlp))
    return nlp.to_bytes()


def load(saved: bytes, **settings: Any) -> Language:
    return tiny.blank(model=MODEL, **settings).from_bytes(saved)


@pytest.mark.parametrize("decoder", ["semi_markov", "bos_eos"])
@pytest.mark.parametrize("nsu_span", ["element", "line", "merged"])
def test_kinds_are_learned(saved: bytes, decoder: str, nsu_span: str) -> None:
    nlp = load(saved, decoder=decoder, nsu_span=nsu_span)
    for units in TEXTS:
        doc = nlp("\n".join(units[::2]))
        tiny.assert_sane(doc, doc.text)
        assert tiny.unit_texts(doc) == list(zip(units[::2], units[1::2], strict=True))


def test_kinds_have_scores_that_survive_docbin(saved: bytes) -> None:
    nlp = load(saved)
    doc = nlp("\n".join(TEXTS[0][::2]))
    (copy,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    assert tiny.unit_texts(copy) == tiny.unit_texts(doc)
    scores = copy.spans["nsu"].attrs["kind_scores"]
    assert all(1 / len(NSU_KINDS) <= score <= 1 for score in scores)
    assert np.allclose(scores, doc.spans["nsu"].attrs["kind_scores"])
    assert "kind_scores" not in doc.spans["su"].attrs


def test_kinds_can_be_turned_off_and_change_nothing_else(saved: bytes) -> None:
    text = "\n".join(TEXTS[0][::2])
    doc, plain = load(saved)(text), load(saved, nsu_kinds=False)(text)
    assert {span.label_ for span in plain.spans["nsu"]} == {"NSU"}
    assert set(plain.spans["nsu"].attrs) == {"scores", "label_scores"}
    for name in ("scores", "label_scores"):
        assert np.allclose(plain.spans["nsu"].attrs[name], doc.spans["nsu"].attrs[name])


def test_a_model_without_kinds_finds_nsus() -> None:
    doc = tiny.trained(nsu_kinds=True)(tiny.TEXT)
    assert {span.label_ for span in doc.spans["nsu"]} == {"NSU"}
    assert "kind_scores" not in doc.spans["nsu"].attrs


@pytest.mark.parametrize("text", ["", " \n", "I like cats."])
def test_docs_without_nsus_have_no_kinds(saved: bytes, text: str) -> None:
    doc = load(saved)(text)
    tiny.assert_sane(doc, text)
    assert len(doc.spans["nsu"]) == len(doc.spans["nsu"].attrs["kind_scores"])


def test_gold_without_kinds_trains_the_other_heads() -> None:
    nlp = tiny.blank(model=MODEL)
    egs = examples(nlp, [("Page 3", "NSU", "I like cats.", "SU", "x", "TITLE")])
    nlp.initialize(lambda: egs)
    pipe = tiny.pipe_of(nlp)
    scores, _ = pipe.model.begin_update(pipe._read(egs)[0])
    _, gradient = pipe.get_loss(egs, scores)
    assert not gradient.kinds.any()
    assert gradient.flags.any()


def test_kinds_with_weight_zero_are_not_learned() -> None:
    weights = tiny.pipe_of(tiny.blank()).cfg["loss_weights"]
    nlp = tiny.blank(model=MODEL, loss_weights={**weights, "kinds": 0.0})
    egs = examples(nlp)
    nlp.initialize(lambda: egs)
    pipe = tiny.pipe_of(nlp)
    scores, _ = pipe.model.begin_update(pipe._read(egs)[0])
    assert not pipe.get_loss(egs, scores)[1].kinds.any()


def test_gradients_of_the_head_are_those_of_the_loss() -> None:
    nlp = tiny.blank(model=MODEL)
    egs = examples(nlp)[:1]
    nlp.initialize(lambda: egs)
    pipe = tiny.pipe_of(nlp)
    head = pipe.model.get_ref("kinds").layers[-1]
    rng = np.random.default_rng(0)
    head.set_param("W", rng.normal(size=head.get_param("W").shape).astype("f"))
    scores, backprop = pipe.model.begin_update(pipe._read(egs)[0])
    backprop(pipe.get_loss(egs, scores)[1])
    for name in ("W", "b"):
        gradient, param = head.get_grad(name), head.get_param(name).copy()
        norm = float(np.linalg.norm(gradient))
        losses = []
        for step in (1e-2, -1e-2):
            head.set_param(name, (param + step * gradient / norm).astype("f"))
            losses.append(pipe.get_loss(egs, pipe.model.begin_update(pipe._read(egs)[0])[0])[0])
        head.set_param(name, param)
        assert (losses[0] - losses[1]) / 2e-2 == pytest.approx(norm, rel=0.02)


def test_span_scores_treat_all_kinds_as_nsus(saved: bytes) -> None:
    nlp = load(saved)
    scores = nlp.evaluate(examples(nlp))
    assert scores["spans_nsu_f"] == scores["spans_su_f"] == scores["bio_macro_f"] == 1
    assert scores["spans_nsu_kind_acc"] == 1
    assert set(scores["spans_nsu_per_type"]) == {"HEADING", "METADATA", "SALUTATION"}
    assert scores["spans_nsu_per_type"]["HEADING"]["f"] == 1
    weights = nlp.get_pipe_meta(tiny.NAME).default_score_weights
    assert weights["spans_nsu_kind_acc"] == 0
    assert weights["spans_nsu_per_type"] is None


def test_spacy_evaluate_shows_the_kinds(saved: bytes, tmp_path: Path) -> None:
    nlp = load(saved)
    nlp.to_disk(tmp_path / "model")
    DocBin(docs=[example.reference for example in examples(nlp)]).to_disk(tmp_path / "dev.spacy")
    scores = evaluate(tmp_path / "model", tmp_path / "dev.spacy", spans_key="nsu", silent=True)
    assert scores["spans_nsu_per_type"]["METADATA"] == {"p": 1, "r": 1, "f": 1, "gold": 2}


def test_gold_without_kinds_is_scored_without_them(saved: bytes) -> None:
    nlp = load(saved)
    texts = [tuple("NSU" if part in NSU_KINDS else part for part in units) for units in TEXTS]
    scores = nlp.evaluate(examples(nlp, texts))
    assert scores["spans_nsu_f"] == scores["spans_su_f"] == scores["bio_macro_f"] == 1
    assert "spans_nsu_kind_acc" not in scores
