"""Tables of experiments with the paper's figures, as results of a study."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from spacy_sentid.about import __version__
from studies import results
from studies.results import Column, Line, Results, Row

Cell: TypeAlias = str | int | float | None
N_WORDS = 12
ABOUT = (
    "The experiments of Grefenstette and Tapanainen, What is a word, what is a sentence? (1994), "
    "sections 2 and 4. Shares are in percent. Numbers in brackets are sections of the paper."
)


class Table(NamedTuple):
    """A table. Shares are floats in [0, 1], and counts are ints. The first cell names the row."""

    name: str
    title: str
    header: list[str]
    rows: list[list[Cell]]
    notes: list[str]


def make_results(tables: Iterable[Table], *, corpus: str, version: str = __version__) -> Results:
    """Convert tables to results, with the first cell of each row as the system."""
    found = list(tables)
    return Results(
        study="strategies",
        title="Strategies of Grefenstette and Tapanainen (1994)",
        about=[ABOUT],
        command="python -m studies strategies",
        version=version,
        settings={"corpus": corpus},
        tables=[layout_table(table) for table in found],
        rows=[row for table in found for row in list_rows(table)],
    )


def list_metrics(table: Table) -> list[str]:
    """Name the metric of each column. A column "paper" has the metric of the column before it.

    >>> list_metrics(Table("a", "A", ["", "right", "paper", "wrong", "paper"], [], []))
    ['', 'right', 'right, paper', 'wrong', 'wrong, paper']
    """
    names: list[str] = []
    for title in table.header:
        repeated = table.header.count(title) > 1
        names.append(f"{names[-1]}, {title}" if repeated else title)
    return names


def list_rows(table: Table) -> list[Row]:
    """Make the rows of results from the cells of a table that are numbers."""
    names = list_metrics(table)
    return [
        Row(str(system), None, {"table": table.name}, name, float(cell))
        for system, *cells in table.rows
        for name, cell in zip(names[1:], cells, strict=True)
        if isinstance(cell, (int, float))
    ]


def layout_table(table: Table) -> results.Table:
    """Convert a table to a table of results, in which columns of text are labels."""
    columns = [[row[n] for row in table.rows] for n in range(len(table.header))]
    texts = [n for n, cells in enumerate(columns) if not n or _has(cells, str)]
    names = list_metrics(table)
    return results.Table(
        title=table.title,
        heads=[table.header[n] for n in texts],
        lines=[
            Line(
                labels=[_escape(str(row[n] or "")) for n in texts],
                system=str(row[0]),
                setting={"table": table.name},
            )
            for row in table.rows
        ],
        columns=[
            Column(
                title=table.header[n],
                metric=names[n],
                percent=_has(cells, float),
                digits=int(_has(cells, float)),
            )
            for n, cells in enumerate(columns)
            if n not in texts
        ],
        notes=table.notes,
    )


def _has(cells: Sequence[Any], kind: type) -> bool:
    return any(isinstance(cell, kind) for cell in cells)


def _escape(cell: str) -> str:
    """Escape a cell for Markdown, e.g. the signs of regular expressions."""
    text = cell.replace("|", "\\|")
    return f"`{text}`" if "\\" in cell else text


def list_words(words: Counter[str], n: int = N_WORDS) -> str:
    """List the most frequent words with their counts.

    >>> list_words(Counter({"Af": 2, "Oh": 1, "Act": 1}), 2)
    'Af 2, Act 1, ...'
    """
    ranked = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    listed = ", ".join(f"{word} {count:,}" for word, count in ranked[:n])
    return listed + (", ..." if len(ranked) > n else "") if listed else "none"
