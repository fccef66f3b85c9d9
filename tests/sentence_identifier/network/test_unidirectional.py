"""The unidirectional model: context of its heads, and interpolation (section 6.1.2)."""

from copy import deepcopy

import numpy as np
import pytest
import spacy
import tiny
from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid.arrays import sigmoid
from spacy_sentid.sentence_identifier.network.boundaries import BOS, EOS
from spacy_sentid.sentence_identifier.network.tagger import (
    UnitInput,
    UnitScores,
    mix_unidirectional,
)
from spacy_sentid.sentence_identifier.network.tokens import read_tokens

MODEL = deepcopy(tiny.MODEL)
MODEL["unidirectional"] = MODEL["tok2vec"]["unidirectional"] = True
WORDS = ["Page", "3", "I", "like", "cats", ".", "They", "sleep", "."]


@pytest.fixture(scope="module")
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe(tiny.NAME, config={"model": MODEL, "pretrained": None})
    tiny.train(nlp)
    return nlp


def scores_of(nlp: Language, words: list[str], weight: float = 0.0) -> UnitScores:
    tokens = read_tokens([Doc(nlp.vocab, words=words)])
    return tiny.pipe_of(nlp).model.predict(UnitInput(tokens, unidirectional_weight=weight))


def probs(nlp: Language, unidirectional_weight: float) -> np.ndarray:
    pipe = tiny.pipe_of(nlp)
    pipe.cfg.update(unidirectional_weight=unidirectional_weight, store_probs=True)
    spans = nlp(tiny.TEXT).spans["su"]
    return np.asarray([spans.attrs["bos_prob"], spans.attrs["eos_prob"]])


@pytest.mark.parametrize("position", range(len(WORDS)))
def test_heads_do_not_see_the_other_side(nlp: Language, position: int) -> None:
    changed = [*WORDS[:position], "Zebra", *WORDS[position + 1 :]]
    before, after = scores_of(nlp, WORDS).uni, scores_of(nlp, changed).uni
    # Matrix products of different sizes round differently.
    assert np.allclose(before[:position, EOS], after[:position, EOS], atol=1e-5)
    assert np.allclose(before[position + 1 :, BOS], after[position + 1 :, BOS], atol=1e-5)


def test_weights_of_0_and_1_return_one_model(nlp: Language) -> None:
    scores = scores_of(nlp, WORDS)
    assert mix_unidirectional(scores.flags, scores.uni, 0.0) is scores.flags
    pure = scores_of(nlp, WORDS, 1.0).flags
    assert np.array_equal(pure[:, [BOS, EOS]], scores.uni)
    assert np.array_equal(pure[:, 2:], scores.flags[:, 2:])


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_probabilities_are_interpolated(nlp: Language, rate: float) -> None:
    scores = scores_of(nlp, WORDS)
    mixed = sigmoid(scores_of(nlp, WORDS, rate).flags[:, [BOS, EOS]])
    expected = rate * sigmoid(scores.uni) + (1 - rate) * sigmoid(scores.flags[:, [BOS, EOS]])
    assert np.allclose(mixed, expected, atol=1e-6)


def test_the_weight_can_be_set_after_loading(nlp: Language) -> None:
    both, mixed, uni = (probs(nlp, rate) for rate in (0.0, 0.5, 1.0))
    assert not np.allclose(both, uni)
    assert np.allclose(mixed, (both + uni) / 2, atol=1e-5)


def test_both_models_learn(nlp: Language) -> None:
    expected = tiny.unit_texts(tiny.trained()(tiny.TEXT))
    for rate in (0.0, 0.5):
        tiny.pipe_of(nlp).cfg["unidirectional_weight"] = rate
        assert tiny.unit_texts(nlp(tiny.TEXT)) == expected
    # A capital is enough to find the start of an SU, and a period to find its end.
    scores = scores_of(nlp, WORDS)
    assert scores.uni[:, BOS].argmax() in (2, 6)
    assert scores.uni[:, EOS].argmax() in (5, 8)


def test_the_model_is_saved_and_loaded(nlp: Language) -> None:
    tiny.pipe_of(nlp).cfg["unidirectional_weight"] = 0.3
    loaded = spacy.blank("en")
    loaded.add_pipe(tiny.NAME, config={"model": MODEL, "pretrained": None})
    loaded.from_bytes(nlp.to_bytes())
    assert tiny.pipe_of(loaded).cfg["unidirectional_weight"] == 0.3
    assert np.array_equal(scores_of(loaded, WORDS).uni, scores_of(nlp, WORDS).uni)


def test_a_model_without_it_has_no_columns() -> None:
    scores = scores_of(tiny.trained(), WORDS)
    assert scores.uni.shape == (len(WORDS), 0)
    assert mix_unidirectional(scores.flags, scores.uni, 0.5) is scores.flags


@pytest.mark.parametrize("rate", [-0.1, 1.5])
def test_an_invalid_rate_raises(rate: float) -> None:
    with pytest.raises(ValueError, match="'unidirectional_weight'"):
        tiny.blank(unidirectional_weight=rate)


@pytest.mark.parametrize("block", ["encoder", "model"])
def test_an_encoder_of_other_directions_raises(block: str) -> None:
    model = deepcopy(MODEL)
    model.update(unidirectional=block == "model")
    model["tok2vec"].update(unidirectional=block == "encoder")
    with pytest.raises(ValueError, match="encoder"):
        tiny.blank(model=model)


def test_hidden_layers_of_the_heads_learn() -> None:
    model = deepcopy(MODEL) | {"flags_hidden": 8}
    nlp = spacy.blank("en")
    nlp.add_pipe(tiny.NAME, config={"model": model, "pretrained": None, "decoder": "bos_eos"})
    first, last = tiny.train(nlp, 1), tiny.train(nlp, 60)
    assert last[tiny.NAME] < first[tiny.NAME] / 2
    assert tiny.pipe_of(nlp).is_initialized
    assert not tiny.pipe_of(tiny.blank(model=model)).is_initialized
