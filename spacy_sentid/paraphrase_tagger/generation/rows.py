"""Reading and writing rows of labelled data as JSON lines, CSV and TSV.

Fields of JSON keep their types; cells of CSV and TSV are strings. TSV follows GLUE: there is no
quoting, and each line is a row.
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
    format_record,
    parse_lines,
    parse_record,
    read_lines,
)

JSON_LINES = (".jsonl", ".json")
CSV, TSV = ".csv", ".tsv"
# Suffix of the input -> allowed suffixes of the output.
OUTPUTS = {**dict.fromkeys(JSON_LINES, JSON_LINES), CSV: (CSV,), TSV: (TSV, CSV)}


class Row(NamedTuple):
    """A row and the place where it begins."""

    place: str
    fields: dict[str, Any]


def check_formats(path: Path, output: Path) -> None:
    """Check that the formats of input and output are known and compatible."""
    if path.suffix not in OUTPUTS:
        raise ValueError(f"The file name must end in {', '.join(OUTPUTS)}, got {path}.")
    if output.suffix not in OUTPUTS[path.suffix]:
        ends = " or ".join(OUTPUTS[path.suffix])
        raise ValueError(f"The output of {path} must be a file with suffix {ends}, got {output}.")
    if path.resolve() == output.resolve():
        raise ValueError(f"The output must be a new file, got the input {path}.")


def read_rows(path: Path) -> Iterator[Row | BadLine]:
    """Read the rows of a file one at a time. The suffix determines the format."""
    if path.suffix in JSON_LINES:
        yield from parse_lines(read_lines(path), lambda line: Row(line.place, parse_record(line)))
        return
    columns: list[str] | None = None
    for found in _read_cells(path):
        if isinstance(found, BadLine):
            yield found
            continue
        place, cells = found
        if columns is None:
            columns = cells
        elif len(cells) == len(columns):
            yield Row(place, dict(zip(columns, cells, strict=True)))
        else:
            yield BadLine(place, f"must have {len(columns)} cells, got {len(cells)}.")


def read_columns(path: Path) -> list[str] | None:
    """Read the names of the columns of a table; None for JSON lines.

    Raises ValueError if there is no header.
    """
    if path.suffix in JSON_LINES:
        return None
    header = next(_read_cells(path), None)
    if header is None or isinstance(header, BadLine):
        raise ValueError(f"{path} must begin with a header of column names, got none.")
    place, columns = header
    twice = [name for name, n in Counter(columns).items() if n > 1]
    if twice:
        raise ValueError(f"{place}: columns must have different names, got {twice[0]!r} twice.")
    return columns


def _read_cells(path: Path) -> Iterator[tuple[str, list[str]] | BadLine]:
    if path.suffix == TSV:
        for line in read_lines(path):
            yield line if isinstance(line, BadLine) else (line.place, line.text.split("\t"))
        return
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        # Without `strict`, an unclosed quote silently swallows the rest of the file.
        reader = csv.reader(file, strict=True)
        cells: list[str] | None = []
        while cells is not None:
            first = reader.line_num + 1
            place = f"{path}:{first}"
            try:
                cells = next(reader, None)
            except csv.Error as error:
                yield BadLine(place, _lost_lines(error, first, reader.line_num))
                continue
            if any(SURROGATE.search(cell) for cell in cells or []):
                yield BadLine(place, "the row must be UTF-8. Save the file as UTF-8.")
            elif cells:
                yield place, cells


def _lost_lines(error: csv.Error, first: int, last: int) -> str:
    lost = (
        f" A quoted cell spans line {first:,} to line {last:,}, which are all skipped."
        if last > first
        else ""
    )
    return f"invalid CSV ({error}).{lost} Check the quotes of line {first:,}."


def write_rows(
    file: TextIO, rows: Iterable[dict[str, Any]], path: Path, columns: list[str] | None
) -> None:
    """Write rows in the format of a file's suffix. Tables begin with the column names."""
    if columns is None:
        file.writelines(format_record(row) + "\n" for row in rows)
        return
    table = chain([columns], ([row[name] for name in columns] for row in rows))
    if path.suffix == TSV:
        file.writelines("\t".join(cells) + "\n" for cells in table)
    else:
        csv.writer(file, lineterminator="\n").writerows(table)
