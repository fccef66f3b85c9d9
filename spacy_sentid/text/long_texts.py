"""Cut long texts at places that are probably not inside a unit.

text -> pieces with a maximum number of characters; joined they are the text

Several mechanisms cut a long text, and each bounds one cost. `batch.input.readers` cuts a file into
documents of at most 10 million characters, which bounds the memory of a document's results.
`batch.work.worker` cuts a document into parts of 200,000 characters, which bounds the memory of a
Doc. Both use `cut_text`, so a cut may divide a unit without a line end. In the pipeline,
`text.bounded_tokenizer` cuts long words, which bounds the time of the tokenizer; ordinary text
keeps its tokens. The identifier scores 10,000 tokens at once: `network.tokens.split_batch` groups
short Docs, and `decoding.stretches` cuts a long Doc where units end, which bounds its memory.
"""

import re
import unicodedata
from collections.abc import Iterator

from .marks import CLOSERS, ENDS, LINE_ENDS, WIDE_ENDS

ZERO_WIDTH_JOINER = "\u200d"
_CLOSERS = f"[{re.escape(CLOSERS)}]*"
_LINE_END = rf"(?:\r\n|\r(?!\n)|[{LINE_ENDS.replace(chr(13), '')}])"
_SPACES = rf"[^\S{LINE_ENDS}]*"
# Patterns of places, the best kind first. The cut is at the end of a match.
PLACES = [
    re.compile(f"{_LINE_END}{_SPACES}{_LINE_END}"),
    re.compile(f"[{ENDS}{WIDE_ENDS}]{_CLOSERS}{_SPACES}{_LINE_END}"),
    re.compile(rf"[{ENDS}{WIDE_ENDS}]{_CLOSERS}\s+|[{WIDE_ENDS}]{_CLOSERS}"),
    re.compile(_LINE_END),
    re.compile(r"\s+"),
]
# Maximum number of consecutive characters that belong to the one before, such as accents.
LONGEST_CLUSTER = 1000
# Maximum length of a match before the position where the search starts.
LONGEST_PLACE = 100
# Number of characters at the end that are searched first, as most places are found there.
NEAR = 10_000


def find_cut(text: str, size: int) -> int:
    """Find where to cut a text so that the first part has at most `size` characters.

    The cut is in the second half of these characters, at the last place of the best kind. From best
    to worst, these are: after a blank line, after a line break at the end of a sentence, after
    white space at the end of a sentence, after a line break, after white space, and between any two
    characters that can be separated.

    RETURNS: In [1, size], or the length of the text if it fits. It only depends on the first
        `size` + 1 characters.

    >>> find_cut("I sleep. You sleep.", 12)
    9
    """
    if size < 1:
        raise ValueError(f"'size' must be at least 1 character, got {size}.")
    if len(text) <= size:
        return len(text)
    return next((end for end in _list_cuts(text, size) if _can_part(text, end)), size)


def _list_cuts(text: str, size: int) -> Iterator[int]:
    """Yield where a text may be cut, the best place first."""
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
    """Cut a text into pieces of at most `size` characters.

    YIELDS: (start of the piece, the piece); nothing for an empty text.

    >>> list(cut_text("I sleep. You sleep.", 12))
    [(0, 'I sleep. '), (9, 'You sleep.')]
    """
    start = 0
    while start < len(text):
        # One more character shows if the text continues.
        piece = text[start : start + size + 1]
        piece = piece[: find_cut(piece, size)]
        yield start, piece
        start += len(piece)
