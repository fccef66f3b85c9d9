"""The whole model: shapes, training compared with prediction, other encoders."""

import numpy as np
import pytest
import spacy
import tiny
from thinc.api import Model

from spacy_sentid.sentence_identifier.network.boundaries import (
    N_FLAGS,
    Candidates,
    find_boundaries,
    open_boundaries,
)
from spacy_sentid.sentence_identifier.network.tagger import UnitInput
from spacy_sentid.sentence_identifier.network.tokens import read_tokens
from spacy_sentid.text.units import NSU_KINDS

TEXTS = [tiny.TEXT, "", " \n", "Hi"]


def inputs(texts: list[str] = TEXTS) -> UnitInput:
    nlp = spacy.blank("en")
    tokens = read_tokens([nlp.make_doc(text) for text in texts])
    boundaries = find_boundaries(tokens, newline="learned", use_starts=True)
    return UnitInput(tokens, Candidates(boundaries, 0.02))


@pytest.fixture(scope="module")
def model() -> Model:
    return tiny.pipe_of(tiny.trained()).model


def test_tokens_and_segments_have_scores(model: Model) -> None:
    batch = inputs()
    scores = model.predict(batch)
    n_tokens = sum(not token.is_space for doc in batch.tokens.docs for token in doc)
    assert scores.flags.shape == (n_tokens, N_FLAGS)
    assert scores.segments.shape == (len(scores.lattice.starts), 2)


@pytest.mark.parametrize(("nsu_kinds", "n_kinds"), [(True, len(NSU_KINDS)), (False, 0)])
def test_tokens_have_a_score_for_each_kind(nsu_kinds: bool, n_kinds: int) -> None:
    nlp = tiny.blank(model={**tiny.MODEL, "nsu_kinds": nsu_kinds})
    tiny.train(nlp, 0)
    scores = tiny.pipe_of(nlp).model.predict(inputs())
    assert scores.kinds.shape == (len(scores.flags), n_kinds)


def test_segments_are_only_scored_on_request(model: Model) -> None:
    scores = model.predict(inputs()._replace(candidates=None))
    assert scores.lattice is None
    assert scores.segments.shape == (0, 2)


def test_segments_that_agree_with_gold_are_candidates(model: Model) -> None:
    tokens = inputs(["one two three four five six"]).tokens
    gold = [(0, 2), (2, 3), (3, 6)]
    for threshold in (0.0, 1.0):
        candidates = Candidates(open_boundaries(tokens), threshold, gold)
        lattice = model.predict(UnitInput(tokens, candidates)).lattice
        assert {*gold} <= {*zip(lattice.starts.tolist(), lattice.ends.tolist(), strict=True)}


def test_an_empty_batch_has_no_scores(model: Model) -> None:
    for texts in ([], ["", " "]):
        scores = model.predict(inputs(texts))
        assert scores.flags.shape == (0, N_FLAGS)
        assert scores.segments.shape == (0, 2)


def test_syntax_is_only_computed_in_training(model: Model) -> None:
    batch = inputs(["Hi Bo"])
    assert model.predict(batch).syntax.size == 0
    assert len(model.begin_update(batch)[0].syntax) == 2


def test_training_and_prediction_compute_the_same(model: Model) -> None:
    batch = inputs()
    trained, predicted = model.begin_update(batch)[0], model.predict(batch)
    assert np.allclose(trained.flags, predicted.flags, atol=1e-4)
    assert np.allclose(trained.segments, predicted.segments, atol=1e-4)


def test_flags_of_a_doc_do_not_depend_on_its_neighbours(model: Model) -> None:
    together = model.predict(inputs(["Hi Bo.", tiny.TEXT])).flags
    alone = [model.predict(inputs([text])).flags for text in ("Hi Bo.", tiny.TEXT)]
    assert np.allclose(together, np.concatenate(alone), atol=1e-4)


def test_prediction_changes_nothing_in_the_model(model: Model) -> None:
    before = model.to_bytes()
    model.predict(inputs())
    assert model.to_bytes() == before


def test_all_layers_compute_with_numpys_blas() -> None:
    layers = list(tiny.pipe_of(tiny.blank()).model.walk())[1:]
    assert not any(layer.ops.use_blis for layer in layers)
