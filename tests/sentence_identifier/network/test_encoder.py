"""The encoder: shapes, boundaries of documents, steps, gradients."""

from typing import Any

import numpy as np
import pytest
import spacy
from spacy.strings import get_string_id
from spacy.tokens import Doc
from thinc.api import Model, fix_random_seed

from spacy_sentid.layers import dilated
from spacy_sentid.sentence_identifier.network.encoder import build_dilated_encoder, encode_tokens
from spacy_sentid.sentence_identifier.network.tokens import hide_line_ends, read_tokens
from spacy_sentid.sentence_identifier.network.word_vectors import (
    WordVectors,
    get_word_vectors,
    set_word_vectors,
)

NLP = spacy.blank("en")
TEXTS = ["I like cats.\nThey sleep.", "", "Hi", " \n ", "a  b c d e f g h i\n\n  J. Wu, Mr. X"]
# Optional parts of an encoder.
PARTS: dict[str, dict[str, Any]] = {
    "windows": {},
    "lines": {"line_features": True},
    "abbreviations": {"abbreviations": True},
    "word vectors": {"vector_width": 3},
    "quick windows": {"neighbour_width": 3, "window_norm": False, "maxout_pieces": 1},
    "all": {"line_features": True, "abbreviations": True, "vector_width": 3},
}
WORDS = ("cats", "sleep", "they")


def docs(texts: list[str] = TEXTS) -> list[Doc]:
    return [NLP.make_doc(text) for text in texts]


def build(dilations: list[int] | None = None, word_dropout: float = 0.0, **parts: Any) -> Model:
    fix_random_seed(0)
    model = build_dilated_encoder(
        width=8, rows=[50, 50, 50, 50], dilations=dilations or [1, 2, 4],
        word_dropout=word_dropout, **{"maxout_pieces": 2, **parts},
    )  # fmt: skip
    model.initialize()
    if parts.get("vector_width"):
        keys = np.asarray([get_string_id(word) for word in WORDS], dtype="uint64")
        order = np.argsort(keys)
        rows = np.arange(9, dtype="int8").reshape(3, 3)[order] + 20
        set_word_vectors(model, WordVectors(keys[order], rows))
    # Gap vectors start at zero and scales at one, so replace these special values.
    rng = np.random.default_rng(0)
    for node in model.walk():
        for name in node.param_names:
            param = node.get_param(name)
            node.set_param(name, param + rng.normal(size=param.shape).astype("f") * 0.1)
    return model


def test_each_token_has_a_row() -> None:
    rows = build().predict(docs())
    assert [row.shape for row in rows] == [(len(doc), 8) for doc in docs()]


def test_rows_of_white_space_are_zero() -> None:
    (doc,) = docs(["Hi \n Bo"])
    (row,) = build().predict([doc])
    assert [bool(row[token.i].any()) for token in doc] == [not token.is_space for token in doc]


@pytest.mark.parametrize("texts", [[], [""], ["", " \n"]])
@pytest.mark.parametrize("parts", PARTS)
def test_an_empty_batch_has_no_output(texts: list[str], parts: str) -> None:
    rows = build(**PARTS[parts]).predict(docs(texts))
    assert not any(row.any() for row in rows)


@pytest.mark.parametrize("parts", PARTS)
def test_vectors_of_a_doc_do_not_depend_on_its_neighbours(parts: str) -> None:
    model = build(**PARTS[parts])
    together = model.predict(docs())
    for row, doc in zip(together, docs(), strict=True):
        assert np.allclose(row, model.predict([doc])[0], atol=1e-5)


