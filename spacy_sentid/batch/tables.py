"""Read documents of CSV and Parquet files, a row each."""

import csv
from collections.abc import Iterator
from io import TextIOWrapper
from typing import Any

from ..files.records import BadLine
from ..files.store import import_extra
from .documents import NOT_UTF8, REF, Document, ReadSettings, make_document, shorten
from .sources import SourceFile

# A longer field is most likely a quote that is not closed.
FIELD_CHARS = 100_000_000
# Rows of Parquet are read in batches of about so many bytes.
BATCH_BYTES = 4_000_000
MAX_BATCH_ROWS = 4096
# Of Arrow; bytes are taken as UTF-8.
TEXT_TYPES = ("string", "large_string", "string_view", "binary", "large_binary", "null")


def read_csv(file: SourceFile, path: str, settings: ReadSettings) -> Iterator[Document | BadLine]:
    """Read rows below the names of the columns; blank ones are skipped.

    Raises ValueError for a file without the columns, or with a quote that is not closed.
    """
    rows = _list_rows(file, path)
    names = _check_names(*next(rows, (path, [])), settings, path)
    n_needed = 1 + max(map(names.index, settings.list_text_keys()))
    for place, row in rows:
        if isinstance(row, BadLine):
            yield row
        elif len(row) < n_needed or any(row[len(names) :]):
            # A comma in a text without quotes would cut it.
            yield BadLine(
                place,
                f"the row must have {len(names)} fields, got {len(row)}. Put texts with commas in "
                "quotes.",
            )
        else:
            record = dict(zip(names, row, strict=False))
            if record.get(settings.id_key) == "":
                del record[settings.id_key]
            yield make_document(record, settings, place)


def _list_rows(file: SourceFile, path: str) -> Iterator[tuple[str, list[str] | BadLine]]:
    """List (place, row), first that of the names of the columns."""
    has_ended = False

    def list_lines() -> Iterator[str]:
        nonlocal has_ended
        # Bytes that are not UTF-8 become half characters.
        yield from TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="\n")
        has_ended = True

    rows = csv.reader(list_lines())
    while True:
        place = f"{path}:{rows.line_num + 1}"
        row: list[str] | BadLine | None
        limit = csv.field_size_limit(FIELD_CHARS)  # of the whole process
        try:
            row = next(rows, None)
        except csv.Error as error:
            has_ended = "limit" in str(error)
            row = BadLine(place, f"the line must be CSV ({error}). Fix the line.")
        finally:
            csv.field_size_limit(limit)
        if row is None:
            return
        if has_ended:  # within a row
            raise ValueError(
                f"{place}: a quote must be closed, within {FIELD_CHARS:,} characters. Fix the row; "
                "the file may be truncated."
            )
        if not isinstance(row, BadLine):
            try:
                "".join(row).encode("utf8")
            except UnicodeEncodeError:
                row = BadLine(place, NOT_UTF8.format(reason="invalid byte"))
        if row:
            yield place, row


def _check_names(
    place: str, names: list[str] | BadLine, settings: ReadSettings, path: str
) -> list[str]:
    """Return the names of the columns; ValueError if those that are needed are not there once."""
    if isinstance(names, BadLine):
        raise ValueError(f"{place}: the first line must be the names of columns: {names.reason}")
    wrong = [key for key in settings.list_text_keys() if names.count(key) != 1]
    if names.count(settings.id_key) > 1:
        wrong.append(settings.id_key)
    if wrong:
        raise ValueError(
            f"{path}: the first line must have {' and '.join(map(repr, wrong))} once, separated by "
            f"commas, got the columns {shorten(', '.join(names) or 'nothing')}."
        )
    return names


def read_parquet(
    file: SourceFile, path: str, settings: ReadSettings, *, first: int = 0
) -> Iterator[Document | BadLine]:
    """Read the rows of a Parquet file; only the columns that are needed.

    first: Number of the first row, from 0; row groups before it are not read.

    Raises ValueError for a broken file, one without the columns, or with columns of other types.
    """
    arrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    try:
        with parquet.ParquetFile(file, buffer_size=1 << 20) as table:
            names = _find_columns(table.schema_arrow, settings, path)
            groups = [table.metadata.row_group(n) for n in range(table.num_row_groups)]
            row, n_before = 0, 0
            while n_before < len(groups) and row + groups[n_before].num_rows <= first:
                row += groups[n_before].num_rows
                n_before += 1
            n_bytes = sum(group.total_byte_size for group in groups)
            n_rows = BATCH_BYTES * table.metadata.num_rows // max(n_bytes, 1)
            batches = table.iter_batches(
                min(max(n_rows, 1), MAX_BATCH_ROWS),
                row_groups=range(n_before, len(groups)),
                columns=names,
                use_threads=False,
            )
            for batch in batches if n_before < len(groups) else ():
                for record in _list_records(batch):
                    row += 1
                    if row > first:
                        place = f"{path}:{row}"
                        if isinstance(record, UnicodeDecodeError):
                            yield BadLine(place, NOT_UTF8.format(reason=record.reason))
                        else:
                            yield make_document(record, settings, place)
    except (arrow.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise ValueError(
            f"{path}: the Parquet file is broken or truncated ({error}). Copy or make it again."
        ) from error


def _find_columns(schema: Any, settings: ReadSettings, path: str) -> list[str]:
    """List the columns to read; ValueError if they are not there once, or have another type."""
    types = import_extra("pyarrow").types
    needed = dict.fromkeys(settings.list_text_keys(), "strings")
    if settings.pairs:
        needed[REF] = "strings or lists of strings"
    if settings.id_key in schema.names:
        needed[settings.id_key] = "strings or whole numbers"
    for name, kinds in needed.items():
        found = schema.get_all_field_indices(name)
        if len(found) != 1:
            names = shorten(", ".join(schema.names) or "nothing")
            raise ValueError(
                f"{path}: the column {name!r} must be there once, got the columns {names}."
            )
        whole = kind = schema.field(found[0]).type
        may_be_list = "lists" in kinds and (types.is_list(kind) or types.is_large_list(kind))
        if types.is_dictionary(kind) or may_be_list:
            kind = kind.value_type
        may_be_number = "numbers" in kinds and types.is_integer(kind)
        if str(kind) not in TEXT_TYPES and not may_be_number:
            raise ValueError(f"{path}: the column {name!r} must hold {kinds}, got {whole}.")
    return list(needed)


def _list_records(batch: Any) -> list[dict[str, Any] | UnicodeDecodeError]:
    """List the rows of a batch; one that is not UTF-8 as the error that it is."""
    try:
        return [
            {
                key: value.decode() if isinstance(value, bytes) else value
                for key, value in row.items()
            }
            for row in batch.to_pylist()
        ]
    except UnicodeDecodeError as error:
        if batch.num_rows == 1:
            return [error]
        rows = (batch.slice(n, 1) for n in range(batch.num_rows))
        return [record for row in rows for record in _list_records(row)]
