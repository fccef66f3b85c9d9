"""Map the characters of a changed text back to the original. No spaCy, no numpy.

text, edits -> changed text and offset map, stored in `doc.user_data[OFFSETS]`; maps compose

These maps are used by `strip_nsu`, the filtering tokenizer, pairs of texts, batch jobs that remove
NSUs, and the noise in training texts.

A map lists the pieces of text that were kept: (start in the changed text, start in the original,
length) in text order, in characters. Between two pieces, text was deleted, inserted or replaced. A
piece of length 0 separates two changes that touch, so that each has its own source. The first piece
begins at (0, 0), and the last one ends at the ends of both texts.

    <p>A &lt; B     ->  A < B
    pieces: (0, 0, 0), (0, 3, 2), (3, 9, 2)
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Union

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Key of the map in the user data of a Doc. The value is `OffsetMap.to_bytes()`.
OFFSETS = "spacy_sentid.offsets"

Piece = tuple[int, int, int]  # start in the changed text, start in the original, length
Edit = tuple[int, int, str]  # start and end in the text, half-open, and the new text


class OffsetMap(NamedTuple):
    """Map from the characters of a changed text to those of the original.

    >>> offsets = OffsetMap.from_pieces([(0, 0, 0), (0, 3, 2), (3, 9, 2)])  # "<p>A &lt; B"
    >>> offsets.map_span(0, 5), offsets.map_span(2, 3)
    ((3, 11), (5, 9))
    """

    # One 64-bit integer for each piece.
    starts: Sequence[int]  # start in the changed text
    originals: Sequence[int]  # start in the original
    lengths: Sequence[int]

    @classmethod
    def from_pieces(cls, pieces: Iterable[Piece]) -> "OffsetMap":
        """Create a map from pieces."""
        columns = zip(*pieces, strict=True)
        return cls(*(array("q", column) for column in columns))

    @property
    def pieces(self) -> Iterator[Piece]:
        """The pieces, in text order."""
        return zip(*self, strict=True)

    @property
    def n_chars(self) -> int:
        """Length of the changed text."""
        return self.starts[-1] + self.lengths[-1]

    @property
    def n_original(self) -> int:
        """Length of the original text."""
        return self.originals[-1] + self.lengths[-1]

    def map_span(self, start: int, end: int) -> tuple[int, int]:
        """Find the original characters of a span `[start, end)` of the changed text, half-open.

        The result includes text that was deleted inside the span, but not at its edges. If the span
        contains a part of a replacement, the result includes all text that was replaced. The source
        of inserted text is empty. An empty span returns an empty span, at the source of the next
        character or at the end of the original.

        Raises ValueError if the span is not in the changed text.

        >>> offsets = OffsetMap.from_pieces([(0, 0, 1), (1, 4, 1)])  # "a<b>c" -> "ac"
        >>> offsets.map_span(0, 1), offsets.map_span(1, 1)
        ((0, 1), (4, 4))
        """
        if not 0 <= start <= end <= self.n_chars:
            raise ValueError(
                f"The span must be within the {self.n_chars} characters of the text, got "
                f"({start}, {end})."
            )
        # The last boundary at or before the start ...
        piece = bisect_right(self.starts, start) - 1
        original = self.originals[piece] + min(start - self.starts[piece], self.lengths[piece])
        if start == end:
            return original, original
        # ... and the first one at or after the end, which may be in the piece before `piece`.
        piece = bisect_left(self.starts, end, piece)
        if self.starts[piece - 1] + self.lengths[piece - 1] >= end:
            piece -= 1
        return original, self.originals[piece] + max(end - self.starts[piece], 0)

    def map_offset(self, offset: int) -> int:
        """Find the start of the source of a character.

        The offset after the last character maps to the end of that character's source.

        >>> OffsetMap.from_pieces([(0, 0, 1), (1, 4, 1), (2, 9, 0)]).map_offset(2)
        5
        """
        if offset == self.n_chars:
            return self.map_span(offset - 1, offset)[1] if offset else 0
        return self.map_span(offset, offset + 1)[0]

    def find_char(self, original: int) -> int | None:
        """Find the new position of a character of the original; None if it was deleted.

        For replaced text, return the first character of the replacement.

        >>> offsets = OffsetMap.from_pieces([(0, 0, 1), (1, 4, 1)])  # "a<b>c" -> "ac"
        >>> offsets.find_char(4), offsets.find_char(2)
        (1, None)
        """
        piece = bisect_right(self.originals, original) - 1
        offset, length = original - self.originals[piece], self.lengths[piece]
        char = self.starts[piece] + min(offset, length)
        is_replaced = piece + 1 < len(self.starts) and char < self.starts[piece + 1]
        return char if offset < length or is_replaced else None

    def compose(self, second: "OffsetMap") -> "OffsetMap":
        """Compose this map with a `second` map, of another change to the changed text.

        Composition is associative, except for insertions. If the second change cuts text that the
        first one inserted, both parts have the same source.

        Raises ValueError if the original of `second` does not have the length of the changed text.

        >>> first = OffsetMap.from_pieces([(0, 0, 1), (1, 4, 2)])  # "a<b>cd" -> "acd"
        >>> second = OffsetMap.from_pieces([(0, 0, 2), (2, 3, 0)])  # "acd" -> "ac"
        >>> list(first.compose(second).pieces)
        [(0, 0, 1), (1, 4, 1), (2, 6, 0)]
        """
        if second.n_original != self.n_chars:
            raise ValueError(
                f"The second map must have an original of {self.n_chars} characters, got "
                f"{second.n_original}. Compose maps in the order of the changes."
            )
        # Intersections of the pieces of the two maps, also empty ones at shared boundaries.
        pieces: list[Piece] = []
        i = j = 0
        while i < len(self.starts) and j < len(second.starts):
            between, second_between = self.starts[i], second.originals[j]
            end, second_end = between + self.lengths[i], second_between + second.lengths[j]
            shared = max(between, second_between)
            if shared <= min(end, second_end):
                start = second.starts[j] + shared - second_between
                original = self.originals[i] + shared - between
                pieces.append((start, original, min(end, second_end) - shared))
            # At a common end, a deletion of the first map is before an insertion of the second.
            is_deleted = i + 1 < len(self.starts) and self.starts[i + 1] == end
            if end < second_end or (end == second_end and is_deleted):
                i += 1
            else:
                j += 1
        return OffsetMap.from_pieces(pieces)

    def join(self, other: "OffsetMap", n_between: int) -> "OffsetMap":
        """Return the map of two joined texts, with `n_between` inserted characters between them."""
        n_chars, n_original = self.n_chars + n_between, self.n_original
        moved = [(n_chars + start, n_original + at, n) for start, at, n in other.pieces]
        return OffsetMap.from_pieces([*self.pieces, *moved])

    def to_bytes(self) -> bytes:
        """Serialize the three columns, one after the other."""
        return b"".join(array("q", column).tobytes() for column in self)

    @classmethod
    def from_bytes(cls, data: bytes) -> "OffsetMap":
        """Load a map from `to_bytes`, without a copy."""
        columns = memoryview(data).cast("q")
        n = len(columns) // 3
        return cls(columns[:n], columns[n : 2 * n], columns[2 * n :])

    @classmethod
    def identity(cls, length: int) -> "OffsetMap":
        """Return the map of an unchanged text of `length` characters."""
        return cls.from_pieces([(0, 0, length)])

    def check(self) -> None:
        """Raise ValueError unless the pieces begin at (0, 0) and ascend without overlap."""
        end = original_end = 0
        for number, (start, original, length) in enumerate(self.pieces):
            is_first_wrong = number == 0 and (start, original) != (0, 0)
            if is_first_wrong or start < end or original < original_end or length < 0:
                raise ValueError(
                    "Pieces of an offset map must begin at (0, 0) and ascend without overlap, got "
                    f"{(start, original, length)} at index {number}. Use 'apply_edits' to create "
                    "maps."
                )
            end, original_end = start + length, original + length


class MappedText(NamedTuple):
    """A changed text, and the map from its characters to the original."""

    text: str
    offsets: OffsetMap


def apply_edits(text: str, edits: Iterable[Edit]) -> MappedText:
    """Apply edits to a text.

    edits: `(start, end, new)` in text order, without overlap. The source of a new text is the text
        that it replaces. Edits that touch are not merged.

    Raises ValueError for edits out of order or outside of the text.

    >>> changed = apply_edits("a &amp; b", [(2, 7, "&")])
    >>> changed.text, list(changed.offsets.pieces)
    ('a & b', [(0, 0, 2), (3, 7, 2)])
    """
    parts: list[str] = []
    pieces: list[Piece] = []
    n_chars = original = 0
    for start, end, new in edits:
        if not original <= start <= end <= len(text):
            raise ValueError(
                f"Edits must be in text order, got {(start, end, new)} after character {original} "
                f"in a text of {len(text)} characters."
            )
        if start < end or new:
            parts += (text[original:start], new)
            pieces.append((n_chars, original, start - original))
            n_chars += start - original + len(new)
            original = end
    parts.append(text[original:])
    pieces.append((n_chars, original, len(text) - original))
    return MappedText("".join(parts), OffsetMap.from_pieces(pieces))


def keep_spans(text: str, spans: Iterable[tuple[int, int]]) -> MappedText:
    """Keep some spans of a text, joined by spaces, and delete everything else.

    spans: Characters `[start, end)` in text order, without overlap.

    Raises ValueError for spans out of order or outside of the text.

    >>> kept = keep_spans("Page 3 I sleep.", [(7, 15)])
    >>> kept.text, kept.offsets.map_offset(0)
    ('I sleep.', 7)
    """
    edits: list[Edit] = []
    before = 0
    for start, end in spans:
        edits.append((before, start, " " if edits else ""))
        before = end
    edits.append((before, len(text), ""))
    return apply_edits(text, edits)


def get_offsets(doc: "Doc") -> OffsetMap:
    """Get the offset map of a Doc.

    Raises ValueError if the Doc has no map, or the map of another text. Parts of a Doc and joined
    Docs have no map.
    """
    length = doc[-1].idx + len(doc[-1].text_with_ws) if len(doc) else 0
    data = doc.user_data.get(OFFSETS)
    offsets = OffsetMap.from_bytes(data) if data else None
    if offsets is None or offsets.n_chars != length:
        got = f"one of {offsets.n_chars}" if offsets else "none"
        raise ValueError(
            f"The Doc must have an offset map of its {length} characters, got {got}. Use the Doc "
            "that strip_nsu returned, or one of a pipeline with the tokenizer "
            "'spacy_sentid.FilteredTokenizer.v1'."
        )
    return offsets


def original_offset(doc: "Doc", char: int) -> int:
    """Map a character offset of a stripped or filtered Doc to the original text.

    char: In [0, len(doc.text)]; the space between two SUs maps to the end of the first.

    Raises ValueError outside that range, or if the Doc has no offset map.
    """
    return get_offsets(doc).map_offset(char)


def source_span(found: Union["Doc", "Span", "Token"]) -> tuple[int, int]:
    """Find the original characters of a stripped or filtered Doc, Span or Token.

    It is fast enough to call for every token.

    RETURNS: Half-open offsets in the text that was passed to the tokenizer: all of that text for a
        Doc, and an empty span for an empty Span (see `OffsetMap.map_span`).

    Raises ValueError if the Doc has no offset map.
    """
    from spacy.tokens import Doc, Span

    if isinstance(found, Doc):
        return 0, get_offsets(found).n_original
    offsets = get_offsets(found.doc)
    if isinstance(found, Span):
        return offsets.map_span(found.start_char, found.end_char)
    return offsets.map_span(found.idx, found.idx + len(found))
