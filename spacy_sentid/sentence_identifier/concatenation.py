"""Unit concatenation: texts made of units (section 6.1, App. D). No spaCy, no numpy.

A treebank keeps no line ends. Units are joined by spaces, line ends and blank lines at random, or
by nothing where the script has no spaces; lines are wrapped, quoted or glued now and then, so that
a model takes line ends as evidence and never needs them. The words of a unit stay as they are; only
the white space between words changes, and `> ` may come before a line.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from ..units import NSU, Unit, word_spans

LAYOUTS = ("space", "line", "paragraph", "mixed", "none")
SEPARATORS = {"none": "", "space": " ", "line": "\n", "paragraph": "\n\n"}  # "mixed" draws
WRAP_WIDTHS = (50, 78)


class AssembledText(NamedTuple):
    """A text with gold units."""

    text: str
    units: list[Unit]  # in characters


class Concatenation(NamedTuple):
    """A text made of units, and where each unit stands in it."""

    text: str
    units: list[tuple[int, int]]  # characters [start, end) of each unit
    # For each unit, for each of its `word_spans`: (offset in the unit's text, offset in `text`).
    words: list[list[tuple[int, int]]]


def group_units(
    lengths: Sequence[int], *, p_cc: Sequence[float], max_length: int, rng: Random
) -> Iterator[range]:
    """Split a row of units into runs of L, L drawn from a geometric distribution (section 6.1).

    lengths: Size of each unit, in what `max_length` counts.
    p_cc: Parameters of the distribution, in [0, 1]; one is drawn for each run. 0 = as many units
        as `max_length` allows.
    max_length: A run ends before the unit that would take it beyond this; a single longer unit
        is a run of its own.
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
    return 1 + math.floor(length) if math.isfinite(length) else math.inf  # p next to 0


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
    """Join units into one text, in a layout drawn for it.

    texts, labels: The units, each with at least one word.
    layouts: Weight of each layout: "space"; "line" and "paragraph" (a line end, a blank line
        after every unit); "mixed" (separators are drawn; NSUs mostly get lines of their own);
        "none" (units touch, as in scripts without spaces).
    p_wrap: Probability that the long lines of a text with line ends are wrapped, at a width drawn
        for it.
    p_quote: Probability that every line of a text with line ends gets `> ` in front; it belongs to
        the unit of that line.
    p_no_space: Probability that two units that a space would separate touch.

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
                separator = separator.replace("\n", "\n" + prefix) if prefix else separator
                column = len(prefix)
            else:
                column += len(separator)
            pieces.append(separator)
            position += len(separator)
            # Every prefix belongs to the unit after it, also that of a blank line.
            unit_start = position - len(separator) + 1 if prefix and "\n" in separator else position
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
