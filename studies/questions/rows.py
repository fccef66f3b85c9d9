"""Rows of the charts: the mean of a system over its seeds, with the name that people use for it."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

from studies.panels import Entry, Mark, Role
from studies.paper_figures import Figure
from studies.results import Column, Line, Results

Published = Mapping[str, Results]  # by name of the file, without its suffix
Names = Mapping[str, tuple[str, Role]]  # system in the results -> its label and role
BARS = "bars: one standard deviation."


def make_figure(values: Sequence[float]) -> Figure:
    """Make the mean and the deviation of shares or differences, in percent."""
    sd = 100 * stdev(values) if len(values) > 1 else None
    return Figure(100 * fmean(values), sd)


def make_entry(label: str, values: Sequence[float], role: Role) -> Entry:
    """Make a row with the mean of shares, and their deviation if there are several.

    >>> make_entry("ours", [0.9, 0.92], "ours").text
    '91.0 ±1.4'
    """
    return make_row(label, make_figure(values), role)


def summarize_entry(results: Results, line: Line, column: Column) -> Entry:
    """Make a row of a cell of results, which may have only means and deviations.

    Raises ValueError if the cell has no values.
    """
    found = results.summarize(line, column)
    if found is None:
        raise ValueError(f"The results must have {column.metric} of {line.system}, got none.")
    figure = Figure(100 * found.mean, None if found.sd is None else 100 * found.sd)
    return make_row(" ".join(line.labels), figure, line.role)


def make_row(label: str, figure: Figure, role: Role, *, signed: bool = False) -> Entry:
    """Make a row of a figure. The bar of a share stays between 0 and 100.

    >>> make_row("gain", Figure(0.31), "ours", signed=True).text
    '+0.3'
    """
    mean, sd = figure
    low, high = mean - (sd or 0), mean + (sd or 0)
    if not signed:
        low, high = max(low, 0.0), min(high, 100.0)
    text = f"{round(mean, 1) + 0.0:{'+' if signed else ''}.1f}"
    return Entry(label, (Mark(mean, low, high),), role, text + (f" ±{sd:.1f}" if sd else ""))


def rank(entries: Iterable[Entry]) -> list[Entry]:
    """Sort rows, the highest value first."""
    return sorted(entries, key=lambda entry: -entry.marks[0].value)
