"""Features of the small model: n-grams, the layer, gradients of the whole model."""

import pickle
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import spacy
import tiny_words
from hypothesis import given
from hypothesis import strategies as st
from spacy.training import Example
from spacy.util import registry

from spacy_sentid.word_segmenter import model
from spacy_sentid.word_segmenter.characters import SYMBOL, Characters, fold, read_characters
from spacy_sentid.word_segmenter.component import WordSegmenter
from spacy_sentid.word_segmenter.features import lexical_features, lexicon
from spacy_sentid.word_segmenter.features.feature_layer import build_character_features
from spacy_sentid.word_segmenter.features.hashing import (
    BOTH,
    LEFT,
    ONE,
    RIGHT,
    find_rows,
    index_vocabulary,
    learn_vocabulary,
)
from spacy_sentid.word_segmenter.gold import make_partial_doc, read_gold
from spacy_sentid.word_segmenter.model import build_word_tagger

NLP = spacy.blank("zh")
TEXTS = st.lists(st.text("上下字a1 ，", max_size=8), max_size=4)


def characters(texts: Sequence[str]) -> Characters:
    return read_characters([NLP.make_doc(text) for text in texts])


def folded(text: str) -> str:
    return "".join(chr(fold(character)[0]) for character in text)


def without_signs(text: str) -> str:
    return "".join(folded(char) for char in "".join(text.split()) if fold(char)[1] != SYMBOL)


# N-grams


def name_ngrams(texts: Sequence[str]) -> list[dict[int, str]]:
    """List the four n-grams of each character, with "^" for white space and the ends of texts."""
    rows = []
    for run in (run for text in texts for run in folded_runs(text)):
        for i in range(1, len(run) - 1):
            row = {ONE: run[i], LEFT: run[i - 1 : i + 1], RIGHT: run[i : i + 2]}
            rows.append({**row, BOTH: run[i - 1 : i + 2]})
    return rows


def folded_runs(text: str) -> list[str]:
    return [f"^{folded(run)}^" for run in text.split()]


@given(TEXTS, TEXTS, st.integers(1, 3))
def test_frequent_ngrams_have_rows(train: list[str], test: list[str], min_count: int) -> None:
    # A text that comes again, maybe without its signs, does not count again.
    different = {without_signs(text): text for text in reversed(train)}
    runs = [run for text in different.values() for run in folded_runs(text)]
    counts = {
        size: Counter(run[i : i + size] for run in runs for i in range(len(run) - size + 1))
        for size in (1, 2, 3)
    }
    vocabulary = learn_vocabulary([characters(train)], min_count)
    rows = find_rows(index_vocabulary(vocabulary), characters(test))
    names = name_ngrams(test)
    assert rows.shape == (4, len(names))
    for columns, table in (((ONE,), 0), ((LEFT, RIGHT), 1), ((BOTH,), 2)):
        found: dict[str, set[int]] = {}
        for column in columns:
            for name, row in zip(names, rows[column].tolist(), strict=True):
                found.setdefault(name[column], set()).add(row)
        assert all(len(own) == 1 for own in found.values())
        numbers = {name: min(own) for name, own in found.items()}
        known = {name for name, row in numbers.items() if row}
        assert known == {n for n in found if counts[table + 1][n] >= (min_count if table else 1)}
        assert len({numbers[name] for name in known}) == len(known)
        assert all(1 <= numbers[name] <= len(vocabulary[table]) for name in known)


def test_batches_add_up() -> None:
    one, two = characters(["上下", "字"]), characters(["上下"])
    both = characters(["上下", "字", "上下"])
    for min_count in (1, 2):
        found = learn_vocabulary([one, two], min_count)
        expected = learn_vocabulary([both], min_count)
        assert all((a == b).all() for a, b in zip(found, expected, strict=True))


# The layer


def features(**changes: Any) -> Any:
    settings = {
        "widths": [6, 5, 4, 3],
        "min_count": 1,
        **dict.fromkeys(("character_dropout", "ngram_dropout", "lexicon_dropout"), 0.0),
    }
    return build_character_features(**{**settings, **changes})


def gold() -> Characters:
    return read_gold(tiny_words.examples(NLP))[0]


def test_names_are_registered() -> None:
    names = {
        "spacy_sentid.WordTagger.v1": build_word_tagger,
        "spacy_sentid.CharacterFeatures.v1": build_character_features,
    }
    for name, function in names.items():
        assert registry.get("architectures", name) is function


def test_each_character_has_a_row() -> None:
    layer, batch = features(), gold()
    layer.initialize(X=[batch])
    rows = layer.predict(batch)
    assert rows.shape == (len(batch.codes), layer.get_dim("nO"))
    assert rows.dtype == "float32"
    assert layer.predict(read_characters([])).shape == (0, layer.get_dim("nO"))
    # Of what was never seen only the kind is known, and where the text begins and ends.
    unknown = layer.predict(characters(["鱻麤"]))[:, : -lexical_features.N_COLUMNS]
    assert (unknown[0] == unknown[1]).all()


