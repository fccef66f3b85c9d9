"""Where a filtered text stands in the original. No spaCy, no numpy.

text, edits -> filtered text and offset map

A filter keeps most of a text, deletes some and replaces some. A map lists what was kept: pieces
`(filtered_start, original_start, length)` in text order, all in characters. Between two pieces
stands what was deleted (nothing of it in the filtered text) or replaced (something else). A piece
of length 0 parts two changes that touch, so that each has its own source. The first piece begins
at (0, 0), the last one ends at the ends of both texts.

    <p>A &lt; B     ->  A < B
    pieces: (0, 0, 0), (0, 3, 2), (3, 9, 2)
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

Piece = tuple[int, int, int]  # filtered_start, original_start, length
Edit = tuple[int, int, str]  # start and end in the text, half-open, and what stands there instead

_filtered_start = itemgetter(0)


def _filtered_end(piece: Sequence[int]) -> int:
    return piece[0] + piece[2]


class OffsetMap(NamedTuple):
    """The way from the characters of a filtered text back to the original.

    >>> offsets = OffsetMap([(0, 0, 0), (0, 3, 2), (3, 9, 2)])  # "<p>A &lt; B" -> "A < B"
    >>> offsets.map_span(0, 5), offsets.map_char(2)
    ((3, 11), (5, 9))
    """

    pieces: Sequence[Piece]

    @property
    def n_filtered(self) -> int:
        """Length of the filtered text."""
        return _filtered_end(self.pieces[-1])

    @property
    def n_original(self) -> int:
        """Length of the original text."""
        return self.pieces[-1][1] + self.pieces[-1][2]

    def map_span(self, start: int, end: int) -> tuple[int, int]:
        """Find the original characters of a span `[start, end)` of the filtered text: half-open.

        What was deleted inside the span is in it, what was deleted at its edges is not. A replaced
        text comes from all that it replaces: a span that cuts it has the whole. An empty span is
        empty and stands where the character behind it begins; at the end of the filtered text, at
        the end of the original.

        Raises ValueError if the span does not lie in the filtered text.

        >>> OffsetMap([(0, 0, 1), (1, 4, 1)]).map_span(0, 1)  # "a<b>c" -> "ac"
        (0, 1)
        >>> OffsetMap([(0, 0, 1), (1, 4, 1)]).map_span(1, 1)
        (4, 4)
        """
        if not 0 <= start <= end <= self.n_filtered:
            raise ValueError(
                f"Found span ({start}, {end}), expected a half-open span of a filtered text of "
                f"{self.n_filtered} characters. Give offsets in the filtered text."
            )
        # The last border at or before the start ...
        filtered, original, length = self.pieces[
            bisect_right(self.pieces, start, key=_filtered_start) - 1
        ]
        source_start = original + min(start - filtered, length)
        if start == end:
            return source_start, source_start
        # ... and the first one at or behind the end.
        filtered, original, length = self.pieces[bisect_left(self.pieces, end, key=_filtered_end)]
        return source_start, original + max(end - filtered, 0)

    def map_char(self, offset: int) -> tuple[int, int]:
        """Find the original characters of one character of the filtered text: half-open.

        At the end of the filtered text: the empty span at the end of the original.
        """
        return self.map_span(offset, min(offset + 1, max(offset, self.n_filtered)))

    def compose(self, second: "OffsetMap") -> "OffsetMap":
        """Make the map of two filters: of this map's, then of `second`'s on what it gave.

        Composition is associative. Where the second filter cut a text that the first one put in,
        what both changed has one source.

        Raises ValueError if `second` is no map of a text as long as this map's filtered text.

        >>> first, second = OffsetMap([(0, 0, 1), (1, 4, 2)]), OffsetMap([(0, 0, 2), (2, 3, 0)])
        >>> first.compose(second).pieces  # "a<b>cd" -> "acd" -> "ac"
        [(0, 0, 1), (1, 4, 1), (2, 6, 0)]
        """
        if second.n_original != self.n_filtered:
            raise ValueError(
                f"Found a map of a text of {second.n_original} characters behind one that gives "
                f"{self.n_filtered}, expected the same length. Compose maps in the order of the "
                "filters."
            )
        # Borders of both: the pieces of the two maps cut where they share characters, or a border.
        pieces: list[Piece] = []
        i = j = 0
        while i < len(self.pieces) and j < len(second.pieces):
            between, original, length = self.pieces[i]
            filtered, second_between, second_length = second.pieces[j]
            end, second_end = between + length, second_between + second_length
            shared_start, shared_end = max(between, second_between), min(end, second_end)
            if shared_start <= shared_end:
                pieces.append(
                    (
                        filtered + shared_start - second_between,
                        original + shared_start - between,
                        shared_end - shared_start,
                    )
                )
            # Two pieces of the first map may touch where it deleted; those of the second do not.
            if end <= second_end:
                i += 1
            else:
                j += 1
        return OffsetMap(pieces)

    def to_json(self) -> list[list[int]]:
        """Give the pieces as lists."""
        return [list(piece) for piece in self.pieces]

    @classmethod
    def from_json(cls, rows: Sequence[Sequence[int]]) -> "OffsetMap":
        """Read what `to_json` gave. Raises ValueError if it is no map (see `check`).

        >>> OffsetMap.from_json([[0, 0, 2]]) == OffsetMap.identity(2)
        True
        """
        offsets = cls([_read_piece(row) for row in rows])
        offsets.check()
        return offsets

    @classmethod
    def identity(cls, length: int) -> "OffsetMap":
        """Make the map of a filter that changes nothing in a text of `length` characters."""
        return cls([(0, 0, length)])

    def check(self) -> None:
        """Raise ValueError if the pieces are no map.

        They must begin at (0, 0), ascend without overlap, and leave something of the original
        between each two: a text that replaces nothing has no source.
        """
        filtered_end, original_end = 0, -1
        for number, (filtered, original, length) in enumerate(self.pieces):
            first = number == 0 and (filtered, original) != (0, 0)
            if first or filtered < filtered_end or original <= original_end or length < 0:
                raise ValueError(
                    f"Found piece {(filtered, original, length)} at index {number} of a map, "
                    "expected (filtered_start, original_start, length) from (0, 0, ...) on, "
                    f"behind filtered character {filtered_end} and original {original_end}. Build "
                    "maps with 'replace_matches' or 'apply_edits'."
                )
            filtered_end, original_end = filtered + length, original + length
        if original_end < 0:
            raise ValueError(
                "Found a map without pieces, expected at least one. An empty text has (0, 0, 0)."
            )


def _read_piece(row: Sequence[int]) -> Piece:
    if len(row) != 3 or not all(isinstance(number, int) for number in row):
        raise ValueError(
            f"Found {row!r} in a map, expected (filtered_start, original_start, length). Give what "
            "'to_json' gave."
        )
    filtered, original, length = row
    return filtered, original, length


class Filtered(NamedTuple):
    """What a filter gives: the text, and where its characters stand in the original."""

    text: str
    offsets: OffsetMap


def apply_edits(text: str, edits: Iterable[Edit]) -> Filtered:
    """Change a text in places, and keep the way back.

    edits: `(start, end, new)` in text order, not overlapping. Each new text comes from all that it
        replaces, no more; what touches is not merged.

    Raises ValueError for edits out of order or outside the text, and for one that inserts: a text
    that replaces nothing has no source.

    >>> apply_edits("a &amp; b", [(2, 7, "&")])
    Filtered(text='a & b', offsets=OffsetMap(pieces=[(0, 0, 2), (3, 7, 2)]))
    """
    parts: list[str] = []
    pieces: list[Piece] = []
    filtered = original = 0
    for start, end, new in edits:
        if not original <= start <= end <= len(text) or (start == end and new):
            raise ValueError(
                f"Found edit {(start, end, new)} behind character {original} of a text of "
                f"{len(text)}, expected edits in text order that replace a character or more. To "
                "insert, replace a character beside it too."
            )
        if start == end:
            continue
        parts += (text[original:start], new)
        pieces.append((filtered, original, start - original))
        filtered += start - original + len(new)
        original = end
    parts.append(text[original:])
    pieces.append((filtered, original, len(text) - original))
    return Filtered("".join(parts), OffsetMap(pieces))
