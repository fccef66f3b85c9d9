"""Pack the units of a text into ranges of at most `max_tokens`, for the chunks.

units with their sections -> estimated tokens -> ranges of units that fit
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

from ...text.units import SU, Unit
from .sections import HEADING, TextSection

# Kinds that stay with the unit before them, if both fit.
ATTACHED = ("LIST_ITEM", "CODE")
# Between the pieces of a chunk, if units between them are left out.
JOINT = "\n"


class Item(NamedTuple):
    """A unit, or a part of one, with its section."""

    unit: Unit
    section: TextSection
    is_part: bool


class TokenCounter:
    """Count the tokens in pieces of a text.

    starts: Offsets of the tokens of spaCy.
    count_tokens: Function that counts the tokens of a text. None = count the tokens of spaCy.
    """

    def __init__(
        self, text: str, starts: Sequence[int], count_tokens: Callable[[str], int] | None
    ) -> None:
        self.text = text
        self._starts = starts
        self._count = count_tokens
        # Tokens such as [CLS] that a tokenizer adds to every text.
        self.n_added = count_tokens("") if count_tokens else 0

    def count(self, start: int, end: int) -> int:
        """Count the tokens of a piece, with those that are added to every text."""
        if self._count is None:
            return bisect_left(self._starts, end) - bisect_left(self._starts, start)
        return self._count(self.text[start:end])

    def count_pieces(self, pieces: Sequence[tuple[int, int]]) -> int:
        """Count the tokens of joined pieces."""
        if self._count is None:
            return sum(self.count(start, end) for start, end in pieces)
        return self._count(self.join(pieces))

    def join(self, pieces: Sequence[tuple[int, int]]) -> str:
        """Join pieces of the text by line breaks."""
        return JOINT.join(self.text[start:end] for start, end in pieces)


class Packer:
    """Pack items into ranges [begin, end), from the first to the last item.

    Sums of the tokens of single items estimate how many items fit. As a tokenizer may merge tokens
    where items meet, the tokens of the joined text are then counted, too.

    overlap: Number of SUs that a range repeats from the range before it.
    """

    def __init__(
        self, items: Sequence[Item], tokens: TokenCounter, max_tokens: int, overlap: int
    ) -> None:
        self.items = items
        self.tokens = tokens
        self.max_tokens = max_tokens
        self.overlap = overlap
        self.sums = [0, *accumulate(self._measure(i) for i in range(len(items)))]
        self.sentences = [i for i, item in enumerate(items) if item.unit.label == SU]
        # For each item the first one of its group, whose items stay together if they fit.
        self.groups: list[int] = []
        for i in range(len(items)):
            self.groups.append(self.groups[-1] if self._is_attached(i) else i)

    def pack(self) -> list[tuple[int, int]]:
        """Return the ranges. Without an overlap, they tile the items."""
        ranges = []
        position = 0
        while position < len(self.items):
            begin = self._find_begin(position)
            end = self._find_end(begin, position)
            ranges.append((begin, end))
            position = end
        return ranges

    def _find_begin(self, position: int) -> int:
        """Find the first item of the range whose first new item is at `position`."""
        n_before = bisect_left(self.sentences, position)
        repeated = self.sentences[max(0, n_before - self.overlap) : n_before]
        stop = bisect_right(self.groups, position)
        if not repeated or not self._fits(position, stop):
            stop = position + 1
        return next((i for i in repeated if self._fits(i, stop)), position)

    def _find_end(self, begin: int, position: int) -> int:
        """Find the end of a range: as many items as fit, if possible without dividing a group."""
        room = self.sums[begin] + self.max_tokens - self.tokens.n_added
        end = max(bisect_right(self.sums, room) - 1, position + 1)
        end = min(end, bisect_right(self.items, self._number(position), key=_number_of))
        while end > position + 1 and not self._fits(begin, end):
            end -= 1
        group = self.groups[end] if end < len(self.items) else end
        if position < group < end:
            stop = bisect_right(self.groups, group)
            if end == group + 1 or self._fits(group, stop):
                return group
        return end

    def _fits(self, begin: int, end: int) -> bool:
        """Check if items are in one section, and have at most `max_tokens`."""
        if self._number(begin) != self._number(end - 1):
            return False
        # Do not count the tokens of a text that is far too long.
        if self.sums[end] - self.sums[begin] > 2 * self.max_tokens:
            return False
        pieces = find_pieces(self.items[begin:end], self.tokens.text)
        return self.tokens.count_pieces(pieces) <= self.max_tokens

    def _measure(self, i: int) -> int:
        """Count the tokens that an item adds to a range that contains the item before."""
        start, end, _ = self.items[i].unit
        if i and _continues(self.items[i - 1], self.items[i], self.tokens.text):
            start = self.items[i - 1].unit.end
        return self.tokens.count(start, end) - self.tokens.n_added

    def _is_attached(self, i: int) -> bool:
        """Check if an item belongs to the group of the item before."""
        if not i or self._number(i) != self._number(i - 1):
            return False
        return self.items[i].unit.label in ATTACHED or self.items[i - 1].unit.label == HEADING

    def _number(self, i: int) -> int:
        return self.items[i].section.number


def find_pieces(items: Sequence[Item], text: str) -> list[tuple[int, int]]:
    """Find the pieces of text of some items. Between two pieces, something is left out."""
    pieces: list[tuple[int, int]] = []
    for i, item in enumerate(items):
        start, end, _ = item.unit
        if i and _continues(items[i - 1], item, text):
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
    return pieces


def _continues(before: Item, item: Item, text: str) -> bool:
    """Check if there is at most white space between an item and the item before."""
    return not text[before.unit.end : item.unit.start].strip()


def _number_of(item: Item) -> int:
    return item.section.number
