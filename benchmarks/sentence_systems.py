"""Wrap the sentence splitters that sentence_peers.py measures in a common interface.

name -> System -> a function: text -> half-open characters, or strings

Offsets are used if a peer returns them. Otherwise its strings are searched in the text
(`find_pieces`).
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeAlias

Piece: TypeAlias = tuple[int, int] | str
Split: TypeAlias = Callable[[str], Iterable[Piece]]


class System(NamedTuple):
    """A splitter and the package that it comes from."""

    package: str  # name for pip
    module: str
    make: Callable[[], Split]
    gives: str = "offsets"
    only_lines: bool = False  # a variant that is only measured on texts with line ends


def make_ours(**settings: Any) -> Split:
    """Return our function."""
    from spacy_sentid import segment

    return partial(segment, **settings)


def make_pipeline(name: str) -> Split:
    """Return a component, with the tokenizer before it."""
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe(name)
    nlp.max_length = 10**9
    return lambda text: [(sent.start_char, sent.end_char) for sent in nlp(text).sents]


def make_pysbd() -> Split:
    """Return pySBD, which finds the offsets itself."""
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False, char_span=True)
    return lambda text: [(span.start, span.end) for span in segmenter.segment(text)]


def make_syntok() -> Split:
    """Return syntok's `analyze`, as the offsets of `process` refer to a changed text."""
    import syntok.segmenter

    def split(text: str) -> Iterable[Piece]:
        for paragraph in syntok.segmenter.analyze(text):
            for sentence in paragraph:
                tokens = list(sentence)
                yield tokens[0].offset, tokens[-1].offset + len(tokens[-1].value)

    return split


def make_segtok(function: str) -> Split:
    """Return segtok: split_single ends sentences at line ends, split_multi at empty lines."""
    import segtok.segmenter

    return getattr(segtok.segmenter, function)


def make_sentence_splitter() -> Split:
    """Return sentence-splitter, which ends sentences at line ends."""
    import sentence_splitter

    return sentence_splitter.SentenceSplitter("en").split


def make_blingfire() -> Split:
    """Return BlingFire."""
    import blingfire

    return lambda text: blingfire.text_to_sentences_and_offsets(text)[1]


def make_sentencex() -> Split:
    """Return sentencex."""
    import sentencex

    boundaries = sentencex.get_sentence_boundaries
    return lambda text: [(b["start_index"], b["end_index"]) for b in boundaries("en", text)]


def make_nupunkt() -> Split:
    """Return nupunkt with its bundled model."""
    import nupunkt

    return nupunkt.sent_spans


def make_punkt() -> Split:
    """Return NLTK's Punkt without any training."""
    from nltk.tokenize.punkt import PunktSentenceTokenizer

    return PunktSentenceTokenizer().span_tokenize


OURS = "segment"
SYSTEMS = {
    OURS: System("spacy-sentid", "spacy_sentid", make_ours),
    "segment, newline=break": System(
        "spacy-sentid", "spacy_sentid", partial(make_ours, newline="break"), only_lines=True
    ),
    "rule_sentencizer": System(
        "spacy-sentid", "spacy_sentid", partial(make_pipeline, "rule_sentencizer")
    ),
    "segment, structure": System(
        "spacy-sentid", "spacy_sentid", partial(make_ours, strategy="structure")
    ),
    "segment, lexicon+abbreviations": System(
        "spacy-sentid", "spacy_sentid", partial(make_ours, strategy="lexicon+abbreviations")
    ),
    "spaCy sentencizer": System("spacy", "spacy", partial(make_pipeline, "sentencizer")),
    "pySBD": System("pysbd", "pysbd", make_pysbd),
    "syntok": System("syntok", "syntok", make_syntok),
    "segtok": System("segtok", "segtok", partial(make_segtok, "split_multi"), "strings"),
    "segtok, split_single": System(
        "segtok", "segtok", partial(make_segtok, "split_single"), "strings", only_lines=True
    ),
    "sentence-splitter": System(
        "sentence-splitter", "sentence_splitter", make_sentence_splitter, "strings"
    ),
    "BlingFire": System("blingfire", "blingfire", make_blingfire),
    "sentencex": System("sentencex", "sentencex", make_sentencex),
    "nupunkt": System("nupunkt", "nupunkt", make_nupunkt),
    "Punkt, untrained": System("nltk", "nltk", make_punkt),
}


def find_systems(names: Sequence[str]) -> tuple[dict[str, System], list[str]]:
    """Return the systems whose packages are installed, and the names of the others."""
    there = {name: SYSTEMS[name] for name in names if find_spec(SYSTEMS[name].module)}
    return there, [name for name in names if name not in there]


def find_pieces(text: str, pieces: Iterable[Piece]) -> list[tuple[int, int]]:
    """Find strings in the text that they come from, in order; keep offsets as they are.

    Raises ValueError if a string is not in the text. Except for white space, a splitter must not
    change the text.

    >>> find_pieces("Go on.  Go  on.", ["Go on.", "Go on."])
    [(0, 6), (8, 15)]
    """
    found = []
    end = 0
    for piece in pieces:
        if not isinstance(piece, str):
            found.append(piece)
            continue
        words = piece.split()
        if not words:
            continue
        start = text.find(piece, end)
        if start < 0:
            match = re.compile(r"\s+".join(map(re.escape, words))).search(text, end)
            if match is None:
                raise ValueError(
                    f"A sentence must be a part of the text after character {end}, got "
                    f"{piece[:60]!r}. Leave this system out with --only."
                )
            start, end = match.span()
        else:
            end = start + len(piece)
        found.append((start, end))
    return found


def find_ends(text: str, pieces: Iterable[Piece]) -> set[int]:
    """Find the ends of sentences, without white space after them, except the end of the text.

    >>> find_ends("One. Two. ", ["One. ", "Two. "])
    {4}
    """
    length = len(text.rstrip())
    ends = {start + len(text[start:end].rstrip()) for start, end in find_pieces(text, pieces)}
    return {end for end in ends if 0 < end < length}
