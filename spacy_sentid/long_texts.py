"""Cut long texts at places where no unit is likely to be cut.

text -> pieces of at most so many characters; joined they are the text
"""

import re
import unicodedata
from collections.abc import Iterator

ZERO_WIDTH_JOINER = "\u200d"
MARKS = ".!?…。！？"
CLOSERS = "\"'”’»›)\\]}）】」』》〉"
LINE_END = r"(?:\r\n|\r(?!\n)|[\n\x85\u2028\u2029])"
SPACES = r"[^\S\r\n\x85\u2028\u2029]*"
# From the best place to the next best; a cut is behind a match.
PLACES = [
    re.compile(f"{LINE_END}{SPACES}{LINE_END}"),
    re.compile(f"[{MARKS}][{CLOSERS}]*{SPACES}{LINE_END}"),
    re.compile(rf"[{MARKS}][{CLOSERS}]*\s+|[。！？][{CLOSERS}]*"),
    re.compile(LINE_END),
    re.compile(r"\s+"),
]
# Characters that are not parted from the one before, in a row, at most.
LONGEST_CLUSTER = 1000
# Characters of a place that may be before where it is looked for.
LONGEST_PLACE = 100
# Most places are found among the last so many characters.
NEAR = 10_000


def find_cut(text: str, size: int) -> int:
    """Find where to cut a text so that the first part has at most `size` characters.

    In the last half of these characters, the last place of the best kind: behind a blank line; a
    line end after the end of a sentence; white space after the end of a sentence; a line end;
    white space; else between any two characters that can be parted.
    RETURNS: In [1, size], or the length of a text that fits. It depends on no more than the first
        `size` + 1 characters.

    >>> find_cut("I sleep. You sleep.", 12)
    9
    """
    if size < 1:
        raise ValueError(f"The size must be at least 1 character, got {size}.")
    if len(text) <= size:
        return len(text)
    return next((end for end in _list_cuts(text, size) if _can_part(text, end)), size)


def _list_cuts(text: str, size: int) -> Iterator[int]:
    """List where a text may be cut, from the best place to the next best."""
    half = size // 2
    for place in PLACES:
        for start in (max(size - NEAR, half), half):
            matches = place.finditer(text, max(start - LONGEST_PLACE, 0), size)
            ends = [match.end() for match in matches]
            yield from (end for end in reversed(ends) if end > start)
    yield from range(size, max(size - LONGEST_CLUSTER, half), -1)


def _can_part(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return False
    if ZERO_WIDTH_JOINER in (before, after) or "\U0001f3fb" <= after <= "\U0001f3ff":
        return False
    return not unicodedata.category(after).startswith("M")


def cut_text(text: str, size: int) -> Iterator[tuple[int, str]]:
    """Cut a text into pieces of at most `size` characters; none of an empty text.

    YIELDS: (where the piece starts, the piece).

    >>> list(cut_text("I sleep. You sleep.", 12))
    [(0, 'I sleep. '), (9, 'You sleep.')]
    """
    start = 0
    while start < len(text):
        # One more character tells whether the text goes on.
        piece = text[start : start + size + 1]
        piece = piece[: find_cut(piece, size)]
        yield start, piece
        start += len(piece)
