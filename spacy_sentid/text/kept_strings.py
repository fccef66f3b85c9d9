"""Strings that the user wants to keep together: no unit starts inside them, or after them.

text, strings -> ranges of characters in which no unit starts
"""

import re
from collections.abc import Sequence
from functools import lru_cache


def find_kept(
    text: str, never_split: Sequence[str], abbreviations: Sequence[str]
) -> list[tuple[int, int]]:
    """Find where no unit starts, as half-open ranges of characters.

    never_split: Strings inside which no unit starts, such as "Yahoo! Inc.".
    abbreviations: Words after whose period no unit starts, such as "approx.". The period may be
        left out.
    RETURNS: The ranges, first those of `never_split`. Both are found as whole words, with the same
        case; [] for an empty text.

    >>> find_kept("Ask Yahoo! Inc. in Oak Rd. 5", ["Yahoo! Inc."], ["Rd"])
    [(5, 15), (24, 28)]
    """
    strings, words = _compile(tuple(never_split)), _compile(tuple(abbreviations), period=True)
    inside = [match.span() for match in strings.finditer(text)] if strings else []
    # The first character after an abbreviation and its white space is in its range.
    before = [(match.start(), match.end() + 1) for match in words.finditer(text)] if words else []
    return [(start + 1, end) for start, end in inside + before]


@lru_cache(maxsize=64)
def _compile(strings: tuple[str, ...], *, period: bool = False) -> re.Pattern[str] | None:
    if period:
        strings = tuple(string.removesuffix(".") for string in strings)
    longest_first = sorted(map(re.escape, strings), key=len, reverse=True)
    after = r"\.[^\S\r\n]*(?:\r?\n)?[^\S\r\n]*" if period else r"(?!\w)"
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)}){after}") if strings else None
