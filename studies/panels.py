"""The parts of a chart: a question, its panels, their rows and marks, and the axes they need.

values -> limits of the axis of each panel -> ticks
"""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import Literal, NamedTuple

Role = Literal["ours", "paper", "other"]
WIDE = 50  # panels whose values are further apart, in percent, have axes of their own
TICKS = 5


class Mark(NamedTuple):
    """A value and its bar."""

    value: float
    low: float
    high: float
    series: int = 0


class Entry(NamedTuple):
    """A row of a panel, or a place on the x axis of a panel of lines."""

    label: str
    marks: tuple[Mark, ...]
    role: Role = "other"
    text: str = ""  # the value as text


class Panel(NamedTuple):
    """One pair of axes."""

    title: str
    entries: Sequence[Entry]
    unit: str = "percent"
    limits: tuple[float, float] | None = None  # of the axis; None = as the values need
    possible: tuple[float, float] | None = (0.0, 100.0)  # values outside cannot be; None = all can
    band: Mark | None = None  # the value to compare with, and its bar
    lines: bool = False  # the labels are numbers: draw lines over an x axis


class Chart(NamedTuple):
    """A question, and the panels that answer it."""

    title: str
    about: str
    panels: Sequence[Panel]
    n: str = ""  # number of texts or other items that were measured, with a noun
    series: Sequence[str] = ()  # names, if a row has marks of several series
    band: str = ""  # what the grey band is
    x: str = ""  # name of the x axis of panels of lines


def find_limits(panels: Sequence[Panel]) -> tuple[list[tuple[float, float]], list[str]]:
    """Find the limits of the axis of each panel, and the notes that they need.

    Panels with the same unit share an axis, except if their values are far apart.

    >>> rows = [Entry("a", (Mark(91.5, 91.2, 91.8),)), Entry("b", (Mark(82, 80, 84),))]
    >>> find_limits([Panel("", rows)])
    ([(75.0, 95.0)], ['The axis is cut: it begins at 75.'])
    """
    ranges = [_find_range(panel) for panel in panels]
    same = len({(panel.unit, panel.possible, panel.limits) for panel in panels}) == 1
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    shared = same and high - low <= WIDE
    if shared:
        ranges = [(low, high)] * len(panels)
    limits = [
        panel.limits or _round_limits(*found, panel.possible)
        for panel, found in zip(panels, ranges, strict=True)
    ]
    notes = ["The panels have different axes."] if len(set(limits)) > 1 else []
    cut = {low for (low, _), panel in zip(limits, panels, strict=True) if panel.possible and low}
    if len(cut) == 1 and len(set(limits)) == 1:
        notes.append(f"The axis is cut: it begins at {cut.pop():g}.")
    elif cut:
        notes.append("Axes that do not begin at 0 are cut.")
    return limits, notes


def _find_range(panel: Panel) -> tuple[float, float]:
    marks = [mark for entry in panel.entries for mark in entry.marks]
    marks += [panel.band] if panel.band else []
    low = min(min(mark.value, mark.low) for mark in marks)
    high = max(max(mark.value, mark.high) for mark in marks)
    if panel.possible:
        low, high = max(low, panel.possible[0]), min(high, panel.possible[1])
    elif not panel.lines:
        low, high = min(low, 0.0), max(high, 0.0)  # a difference is seen from 0
    return low, high


def _round_limits(
    low: float, high: float, possible: tuple[float, float] | None
) -> tuple[float, float]:
    """Round the limits of an axis outwards. An axis of percent that is half used begins at 0."""
    if possible and low < (possible[0] + possible[1]) / 2:
        low = possible[0]
    step = find_step(high - low)
    low, high = step * floor(low / step - 0.2), step * ceil(high / step + 0.2)
    return (max(low, possible[0]), min(high, possible[1])) if possible else (low, high)


def find_step(span: float) -> float:
    """Find a round distance of ticks.

    >>> find_step(100), find_step(12), find_step(0.4), find_step(0)
    (20.0, 5.0, 0.1, 1.0)
    """
    if span <= 0:
        return 1.0
    rough = span / TICKS
    power = floor(log10(rough))
    base = next(base for base in (1, 2, 5, 10) if base * 10.0**power >= rough * 0.999)
    return round(base * 10.0**power, 6)


def list_ticks(limits: tuple[float, float]) -> list[float]:
    """List the ticks between two limits.

    >>> list_ticks((75, 100))
    [75.0, 80.0, 85.0, 90.0, 95.0, 100.0]
    """
    step = find_step(limits[1] - limits[0])
    first, last = ceil(limits[0] / step - 1e-9), floor(limits[1] / step + 1e-9)
    return [round(step * n, 6) for n in range(first, last + 1)]
