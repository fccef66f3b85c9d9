"""Read documents of CSV and Parquet files, a row each."""

import csv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..files.records import BYTE_ORDER_MARK, BadLine
from ..files.store import import_extra
from .documents import NOT_UTF8, REF, Document, ReadSettings, make_document, shorten
from .inputs import Source, SourceFile, open_source

# A longer field is most likely a quote that is not closed.
FIELD_CHARS = 100_000_000
# Rows of Parquet are read in batches of about so many bytes.
BATCH_BYTES = 4_000_000
MAX_BATCH_ROWS = 4096


class _Lines:
    """The lines of a file, counted, for the csv module."""

    def __init__(self, file: SourceFile) -> None:
        self.file = file
        self.line = 0
        self.error = ""  # of the lines since it was last set
        self.has_ended = False

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        raw = self.file.readline()
        if not raw:
            self.has_ended = True
            raise StopIteration
        self.line += 1
        try:
            text = raw.decode("utf8")
        except UnicodeDecodeError as error:
            self.error = NOT_UTF8.format(reason=error.reason)
            text = raw.decode("utf8", "replace")
        return text.removeprefix(BYTE_ORDER_MARK) if self.line == 1 else text


def read_csv(file: SourceFile, path: str, settings: ReadSettings) -> Iterator[Document | BadLine]:
    """Read rows below the names of the columns; blank ones are skipped.

    Raises ValueError for a file without the columns, or with a quote that is not closed.
    """
    lines = _Lines(file)
    names = _read_names(lines, path, settings)
    n_needed = 1 + max(map(names.index, settings.list_text_keys()))
    rows = csv.reader(lines)
    while True:
        place = f"{path}:{lines.line + 1}"
        lines.error = ""
        try:
            row = _read_row(rows)
        except csv.Error as error:
            if "limit" in str(error):
                raise ValueError(_format_quote_error(place)) from error
            row, lines.error = [""], f"the line must be CSV ({error}). Fix the line."
        if row is None:
            return
        if lines.has_ended:  # within a row
            raise ValueError(_format_quote_error(place))
        if row and lines.error:
            yield BadLine(place, lines.error)
        elif row and (len(row) < n_needed or any(row[len(names) :])):
            # A comma in a text without quotes would cut it.
            yield BadLine(
                place,
                f"the row must have {len(names)} fields, got {len(row)}. Put texts with commas in "
                "quotes.",
            )
        elif row:
            record = dict(zip(names, row, strict=False))
            if record.get(settings.id_key) == "":
                del record[settings.id_key]
            yield make_document(record, settings, place)


def _read_row(rows: Iterator[list[str]]) -> list[str] | None:
    """Read a row; the limit of a field is the csv module's one for all, and is put back."""
    before = csv.field_size_limit(FIELD_CHARS)
    try:
        return next(rows, None)
    finally:
        csv.field_size_limit(before)


def _format_quote_error(place: str) -> str:
    return (
        f"{place}: a quote must be closed, within {FIELD_CHARS:,} characters. Fix the row; the "
        "file may be truncated."
    )


def _read_names(lines: _Lines, path: str, settings: ReadSettings) -> list[str]:
    """Read the names of the columns; ValueError if those that are needed are not there once."""
    try:
        names = next((row for row in csv.reader(lines) if row), [])
    except csv.Error as error:
        raise ValueError(
            f"{path}:{lines.line}: the first line must be the names of columns ({error}). Fix the "
            "file."
        ) from error
    if lines.error:
        raise ValueError(f"{path}:{lines.line}: {lines.error}")
    wrong = [key for key in settings.list_text_keys() if names.count(key) != 1]
    if names.count(settings.id_key) > 1:
        wrong.append(settings.id_key)
    if wrong:
        raise ValueError(
            f"{path}: the first line must have {' and '.join(map(repr, wrong))} once, separated by "
            f"commas, got the columns {shorten(', '.join(names) or 'nothing')}."
        )
    return names


