"""Charts of the tables of results whose field `show` is "dots" or "lines".

table -> a panel for each column title, a series for each group -> chart
"""

from collections.abc import Sequence

from studies.charts import draw_charts
from studies.panels import Chart, Entry, Mark, Panel
from studies.results import Column, Line, Results, Table, format_cell
from studies.summaries import Summary

PERCENT = (0.0, 100.0)


def list_charts(results: Results) -> list[Chart]:
    """List the charts of results that have something to draw."""
    charts = [make_chart(results, table) for table in results.tables if table.show != "table"]
    return [chart for chart in charts if chart.panels]


def draw_results(results: Results) -> str:
    """Draw all charts of results as one SVG, one below the other."""
    return draw_charts(list_charts(results))


def make_chart(results: Results, table: Table) -> Chart:
    """Make the chart of a table. It has no panels if the table has no values."""
    columns: dict[str, list[Column]] = {}
    for column in table.columns:
        if any(results.summarize(line, column) for line in table.lines):
            columns.setdefault(column.title, []).append(column)
    groups = list(dict.fromkeys(c.group for same in columns.values() for c in same))
    return Chart(
        title=table.title,
        about=f"{table.about} {describe_bars(results, table)}".strip(),
        panels=[_make_panel(results, table, same, groups) for same in columns.values()],
        series=groups if len(groups) > 1 else (),
        band=_name_band(table),
        x=table.heads[0],
    )


def describe_bars(results: Results, table: Table) -> str:
    """Describe the number of seeds, and what the bars of a chart are.

    >>> table = Table(title="T", heads=[], lines=[], columns=[])
    >>> describe_bars(Results(study="s", title="S"), table)
    ''
    """
    found = [results.summarize(line, column) for line in table.lines for column in table.columns]
    seeds = sorted({cell.n_seeds for cell in found if cell and cell.n_seeds})
    if not seeds or seeds == [1]:
        return ""
    number = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    several = any(cell and cell.interval for cell in found)  # the table says what its bars are
    bars = "" if several else "; bars: one standard deviation"
    return f"Mean of {number} seeds{bars}."


def _name_band(table: Table) -> str:
    if table.baseline is None:
        return ""
    return f"{' '.join(table.lines[table.baseline].labels)}, with its spread"


def _make_panel(
    results: Results, table: Table, columns: Sequence[Column], groups: Sequence[str]
) -> Panel:
    entries = [_make_entry(results, line, columns, groups) for line in table.lines]
    entries = [entry for entry in entries if entry.marks]
    if table.ranked:
        entries.sort(key=lambda entry: -max(mark.value for mark in entry.marks))
    first = columns[0]
    band = None
    if table.baseline is not None:
        found = results.summarize(table.lines[table.baseline], first)
        band = _make_mark(found, first, 0) if found else None
    return Panel(
        title=first.title,
        entries=entries,
        unit=_name_unit(first),
        possible=PERCENT if first.percent and not first.signed else None,
        band=band,
        lines=table.show == "lines",
    )


def _name_unit(column: Column) -> str:
    if not column.percent:
        return ""
    return "points" if column.signed else "percent"


def _make_entry(
    results: Results, line: Line, columns: Sequence[Column], groups: Sequence[str]
) -> Entry:
    found = [(column, results.summarize(line, column)) for column in columns]
    marks = [_make_mark(x, column, groups.index(column.group)) for column, x in found if x]
    text = ""
    if len(columns) == 1 and found[0][1]:
        text = format_cell(found[0][1]._replace(interval=None, sd=_shown_sd(found[0][1])), *columns)
    return Entry(" ".join(line.labels), tuple(marks), line.role, text.replace("±", " ±"))


def _shown_sd(found: Summary) -> float | None:
    """Return the deviation, except if the bar shows an interval."""
    return None if found.interval else found.sd


def _make_mark(found: Summary, column: Column, series: int) -> Mark:
    """Make a mark. Its bar ends where values are no longer possible."""
    scale = 100 if column.percent else 1
    low, high = (scale * bound for bound in found.bounds)
    if column.percent and not column.signed:
        low, high = max(low, PERCENT[0]), min(high, PERCENT[1])
    return Mark(scale * found.mean, low, high, series)
