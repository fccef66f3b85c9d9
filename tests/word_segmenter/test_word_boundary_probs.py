"""Segmentation of texts: probabilities of gaps, words with and without given boundaries."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np
import pytest
import spacy
import tiny_words
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language

from spacy_sentid.components.pipelines import find
from spacy_sentid.word_segmenter.boundary_probs import boundary_probs, segment_texts

TEXTS = [*tiny_words.TEXTS, *tiny_words.ODD_TEXTS]
TEXT = st.text("我喜欢吃苹果北京大学习，。 \n\u3000a1", min_size=1, max_size=16)


@pytest.fixture(scope="module")
def nlp() -> Language:
    return tiny_words.trained()


def non_space(text: str) -> list[int]:
    return [place for place, character in enumerate(text) if not character.isspace()]


def gaps_of(text: str, words: Sequence[str]) -> set[int]:
    """List the gaps after the words of a text, by the index of the character before them."""
    places = non_space(text)
    return {places[end - 1] for end in accumulate(len(word) for word in words)}


# Words


def test_words_are_those_of_the_pipeline(nlp: Language) -> None:
    expected = [[token.text for token in doc if not token.is_space] for doc in nlp.pipe(TEXTS)]
    assert list(segment_texts(nlp, TEXTS)) == expected


def test_no_texts_have_no_words(nlp: Language) -> None:
    assert list(segment_texts(nlp, [])) == []
    assert list(segment_texts(nlp, [], [])) == []
    assert list(segment_texts(nlp, ["", " \n"], [[], [0]])) == [[], []]


def test_many_texts_equal_single_ones(nlp: Language) -> None:
    texts = TEXTS * 20  # more than go through the model at a time
    boundaries = [range(0, max(len(text) - 1, 0), 2) for text in texts]
    alone = [
        next(segment_texts(nlp, [text], [gaps]))
        for text, gaps in zip(TEXTS, boundaries, strict=False)
    ]
    assert list(segment_texts(nlp, iter(texts), iter(boundaries))) == alone * 20


@given(pairs=st.lists(st.tuples(TEXT, st.data()), max_size=4))
def test_no_boundary_is_ever_crossed(nlp: Language, pairs: list[tuple[str, st.DataObject]]) -> None:
    texts = [text for text, _ in pairs]
    boundaries = [
        data.draw(st.lists(st.integers(0, len(text) - 2), max_size=5)) if len(text) > 1 else []
        for text, data in pairs
    ]
    for text, gaps, words in zip(
        texts, boundaries, segment_texts(nlp, texts, boundaries), strict=True
    ):
        assert "".join(words) == "".join(text.split())
        ends = gaps_of(text, words)
        for gap in gaps:
            # A gap next to white space counts as the one after the last character before it.
            before = [place for place in non_space(text) if place <= gap]
            assert not before or before[-1] in ends
        for place in non_space(text)[:-1]:
            assert not text[place + 1].isspace() or place in ends


@given(text=TEXT)
def test_boundaries_in_all_gaps_give_single_characters(nlp: Language, text: str) -> None:
    (words,) = segment_texts(nlp, [text], [range(len(text) - 1)])
    assert words == list("".join(text.split()))


@given(text=TEXT)
def test_boundaries_where_words_end_change_nothing(nlp: Language, text: str) -> None:
    (words,) = segment_texts(nlp, [text])
    gaps = sorted(gap for gap in gaps_of(text, words) if gap < len(text) - 1)
    assert list(segment_texts(nlp, [text], [gaps])) == [words]


def test_a_boundary_inside_a_word_splits_it(nlp: Language) -> None:
    text = tiny_words.TEXTS[10]
    assert list(segment_texts(nlp, [text])) == [["图书馆", "里", "很", "安静", "。"]]
    (words,) = segment_texts(nlp, [text], [[0]])
    assert words[0] == "图"
    assert words[-3:] == ["很", "安静", "。"]


# Probabilities


def test_each_gap_has_a_probability(nlp: Language) -> None:
    found = list(boundary_probs(nlp, TEXTS))
    assert [probs.shape for probs in found] == [(max(len(text) - 1, 0),) for text in TEXTS]
    assert all(((probs >= 0) & (probs <= 1)).all() for probs in found)


def test_probabilities_of_words_that_were_learned_are_clear(nlp: Language) -> None:
    for words, probs in zip(
        tiny_words.SENTENCES, boundary_probs(nlp, tiny_words.TEXTS), strict=True
    ):
        ends = np.cumsum([len(word) for word in words])[:-1] - 1
        expected = np.zeros(len(probs), dtype=bool)
        expected[ends] = True
        assert ((probs > 0.5) == expected).all()


def test_many_texts_have_the_probabilities_of_single_ones(nlp: Language) -> None:
    alone = [next(boundary_probs(nlp, [text])) for text in TEXTS]
    for one, probs in zip(alone * 20, boundary_probs(nlp, iter(TEXTS * 20)), strict=True):
        assert np.allclose(one, probs, atol=1e-5)
    assert list(boundary_probs(nlp, [])) == []


@given(text=TEXT)
def test_next_to_white_space_is_a_boundary(nlp: Language, text: str) -> None:
    (probs,) = boundary_probs(nlp, [text])
    for gap, prob in enumerate(probs):
        if text[gap].isspace() or text[gap + 1].isspace():
            assert prob == pytest.approx(1)


def test_inside_a_token_is_no_boundary() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(tiny_words.NAME, source=tiny_words.trained())
    (probs,) = boundary_probs(nlp, ["I like, ok"])
    assert probs[[2, 3, 4, 8]] == pytest.approx(0)
    assert probs[[0, 1, 6, 7]] == pytest.approx(1)
    assert 0 < probs[5] < 1
    with pytest.raises(ValueError, match="Constraints"):
        list(segment_texts(nlp, ["I like, ok"], [[3]]))


# Pipelines


def test_components_before_the_segmenter_run_and_others_do_not() -> None:
    nlp = tiny_words.fresh()
    seen = []

    @Language.component("word_prediction_test")
    def look(doc):  # type: ignore[no-untyped-def]
        seen.append(len(doc))
        return doc

    nlp.add_pipe("word_prediction_test", first=True)
    nlp.add_pipe("word_prediction_test", name="after", last=True)
    nlp.add_pipe("word_prediction_test", name="off", first=True)
    nlp.disable_pipe("off")
    assert list(segment_texts(nlp, ["我喜欢吃苹果。"])) == [["我", "喜欢", "吃", "苹果", "。"]]
    assert seen == [7]
    assert nlp.pipe_names == ["word_prediction_test", tiny_words.NAME, "after"]
    assert nlp.disabled == ["off"]


def test_an_encoder_that_the_segmenter_listens_to_runs_before_it() -> None:
    nlp = spacy.blank("zh")
    width = nlp.add_pipe("tok2vec").model.get_dim("nO")  # type: ignore[attr-defined]
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "*"}
    model = tiny_words.model_config(features=None, encoder=listener)
    nlp.add_pipe(tiny_words.NAME, config={"model": model, "pretrained": None})
    tiny_words.train(nlp, steps=2)
    docs = list(nlp.pipe(TEXTS))
    expected = [[token.text for token in doc if not token.is_space] for doc in docs]
    assert list(segment_texts(nlp, TEXTS)) == expected
    assert [len(probs) + 1 for probs in boundary_probs(nlp, TEXTS) if len(probs)] == [
        len(text) for text in TEXTS if len(text) > 1
    ]


def test_the_segmenter_is_found_by_its_factory() -> None:
    nlp = spacy.blank("zh")
    nlp.add_pipe("sentencizer")
    pipe = nlp.add_pipe(tiny_words.NAME, name="words", config={"pretrained": None})
    assert find(nlp, tiny_words.NAME) is pipe


@pytest.mark.parametrize(
    ("names", "found"), [([], "no components"), (["sentencizer"], "sentencizer")]
)
def test_a_pipeline_without_segmenter_is_an_error(names: list[str], found: str) -> None:
    nlp = spacy.blank("zh")
    for name in names:
        nlp.add_pipe(name)
    with pytest.raises(ValueError, match=f"word_segmenter.*{found}"):
        list(boundary_probs(nlp, ["我"]))


@pytest.mark.parametrize(
    ("text", "gap"), [("我喜欢吃", -1), ("我喜欢吃", 3), ("我喜欢吃", 4), ("我", 0), ("", 0)]
)
def test_a_gap_that_a_text_does_not_have_is_an_error(nlp: Language, text: str, gap: int) -> None:
    with pytest.raises(ValueError, match=rf"gap\b.*{gap}"):
        list(segment_texts(nlp, ["我", text], [[], [gap]]))


def test_each_text_needs_boundaries(nlp: Language) -> None:
    with pytest.raises(ValueError, match="shorter"):
        list(segment_texts(nlp, ["我"], []))
