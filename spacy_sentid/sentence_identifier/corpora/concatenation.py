"""Concatenate units to texts (unit concatenation, section 6.1, App. D). No spaCy, no numpy.

Treebanks do not record line breaks. So we join units by random spaces, line breaks and blank lines,
or by nothing in scripts without spaces. We also wrap and quote some lines, and leave out some
spaces between units. A model then uses line breaks as evidence, but does not depend on them. The
words of a unit never change. Only the white space between words does, and `> ` may be put before a
line.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from ...text.units import NSU, Unit, word_spans

LAYOUTS = ("space", "line", "paragraph", "mixed", "none")
SEPARATORS = {"none": "", "space": " ", "line": "\n", "paragraph": "\n\n"}  # "mixed" draws
WRAP_WIDTHS = (50, 78)


class AssembledText(NamedTuple):
    """A text with gold units."""

    text: str
    units: list[Unit]  # in characters


class Concatenation(NamedTuple):
    """A text made of units, and the position of each unit in it."""

    text: str
    units: list[tuple[int, int]]  # characters [start, end) of each unit
    # For each unit, for each of its `word_spans`: (offset in the unit's text, offset in `text`).
    words: list[list[tuple[int, int]]]


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


def concatenate_units(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    rng: Random,
    layouts: Mapping[str, float],
    p_wrap: float = 0.0,
    p_quote: float = 0.0,
    p_no_space: float = 0.0,
) -> Concatenation:
    """Join units into one text with a random layout.

    texts, labels: The units, each with at least one word.
    layouts: Weight of each layout. "space"; "line" (a line break after every unit); "paragraph" (a
        blank line after every unit); "mixed" (random separators; NSUs mostly get lines of their
        own); "none" (no separator, as in scripts without spaces).
    p_wrap: Probability that a text with line breaks has its long lines wrapped, at a random width.
    p_quote: Probability that a text with line breaks gets `> ` before every line that is not blank.
        It belongs to the unit on that line.
    p_no_space: Probability that the space between two units is left out.

    >>> labels = ["NSU", "SU"]
    >>> found = concatenate_units(["Hi Bo", "Bye."], labels, rng=Random(0), layouts={"line": 1})
    >>> found.text, found.units
    ('Hi Bo\\nBye.', [(0, 5), (6, 10)])
    """
    layout = rng.choices(list(layouts), list(layouts.values()))[0]
    has_lines = layout not in ("space", "none")
    width = rng.randint(*WRAP_WIDTHS) if has_lines and rng.random() < p_wrap else None
    prefix = "> " if has_lines and rng.random() < p_quote else ""
    pieces = [prefix]
    position = column = len(prefix)
    unit_start = 0
    units, words = [], []
    for n, (text, label) in enumerate(zip(texts, labels, strict=True)):
        if n:
            separator = _draw_separator(layout, labels[n - 1], label, rng)
            if separator == " " and rng.random() < p_no_space:
                separator = ""
            if "\n" in separator:
                separator += prefix
                column = len(prefix)
            else:
                column += len(separator)
            pieces.append(separator)
            position += len(separator)
            unit_start = position - len(prefix) if "\n" in separator else position
        places: list[tuple[int, int]] = []
        before = 0
        for start, end in word_spans(text):
            gap = text[before:start] if places else ""
            if gap == " " and width is not None and column + 1 + end - start > width:
                gap = "\n" + prefix
                column = len(prefix)
            else:
                column += len(gap)
            pieces.append(gap)
            position += len(gap)
            places.append((start, position))
            pieces.append(text[start:end])
            position += end - start
            column += end - start
            before = end
        units.append((unit_start, position))
        words.append(places)
    return Concatenation("".join(pieces), units, words)


def assemble_text(
    labelled: Sequence[tuple[str, str]], *, layout: str, rng: Random
) -> AssembledText:
    """Concatenate units, (text, label) each, in one layout."""
    texts, labels = [text for text, _ in labelled], [label for _, label in labelled]
    found = concatenate_units(texts, labels, rng=rng, layouts={layout: 1.0})
    units = [Unit(*bounds, label) for bounds, label in zip(found.units, labels, strict=True)]
    return AssembledText(found.text, units)


def _draw_separator(layout: str, before: str, after: str, rng: Random) -> str:
    if layout in SEPARATORS:
        return SEPARATORS[layout]
    weights = [0.2, 0.5, 0.3] if NSU in (before, after) else [0.7, 0.15, 0.15]
    return rng.choices([" ", "\n", "\n\n"], weights)[0]
