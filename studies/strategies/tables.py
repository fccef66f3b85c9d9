"""Tables of an experiment beside a paper's figures: rows -> the terminal, Markdown, JSON."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

Cell: TypeAlias = str | int | float | None
N_WORDS = 12


class Table(NamedTuple):
    """A table; shares are floats from 0 to 1, which are printed in percent."""

    name: str
    title: str
    header: list[str]
    rows: list[list[Cell]]
    notes: list[str]


def format_cell(cell: Cell) -> str:
    """Write a cell: shares in percent, counts with commas.

    >>> format_cell(0.9774), format_cell(4819), format_cell(None)
    ('97.7', '4,819', '')
    """
    if isinstance(cell, float):
        return f"{100 * cell:.1f}"
    return f"{cell:,}" if isinstance(cell, int) else cell or ""


def format_rows(table: Table) -> list[list[str]]:
    """Write the header and all rows of a table."""
    return [table.header, *([format_cell(cell) for cell in row] for row in table.rows)]


def format_markdown(tables: Iterable[Table]) -> str:
    """Write tables as Markdown, the first column to the left."""
    parts = []
    for table in tables:
        header, *rows = ([_escape(cell) for cell in row] for row in format_rows(table))
        lines = [f"## {table.title}\n", f"| {' | '.join(header)} |"]
        lines.append(f"| --- |{' ---: |' * (len(header) - 1)}")
        lines += [f"| {' | '.join(row)} |" for row in rows]
        parts.append("\n".join(lines) + "\n\n" + "".join(f"- {note}\n" for note in table.notes))
    return "\n".join(parts)


def _escape(cell: str) -> str:
    """Keep a cell as it stands: regular expressions have signs that mean something in Markdown."""
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
