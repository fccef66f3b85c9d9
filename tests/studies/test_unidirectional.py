"""+UNI of the study: what its heads see, interpolation, training, and three passes."""

from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pytest
import spacy
import tiny
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model, fix_random_seed

from spacy_sentid.arrays import sigmoid
from spacy_sentid.sentence_identifier.network.boundaries import BOS, EOS, N_FLAGS
from spacy_sentid.sentence_identifier.network.encoder import build_dilated_encoder
from spacy_sentid.sentence_identifier.network.tagger import UnitInput
from spacy_sentid.sentence_identifier.network.tokens import read_tokens
from studies.identifier import unidirectional
from studies.identifier.unidirectional import build_directed_encoder, mix_flags

WORDS = ["Page", "3", "I", "like", "cats", ".", "They", "sleep", "."]
MODEL: dict[str, Any] = {
    "@architectures": "studies.UnidirectionalTagger.v1",
    "unidirectional_weight": 0.5,
    "segment_hidden": None,
    "segment_dropout": 0.0,
    "tok2vec": {
        "@architectures": "studies.DirectedEncoder.v1",
        "encoder": deepcopy(tiny.MODEL["tok2vec"]),
    },
}


def blank(**changes: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe(unidirectional.NAME, name=tiny.NAME, config={"model": {**MODEL, **changes}})
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Language:
    nlp = blank()
    tiny.train(nlp)
    return nlp


def uni_of(nlp: Language, words: list[str]) -> np.ndarray:
    tokens = read_tokens([Doc(nlp.vocab, words=words)])
    return tiny.pipe_of(nlp).model.begin_update(UnitInput(tokens))[0][1]


def flags_of(nlp: Language, weight: float) -> np.ndarray:
    model = tiny.pipe_of(nlp).model
    model.attrs["unidirectional_weight"] = weight
    return model.predict(UnitInput(read_tokens([Doc(nlp.vocab, words=WORDS)]))).flags


@pytest.mark.parametrize("position", range(len(WORDS)))
def test_heads_do_not_see_the_other_side(nlp: Language, position: int) -> None:
    changed = [*WORDS[:position], "Zebra", *WORDS[position + 1 :]]
    before, after = uni_of(nlp, WORDS), uni_of(nlp, changed)
    # Matrix products of different sizes round differently.
    assert np.allclose(before[:position, EOS], after[:position, EOS], atol=1e-5)
    assert np.allclose(before[position + 1 :, BOS], after[position + 1 :, BOS], atol=1e-5)


@pytest.mark.parametrize("weight", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_probabilities_are_interpolated(nlp: Language, weight: float) -> None:
    uni, flags = uni_of(nlp, WORDS), flags_of(nlp, 0.0)
    mixed = flags_of(nlp, weight)
    expected = weight * sigmoid(uni) + (1 - weight) * sigmoid(flags[:, [BOS, EOS]])
    assert np.allclose(sigmoid(mixed[:, [BOS, EOS]]), expected, atol=1e-5)
    assert np.array_equal(mixed[:, 2:], flags[:, 2:])
    assert mix_flags(flags, uni, 0.0) is flags


def test_both_models_learn(nlp: Language) -> None:
    expected = tiny.unit_texts(tiny.trained()(tiny.TEXT))
    for weight in (0.0, 0.5):
        tiny.pipe_of(nlp).model.attrs["unidirectional_weight"] = weight
        assert tiny.unit_texts(nlp(tiny.TEXT)) == expected
    # A capital is enough to find the start of an SU, and a period to find its end.
    uni = uni_of(nlp, WORDS)
    assert uni[:, BOS].argmax() in (2, 6)
    assert uni[:, EOS].argmax() in (5, 8)


def test_the_model_and_its_weight_are_saved_and_loaded(nlp: Language) -> None:
    tiny.pipe_of(nlp).model.attrs["unidirectional_weight"] = 0.3
    loaded = blank().from_bytes(nlp.to_bytes())
    assert tiny.pipe_of(loaded).model.attrs["unidirectional_weight"] == 0.3
    assert np.array_equal(uni_of(loaded, WORDS), uni_of(nlp, WORDS))


@pytest.mark.parametrize("weight", [-0.1, 1.5])
def test_an_invalid_weight_raises(weight: float) -> None:
    with pytest.raises(ValueError, match="'unidirectional_weight'"):
        blank(unidirectional_weight=weight)


def test_hidden_layers_of_the_heads_learn() -> None:
    nlp = blank(flags_hidden=8)
    first, last = tiny.train(nlp, 1), tiny.train(nlp, 60)
    assert last[tiny.NAME] < first[tiny.NAME] / 2


# The CPU encoder


def build(**options: Any) -> Model:
    fix_random_seed(0)
    encoder = build_dilated_encoder(
        width=8, rows=[50] * 4, dilations=[1, 2, 4], word_dropout=0.0, maxout_pieces=2, **options
    )
    model = build_directed_encoder(encoder)
    model.initialize()
    rng = np.random.default_rng(0)
    for node in model.walk():
        for name in node.param_names:
            param = node.get_param(name)
            node.set_param(name, param + rng.normal(size=param.shape).astype("f") * 0.1)
    return model


VOCAB = spacy.blank("en").vocab


def read(words: list[str]) -> Any:
    return read_tokens([Doc(VOCAB, words=words)])


WHOLE, LEFT, RIGHT = (slice(n, n + 8) for n in (0, 8, 16))
same = partial(np.allclose, atol=1e-5)  # changes on the other side only affect rounding


@pytest.mark.parametrize("position", range(8))
def test_one_sided_states_only_see_one_side(position: int) -> None:
    model = build()
    words = ["A", "bc", "D", "ef", "g", "H", ".", "i", "j"]
    before = model.predict(read(words))
    after = model.predict(read([*words[:position], "Zz9 " * 20, *words[position + 1 :]]))
    assert same(before[:position, LEFT], after[:position, LEFT])
    assert same(before[position + 1 :, RIGHT], after[position + 1 :, RIGHT])
    assert not same(before[:, WHOLE], after[:, WHOLE])
    head, tail = model.predict(read(words[: position + 1])), model.predict(read(words[position:]))
    assert same(head[:, LEFT], before[: position + 1, LEFT])
    assert same(tail[:, RIGHT], before[position:, RIGHT])


def test_one_sided_states_do_not_see_the_white_space_on_the_other_side() -> None:
    model = build()
    line, blank_line = (
        model.predict(read(["A", "bc", "D", gap, "ef", "g", "H"])) for gap in ("\n", "\n\n")
    )
    assert same(line[:3, LEFT], blank_line[:3, LEFT])
    assert same(line[3:, RIGHT], blank_line[3:, RIGHT])
    assert not same(line[3:, LEFT], blank_line[3:, LEFT])


@pytest.mark.parametrize("options", [{}, {"neighbour_width": 3, "window_norm": False}])
def test_gradients_are_those_of_the_output(options: dict[str, Any]) -> None:
    model, tokens = build(**options), read(["A", "bc", "D", "\n", "ef", "."])
    weights = np.random.default_rng(1).normal(size=(5, 24)).astype("f")

    def objective() -> float:
        return float((model.begin_update(tokens)[0].astype("d") * weights).sum())

    model.begin_update(tokens)[1](weights)
    for node in model.walk():
        for name in node.param_names:
            gradient, param = node.get_grad(name), node.get_param(name).copy()
            assert gradient.any(), name
            direction = gradient / (np.linalg.norm(gradient) + 1e-9)
            values = []
            for step in (1e-3, -1e-3):
                node.set_param(name, (param + step * direction).astype("f"))
                values.append(objective())
            node.set_param(name, param)
            expected = float((gradient * direction).sum())
            assert (values[0] - values[1]) / 2e-3 == pytest.approx(expected, rel=0.03, abs=0.02)


def test_line_features_are_refused() -> None:
    with pytest.raises(ValueError, match="line_features"):
        build(line_features=True)


def test_no_tokens_have_no_scores(nlp: Language) -> None:
    tokens = read_tokens([nlp.make_doc(text) for text in ("", " ")])
    scores = tiny.pipe_of(nlp).model.predict(UnitInput(tokens))
    assert scores.flags.shape == (0, N_FLAGS)
