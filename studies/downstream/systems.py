"""Systems that parse raw text, with different sentence splitters and with or without NSUs.

text -> sentence starts -> `strip_nsu` (optional) -> tagger and parser -> words of the original text
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid import original_offset, strip_nsu
from spacy_sentid.components.sentence_starts import write_sentence_starts
from spacy_sentid.corpus_augmenter.noun_phrases import base_relation
from spacy_sentid.text.offsets import OFFSETS
from studies.downstream.scores import Word

SENTER, IDENTIFIER = BORDERS = ("senter", "sentence_identifier")
GOLD = "gold"


class System(NamedTuple):
    """A way to split a text before it is parsed."""

    title: str
    pipe: str | None  # one of BORDERS, or GOLD, sets sentence starts; None: the parser does
    strip: bool = False  # remove NSUs with `strip_nsu`


# The systems in the order of the tables. The others are compared with the first.
SYSTEMS = {
    "whole": System("parsed whole", None),
    "senter": System("after `senter`", SENTER),
    "identifier": System("after `sentence_identifier`", IDENTIFIER),
    "identifier-strip": System("after `sentence_identifier`, `strip_nsu`", IDENTIFIER, True),
    "gold": System("at the gold units", GOLD),
}


def parse_texts(
    nlp: Language, system: System, texts: Sequence[str], gold_starts: Sequence[Sequence[int]]
) -> Iterator[Doc]:
    """Parse texts with one system, and yield a Doc for each text.

    nlp: Pipeline with BORDERS before tagger and parser. At most one of BORDERS runs.
    gold_starts: Characters where the gold units of each text start.
    """
    docs: Iterator[Doc] = nlp.pipe(
        texts, disable=[name for name in nlp.pipe_names if name != system.pipe]
    )
    if system.pipe == GOLD:
        docs = map(_set_starts, docs, gold_starts)
    if system.strip:
        docs = map(strip_nsu, docs)
    yield from nlp.pipe(docs, disable=BORDERS)


def find_words(doc: Doc) -> list[Word]:
    """List the words of a parsed Doc, with their characters in the original text.

    White-space tokens are skipped. A word whose head is white space becomes a root.
    """
    tokens = [token for token in doc if not token.is_space]
    index = {token.i: n for n, token in enumerate(tokens)}
    is_cut = OFFSETS in doc.user_data
    words = []
    for n, token in enumerate(tokens):
        start = original_offset(doc, token.idx) if is_cut else token.idx
        words.append(
            Word(
                start_char=start,
                end_char=start + len(token.text),
                head=index.get(token.head.i, n),
                relation=base_relation(token.dep_).lower(),  # spaCy has "ROOT"
                upos=token.pos_,
            )
        )
    return words


def find_sents(doc: Doc) -> set[tuple[int, int]]:
    """Find the characters of each sentence in the original text, without white space around it."""
    is_cut = OFFSETS in doc.user_data
    bounds = set()
    for sent in doc.sents:
        tokens = [token for token in sent if not token.is_space]
        if tokens:
            start, last = tokens[0].idx, tokens[-1].idx
            if is_cut:
                start, last = original_offset(doc, start), original_offset(doc, last)
            bounds.add((start, last + len(tokens[-1].text)))
    return bounds


def _set_starts(doc: Doc, starts: Sequence[int]) -> Doc:
    """Set sentence starts at the tokens that contain the characters `starts`."""
    offsets = [token.idx for token in doc]
    tokens = sorted({bisect_right(offsets, start) - 1 for start in starts})
    write_sentence_starts(doc, tokens, overwrite=True)
    return doc
