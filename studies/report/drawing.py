"""Draw a chart of a report as a matplotlib Figure.

Chart, width, colours -> axes, one pair a panel -> marks with their deviations -> legend
"""

import math
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spacy_sentid.plotting import import_matplotlib
from studies.report.parts import Chart, Dots, Lines, Panel, Series, Value

# Inches, of 96 CSS pixels: of the page, of a phone, of a paper.
WIDE, NARROW, PRINT = 10.4, 3.6, 7.2
MAX_COLUMNS = {WIDE: 4, NARROW: 1, PRINT: 3}
LABEL_CHARACTERS = {WIDE: 38, NARROW: 20, PRINT: 28}
TITLE_CHARACTERS, MAX_LEGEND = 30, 60
ROW_INCHES, SERIES_INCHES, PANEL_INCHES, LEGEND_INCHES = 0.24, 0.085, 0.85, 0.2
LINES_INCHES = 2.4
MARKERS = "osD^vPX*"
# What is no character of a text: XML cannot have it, fonts neither.
UNWRITABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Palette(NamedTuple):
    """Colours to draw with."""

    ink: str
    soft: str  # of what is said aside
    rule: str
    series: tuple[str, ...]


def make_figure(chart: Chart, *, width: float, palette: Palette) -> Any:
    """Draw a chart as a matplotlib Figure; the width is one of `MAX_COLUMNS`."""
    matplotlib = import_matplotlib()
    n_rows = -(-len(chart.panels) // MAX_COLUMNS[width])
    columns = -(-len(chart.panels) // n_rows)
    names = _list_names(chart.panels)
    n_legend = -(-len(names) // fit_columns(names, width)) if len(names) > 1 else 0
    labels: list[str] = []
    height = LINES_INCHES
    if isinstance(chart, Dots):
        labels = [_wrap(name, LABEL_CHARACTERS[width]) for name in chart.rows]
        n_lines = sum(max(1.0, 0.62 * (label.count("\n") + 1)) for label in labels)
        height = _row_inches(chart) * n_lines + PANEL_INCHES
    figure = matplotlib.figure.Figure(
        figsize=(width, n_rows * height + LEGEND_INCHES * n_legend), layout="constrained"
    )
    axes = figure.subplots(n_rows, columns, squeeze=False)
    handles: dict[str, Any] = {}
    for n, axis in enumerate(axes.flat):
        if n >= len(chart.panels):
            axis.set_visible(False)
            continue
        panel, is_first = chart.panels[n], n % columns == 0
        _set_style(axis, panel, palette)
        if isinstance(chart, Dots):
            found = _draw_dots(axis, chart, panel, palette)
            axis.set_yticks(range(len(labels)), labels if is_first else [""] * len(labels))
            axis.set_xlabel(chart.axis, color=palette.soft)
        else:
            found = _draw_lines(axis, chart, panel, palette)
            axis.set_xlabel(chart.x_axis, color=palette.soft)
            axis.set_ylabel(chart.axis if is_first else "", color=palette.soft)
        handles = {**found, **handles}
    if n_legend:
        _draw_legend(figure, {name: handles[name] for name in names}, width, palette)
    return figure


def has_marks(chart: Chart) -> bool:
    """Tell whether a chart has anything to draw."""
    return any(_list_marks(series, chart) for panel in chart.panels for series in panel.series)


def _list_marks(series: Series, chart: Chart) -> list[tuple[int, float, float]]:
    """List the place, mean and deviation of what can be drawn."""
    is_log = isinstance(chart, Dots) and chart.is_log
    return [
        (place, value.mean, value.sd if value.sd and math.isfinite(value.sd) else 0.0)
        for place, value in enumerate(series.values)
        if value is not None and math.isfinite(value.mean) and not (is_log and value.mean <= 0)
    ]


def _draw_dots(axis: Any, chart: Dots, panel: Panel, palette: Palette) -> dict[str, Any]:
    """Draw a panel; RETURNS: what stands for each series in the legend."""
    handles: dict[str, Any] = {}
    if panel.band is not None:
        _draw_band(axis, panel.band, palette)
    n = len(panel.series)
    step = min(0.7 / n, 0.24) if n and chart.side_by_side else 0.0
    for place, series in enumerate(panel.series):
        color, marker = _look(series, place, palette)
        marks = _list_marks(series, chart)
        handles[series.name] = axis.errorbar(
            [mean for _, mean, _ in marks],
            [y + (place - (n - 1) / 2) * step for y, _, _ in marks],
            xerr=[sd for _, _, sd in marks] if any(sd for _, _, sd in marks) else None,
            fmt=marker, color=color, markersize=4.5, elinewidth=1.1,
            markerfacecolor="none" if series.is_hollow else color,
            alpha=None if chart.side_by_side else 0.75,
        )  # fmt: skip
    axis.set_ylim(len(chart.rows) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.margins(x=0.06)
    if chart.is_log and any(_list_marks(series, chart) for series in panel.series):
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(lambda x, _: short_number(x))
        axis.xaxis.set_minor_formatter(lambda x, _: "")
    elif chart.from_zero:
        axis.set_xlim(left=-0.015 * axis.get_xlim()[1])  # room for the mark of 0
    return handles


def _draw_lines(axis: Any, chart: Lines, panel: Panel, palette: Palette) -> dict[str, Any]:
    """Draw a panel; RETURNS: what stands for each series in the legend."""
    handles: dict[str, Any] = {}
    for place, series in enumerate(panel.series):
        color, marker = _look(series, place, palette)
        marks = _list_marks(series, chart)
        xs = [chart.xs[x] for x, _, _ in marks]
        low, high = ([mean + sign * sd for _, mean, sd in marks] for sign in (-1, 1))
        axis.fill_between(xs, low, high, color=color, alpha=0.18, linewidth=0)
        (handles[series.name],) = axis.plot(
            xs, [mean for _, mean, _ in marks], marker=marker, color=color, markersize=3.5,
            linewidth=1.4,
        )  # fmt: skip
    return handles


def _draw_band(axis: Any, band: Value, palette: Palette) -> None:
    sd = band.sd or 0.0
    axis.axvspan(band.mean - sd, band.mean + sd, color=palette.soft, alpha=0.18, linewidth=0)
    axis.axvline(band.mean, color=palette.soft, linewidth=0.9, linestyle=":")


def _draw_legend(figure: Any, handles: Mapping[str, Any], width: float, palette: Palette) -> None:
    # matplotlib passes over names that begin with "_".
    names = [f" {_plain(name)[:MAX_LEGEND]}" for name in handles]
    figure.legend(
        list(handles.values()), names, loc="outside upper left",
        ncols=fit_columns(list(handles), width), frameon=False, labelcolor=palette.ink,
        handletextpad=0.4, columnspacing=1.4,
    )  # fmt: skip


def _set_style(axis: Any, panel: Panel, palette: Palette) -> None:
    title = "\n".join(textwrap.wrap(_plain(panel.title), TITLE_CHARACTERS))
    axis.set_title(title, fontsize=9, color=palette.ink, loc="left", fontweight="bold")
    axis.patch.set_alpha(0)
    axis.set_axisbelow(True)
    axis.grid(color=palette.rule, linewidth=0.6)
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.spines["bottom"].set_color(palette.rule)
    axis.tick_params(colors=palette.soft, labelcolor=palette.soft, width=0.6)
    axis.tick_params(axis="y", labelcolor=palette.ink)


def _look(series: Series, place: int, palette: Palette) -> tuple[str, str]:
    """Choose colour and marker: both differ, so that neither need be seen."""
    n = place if series.color is None else series.color
    return palette.series[n % len(palette.series)], MARKERS[n % len(MARKERS)]


def _list_names(panels: Sequence[Panel]) -> list[str]:
    return list(dict.fromkeys(series.name for panel in panels for series in panel.series))


def fit_columns(names: Sequence[str], width: float) -> int:
    """Find how many columns a legend may have: as long names need some inches.

    >>> fit_columns(["ours", "theirs"], 3.6), fit_columns(["a" * 40, "b" * 40], 3.6)
    (2, 1)
    """
    inches = sorted(0.075 * len(name) + 0.5 for name in names)
    fitting = [n for n in range(1, len(names) + 1) if sum(inches[-n:]) < width]
    return max(fitting, default=1)


def _row_inches(chart: Dots) -> float:
    n = max((len(panel.series) for panel in chart.panels), default=1)
    return max(ROW_INCHES, SERIES_INCHES * n + 0.1) if chart.side_by_side else ROW_INCHES


def _wrap(name: str, width: int) -> str:
    """Break a long name into lines, two at most.

    >>> _wrap("one two three four", 8)
    'one two\\nthree f…'
    """
    first, *others = textwrap.wrap(_plain(name), width) or [""]
    rest = " ".join(others)
    if not rest:
        return first
    return f"{first}\n{rest if len(rest) <= width else rest[: width - 1] + '…'}"


def _plain(name: str) -> str:
    """Write a name in one line, without what cannot be written."""
    return UNWRITABLE.sub("\ufffd", " ".join(name.split()))


def short_number(number: float) -> str:
    """Write a number in few characters.

    >>> short_number(1500), short_number(2_000_000), short_number(20)
    ('1.5k', '2M', '20')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"
