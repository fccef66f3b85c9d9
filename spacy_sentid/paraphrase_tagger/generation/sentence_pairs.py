"""Pairs of sentences as text, with words and tags if they are known.

line of ParaTag's form, or {"text1", "text2"} -> SentencePair -> the same line with text1 and text2

Language models and generators read text; the tagger and annotators read words. A pair can have
both.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...files.records import BadLine, Line, parse_lines, parse_record, read_lines
from ...messages import shorten
from ..corpus import parse_pair

# Signs of treebanks -> the ordinary signs.
SIGNS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
# Spaces before closing signs and clitics, and after opening signs.
BEFORE_CLOSERS = re.compile(
    r" (?=(?:[.,;:!?…%)\]}”’]+|n['’]t|['’](?:s|re|ve|ll|d|m))(?:[\s\"']|$))", re.IGNORECASE
)
AFTER_OPENERS = re.compile(r"(?<![^\s(\[{])([(\[{$£€#“‘]) ")
# A pair of quotes; the possessive of a plural, and a quote that has no partner.
QUOTED = re.compile(r"(?<!\S)(\"|') (.+?) (?:\1)(?!\S)")
POSSESSIVE = re.compile(r"(?<=[sS]) '(?= )")


class SentencePair(NamedTuple):
    """Two sentences, with words and tags (1 = unparaphrased) if known, else None."""

    id: str
    text1: str
    text2: str
    words1: list[str] | None = None
    words2: list[str] | None = None
    tags1: list[int] | None = None
    tags2: list[int] | None = None

    @property
    def texts(self) -> tuple[str, str]:
        """The two texts."""
        return self.text1, self.text2


def parse_sentence_pair(line: Line) -> SentencePair:
    """Parse a line with "sent1" and "sent2" (words), "text1" and "text2" (strings), or all four.

    White space in texts becomes single spaces. Raises ValueError with the place of the line if it
    is invalid.

    >>> line = '{"id": 1, "sent1": ["Sales", "rose", "."], "sent2": ["Sales", "grew", "."]}'
    >>> parse_sentence_pair(Line("a.jsonl:1", line)).texts
    ('Sales rose.', 'Sales grew.')
    """
    record = parse_record(line)
    name = str(record.get("id", line.place))
    texts = [" ".join(read_string(record, key, line.place).split()) for key in ("text1", "text2")]
    if "sent1" in record or "sent2" in record:
        pair = parse_pair(line.text, line.place, allow_identical=True)
        words1, words2 = pair.words1, pair.words2
        text1, text2 = texts[0] or text_from_words(words1), texts[1] or text_from_words(words2)
        return SentencePair(name, text1, text2, words1, words2, pair.tags1, pair.tags2)
    if not all(texts):
        raise ValueError(
            f"{line.place}: a pair must have 'sent1' and 'sent2' (lists of words), or 'text1' and "
            f"'text2', got {shorten(list(record))}."
        )
    return SentencePair(name, texts[0], texts[1])


def read_sentence_pairs(paths: Iterable[Path]) -> tuple[list[SentencePair], list[BadLine]]:
    """Read all pairs of some files, and list the invalid lines."""
    found = [x for path in paths for x in parse_lines(read_lines(path), parse_sentence_pair)]
    pairs = [pair for pair in found if isinstance(pair, SentencePair)]
    return pairs, [line for line in found if isinstance(line, BadLine)]


def read_string(record: dict[str, Any], key: str, place: str) -> str:
    """Read a field of a record, "" if it is missing; ValueError if it is not a string."""
    value = record.get(key, "")
    if not isinstance(value, str):
        raise ValueError(f"{place}: {key!r} must be a string, got {shorten(value)}.")
    return value


def pair_record(pair: SentencePair) -> dict[str, Any]:
    """Make the record of a pair. If it has words, `corpus.read_pairs` can also read it."""
    names = ("id", "text1", "text2", "sent1", "sent2", "tags1", "tags2")
    return {name: value for name, value in zip(names, pair, strict=True) if value is not None}


def text_from_words(words: Sequence[str]) -> str:
    """Join the words of an English sentence with normal spacing and quotes.

    >>> text_from_words("He called it `` a test '' , and did n't ( really ) care .".split())
    'He called it "a test", and didn\\'t (really) care.'
    >>> text_from_words("drug makers ' earnings of $ 2.5 billion".split())
    "drug makers' earnings of $2.5 billion"
    """
    text = " ".join(SIGNS.get(word, word) for word in words)
    text = re.sub(r"``(?: |$)", '"', re.sub(r" ''(?!\S)", '"', text))
    text = QUOTED.sub(r"\1\2\1", POSSESSIVE.sub("'", text))
    return AFTER_OPENERS.sub(r"\1", BEFORE_CLOSERS.sub("", text))