@contextmanager
def _open_parquet(file: SourceFile, path: str) -> Iterator[Any]:
    """Open a file as a pyarrow ParquetFile; an error of it is a ValueError with its name."""
    arrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    try:
        with parquet.ParquetFile(file, buffer_size=1 << 20) as table:
            yield table
    except (arrow.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise ValueError(
            f"{path}: the Parquet file is broken or truncated ({error}). Copy or make it again."
        ) from error


def list_row_groups(source: Source) -> list[int]:
    """List the bytes as stored of the row groups of a Parquet file."""
    with open_source(source) as file, _open_parquet(file, source.path) as table:
        groups = [table.metadata.row_group(number) for number in range(table.num_row_groups)]
        return [
            sum(group.column(i).total_compressed_size for i in range(group.num_columns))
            for group in groups
        ]


def read_parquet(
    file: SourceFile, path: str, settings: ReadSettings, start: int, end: int | None
) -> Iterator[Document | BadLine]:
    """Read the rows of row groups [start, end) of a file; only the columns that are needed.

    Raises ValueError for a file without the columns, or with columns of other types.
    """
    with _open_parquet(file, path) as table:
        names = _find_columns(table.schema_arrow, settings, path)
        metadata = table.metadata
        groups = [metadata.row_group(number) for number in range(table.num_row_groups)]
        row = sum(group.num_rows for group in groups[:start])
        chosen = groups[start:end]
        n_bytes = sum(group.total_byte_size for group in chosen)
        n_rows = max(BATCH_BYTES * sum(g.num_rows for g in chosen) // max(n_bytes, 1), 1)
        batches = table.iter_batches(
            min(n_rows, MAX_BATCH_ROWS),
            row_groups=list(range(start, start + len(chosen))),
            columns=names,
            use_threads=False,
        )
        for batch in batches if chosen else ():
            columns = [_list_values(batch.column(name)) for name in names]
            for values in zip(*columns, strict=True):
                row += 1
                place = f"{path}:{row}"
                wrong = [value for value in values if isinstance(value, UnicodeDecodeError)]
                if wrong:
                    yield BadLine(place, NOT_UTF8.format(reason=wrong[0].reason))
                else:
                    yield make_document(dict(zip(names, values, strict=True)), settings, place)


def _find_columns(schema: Any, settings: ReadSettings, path: str) -> list[str]:
    """List the columns to read; ValueError if they are not there once, or have another type."""
    types = import_extra("pyarrow").types
    needed: dict[str, tuple[Callable[[Any], bool], str]] = {}
    for key in settings.list_text_keys():
        needed[key] = _holds_text, "strings"
    if settings.pairs:
        needed[REF] = (_holds_refs, "strings or lists of strings")
    if settings.id_key in schema.names:
        needed[settings.id_key] = (
            lambda kind: _holds_text(kind) or types.is_integer(kind),
            "strings or whole numbers",
        )
    for name, (is_right, kinds) in needed.items():
        found = schema.get_all_field_indices(name)
        if len(found) != 1:
            names = shorten(", ".join(schema.names) or "nothing")
            raise ValueError(
                f"{path}: the column {name!r} must be there once, got the columns {names}."
            )
        kind = schema.field(found[0]).type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        if not is_right(kind):
            raise ValueError(f"{path}: the column {name!r} must hold {kinds}, got {kind}.")
    return list(needed)


def _holds_text(kind: Any) -> bool:
    names = ("string", "large_string", "string_view", "binary", "large_binary", "null")
    return str(kind) in names


def _holds_refs(kind: Any) -> bool:
    types = import_extra("pyarrow").types
    is_list = types.is_list(kind) or types.is_large_list(kind)
    return _holds_text(kind.value_type if is_list else kind)


def _list_values(column: Any) -> list[Any]:
    """List the values of a column; what is not UTF-8 as the error that it is."""
    try:
        values = column.to_pylist()
    except UnicodeDecodeError:
        values = [_read_value(scalar.as_py) for scalar in column]
    return [
        _read_value(value.decode, "utf8") if isinstance(value, bytes) else value for value in values
    ]


def _read_value(read: Callable[..., Any], *arguments: str) -> Any:
    try:
        return read(*arguments)
    except UnicodeDecodeError as error:
        return error
