"""A self-contained HTML page with the tables and charts of results.

files of results, or other JSON with numbers -> Results -> HTML; charts as SVG, PDF, PNG
"""

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from spacy_sentid.cli.printing import name_files
from spacy_sentid.files.atomic import open_binary_output
from spacy_sentid.view.page import escape_text
from studies.charts import DARK, LIGHT, METADATA, draw_chart, list_charts
from studies.results import Column, Line, Results, Row, Table, list_cells, read_results

MAX_DEPTH = 8
MAX_FILE_NAME = 180  # bytes. File systems allow 255, which include a number and a suffix.


def read_files(paths: Sequence[Path]) -> list[Results]:
    """Read files of results, and the numbers in other JSON files. Duplicate paths count once."""
    by_place: dict[Path, Path] = {}
    for path in paths:
        by_place.setdefault(path.resolve(), path)
    files = list(by_place.values())
    return [read_file(path, name) for path, name in zip(files, name_files(files), strict=True)]


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


def build_page(title: str, sections: Sequence[Results]) -> str:
    """Return the HTML page: contents, then a section for each file of results."""
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
    template = environment.get_template("report.html")
    return template.render(
        title=title,
        sections=[
            {"results": results, "charts": _embed_charts(results), "tables": _lay_out(results)}
            for results in sections
        ],
    )


def _embed_charts(results: Results) -> Iterator[dict[str, str]]:
    """Draw the charts of a section for light and dark mode, as data URLs."""
    for table in list_charts(results):
        drawn = (draw_chart(results, table, palette=palette) for palette in (LIGHT, DARK))
        light, dark = (f"data:image/svg+xml;base64,{base64.b64encode(x).decode()}" for x in drawn)
        yield {"title": table.title, "light": light, "dark": dark}


def _lay_out(results: Results) -> Iterator[dict[str, Any]]:
    """Lay out the tables of a section, except those without values."""
    for table in results.tables:
        head, *rows = list_cells(results, table)
        if table.show == "table" and rows:
            yield {"table": table, "head": head, "rows": rows, "n_left": len(table.heads)}


def write_figures(sections: Sequence[Results], folder: Path) -> Iterator[Path]:
    """Write all charts as SVG, PDF and PNG, and yield the path of each file."""
    used: set[str] = set()
    for results in sections:
        for table in list_charts(results):
            stem = name_figure(f"{results.study} {table.title}")
            numbered = (f"{stem}-{n}" for n in count(2))
            name = stem if stem not in used else next(n for n in numbered if n not in used)
            used.add(name)
            for suffix in METADATA:
                path = folder / f"{name}.{suffix}"
                with open_binary_output(path) as file:
                    file.write(draw_chart(results, table, file_format=suffix))
                yield path


def name_figure(title: str) -> str:
    """Convert a title to a file name.

    >>> name_figure("Trained in-domain: F1 of words, SUs")
    'trained-in-domain-f1-of-words-sus'
    """
    raw = re.sub(r"[^\w]+", "-", title.casefold()).encode()[:MAX_FILE_NAME]
    return raw.decode(errors="ignore").strip("-") or "figure"
