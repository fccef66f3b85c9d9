"""Read documents of CSV files, a row each."""

import csv
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from ..files.records import BYTE_ORDER_MARK, BadLine
from .documents import (
    NOT_UTF8,
    Document,
    Entry,
    Position,
    ReadSettings,
    make_document,
    shorten,
    tell_changed,
)
from .pieces import PieceRead, count_stored, skip_bytes

# A longer field is most likely a quote that is not closed.
FIELD_CHARS = 100_000_000


class _Lines:
    """The lines of a file, counted, for the csv module."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.byte = 0
        self.line = 0
        self.fault = ""  # of the lines since it was last set
        self.has_ended = False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        raw = self.file.readline()
        if not raw:
            self.has_ended = True
            raise StopIteration
        self.byte += len(raw)
        self.line += 1
        try:
            text = raw.decode("utf8")
        except UnicodeDecodeError as error:
            self.fault = NOT_UTF8.format(reason=error.reason)
            text = raw.decode("utf8", "replace")
        return text.removeprefix(BYTE_ORDER_MARK) if self.line == 1 else text


def read_csv(read: PieceRead, file: BinaryIO) -> Iterator[Entry]:
    """Read rows below the names of the columns; blank ones are passed over.

    Raises ValueError for a file without the columns, or with a quote that is not closed.
    """
    source, path = read.piece.source, read.piece.source.path
    lines = _Lines(file)
    maker = _Rows(_read_names(lines, path, read.settings), read.settings)
    if not read.is_new:
        if read.start.byte < lines.byte:
            raise ValueError(tell_changed(path, f"byte {read.start.byte:,}"))
        skip_bytes(file, source, read.start.byte, lines.byte)
        lines.byte, lines.line = read.start.byte, read.start.line
    rows = csv.reader(lines)
    while True:
        place = f"{path}:{lines.line + 1}"
        lines.fault = ""
        try:
            row = _read_row(rows)
        except csv.Error as error:
            if "limit" in str(error):
                raise ValueError(_tell_unclosed(place)) from error
            row, lines.fault = [""], f"found no CSV ({error}). Mend the line."
        if row is None:
            return
        if lines.has_ended:  # within a row
            raise ValueError(_tell_unclosed(place))
        if row:
            document: Document | BadLine
            if lines.fault:
                document = BadLine(place, lines.fault)
            else:
                document = maker.make_document(row, place)
            after = Position(read.start.piece, lines.byte, lines.line)
            yield Entry(document, after, read.stored + count_stored(file, lines.byte))


def _read_row(rows: Iterator[list[str]]) -> list[str] | None:
    """Read a row; the limit of a field is the csv module's one for all, and is put back."""
    before = csv.field_size_limit(FIELD_CHARS)
    try:
        return next(rows, None)
    finally:
        csv.field_size_limit(before)


def _tell_unclosed(place: str) -> str:
    return (
        f"{place}: found a quote that is not closed, or a field of more than {FIELD_CHARS:,} "
        "characters, expected a quote at the end of the field. Mend the row; the file may be "
        "truncated."
    )


def _read_names(lines: _Lines, path: str, settings: ReadSettings) -> list[str]:
    """Read the names of the columns; ValueError if those that are needed are not there once."""
    try:
        names = next((row for row in csv.reader(lines) if row), [])
    except csv.Error as error:
        raise ValueError(
            f"{path}:{lines.line}: found no names of columns ({error}), expected a line of them. "
            "Mend the file."
        ) from error
    if lines.fault:
        raise ValueError(f"{path}:{lines.line}: {lines.fault}")
    needed = settings.list_text_keys()
    wrong = [key for key in needed if names.count(key) != 1]
    if names.count(settings.id_key) > 1:
        wrong.append(settings.id_key)
    if wrong:
        found = shorten(", ".join(names) or "nothing")
        raise ValueError(
            f"{path}: found the columns {found}, expected {' and '.join(map(repr, wrong))} once, "
            "separated by commas. Name the columns in the first line."
        )
    return names


class _Rows:
    """Makes documents of the rows of a file."""

    def __init__(self, names: Sequence[str], settings: ReadSettings) -> None:
        self.names = names
        self.settings = settings
        self.n_needed = 1 + max(map(names.index, settings.list_text_keys()))

    def make_document(self, row: Sequence[str], place: str) -> Document | BadLine:
        # A comma in a text without quotes would cut it.
        if len(row) < self.n_needed or any(row[len(self.names) :]):
            return BadLine(
                place,
                f"found {len(row)} fields, expected {len(self.names)}. Put texts with commas in "
                "quotes.",
            )
        record = dict(zip(self.names, row, strict=False))
        key = self.settings.id_key
        if record.get(key) == "":
            del record[key]
        return make_document(record, self.settings, place)
