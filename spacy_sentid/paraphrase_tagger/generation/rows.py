"""Rows of labelled data: JSON lines, CSV and TSV, in and out.

A JSON field keeps its type, a cell of CSV or TSV is a string. TSV is as GLUE has it: no quoting,
a row a line.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from ...files.records import (
    SURROGATE,
    BadLine,
    bad_line,
    format_record,
    parse_record,
    read_lines,
)

JSON_LINES = (".jsonl", ".json")
CSV, TSV = ".csv", ".tsv"
# What a file may be written as.
OUTPUTS = {**dict.fromkeys(JSON_LINES, JSON_LINES), CSV: (CSV,), TSV: (TSV, CSV)}


class Row(NamedTuple):
    """A row and where it begins."""

    place: str
    fields: dict[str, Any]


def check_formats(path: Path, output: Path) -> None:
    """Raise ValueError if a file is in no known format, or cannot be written as the other."""
    if path.suffix not in OUTPUTS:
        raise ValueError(
            f"Found the file name {path}, expected one that ends in {', '.join(OUTPUTS)}. Rename "
            "it, or convert it."
        )
    if output.suffix not in OUTPUTS[path.suffix]:
        raise ValueError(
            f"Found {output} for the rows of {path}, expected a name that ends in "
            f"{' or '.join(OUTPUTS[path.suffix])}. Name OUT so."
        )
    if path.resolve() == output.resolve():
        raise ValueError(f"Found {path} as input and output, expected a new file. Name another.")


def read_rows(path: Path) -> Iterator[Row | BadLine]:
    """Read the rows of a file, one at a time; the format is that of its name."""
    if path.suffix in JSON_LINES:
        yield from _read_json(path)
        return
    cells = _read_cells(path)
    header = next(cells, None)
    if header is None or isinstance(header, BadLine):
        return
    columns = header[1]
    for found in cells:
        if isinstance(found, BadLine):
            yield found
        elif len(found[1]) == len(columns):
            yield Row(found[0], dict(zip(columns, found[1], strict=True)))
        else:
            yield BadLine(
                found[0], f"found {len(found[1])} cells, expected {len(columns)} as in the header."
            )


def read_columns(path: Path) -> list[str] | None:
    """Read the names of the columns of a table; None for JSON lines.

    Raises ValueError if there is no header.
    """
    if path.suffix in JSON_LINES:
        return None
    header = next(_read_cells(path), None)
    if header is None or isinstance(header, BadLine):
        raise ValueError(f"Found no header in {path}, expected the names of columns. Add it.")
    columns = header[1]
    twice = [name for name, n in Counter(columns).items() if n > 1]
    if twice:
        raise ValueError(
            f"{header[0]}: found the column {twice[0]!r} more than once, expected different names. "
            "Rename one."
        )
    return columns


def _read_json(path: Path) -> Iterator[Row | BadLine]:
    for line in read_lines(path):
        if isinstance(line, BadLine):
            yield line
            continue
        try:
            yield Row(line.place, parse_record(line))
        except ValueError as error:
            yield bad_line(line.place, error)


def _read_cells(path: Path) -> Iterator[tuple[str, list[str]] | BadLine]:
    if path.suffix == TSV:
        for line in read_lines(path):
            yield line if isinstance(line, BadLine) else (line.place, line.text.split("\t"))
        return
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        # Else a quote that is never closed takes in all that follows, and is no error.
        reader = csv.reader(file, strict=True)
        before = 0
        while True:
            place = f"{path}:{before + 1}"
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield BadLine(place, _lost_lines(error, before + 1, reader.line_num))
                before = reader.line_num
                continue
            before = reader.line_num
            if cells is None:
                return
            if any(SURROGATE.search(cell) for cell in cells):
                yield BadLine(place, "found bytes that are not UTF-8.")
            elif cells:
                yield place, cells


def _lost_lines(error: csv.Error, first: int, last: int) -> str:
    if last <= first:
        return f"found no row of CSV ({error}). Check the quotes."
    return (
        f"found no row of CSV ({error}): a quoted cell reached from line {first:,} to line "
        f"{last:,}, which are all left out. Check the quotes of line {first:,}."
    )


def write_rows(
    file: TextIO, rows: Iterable[dict[str, Any]], path: Path, columns: list[str] | None
) -> None:
    """Write rows in the format of a file's name; tables begin with the columns."""
    if columns is None:
        file.writelines(format_record(row) + "\n" for row in rows)
        return
    if path.suffix == CSV:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row[name] for name in columns] for row in rows)
        return
    for cells in chain([columns], ([row[name] for name in columns] for row in rows)):
        file.write("\t".join(cells) + "\n")
