"""A self-contained HTML page with the tables and charts of results.

files of results, or other JSON with numbers -> cards, questions, all tables -> HTML; charts as SVG
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from spacy_sentid.files.atomic import open_output
from spacy_sentid.view.text.page import escape_text
from studies import questions
from studies.cards import list_cards
from studies.charts import draw_chart, draw_charts
from studies.results import Column, Line, Results, Row, Table, list_cells, read_results
from studies.svg import embed, format_style
from studies.table_charts import list_charts

MAX_DEPTH = 8
# Width of a table in a window of 1280 pixels, of a letter in it, and of the space around a cell.
MAX_WIDTH, LETTER, SPACE = 1120, 7.4, 20


def read_files(paths: Sequence[Path]) -> dict[str, Results]:
    """Read files of results, and the numbers in other JSON files, by their names.

    Duplicate paths count once.
    """
    by_place: dict[Path, Path] = {}
    for path in paths:
        by_place.setdefault(path.resolve(), path)
    files = list(by_place.values())
    names = name_files(files)
    return {name: read_file(path, name) for path, name in zip(files, names, strict=True)}


def name_files(paths: Sequence[Path]) -> list[str]:
    """Name files by the last parts of their paths, using as few parts as distinguish all files.

    >>> name_files([Path("a/x.json"), Path("b/x.json")]), name_files([Path("metrics/y.json")])
    (['a/x', 'b/x'], ['y'])
    """
    longest = max((len(path.parts) for path in paths), default=1)
    names: list[str] = []
    for n_parts in range(1, longest + 1):
        names = ["/".join(path.with_suffix("").parts[-n_parts:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def read_file(path: Path, name: str) -> Results:
    """Read a file of results, or the numbers in another JSON file.

    Raises ValueError with the file name if it has neither.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} must be JSON ({error}).") from error
    if isinstance(data, dict) and {"study", "columns", "rows"} <= set(data):
        return read_results(path)
    results = collect_numbers(data, name)
    if not results.rows:
        raise ValueError(f"{path} must contain numbers, but it has none.")
    return results


def collect_numbers(data: Any, name: str) -> Results:
    """Collect the numbers in JSON data, with a table for all objects that have the same keys.

    >>> found = collect_numbers({"by_label": {"B": {"f": 0.5}, "I": {"f": 0.9}}}, "scores")
    >>> list_cells(found, found.tables[0])
    [['name', 'f'], ['by_label, B', '0.500'], ['by_label, I', '0.900']]
    """
    rows: list[Row] = []
    lines: dict[tuple[str, ...], list[Line]] = {}
    for place, numbers in _walk(data, ()):
        system = ", ".join(place) or name
        rows += [Row(system, None, {}, metric, value) for metric, value in numbers.items()]
        lines.setdefault(tuple(numbers), []).append(Line(labels=[system], system=system))
    tables = [
        Table(title=f"Numbers {n}", heads=["name"], lines=found, columns=_list_columns(rows, keys))
        for n, (keys, found) in enumerate(lines.items(), start=1)
    ]
    return Results(study=name, title=name, tables=tables, rows=rows, version="")


def _walk(data: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], dict[str, float]]]:
    """List the objects in JSON data that have numbers, with the keys that lead to them."""
    items = dict(enumerate(data, start=1)) if isinstance(data, list) else data
    if not isinstance(items, Mapping) or len(place) == MAX_DEPTH:
        return
    numbers = {
        str(key): value
        for key, value in items.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    if numbers:
        yield place, numbers
    for key, value in items.items():
        yield from _walk(value, (*place, str(key)))


def _list_columns(rows: Sequence[Row], metrics: Sequence[str]) -> list[Column]:
    """List the columns of metrics. Integers have no decimal places."""
    columns = []
    for metric in metrics:
        values = [row.value for row in rows if row.metric == metric]
        digits = 0 if all(float(value).is_integer() for value in values) else 3
        columns.append(Column(title=metric, metric=metric, percent=False, digits=digits))
    return columns


def build_page(title: str, sections: Mapping[str, Results]) -> str:
    """Return the HTML page: cards, then a chart for each question, then all tables by study.

    sections: See `read_files`. Without the results that answer a question, its chart is left out.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        finalize=escape_text,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["mean_and_sd"] = lambda cell: cell.partition("±")
    environment.filters["plain"] = lambda cell: re.sub(r"\*\*|`", "", cell)  # Markdown
    charts = questions.list_charts(sections)
    return environment.get_template("report.html").render(
        title=title,
        style=Markup(format_style()),
        cards=list_cards(charts),
        questions=[
            {"name": name, "chart": chart, "figure": Markup(embed(draw_chart(chart)))}
            for name, chart in charts.items()
        ],
        sections=[
            {
                "results": results,
                "charts": [Markup(embed(draw_chart(chart))) for chart in list_charts(results)],
                "tables": list(_lay_out(results)),
            }
            for results in sections.values()
        ],
    )


def _lay_out(results: Results) -> Iterator[dict[str, Any]]:
    """Lay out the tables of a section, except those without values."""
    for table in results.tables:
        cells = list_cells(results, table)
        if table.show != "table" or len(cells) == 1:
            continue
        n_left = len(table.heads)
        parts = split_columns(cells, n_left)
        yield {
            "table": table,
            "n_left": n_left,
            "parts": [
                {"head": head, "rows": rows, "number": f" ({n} of {len(parts)})" * (len(parts) > 1)}
                for n, (head, *rows) in enumerate(parts, start=1)
            ],
        }


def split_columns(cells: Sequence[Sequence[str]], n_left: int) -> list[list[list[str]]]:
    """Split a table into tables that fit into a window of 1280 pixels. Each repeats the labels.

    cells: The rows, the heading first. The first `n_left` columns are labels.

    >>> [len(part[0]) for part in split_columns([["system", *["score"] * 40]], 1)]
    [19, 19, 5]
    """
    widths = [LETTER * max(map(_measure, column)) + SPACE for column in zip(*cells, strict=True)]
    parts: list[list[int]] = []
    room = 0.0
    for n in range(n_left, len(widths)):
        room -= widths[n]
        if room < 0 or not parts:
            parts.append(list(range(n_left)))
            room = MAX_WIDTH - sum(widths[:n_left]) - widths[n]
        parts[-1].append(n)
    return [[[row[n] for n in part] for row in cells] for part in parts]


def _measure(cell: str) -> int:
    """Count the letters of the longest line of a cell. Headings are broken at blanks."""
    return len(cell) if any(letter.isdigit() for letter in cell) else max(map(len, cell.split(" ")))


def write_figures(sections: Mapping[str, Results], folder: Path) -> Iterator[Path]:
    """Write the chart of each question, and the charts of each file of results, as SVG files.

    YIELDS: The paths of the files. The same results give the same bytes.
    """
    charts = {f"chart_{name}": [chart] for name, chart in questions.list_charts(sections).items()}
    charts |= {name_figure(name): list_charts(results) for name, results in sections.items()}
    for name, drawn in charts.items():
        if drawn:
            path = folder / f"{name}.svg"
            with open_output(path) as file:
                file.write(draw_charts(drawn))
            yield path


def name_figure(name: str) -> str:
    """Convert the name of results to a file name.

    >>> name_figure("metrics/identifier_minilm")
    'metrics-identifier_minilm'
    """
    return re.sub(r"[^\w]+", "-", name).strip("-") or "figure"
