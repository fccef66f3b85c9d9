"""The tags of characters, and the spans of words.

B, M, E, S of characters; words -> spans

B begins a word of several characters, M is inside it and E ends it. S is a word of one character.
The integers of the tags, which are the columns of all scores, are defined here. Characters are
those of the words, without white space.
"""

from collections.abc import Iterable
from itertools import accumulate

B, M, E, S = range(4)
# Span group of a partly annotated Doc: inside its spans the word boundaries are unknown.
CHUNKS_KEY = "chunks"


def spans_from_words(words: Iterable[str]) -> list[tuple[int, int]]:
    """Find the spans of words, in characters of their concatenated text.

    RETURNS: Half-open spans (start, end) that tile the text.

    Raises ValueError for an empty word.

    >>> spans_from_words(["邀请", "上"])
    [(0, 2), (2, 3)]
    """
    lengths = [len(word) for word in words]
    if 0 in lengths:
        raise ValueError(f"A word must have a character, got an empty one at {lengths.index(0)}.")
    ends = list(accumulate(lengths))
    return list(zip([0, *ends], ends, strict=False))
