"""Texts in words and sentences, and which sentences of two texts to compare.

text -> words and sentences -> for each sentence those of the other text that share most with it

Comparing each sentence with its best matches only costs one short pair a sentence, not one for
each two sentences; the choice itself is arithmetic on lists of words.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc

from ...files.records import SURROGATE

# Half-open characters of each sentence, in text order.
Splitter = Callable[[str], Sequence[tuple[int, int]]]
# A component.
Pipe = Callable[[Doc], Doc]

FACTORY = "paraphrase_tagger"
# What components that set sentence starts say that they assign.
_SENTENCES = {"token.is_sent_start", "token.sent_start", "doc.sents"}


class Passage(NamedTuple):
    """A text in words. White space is no word; the sentences tile the words."""

    text: str
    words: list[str]
    offsets: list[tuple[int, int]]  # half-open characters of each word in the text as given
    sentences: list[tuple[int, int]]  # half-open words

    def split_words(self) -> list[list[str]]:
        """Give the words of each sentence."""
        return [self.words[start:end] for start, end in self.sentences]


def read_passage(
    nlp: Language, text: str, *, pipes: Sequence[Pipe] = (), split: Splitter | None = None
) -> Passage:
    """Cut a text into words, with the tokenizer of `nlp`, and into sentences.

    A word belongs to the sentence that it starts in, or to the first if it stands before all.

    pipes: Components that set sentence starts, see `list_sentence_pipes`; not used with `split`.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> read_passage(nlp, "Hi. Sales rose.", pipes=list_sentence_pipes(nlp)).sentences
    [(0, 2), (2, 5)]
    """
    # spaCy cannot take lone surrogates; one for one, so that offsets hold.
    text = SURROGATE.sub("\ufffd", text)
    doc = nlp.make_doc(text)
    tokens = [(token.text, token.idx) for token in doc if not token.is_space]
    words, starts = [word for word, _ in tokens], [start for _, start in tokens]
    if split is not None:
        sentence_starts = [start for start, _ in split(text)]
    else:
        for pipe in pipes:
            doc = pipe(doc)
        sentence_starts = [sentence.start_char for sentence in doc.sents]
    firsts = [0, *numpy.searchsorted(starts, sentence_starts[1:]).tolist(), len(tokens)]
    offsets = [(start, start + len(word)) for word, start in tokens]
    return Passage(text, words, offsets, list(pairwise(sorted(set(firsts)))))


def list_sentence_pipes(nlp: Language) -> list[Pipe]:
    """List the components of a pipeline that set sentence starts.

    They are those of `nlp`, but the tagger, as far as the last that sets sentence starts; without
    any it is spaCy's `sentencizer`: a sentence ends at ".", "!", "?" and the like.
    """
    names = [name for name in nlp.pipe_names if nlp.get_pipe_meta(name).factory != FACTORY]
    while names and not _SENTENCES & set(nlp.get_pipe_meta(names[-1]).assigns):
        names.pop()
    return [nlp.get_pipe(name) for name in names] or [Sentencizer()]


def make_splitter(nlp: Language) -> Splitter:
    """Make a sentence splitter of a pipeline (see `list_sentence_pipes`).

    >>> import spacy
    >>> make_splitter(spacy.blank("en"))("It rose. It fell.")
    [(0, 8), (9, 17)]
    """
    pipes = list_sentence_pipes(nlp)

    def split(text: str) -> list[tuple[int, int]]:
        doc = nlp.make_doc(text)
        for pipe in pipes:
            doc = pipe(doc)
        return [(sent.start_char, sent.end_char) for sent in doc.sents]

    return split


def match_sentences(
    sentences: Sequence[Sequence[str]], others: Sequence[Sequence[str]], *, k: int
) -> list[list[int]]:
    """Find for each sentence the k of another text that share most words with it, rare ones first.

    sentences, others: Words of each sentence. A shared word counts once, upper and lower case
        alike, by how few of `others` have it.
    RETURNS: For each of `sentences` the numbers of its matches, in text order; the earlier where
        two are equal, all where there are no more than k.

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
        rarity = [_rarity(len(places[word]), len(others)) for word in shared]
        weights = numpy.repeat(rarity, numpy.asarray([len(places[word]) for word in shared], int))
        overlap = numpy.bincount(numpy.asarray(found, int), weights, minlength=len(others))
        best = numpy.argsort(-overlap, kind="stable")[:k]
        matches.append(sorted(best.tolist()))
    return matches


def _rarity(n_with: int, n_sentences: int) -> float:
    """How much a word tells: above 0, and little for a word of every sentence."""
    return float(numpy.log((n_sentences + 1) / (n_with + 0.5)))
