"""Vectors of word types: the table has the output of the layer, for any texts before."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import spacy
from thinc.api import Adam, Model, fix_random_seed

from spacy_sentid.sentence_identifier.network import word_types
from spacy_sentid.sentence_identifier.network.tokens import BatchTokens, read_tokens
from spacy_sentid.sentence_identifier.network.word_types import embed_types

NLP = spacy.blank("en")
TEXTS = ["They saw Mr. Wu.", "", "Nobody saw THEM ; xyzzy 12.5", "They saw them"]


def build() -> Model:
    fix_random_seed(0)
    layer = embed_types(8, [50, 50, 50, 50], 2, abbreviations=True, vector_width=0)
    layer.initialize()
    return layer


def read(*texts: str) -> BatchTokens:
    return read_tokens([NLP.make_doc(text) for text in texts])


def test_table_has_what_training_computes() -> None:
    layer = build()
    trained, _ = layer.begin_update(read(*TEXTS))
    np.testing.assert_allclose(layer.predict(read(*TEXTS)), trained, atol=1e-6)


@pytest.mark.parametrize("before", [[], TEXTS[:1], TEXTS[2:], [" ".join("abcdefghijklmnopq")]])
def test_vectors_do_not_depend_on_the_texts_before(before: list[str]) -> None:
    layer = build()
    for text in before:
        layer.predict(read(text))
    assert np.array_equal(layer.predict(read(*TEXTS)), build().predict(read(*TEXTS)))


@pytest.mark.parametrize("texts", [[], [""], [" \n "]])
def test_no_input_has_no_output(texts: list[str]) -> None:
    assert build().predict(read(*texts)).shape == (0, 8)


def test_new_parameters_make_new_vectors() -> None:
    layer, other = build(), build()
    before = layer.predict(read(*TEXTS))
    vectors, backprop = layer.begin_update(read(*TEXTS))
    backprop(np.ones_like(vectors))
    layer.finish_update(Adam(0.1))
    after = layer.predict(read(*TEXTS))
    assert abs(after - before).min(axis=1).max() > 0.01
    np.testing.assert_allclose(layer.begin_update(read(*TEXTS))[0], after, atol=1e-6)
    other.predict(read(*TEXTS))
    other.from_bytes(layer.to_bytes())
    assert np.array_equal(other.predict(read(*TEXTS)), after)
    with layer.use_params({(layer.id, "abbreviations"): np.ones((20, 8), dtype="f")}):
        assert not np.allclose(layer.predict(read(*TEXTS)), after)
    assert np.array_equal(layer.predict(read(*TEXTS)), after)


def test_a_full_table_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_types, "TABLE_TYPES", 3)
    layer = build()
    assert np.array_equal(
        [layer.predict(read(text))[:1] for text in ("a b c d e", "f g", "a", "b")],
        [build().predict(read(text))[:1] for text in ("a", "f", "a", "b")],
    )


def test_a_copy_has_a_table_of_its_own() -> None:
    layer = build()
    expected = layer.predict(read(*TEXTS))
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer)), layer.copy()):
        assert np.array_equal(other.predict(read(*TEXTS)), expected)


def test_threads_do_not_disturb_each_other() -> None:
    layer = build()
    rng = np.random.default_rng(0)
    words = [f"w{n}" for n in range(300)]
    texts = [" ".join(rng.choice(words, 5)) for _ in range(200)]
    expected = [build().predict(read(text)) for text in texts[:20]]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: layer.predict(read(text)), texts))
    for one, other in zip(found, expected, strict=False):
        assert np.array_equal(one, other)
