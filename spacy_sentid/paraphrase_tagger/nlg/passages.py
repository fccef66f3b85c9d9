"""Texts split into words and sentences, and the choice of sentences to compare.

text -> words and sentences -> for each sentence those of the other text that share most with it

Each sentence is only compared with its best matches. This takes a few short pairs per sentence,
instead of one for every combination of sentences. The choice is fast, as it only counts words.
"""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ...files.records import SURROGATE

# A component.
Pipe = Callable[[Doc], Doc]

FACTORY = "paraphrase_tagger"
# Attributes in the `assigns` of components that set sentence starts.
_SENTENCES = {"token.is_sent_start", "token.sent_start", "doc.sents"}


class Passage(NamedTuple):
    """A text split into words and sentences. Words exclude white space. Sentences tile words."""

    text: str
    words: list[str]
    offsets: list[tuple[int, int]]  # half-open characters of each word in the original text
    sentences: list[tuple[int, int]]  # half-open ranges of words

    def split_words(self) -> list[list[str]]:
        """List the words of each sentence."""
        return [self.words[start:end] for start, end in self.sentences]


def read_passage(nlp: Language, text: str, *, pipes: Sequence[Pipe]) -> Passage:
    """Split a text into words, with the tokenizer of `nlp`, and into sentences.

    pipes: Components that set sentence starts (see `list_sentence_pipes`).

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> read_passage(nlp, "Hi. Sales rose.", pipes=list_sentence_pipes(nlp)).sentences
    [(0, 2), (2, 5)]
    """
    # spaCy cannot process lone surrogates. Each is replaced by one character, which keeps offsets.
    text = SURROGATE.sub("\ufffd", text)
    doc = nlp.make_doc(text)
    tokens = [(token.text, token.idx) for token in doc if not token.is_space]
    words, starts = [word for word, _ in tokens], [start for _, start in tokens]
    for pipe in pipes:
        doc = pipe(doc)
    sentence_starts = [sentence.start_char for sentence in doc.sents]
    firsts = [0, *numpy.searchsorted(starts, sentence_starts[1:]).tolist(), len(tokens)]
    offsets = [(start, start + len(word)) for word, start in tokens]
    return Passage(text, words, offsets, list(pairwise(sorted(set(firsts)))))


def list_sentence_pipes(nlp: Language) -> list[Pipe]:
    """List the components that split texts into sentences.

    RETURNS: All components of `nlp` up to the last that sets sentence starts, without the tagger.
        If no component does, the list has spaCy's `sentencizer`, which splits at ".", "!", "?" and
        similar marks.
    """
    names = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory != FACTORY]
    while names and not _SENTENCES & set(nlp.get_pipe_meta(names[-1]).assigns):
        names.pop()
    return [nlp.get_pipe(name) for name in names] or [Sentencizer()]


def match_sentences(
    sentences: Sequence[Sequence[str]], others: Sequence[Sequence[str]], *, k: int
) -> list[list[int]]:
    """Find, for each sentence, the k sentences of the other text that share most words with it.

    sentences, others: Words of each sentence. Each shared word counts once, ignoring case. Its
        weight is higher if fewer of `others` have it.
    RETURNS: The indices of the matches of each sentence, in text order. Ties go to the earlier
        sentence. If `others` has at most k sentences, all match.

    >>> others = [["the", "cat", "slept"], ["the", "dog", "ran"], ["the", "cat", "ran"]]
    >>> match_sentences([["the", "dog", "slept"]], others, k=2)
    [[0, 1]]
    """
    if len(others) <= k:
        return [list(range(len(others))) for _ in sentences]
    places: dict[str, list[int]] = {}
    for number, words in enumerate(others):
        for word in {word.casefold() for word in words}:
            places.setdefault(word, []).append(number)
    matches = []
    for words in sentences:
        shared = sorted({word.casefold() for word in words} & places.keys())
        found = [number for word in shared for number in places[word]]
        # Above 0, and lowest for words in every sentence.
        rarity = [math.log((len(others) + 1) / (len(places[word]) + 0.5)) for word in shared]
        weights = numpy.repeat(rarity, numpy.asarray([len(places[word]) for word in shared], int))
        overlap = numpy.bincount(numpy.asarray(found, int), weights, minlength=len(others))
        best = numpy.argsort(-overlap, kind="stable")[:k]
        matches.append(sorted(best.tolist()))
    return matches
