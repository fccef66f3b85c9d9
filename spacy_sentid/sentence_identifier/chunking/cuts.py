"""Cut a unit that is too long into parts, at its best inner places.

unit -> words -> parts that fit, which end at a line break, a punctuation mark or a word
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate

from ...text.units import Unit, word_spans

CLAUSE_MARKS = tuple(".!?…;:,–—)。！？；，、")

Count = Callable[[int, int], int]


def cut_unit(unit: Unit, text: str, max_tokens: int, count: Count) -> list[Unit]:
    """Cut a unit into parts with at most `max_tokens`.

    A part ends at the last line break in its second half, or else after the last punctuation mark
    there, or else after a word. Words are only cut if they are too long.

    unit: A unit in characters of the text.
    count: Function that counts the tokens between two offsets of the text.
    RETURNS: The parts in order, with the label of the unit and without white space between them;
        [unit] if it fits.

    >>> text = "We came home, and soon we slept"
    >>> parts = cut_unit(Unit(0, 31, "SU"), text, 4, lambda i, j: len(text[i:j].split()))
    >>> [text[start:end] for start, end, _ in parts]
    ['We came home,', 'and soon we slept']
    """
    if count(unit.start, unit.end) <= max_tokens:
        return [unit]
    words = [
        piece
        for start, end in word_spans(text[unit.start : unit.end])
        for piece in _halve(unit.start + start, unit.start + end, max_tokens, count)
    ]
    n_added = count(unit.start, unit.start)
    sums = [0, *accumulate(count(start, end) - n_added for start, end in words)]
    ranks = [_rank_cut(text, *words[i : i + 2]) for i in range(len(words))]
    parts = []
    begin = 0
    while begin < len(words):
        end = max(begin + 1, bisect_right(sums, sums[begin] + max_tokens - n_added) - 1)
        while end > begin + 1 and count(words[begin][0], words[end - 1][1]) > max_tokens:
            end -= 1
        if end < len(words):
            half = begin + (end - begin) // 2
            end = 1 + max(range(half, end), key=lambda i: (ranks[i], i))
        parts.append(Unit(words[begin][0], words[end - 1][1], unit.label))
        begin = end
    return parts


def _rank_cut(text: str, word: tuple[int, int], following: tuple[int, int] | None = None) -> int:
    """Rank the place after a word: 2 for a line break, 1 for a punctuation mark, 0 for others."""
    start, end = word
    if following is not None and "\n" in text[end : following[0]]:
        return 2
    return int(text[start:end].endswith(CLAUSE_MARKS))


def _halve(start: int, end: int, max_tokens: int, count: Count) -> Sequence[tuple[int, int]]:
    """Divide a word in halves until the tokens of each piece fit, or it is a single character."""
    if end - start <= 1 or count(start, end) <= max_tokens:
        return [(start, end)]
    middle = (start + end) // 2
    return [
        *_halve(start, middle, max_tokens, count),
        *_halve(middle, end, max_tokens, count),
    ]
