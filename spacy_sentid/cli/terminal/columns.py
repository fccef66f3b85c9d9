"""Columns of a terminal: the width of text, wrapping, and characters that must not reach it."""

import re
from collections.abc import Iterator
from itertools import pairwise
from unicodedata import bidirectional, category, east_asian_width

from ...text.units import word_spans

# Controls (except tabs and line ends), controls of the direction of text, and lone surrogates.
CONTROLS = re.compile(
    "[\0-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
MARKS = {"Mn", "Me", "Cf"}  # categories of characters without a width of their own
HANGUL_VOWELS = range(0x1160, 0x1200)  # medial and final letters are drawn over the first one
RTL = {"R", "AL"}
ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
OPENING, CLOSING = {"Ps", "Pi"}, {"Pe", "Pf", "Po"}


def clean(text: str) -> str:
    r"""Replace characters that could disturb a terminal. Tabs and line ends remain.

    >>> clean("a\x1b[31m\tb\n")
    'a\ufffd[31m\tb\n'
    """
    return CONTROLS.sub("\ufffd", text)


def count_columns(text: str) -> int:
    """Count the columns of a text without tabs and line ends.

    >>> count_columns("cafe\u0301"), count_columns("\u6211\u4eec")
    (4, 4)
    """
    return len(text) if text.isascii() else sum(map(_count_one, text))


def _count_one(char: str) -> int:
    if category(char) in MARKS or ord(char) in HANGUL_VOWELS:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def isolate(text: str) -> str:
    """Add characters around a text with right-to-left letters that isolate it from other text.

    Otherwise, a terminal could reverse a whole line, with the signs before and after the text.
    """
    if text.isascii() or not any(bidirectional(char) in RTL for char in text):
        return text
    return f"{ISOLATE}{text}{POP_ISOLATE}"


def wrap_flowing(text: str, columns: int) -> list[str]:
    """Wrap a text in which white space and line ends mean the same.

    Only words that are longer than a line are cut. Chinese, Japanese and similar text is wrapped
    between any characters, but no line begins with a comma or a closing bracket.

    columns: At least 2.

    >>> wrap_flowing("the crate never left\\nthe van", 16)
    ['the crate never', 'left the van']
    >>> wrap_flowing("\u6211\u4eec\u5728\u5b66\u6821\u3002", 10)
    ['\u6211\u4eec\u5728\u5b66', '\u6821\u3002']
    """
    return _fill(_list_words(text), columns)


def wrap_kept(line: str, columns: int) -> list[str]:
    """Wrap one line whose spaces are kept, as in a table, at white space where possible.

    Spaces at a line end are dropped. If the line is too wide, it is moved to the left first.

    >>> wrap_kept("Item    Due", 11), wrap_kept("    Item    Due", 11)
    (['Item    Due'], ['Item    Due'])
    >>> wrap_kept("Item    Due   Cost", 12)
    ['Item    Due', 'Cost']
    """
    line = line.rstrip()
    excess = count_columns(line) - columns
    if excess <= 0:
        return [line]
    line = line[min(excess, len(line) - len(line.lstrip(" "))) :]
    words = [(found[1], found[2]) for found in re.finditer(r"( *)([^ ]+)", line)]
    return _fill(words, columns)


def _list_words(text: str) -> Iterator[tuple[str, str]]:
    """List the pieces between which a text may be wrapped, each with the space before it."""
    word, space, end = "", "", 0
    for start, stop in word_spans(text):
        gap, found = text[end:start], text[start:stop]
        holds = category(found[0]) in CLOSING or (word and category(word[-1]) in OPENING)
        if word and not gap and holds:
            word += found
        else:
            if word:
                yield space, word
            # Scripts without spaces have none at a line end either.
            is_unspaced = word and _is_unspaced(word[-1]) and _is_unspaced(found[0])
            space = " " if word and gap and not ("\n" in gap and is_unspaced) else ""
            word = found
        end = stop
    if word:
        yield space, word


def _is_unspaced(char: str) -> bool:
    """Return whether words begin next to this character without a space."""
    return len(word_spans(f"{char}a")) > 1


def _fill(words: Iterator[tuple[str, str]] | list[tuple[str, str]], columns: int) -> list[str]:
    """Fill lines with (space before, word) pairs."""
    lines: list[str] = []
    line, used = "", 0
    for space, word in words:
        width = count_columns(word)
        if used and used + len(space) + width > columns:
            lines.append(line)
            line, used, space = "", 0, ""
        if width > columns:
            *cut, word = _cut(word, columns)
            lines += cut
            width = count_columns(word)
        line += space + word
        used += len(space) + width
    return [*lines, line] if line else lines


def _cut(word: str, columns: int) -> list[str]:
    """Cut a word after each last character that fits, with its marks."""
    cuts, used = [0], 0
    for i, char in enumerate(word):
        width = _count_one(char)
        if used + width > columns and i:
            cuts.append(i)
            used = 0
        used += width
    return [word[start:end] for start, end in pairwise([*cuts, len(word)])]
