"""Chunks of a Doc for retrieval: whole sentences under their headings, with offsets.

units, sections -> parts of units that are too long -> chunks of at most `max_tokens`
"""

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from spacy.tokens import Doc

from ...components.settings import check_range
from ...messages import shorten
from ...text.units import NSU, NSU_KINDS, SU, Unit
from ..access.units import Keys, iter_units
from .cuts import cut_unit
from .packing import JOINT, Item, TokenCounter, find_pieces, pack_items
from .sections import HEADING, clean_heading, find_sections


class Chunk(NamedTuple):
    """Some consecutive units of a Doc. All offsets count characters of `doc.text`.

    text: The pieces, joined by line breaks.
    start_char, end_char: Start of the first piece and end of the last one.
    headings: The headings of the section, outermost first. Those of them that are units of this
        chunk are also in its text.
    n_tokens: Number of tokens of the text.
    pieces: (start, end) of each part of the original text. There is one, unless units between
        them are left out.
    units: The units, labelled with SU, NSU or the kind. They contain no reference to the Doc.
    is_cut: True if one of the units is only a part of a unit that was too long.
    """

    text: str
    start_char: int
    end_char: int
    headings: tuple[str, ...]
    n_tokens: int
    pieces: tuple[tuple[int, int], ...]
    units: tuple[Unit, ...]
    is_cut: bool

    @property
    def text_with_headings(self) -> str:
        """The headings that are not in the text, each on a line, and the text."""
        inside = {
            clean_heading(self.text[self._place(unit.start) : self._place(unit.end)])
            for unit in self.units
            if unit.label == HEADING
        }
        return "\n".join([*(name for name in self.headings if name not in inside), self.text])

    def original_offset(self, offset: int) -> int:
        """Map an offset in the text of the chunk to the offset in `doc.text`."""
        for start, end in self.pieces:
            if offset <= end - start:
                return start + offset
            offset -= end - start + len(JOINT)
        return self.end_char

    def _place(self, offset: int) -> int:
        """Map an offset in `doc.text` to the text of the chunk."""
        place = 0
        for start, end in self.pieces:
            if offset <= end:
                return place + offset - start
            place += end - start + len(JOINT)
        return place


def chunk(
    doc: Doc,
    max_tokens: int = 256,
    *,
    overlap: int = 0,
    include: Collection[str] | None = None,
    count_tokens: Callable[[str], int] | None = None,
    keys: tuple[str, str] = Keys(),
) -> list[Chunk]:
    """Divide a Doc into chunks for retrieval: whole units, as many as fit, in text order.

    A chunk never crosses a heading. List items, table rows and code stay with the unit before them
    if all of them fit into one chunk. A unit that is longer than a chunk is cut, if possible at a
    line break or after a punctuation mark.

    max_tokens: Maximum number of tokens of a chunk.
    overlap: Number of sentences at the end of a chunk that the next one repeats, as far as they
        fit. A chunk repeats nothing from another section.
    include: Kinds of NSUs in the chunks, such as ["HEADING", "LIST_ITEM"]; "NSU" for those without
        a kind. None = all; () = only sentences.
    count_tokens: Function that counts the tokens of a text. None = count spaCy's tokens, except
        white space.
    keys: See `iter_units`.
    RETURNS: The chunks; [] if no unit is included.

    Raises ValueError for an invalid argument, and if the Doc has no units or they overlap.

    >>> from spacy_sentid import chunk, load
    >>> doc = load("en")("# Cats\\n\\nI like cats. They sleep a lot.\\n\\n# Dogs\\n\\nDogs bark.")
    >>> for found in chunk(doc, max_tokens=7):
    ...     print(found.n_tokens, found.headings, repr(found.text))
    6 ('Cats',) '# Cats\\n\\nI like cats.'
    5 ('Cats',) 'They sleep a lot.'
    5 ('Dogs',) '# Dogs\\n\\nDogs bark.'
    """
    check_range("max_tokens", max_tokens, low=1, whole=True)
    check_range("overlap", overlap, whole=True)
    kinds = _check_kinds(include)
    found = iter_units(doc, keys)
    units = [Unit(u.start_char, u.end_char, u.kind or u.label) for u in found if len(u.span)]
    if any(one.end > other.start for one, other in pairwise(units)):
        raise ValueError("The units of the Doc must not overlap. Remove the overlaps.")
    text = doc.text
    sections = find_sections((label, text[start:end]) for start, end, label in units)
    starts = [token.idx for token in doc if not token.is_space]
    tokens = TokenCounter(text, starts, count_tokens)
    items = [
        Item(part, section, part != unit)
        for unit, section in zip(units, sections, strict=True)
        if unit.label in kinds
        for part in cut_unit(unit, text, max_tokens, tokens.count)
    ]
    groups = pack_items(items, tokens, max_tokens, overlap)
    return [_make_chunk(group, tokens) for group in groups]


def _make_chunk(items: Sequence[Item], tokens: TokenCounter) -> Chunk:
    pieces = find_pieces(items, tokens.text)
    return Chunk(
        text=tokens.join(pieces),
        start_char=pieces[0][0],
        end_char=pieces[-1][1],
        headings=items[0].section.headings,
        n_tokens=tokens.count_pieces(pieces),
        pieces=tuple(pieces),
        units=tuple(item.unit for item in items),
        is_cut=any(item.is_part for item in items),
    )


def _check_kinds(include: Collection[str] | None) -> set[str]:
    choices = (*NSU_KINDS, NSU)
    if include is None:
        return {SU, *choices}
    if isinstance(include, str) or not set(include) <= {SU, *choices}:
        raise ValueError(
            f"'include' must be a list of kinds ({', '.join(choices)}), got {shorten(include)}."
        )
    return {SU, *include}
