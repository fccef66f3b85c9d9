"""Units of a text and the label sequences that describe them. No spaCy, no numpy.

A text is a sequence of words (or tokens, or characters) 0 .. n-1. Units are half-open index ranges
`[start, end)` that tile it in order. Each is an SU or an NSU. There are two label alphabets:

B I O    B = first word of an SU, I = its other words, O = outside, in an NSU (App. C)
BOS EOS  flags on the first and the last word of an SU; one word may have both (App. A)
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .kinds import KINDS

SU = "SU"
NSU = "NSU"
NSU_KINDS = tuple(KINDS)
BIO = ("B", "I", "O")

# spaCy's codes of languages that are written without spaces between words.
UNSPACED_LANGS = frozenset({"ja", "km", "lo", "my", "th", "zh"})
# Scripts without spaces between words. Each character with its marks counts as a word.
_SOUTH_EAST_ASIAN = (
    r"\u0e01-\u0e3a\u0e40-\u0e5b\u0e81-\u0edf"  # Thai, Lao
    r"\u1000-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f\u1780-\u17f9"  # Myanmar, Khmer
)
_CJK = (
    r"\u2e80-\u2fff\u3001-\u312f\u3190-\u9fff\uf900-\ufaff"  # Han, kana, bopomofo, marks
    r"\ufe30-\ufe4f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f"  # full and half width
    r"\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_UNSPACED = _SOUTH_EAST_ASIAN + _CJK
# Vowel signs, tone marks and similar, which belong to the character before.
_MARKS = (
    r"\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    r"\u102b-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074"
    r"\u1082-\u108d\u108f\u109a-\u109d\uaa7b-\uaa7d\u17b4-\u17d3\u17dd"
    r"\u0300-\u036f\u302a-\u302f\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef"
)
_WORD = re.compile(rf"[^\s{_UNSPACED}]+|[{_UNSPACED}][{_MARKS}]*")


class Unit(NamedTuple):
    """One SU or NSU: indices `[start, end)` and the label."""

    start: int
    end: int
    label: str


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Exclude the white space at both ends of a span.

    RETURNS: New start and end. If the span is blank, the end is not greater than the start.

    >>> trim_span("a  b ", 1, 5)
    (3, 4)
    """
    piece = text[start:end]
    return end - len(piece.lstrip()), start + len(piece.rstrip())


def bio_from_units(units: Iterable[Unit], length: int) -> list[str]:
    """Label every position of a text of `length` positions with B, I or O.

    units: Any units inside [0, length); positions that no SU covers are O.

    >>> bio_from_units([Unit(0, 1, "NSU"), Unit(1, 3, "SU"), Unit(3, 4, "SU")], 4)
    ['O', 'B', 'I', 'B']
    """
    labels = ["O"] * length
    for start, end, label in units:
        if label == SU and end > start:
            labels[start] = "B"
            labels[start + 1 : end] = ["I"] * (end - start - 1)
    return labels


def units_from_bio(labels: Sequence[str]) -> list[Unit]:
    """Convert B, I, O labels to units: one SU for each B, one NSU for each sequence of O.

    An I without a B before it starts an SU. Neighbouring NSUs become one, as BIO does not separate
    them.

    RETURNS: Units that tile [0, len(labels)); [] for no labels.

    >>> [tuple(unit) for unit in units_from_bio(["O", "O", "B", "I", "B"])]
    [(0, 2, 'NSU'), (2, 4, 'SU'), (4, 5, 'SU')]
    """
    units: list[Unit] = []
    for i, label in enumerate(labels):
        kind = NSU if label == "O" else SU
        continues = units and units[-1].label == kind and label != "B"
        if continues:
            units[-1] = Unit(units[-1].start, i + 1, kind)
        else:
            units.append(Unit(i, i + 1, kind))
    return units


def flags_from_units(units: Iterable[Unit], length: int) -> tuple[list[int], list[int]]:
    """Mark BOS and EOS of every SU.

    RETURNS: Two lists of 0 and 1, each of the given length.

    >>> flags_from_units([Unit(0, 1, "NSU"), Unit(1, 3, "SU"), Unit(3, 4, "SU")], 4)
    ([0, 1, 0, 1], [0, 0, 1, 1])
    """
    bos, eos = [0] * length, [0] * length
    for start, end, label in units:
        if label == SU and end > start:
            bos[start] = 1
            eos[end - 1] = 1
    return bos, eos


def units_from_spans(spans: Iterable[tuple[int, int]], length: int) -> list[Unit]:
    """Tile [0, length) with the given SUs and one NSU for each gap between them.

    spans: Non-empty `(start, end)` in text order, without overlap.

    Raises ValueError for other spans.

    >>> [tuple(unit) for unit in units_from_spans([(1, 3)], 4)]
    [(0, 1, 'NSU'), (1, 3, 'SU'), (3, 4, 'NSU')]
    """
    units: list[Unit] = []
    position = 0
    for start, end in spans:
        if not position <= start < end <= length:
            raise ValueError(
                "Spans must be in text order, non-empty and without overlap, got "
                f"({start}, {end}) where the next span must be within [{position}, {length})."
            )
        if start > position:
            units.append(Unit(position, start, NSU))
        units.append(Unit(start, end, SU))
        position = end
    if position < length:
        units.append(Unit(position, length, NSU))
    return units


def word_spans(text: str) -> list[tuple[int, int]]:
    """Find the words of a text.

    A word contains no white space. In scripts without spaces between words (Han, kana, their
    punctuation, Thai, Lao, Khmer, Myanmar), each character is a word.

    RETURNS: Character offsets `[start, end)` in order.

    >>> word_spans(" Hi  there\\n")
    [(1, 3), (5, 10)]
    >>> word_spans("我用 spaCy。")
    [(0, 1), (1, 2), (3, 8), (8, 9)]
    """
    return [match.span() for match in _WORD.finditer(text)]


def count_words(text: str) -> int:
    """Count the words that `word_spans` finds.

    >>> count_words("我用 spaCy。")
    4
    """
    return len(text.split()) if text.isascii() else len(_WORD.findall(text))


def bio_of_words(char_labels: Sequence[str], words: Iterable[tuple[int, int]]) -> list[str]:
    """Label words by their characters: B if any is B, else I if any is I, else O (App. C).

    >>> bio_of_words(["O", "B", "I"], [(0, 2), (2, 3)])
    ['B', 'I']
    """
    labels = []
    for start, end in words:
        inside = char_labels[start:end]
        labels.append("B" if "B" in inside else "I" if "I" in inside else "O")
    return labels


def label_text(text: str, units: Iterable[Unit]) -> dict[str, list[str]]:
    """Label the words, and the characters that are not white space, with B, I or O.

    >>> label_text("Hi. 3", [Unit(0, 3, "SU")])
    {'word': ['B', 'O'], 'char': ['B', 'I', 'I', 'O']}
    """
    words = word_spans(text)
    labels = bio_from_units(units, len(text))
    visible = [label for start, end in words for label in labels[start:end]]
    return {"word": bio_of_words(labels, words), "char": visible}