def test_the_features_follow_the_tables() -> None:
    layer, batch = features(), gold()
    layer.initialize(X=[batch])
    texts = characters(["图书馆里喜欢吃苹果a1，", "鱻麤", "他们 他们"])
    for add in (
        lambda: lexical_features.add_words(layer, ["鱻麤", "吃苹果"]),
        lambda: lexical_features.add_raw_text(layer, [texts, characters(["他们喜欢", "喜欢他们"])]),
    ):
        before = layer.predict(texts)
        add()
        found = layer.predict(texts)
        assert (found != before).any()
        # Without gold words, training sees what prediction sees.
        assert (layer(texts, True)[0] == found).all()
        assert (pickle.loads(pickle.dumps(layer)).predict(texts) == found).all()


def test_training_does_not_see_a_sentence_in_the_counts() -> None:
    layer = features()
    batch = read_gold(tiny_words.examples(NLP, [["图书馆", "里"], ["图书馆", "外"], ["上海"]]))[0]
    layer.initialize(X=[batch])
    first = layer.get_dim("nO") - lexical_features.N_COLUMNS
    counts = slice(first, first + lexicon.N_COLUMNS)
    seen, hidden = layer.predict(batch)[:, counts], layer(batch, True)[0][:, counts]
    assert seen[0].max() == pytest.approx(0.4 + 0.2 * np.log(2))
    assert hidden[0].max() == pytest.approx(0.4)
    assert seen[-1].max() == pytest.approx(0.4)
    assert not hidden[-1].any()


def test_a_sentence_is_counted_once_with_and_without_its_punctuation() -> None:
    layer = features()
    sentences = [["图书馆", "，", "好"], ["图书馆", "好"], ["图书馆", "，", "好"]]
    layer.initialize(X=[read_gold(tiny_words.examples(NLP, sentences))[0]])
    assert layer.get_param("counts").max() == 1


def test_dropout_hides_all_but_the_kind() -> None:
    rates = dict.fromkeys(("character_dropout", "ngram_dropout", "lexicon_dropout"), 1.0)
    layer, batch = features(**rates), gold()
    layer.initialize(X=[batch])
    rows = layer(batch, True)[0]
    for kind in np.unique(batch.kinds):
        assert len(np.unique(rows[batch.kinds == kind], axis=0)) == 1
    assert len(np.unique(layer.predict(batch), axis=0)) > 50


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"widths": [1, 2]}, "'widths'"),
        ({"character_dropout": 1.5}, "'character_dropout'"),
        ({"lexicon_dropout": -0.5}, "'lexicon_dropout'"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        features(**settings)


def test_a_model_needs_inputs() -> None:
    with pytest.raises(ValueError, match=r"features.*encoder"):
        build_word_tagger(None, None, 8, 2, [1])


# Gradients


def loss_of(pipe: WordSegmenter, egs: list[Example]) -> float:
    """Compute the loss as in training, where a sentence's own words are not in the counts."""
    scores, _ = pipe.model.begin_update(read_gold(egs)[0])
    return pipe.get_loss(egs, scores)[0]


@pytest.mark.parametrize(
    "changes", [{}, {"width": None}, {"dilations": []}, {"dilations": [1, 2]}, {"maxout_pieces": 3}]
)
def test_gradients_of_all_parameters_are_those_of_the_loss(changes: dict[str, Any]) -> None:
    nlp = tiny_words.train(tiny_words.blank(model=tiny_words.model_config(**changes)), steps=3)
    pipe, egs = tiny_words.pipe_of(nlp), tiny_words.examples(nlp)[:4]
    partial = make_partial_doc(nlp.vocab, ["图书馆里", "很安静"])
    egs.append(Example(nlp.make_doc("图书馆里很安静"), partial))
    scores, backprop = pipe.model.begin_update(read_gold(egs)[0])
    _, loss = pipe.get_loss(egs, scores)
    backprop(loss)
    checked = set()
    for node in pipe.model.walk():
        for name in node.param_names:
            if not node.has_grad(name):
                continue
            gradient, param = node.get_grad(name).copy(), node.get_param(name).copy()
            norm = float(np.linalg.norm(gradient))
            if norm < 1e-3:
                continue
            values = []
            for step in (1e-3, -1e-3):
                node.set_param(name, (param + step * gradient / norm).astype("f"))
                values.append(loss_of(pipe, egs))
            node.set_param(name, param)
            found = (values[0] - values[1]) / 2e-3
            assert found == pytest.approx(norm, rel=0.05, abs=0.01), (node.name, name)
            checked.add(name)
    assert checked >= {"E_one", "E_two", "E_three", "E_kind", "transitions", "W", "b"}


def test_long_texts_are_scored_in_parts_to_the_same_numbers(monkeypatch) -> None:
    tagger = tiny_words.pipe_of(tiny_words.fresh()).model
    texts = ["我喜欢吃苹果a1，" * 9, "他们", "北京大学" * 11]
    whole = tagger.predict(characters(texts)).emissions
    monkeypatch.setattr(model, "MAX_CHARACTERS", 13)
    np.testing.assert_allclose(tagger.predict(characters(texts)).emissions, whole, atol=1e-4)
