"""Charts of results, with dots or lines and deviations, for the report, the docs and papers.

Table with show = "dots" or "lines" -> panels -> axes -> SVG, PDF, PNG
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any, NamedTuple

from studies.plotting import SVG_SETTINGS, import_matplotlib, use_own_settings
from studies.results import Column, Line, Results, Table
from studies.summaries import Summary

# Without a date, the same numbers give the same bytes.
METADATA = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}
SETTINGS = {
    **SVG_SETTINGS,
    "text.parse_math": False,  # "$" is an ordinary character
    "font.size": 9,
    "pdf.fonttype": 42,  # TrueType, so that text can be searched
}
WIDTH, MAX_PANELS = 9.6, 4  # width in inches; number of panels in a row
# Heights in inches: of a line, of each group in it, of the frame of a panel, of a panel of lines.
ROW, GROUP, PANEL, LINES = 0.24, 0.09, 0.85, 2.6
LABEL, TITLE = 34, 28  # characters per line; longer labels and titles are wrapped
MARKERS = "osD^vPX*"
# XML cannot contain these characters, and matplotlib cannot draw surrogates.
UNWRITABLE = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Palette(NamedTuple):
    """The colors of a chart."""

    ink: str
    soft: str
    rule: str
    series: tuple[str, ...]


# Color-blind readers can tell these apart, and each has a contrast of at least 3:1.
LIGHT = Palette(
    "#1a202c", "#5a6472", "#d5dae1",
    ("#2563c9", "#c2571a", "#0f8a6d", "#8a4fc4", "#6b7280", "#b8336a"),
)  # fmt: skip
DARK = Palette(
    "#e6eaf0", "#a8b2bf", "#3a424e",
    ("#7db3ff", "#f4a261", "#4ecfa9", "#c6a4ff", "#a8b2bf", "#ff8fb8"),
)  # fmt: skip


class Panel(NamedTuple):
    """One pair of axes for the columns with the same title, with a series for each group."""

    title: str
    columns: list[Column]


def list_charts(results: Results) -> list[Table]:
    """List the charts of results that have something to draw."""
    return [
        table
        for table in results.tables
        if table.show != "table" and _list_lines(results, table) and _list_panels(results, table)
    ]


def draw_chart(
    results: Results, table: Table, *, file_format: str = "svg", palette: Palette = LIGHT
) -> bytes:
    """Draw one chart as a file with a transparent background."""
    return _draw(results, [table], file_format, palette)


def draw_results(results: Results) -> str:
    """Draw all charts of results as one SVG, one below the other."""
    return _draw(results, list_charts(results), "svg", LIGHT).decode("utf8")


def _draw(results: Results, tables: Sequence[Table], file_format: str, palette: Palette) -> bytes:
    matplotlib = import_matplotlib()
    with _own_settings(palette):
        heights = [_height(results, table) for table in tables]
        figure = matplotlib.figure.Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
        parts = figure.subfigures(len(tables), 1, height_ratios=heights, squeeze=False)
        for part, table in zip(parts.flat, tables, strict=True):
            if len(tables) > 1:
                part.suptitle(
                    _clean(table.title), x=0.01, ha="left", fontsize=10, fontweight="bold"
                )
            _draw_table(part, results, table, palette)
        out = BytesIO()
        figure.savefig(
            out, format=file_format, metadata=METADATA[file_format], dpi=200,
            transparent=file_format == "svg",
        )  # fmt: skip
    return out.getvalue()


@contextmanager
def _own_settings(palette: Palette) -> Iterator[None]:
    colors = {
        "text.color": palette.ink,
        "axes.labelcolor": palette.soft,
        "axes.edgecolor": palette.rule,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.titlesize": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.spines.left": False,
        "grid.color": palette.rule,
        "grid.linewidth": 0.6,
        "xtick.color": palette.soft,
        "ytick.color": palette.ink,
        "ytick.major.size": 0,
        "errorbar.capsize": 2,
        "lines.markersize": 4.5,
        "legend.frameon": False,
    }
    with use_own_settings({**SETTINGS, **colors}):
        yield


def _list_lines(results: Results, table: Table) -> list[Line]:
    """List the lines of a chart that have values."""
    return [
        line
        for line in table.lines
        if any(results.summarize(line, column) for column in table.columns)
    ]


def _list_panels(results: Results, table: Table) -> list[Panel]:
    """List the panels of a chart, with the columns that have values."""
    panels: dict[str, Panel] = {}
    for column in table.columns:
        if any(results.summarize(line, column) for line in table.lines):
            panels.setdefault(column.title, Panel(column.title, [])).columns.append(column)
    return list(panels.values())


def _height(results: Results, table: Table) -> float:
    panels = _list_panels(results, table)
    n_rows = -(-len(panels) // MAX_PANELS)
    if table.show == "lines":
        return n_rows * LINES
    n_groups = max(len(panel.columns) for panel in panels)
    row = max(ROW, GROUP * n_groups + 0.1)
    return n_rows * (row * len(_list_lines(results, table)) + PANEL)


def _draw_table(figure: Any, results: Results, table: Table, palette: Palette) -> None:
    panels, lines = _list_panels(results, table), _list_lines(results, table)
    n_rows = -(-len(panels) // MAX_PANELS)
    n_columns = -(-len(panels) // n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    groups = list(dict.fromkeys(column.group for panel in panels for column in panel.columns))
    handles: dict[str, Any] = {}
    for n, axis in enumerate(axes.flat):
        if n >= len(panels):
            axis.set_visible(False)
            continue
        axis.set_title("\n".join(textwrap.wrap(_clean(panels[n].title), TITLE)))
        for column in panels[n].columns:
            place = groups.index(column.group)
            draw = _draw_line if table.show == "lines" else _draw_dots
            handles[column.group] = draw(
                axis, results, lines, column, (place, len(groups)), palette
            )
        if table.show == "lines":
            axis.set_xlabel(_clean(table.heads[0]))
            continue
        if table.baseline is not None:
            _draw_band(axis, results, table, panels[n].columns[0], palette)
        labels = [textwrap.fill(_clean(" ".join(line.labels)), LABEL) for line in lines]
        axis.set_yticks(range(len(lines)), labels if n % n_columns == 0 else [""] * len(lines))
        axis.set_ylim(len(lines) - 0.4, -0.6)
        axis.set_xlabel("percent" if panels[n].columns[0].percent else "")
        axis.margins(x=0.08)
    if len(groups) > 1:
        figure.legend(
            list(handles.values()), list(map(_clean, handles)), loc="outside lower center",
            ncols=len(handles),
        )  # fmt: skip


def _clean(text: str) -> str:
    return UNWRITABLE.sub("\ufffd", text)


def _scale(column: Column, values: Sequence[Summary]) -> tuple[list[float], ...]:
    """Return the means, the lower bounds and the upper bounds, each as a list."""
    scale = 100 if column.percent else 1
    rows = [(found.mean, *found.bounds) for found in values]
    return tuple([scale * row[n] for row in rows] for n in range(3))


def _draw_dots(
    axis: Any, results: Results, lines: Sequence[Line], column: Column,
    place: tuple[int, int], palette: Palette,
) -> Any:  # fmt: skip
    """Draw a series of markers, slightly above or below those of other groups."""
    n, n_groups = place
    found = {y: results.summarize(line, column) for y, line in enumerate(lines)}
    marks = {y: value for y, value in found.items() if value}
    means, low, high = _scale(column, list(marks.values()))
    errors = [[max(m - x, 0.0) for m, x in zip(means, low, strict=True)]]
    errors += [[max(x - m, 0.0) for m, x in zip(means, high, strict=True)]]
    shift = (n - (n_groups - 1) / 2) * min(0.7 / n_groups, 0.24)
    return axis.errorbar(
        means, [y + shift for y in marks], xerr=errors if any(map(any, errors)) else None,
        fmt=MARKERS[n % len(MARKERS)], color=palette.series[n % len(palette.series)],
    )  # fmt: skip


def _draw_line(
    axis: Any, results: Results, lines: Sequence[Line], column: Column,
    place: tuple[int, int], palette: Palette,
) -> Any:  # fmt: skip
    """Draw a series and its deviation; the first label of each line is its x value."""
    n, _ = place
    found = [(float(line.labels[0]), results.summarize(line, column)) for line in lines]
    xs = [x for x, value in found if value]
    means, low, high = _scale(column, [value for _, value in found if value])
    color = palette.series[n % len(palette.series)]
    axis.fill_between(xs, low, high, color=color, alpha=0.18, linewidth=0)
    (handle,) = axis.plot(xs, means, marker=MARKERS[n % len(MARKERS)], color=color, linewidth=1.4)
    return handle


def _draw_band(axis: Any, results: Results, table: Table, column: Column, palette: Palette) -> None:
    """Shade the deviation of the baseline. The tables mark the values outside it."""
    found = results.summarize(table.lines[table.baseline or 0], column)
    if found:
        (mean,), (low,), (high,) = _scale(column, [found])
        axis.axvspan(low, high, color=palette.soft, alpha=0.18, linewidth=0)
        axis.axvline(mean, color=palette.soft, linewidth=0.9, linestyle=":")
