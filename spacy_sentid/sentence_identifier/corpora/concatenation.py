"""Concatenate units to texts (unit concatenation, section 6.1, App. D). No spaCy, no numpy.

Treebanks do not record line breaks. So we join units by random spaces, line breaks and blank lines,
or by nothing in scripts without spaces. We also wrap and quote some texts, and leave out some
spaces between units. A model then uses line breaks as evidence, but does not depend on them.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from ...text.units import NSU
from ..data.gold_document import GoldDocument
from .layout import LAYOUT_CHANGES, Piece, Pieces, join_pieces

LAYOUTS = ("space", "line", "paragraph", "mixed", "none")
SEPARATORS = {"none": "", "space": " ", "line": "\n", "paragraph": "\n\n"}  # "mixed" draws


def group_units(
    lengths: Sequence[int], *, p_cc: Sequence[float], max_length: int, rng: Random
) -> Iterator[range]:
    """Split a sequence of units into groups of random length (section 6.1).

    The number of units in a group has a geometric distribution.

    lengths: Size of each unit, in the same measure as `max_length`.
    p_cc: Parameters of the distribution, in [0, 1]; one is drawn for each group. 0 = as many units
        as `max_length` allows.
    max_length: Maximum size of a group. A single longer unit is a group of its own.
    YIELDS: Index ranges that tile [0, len(lengths)).

    >>> list(group_units([2, 2, 2], p_cc=[0], max_length=4, rng=Random(0)))
    [range(0, 2), range(2, 3)]
    """
    start = 0
    while start < len(lengths):
        wanted = draw_geometric(rng.choice(p_cc), rng)
        end, total = start + 1, lengths[start]
        while end < len(lengths) and end - start < wanted and total + lengths[end] <= max_length:
            total += lengths[end]
            end += 1
        yield range(start, end)
        start = end


def draw_geometric(p: float, rng: Random) -> float:
    """Draw from 1, 2, 3, ... with P(l) = (1 - p)^(l - 1) p; infinity for p = 0 (footnote 5)."""
    if p == 0:
        return math.inf
    if p == 1:
        return 1
    length = math.log(1.0 - rng.random()) / math.log1p(-p)
    return 1 + math.floor(length) if math.isfinite(length) else math.inf  # p close to 0


def join_units(
    labelled: Sequence[tuple[str, str]],
    *,
    rng: Random,
    layouts: Mapping[str, float],
    p_wrap: float = 0.0,
    p_quote: float = 0.0,
    p_no_space: float = 0.0,
) -> Pieces:
    """Join units in a random layout.

    labelled: (text, label) of each unit, with at least one word.
    layouts: Weight of each layout. "space"; "line" (a line break after every unit); "paragraph" (a
        blank line after every unit); "mixed" (random separators; NSUs mostly get lines of their
        own); "none" (no separator, as in scripts without spaces).
    p_wrap, p_quote: Probability that a text with line breaks has its long lines wrapped, or a quote
        mark before each line; see `layout.LAYOUT_CHANGES`.
    p_no_space: Probability that the space between two units is left out.

    >>> pieces = join_units([("Hi Bo", "NSU"), ("Bye.", "SU")], rng=Random(0), layouts={"line": 1})
    >>> join_pieces(pieces)[0]
    'Hi Bo\\nBye.'
    """
    layout = rng.choices(list(layouts), list(layouts.values()))[0]
    has_lines = layout not in ("space", "none")
    rates = {"wrap": p_wrap, "quote": p_quote}
    changes = [name for name, rate in rates.items() if has_lines and rng.random() < rate]
    pieces: Pieces = []
    for text, label in labelled:
        gap = _draw_separator(layout, pieces[-1].label, label, rng) if pieces else ""
        if gap == " " and rng.random() < p_no_space:
            gap = ""
        pieces.append(Piece(gap, text.strip(), label))
    for name in changes:
        pieces = LAYOUT_CHANGES[name](pieces, rng)
    return pieces


def assemble_text(labelled: Sequence[tuple[str, str]], *, layout: str, rng: Random) -> GoldDocument:
    """Concatenate units, (text, label) each, in one layout."""
    return GoldDocument(*join_pieces(join_units(labelled, rng=rng, layouts={layout: 1.0})))


def _draw_separator(layout: str, before: str, after: str, rng: Random) -> str:
    if layout in SEPARATORS:
        return SEPARATORS[layout]
    weights = [0.2, 0.5, 0.3] if NSU in (before, after) else [0.7, 0.15, 0.15]
    return rng.choices([" ", "\n", "\n\n"], weights)[0]
