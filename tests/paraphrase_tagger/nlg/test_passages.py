"""Splitting texts into words and sentences, and matching sentences."""

import math
import random

import pytest
import spacy
from stand_in import make_stand_in

from spacy_sentid.paraphrase_tagger.nlg.passages import (
    list_sentence_pipes,
    match_sentences,
    read_passage,
)


def test_sentences_are_those_of_the_pipeline():
    nlp = make_stand_in()
    text = "Sales rose! Costs fell; it rained."
    assert read_passage(nlp, text, pipes=list_sentence_pipes(nlp)).sentences == [(0, 3), (3, 9)]
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]}, first=True)
    assert read_passage(nlp, text, pipes=list_sentence_pipes(nlp)).sentences == [(0, 6), (6, 9)]


def test_passages_tile_their_words():
    nlp = spacy.blank("en")
    text = " He said so. \n Then left"
    passage = read_passage(nlp, text, pipes=list_sentence_pipes(nlp))
    assert passage.split_words() == [["He", "said", "so", "."], ["Then", "left"]]
    assert [text[slice(*offset)] for offset in passage.offsets] == passage.words


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_matches_are_the_best_by_rare_words(k):
    rng = random.Random(k)
    texts = [[rng.choice("aAbcdefgh") for _ in range(rng.randint(1, 5))] for _ in range(8)]
    first, others = texts[:4], texts[4:]
    lowered = [{word.casefold() for word in words} for words in others]

    def overlap(words: list[str], other: set[str]) -> float:
        shared = {word.casefold() for word in words} & other
        n_with = [sum(word in other for other in lowered) for word in shared]
        return sum(math.log((len(others) + 1) / (n + 0.5)) for n in n_with)

    for words, found in zip(first, match_sentences(first, others, k=k), strict=True):
        values = [round(overlap(words, other), 9) for other in lowered]
        order = sorted(range(len(others)), key=lambda i: (-values[i], i))
        assert found == sorted(order[:k])
