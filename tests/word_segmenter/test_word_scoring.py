"""Scores of words: exact spans, unknown words, single characters; the scorer for spaCy."""

import random
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry
from spacy.vocab import Vocab

from spacy_sentid.word_segmenter.scorer import (
    CHUNKS_KEY,
    WordCounts,
    make_word_scorer,
    score_examples,
    spans_from_words,
    strip_words,
)


def score_words(gold: Any, pred: Any, known: Any = None) -> dict[str, float]:
    return count(gold, pred, known).scores(with_unknown=known is not None)


def count(gold: Any, pred: Any, known: Any = None) -> WordCounts:
    counts = WordCounts()
    for words, found in zip(gold, pred, strict=True):
        counts.add(words, found, in_vocabulary=known)
    return counts


GOLD = [["邀请", "上", "朋友"], ["办", "个", "晚宴"]]
PRED = [["邀", "请上", "朋友"], ["办个", "晚宴"]]


def test_scores_are_those_of_exact_spans() -> None:
    scores = score_words(GOLD, PRED, {"朋友", "办", "上"}.__contains__)
    assert scores == pytest.approx(
        {
            "word_p": 2 / 5,
            "word_r": 2 / 6,
            "word_f": 4 / 11,
            # Of 邀请, 个 and 晚宴 the last was found.
            "oov_r": 1 / 3,
            "oov_rate": 3 / 6,
            "single_rate": 1 / 9,
        }
    )


def test_without_known_words_there_are_no_scores_of_unknown_ones() -> None:
    assert set(score_words(GOLD, PRED)) == {"word_p", "word_r", "word_f", "single_rate"}


def test_words_are_compared_by_span_and_not_by_characters() -> None:
    assert score_words([["上", "上上"]], [["上上", "上"]])["word_f"] == 0


def test_without_unknown_words_their_recall_is_1_and_the_rate_0() -> None:
    scores = score_words(GOLD, PRED, lambda word: True)
    assert (scores["oov_r"], scores["oov_rate"]) == (1, 0)


@pytest.mark.parametrize("sentences", [[], [[]], [[" "], []]])
def test_empty_sentences_have_perfect_scores(sentences: list[list[str]]) -> None:
    scores = score_words(sentences, [[] for _ in sentences], lambda word: False)
    assert scores == {
        "word_p": 1, "word_r": 1, "word_f": 1, "oov_r": 1, "oov_rate": 0, "single_rate": 0,
    }  # fmt: skip


def test_white_space_does_not_count() -> None:
    assert strip_words([" 上 ", "\t", "New\u3000York"]) == ["上", "NewYork"]
    scores = score_words([["上", "朋友"]], [["上 ", "\n", "朋 友"]])
    assert scores["word_f"] == scores["word_p"] == 1
    assert scores["single_rate"] == 1 / 3


@pytest.mark.parametrize(
    ("gold", "pred", "message"),
    [
        ([["上", "下"]], [["上", "上"]], "character 1 .*'上下'"),
        ([["上", "下"]], [["上"]], "character 1 .*'上下'"),
    ],
)
def test_different_texts_are_an_error(
    gold: list[list[str]], pred: list[list[str]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        score_words(gold, pred)


@given(st.text("上下字", max_size=12), st.randoms(use_true_random=False))
def test_laws_of_the_scores(text: str, rng: random.Random) -> None:
    one, other = _cut(text, rng), _cut(text, rng)
    known = {"上", "上下"}.__contains__
    assert score_words([one], [one], known)["word_f"] == 1
    scores, turned = score_words([one], [other], known), score_words([other], [one], known)
    assert (scores["word_p"], scores["word_f"]) == (turned["word_r"], turned["word_f"])
    assert all(0 <= score <= 1 for score in scores.values())
    counts = count([one], [other], known)
    assert counts.unknown_right <= counts.right <= min(counts.gold, counts.pred)
    assert scores["single_rate"] * len(text) == pytest.approx(sum(len(w) == 1 for w in other))


def _cut(text: str, rng: random.Random) -> list[str]:
    """Split a text anywhere."""
    words: list[str] = []
    for character in text:
        if words and rng.random() < 0.5:
            words[-1] += character
        else:
            words.append(character)
    return words


# The scorer.


def make_example(gold: list[str], pred: list[str], *, chunks: bool = False) -> Example:
    vocab = Vocab()
    docs = [Doc(vocab, words=words, spaces=[False] * len(words)) for words in (pred, gold)]
    if chunks:
        docs[1].spans[CHUNKS_KEY] = [docs[1][:1]]
    return Example(*docs)


def test_the_scorer_returns_the_scores_of_the_words() -> None:
    examples = [make_example(*pair) for pair in zip(GOLD, PRED, strict=True)]
    known = {"朋友"}.__contains__
    assert score_examples(examples, in_vocabulary=known) == score_words(GOLD, PRED, known)
    assert make_word_scorer()(examples) == score_words(GOLD, PRED)


def test_the_scorer_skips_partial_references() -> None:
    partial = make_example(["邀请上", "朋友"], ["邀请", "上朋友"], chunks=True)
    whole = make_example(["晚宴"], ["晚宴"])
    assert score_examples([partial, whole]) == score_words([["晚宴"]], [["晚宴"]])
    assert score_examples([partial]) == score_examples([]) == {}


def test_an_empty_group_of_chunks_is_a_full_reference() -> None:
    example = make_example(["晚宴"], ["晚", "宴"])
    example.reference.spans[CHUNKS_KEY] = []
    assert score_examples([example])["word_f"] == 0


def test_tokens_of_white_space_do_not_count() -> None:
    nlp = spacy.blank("zh")
    pred = nlp("上 \n朋")
    assert [token.text for token in pred] != ["上", "朋"]
    gold = Doc(nlp.vocab, words=["上", "朋"], spaces=[True, False])
    assert score_examples([Example(pred, gold)])["word_f"] == 1


def test_the_scorer_is_registered() -> None:
    assert registry.get("scorers", "spacy_sentid.word_scorer.v1") is make_word_scorer


# Spans of words.


WORDS = st.lists(st.text("上下字ab1，", min_size=1, max_size=5), max_size=8)


@given(WORDS)
def test_spans_tile_the_text_and_hold_the_words(words: list[str]) -> None:
    text, spans = "".join(words), spans_from_words(words)
    assert [text[start:end] for start, end in spans] == words
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]


def test_no_words_have_no_spans() -> None:
    assert spans_from_words([]) == []