@pytest.mark.parametrize("parts", PARTS)
def test_training_and_prediction_compute_the_same(parts: str) -> None:
    model = build(**PARTS[parts])
    trained, _ = model.begin_update(docs())
    for a, b in zip(trained, model.predict(docs()), strict=True):
        assert np.allclose(a, b, atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_group_size_does_not_matter(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = build([1, 5])
    expected = model.predict(docs())
    monkeypatch.setattr(dilated, "GROUP_SIZE", size)
    for a, b in zip(model.predict(docs()), expected, strict=True):
        assert np.allclose(a, b, atol=1e-5)


@pytest.mark.parametrize(("dilations", "reach"), [([1], 1), ([2], 2), ([1, 2], 3)])
def test_a_token_sees_as_far_as_the_dilations_say(dilations: list[int], reach: int) -> None:
    words = list("abcdefghijk")
    changed = [*words[:5], "Z9", *words[6:]]
    # A window with dilation 2 skips tokens, so only check the furthest ones.
    rows = build(dilations).predict([Doc(NLP.vocab, words=w) for w in (words, changed)])
    differs = np.flatnonzero(np.abs(rows[0] - rows[1]).max(axis=1) > 1e-6)
    assert (differs.min(), differs.max()) == (5 - reach, 5 + reach)


def test_line_breaks_are_seen_and_can_be_hidden() -> None:
    model = build()
    line, space = (read_tokens([doc]) for doc in docs(["Hi Bo\nYes", "Hi Bo Yes"]))
    vectors, _ = encode_tokens(model, space, False)
    assert not np.allclose(encode_tokens(model, line, False)[0], vectors)
    assert np.allclose(encode_tokens(model, hide_line_ends(line), False)[0], vectors, atol=1e-6)


def test_line_features_distinguish_full_and_short_lines() -> None:
    # Both line breaks have the same gap class, but the second text is wider.
    texts = [f"a b c\nd {tail}" for tail in ("e", "e " * 20)]
    for parts, differ in (("windows", False), ("lines", True)):
        rows = build([1], **PARTS[parts]).predict(docs(texts))
        assert np.allclose(rows[0][:4], rows[1][:4], atol=1e-6) is not differ


def test_word_vectors_are_found_by_norm_and_saved() -> None:
    model = build(dilations=[1], vector_width=3)
    fresh = build_dilated_encoder(
        width=8, rows=[50] * 4, dilations=[1], maxout_pieces=2, word_dropout=0.0, vector_width=3
    ).from_bytes(model.to_bytes())
    batch = docs(["They sleep. THEY xyzzy"])
    (row,), (again,) = model.predict(batch), fresh.predict(batch)
    assert np.array_equal(row, again)
    keys = get_word_vectors(model).keys
    set_word_vectors(model, WordVectors(keys, np.zeros((3, 3), dtype="int8")))
    (without,) = model.predict(batch)
    assert not np.allclose(row[0], without[0], atol=1e-4)


def test_words_of_one_class_of_abbreviations_share_a_vector() -> None:
    model, plain = build(abbreviations=True), build(abbreviations=True)
    table = model.layers[0].get_param("abbreviations")
    table[1] += 1.0  # titles
    plain_rows, rows = (m.predict(docs(["Mr. Wu", "Wu Inc."])) for m in (plain, model))
    same = [np.allclose(*pair, atol=1e-6) for pair in zip(rows, plain_rows, strict=True)]
    assert same == [False, True]


@pytest.mark.parametrize("parts", PARTS)
def test_gradients_are_those_of_the_output(parts: str) -> None:
    model, batch = build(**PARTS[parts]), docs()
    rng = np.random.default_rng(1)
    width = model.get_dim("nO")
    weights = [rng.normal(size=(len(doc), width)).astype("f") for doc in batch]

    def objective() -> float:
        rows, _ = model.begin_update(batch)
        pairs = zip(rows, weights, strict=True)
        return float(sum((row.astype("d") * weight).sum() for row, weight in pairs))

    _, backprop = model.begin_update(batch)
    backprop(weights)
    for node in model.walk():
        for name in node.param_names:
            gradient, param = node.get_grad(name), node.get_param(name).copy()
            assert gradient.any(), name
            # Measure along the gradient itself, so that the difference is larger than rounding.
            direction = gradient / (np.linalg.norm(gradient) + 1e-9)
            values = []
            for step in (1e-3, -1e-3):
                node.set_param(name, (param + step * direction).astype("f"))
                values.append(objective())
            node.set_param(name, param)
            expected = float((gradient * direction).sum())
            assert (values[0] - values[1]) / 2e-3 == pytest.approx(expected, rel=0.03, abs=0.02)


def test_word_dropout_only_hides_words_in_training() -> None:
    model = build(word_dropout=1.0)
    batch = docs(["I like cats", "He saw dogs"])
    hidden, _ = model.begin_update(batch)
    assert np.allclose(hidden[0], hidden[1])
    shown = model.predict(batch)
    assert not np.allclose(shown[0], shown[1])


def test_the_wrong_number_of_tables_raises() -> None:
    with pytest.raises(ValueError, match="'rows'"):
        build_dilated_encoder(
            width=8, rows=[5, 5], dilations=[1], maxout_pieces=2, word_dropout=0.0
        )
