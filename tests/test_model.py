"""The model as a whole: shapes, training against prediction, other encoders."""

import numpy as np
import pytest
import spacy
import tiny
from thinc.api import Model

from spacy_sentid.sentence_identifier.model import N_FLAGS, vector_width

TEXTS = [tiny.TEXT, "", " \n", "Hi"]


def docs(texts: list[str] = TEXTS) -> list[spacy.tokens.Doc]:
    nlp = spacy.blank("en")
    return [nlp.make_doc(text) for text in texts]


@pytest.fixture(scope="module")
def model() -> Model:
    return tiny.pipe_of(tiny.trained()).model


def test_tokens_that_are_not_white_space_have_flags_and_vectors(model: Model) -> None:
    batch = docs()
    scores = model.predict(batch)
    n_tokens = sum(not token.is_space for doc in batch for token in doc)
    assert scores.flags.shape == (n_tokens, N_FLAGS)
    assert scores.vectors.shape == (n_tokens, 24)
    assert scores.lengths.tolist() == [len(tokens) for tokens in scores.token_indices]


def test_nothing_has_no_scores(model: Model) -> None:
    assert model.predict([]).flags.shape == (0, N_FLAGS)
    assert model.predict(docs(["", " "])).flags.shape == (0, N_FLAGS)


def test_three_vectors_in_one_row_have_one_width() -> None:
    assert vector_width(24, True) == 8
    assert vector_width(25, False) == 25
    with pytest.raises(ValueError, match="vectors"):
        vector_width(25, True)


def test_syntax_is_computed_in_training_only(model: Model) -> None:
    batch = docs(["Hi Bo"])
    assert model.predict(batch).syntax.size == 0
    assert len(model.begin_update(batch)[0].syntax) == 2


def test_training_and_prediction_compute_the_same(model: Model) -> None:
    batch = docs()
    trained, predicted = model.begin_update(batch)[0], model.predict(batch)
    assert np.allclose(trained.flags, predicted.flags, atol=1e-4)
    assert np.allclose(trained.vectors, predicted.vectors, atol=1e-4)


def test_flags_of_a_doc_do_not_depend_on_its_neighbours(model: Model) -> None:
    together = model.predict(docs(["Hi Bo.", tiny.TEXT])).flags
    alone = [model.predict(docs([text])).flags for text in ("Hi Bo.", tiny.TEXT)]
    assert np.allclose(together, np.concatenate(alone), atol=1e-4)


def test_all_layers_compute_with_numpys_blas() -> None:
    layers = list(tiny.pipe_of(tiny.blank()).model.walk())[1:]
    assert not any(layer.ops.use_blis for layer in layers)
