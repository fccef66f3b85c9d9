"""Pack the units of a text into groups of at most `max_tokens`, for the chunks.

units with their sections -> estimated tokens -> groups of units that fit
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby
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


def pack_items(
    items: Sequence[Item], tokens: TokenCounter, max_tokens: int, overlap: int
) -> list[Sequence[Item]]:
    """Pack items into groups of at most `max_tokens`, section by section.

    overlap: Number of SUs that a group repeats from the group before it.
    RETURNS: The groups. Without an overlap, they tile the items.
    """
    return [
        group
        for _, section in groupby(items, key=lambda item: item.section.number)
        for group in _Packer(list(section), tokens, max_tokens, overlap).pack()
    ]


class _Packer:
    """Pack the items of a section.

    Sums of the tokens of single items estimate how many items fit. As a tokenizer may merge tokens
    where items meet, the tokens of the joined text are then counted, too.
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
        # For each item the first one of those that stay together if they fit.
        self.firsts: list[int] = []
        for i, item in enumerate(items):
            stays = i and (item.unit.label in ATTACHED or items[i - 1].unit.label == HEADING)
            self.firsts.append(self.firsts[-1] if stays else i)

    def pack(self) -> Iterator[Sequence[Item]]:
        """Yield the groups."""
        position = 0
        while position < len(self.items):
            begin = self._find_begin(position)
            end = self._find_end(begin, position)
            yield self.items[begin:end]
            position = end

    def _find_begin(self, position: int) -> int:
        """Find the first item of the group whose first new item is at `position`."""
        n_before = bisect_left(self.sentences, position)
        repeated = self.sentences[max(0, n_before - self.overlap) : n_before]
        stop = bisect_right(self.firsts, position)
        if not repeated or not self._fits(position, stop):
            stop = position + 1
        return next((i for i in repeated if self._fits(i, stop)), position)

    def _find_end(self, begin: int, position: int) -> int:
        """Find the end of a group: as many items as fit, with those that stay together."""
        room = self.sums[begin] + self.max_tokens - self.tokens.n_added
        end = max(bisect_right(self.sums, room) - 1, position + 1)
        while end > position + 1 and not self._fits(begin, end):
            end -= 1
        first = self.firsts[end] if end < len(self.items) else end
        if position < first < end:
            stop = bisect_right(self.firsts, first)
            if end == first + 1 or self._fits(first, stop):
                return first
        return end

    def _fits(self, begin: int, end: int) -> bool:
        """Check if items have at most `max_tokens`."""
        # Do not count the tokens of a text that is far too long.
        if self.sums[end] - self.sums[begin] > 2 * self.max_tokens:
            return False
        pieces = find_pieces(self.items[begin:end], self.tokens.text)
        return self.tokens.count_pieces(pieces) <= self.max_tokens

    def _measure(self, i: int) -> int:
        """Count the tokens that an item adds to a group that contains the item before."""
        start, end, _ = self.items[i].unit
        if i and _continues(self.items[i - 1], self.items[i], self.tokens.text):
            start = self.items[i - 1].unit.end
        return self.tokens.count(start, end) - self.tokens.n_added


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
