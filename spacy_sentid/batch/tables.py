"""Read documents of CSV and Parquet files, a row each."""

import csv
from collections.abc import Iterator, Sequence
from io import TextIOWrapper
from typing import Any

from ..files.records import BadLine
from ..files.store import import_extra
from .documents import MAX_SHOWN, NOT_UTF8, REF, Document, ReadSettings, make_document
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
    place, names = next(rows, (path, []))
    if isinstance(names, BadLine):
        raise ValueError(f"{place}: the first line must be the names of columns: {names.reason}")
    _find_columns(names, settings, path)
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


def _find_columns(names: Sequence[str], settings: ReadSettings, path: str) -> list[str]:
    """List the columns to read; ValueError if those that are needed are not there once."""
    needed = list(settings.list_text_keys())
    if settings.id_key in names:
        needed.append(settings.id_key)
    wrong = [repr(key) for key in needed if names.count(key) != 1]
    if wrong:
        raise ValueError(
            f"{path}: the columns must have {' and '.join(wrong)} once (in CSV they are separated "
            f"by commas), got {', '.join(names)[:MAX_SHOWN] or 'none'}."
        )
    return needed


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
            schema = table.schema_arrow
            names = _find_columns(schema.names, settings, path)
            for name in names:
                _check_type(name, schema.field(name).type, settings, path)
            row = 0
            for number in range(table.num_row_groups):
                group = table.metadata.row_group(number)
                if row + group.num_rows <= first:
                    row += group.num_rows
                    continue
                n_rows = BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
                for batch in table.iter_batches(
                    min(max(n_rows, 1), MAX_BATCH_ROWS),
                    row_groups=[number],
                    columns=names,
                    use_threads=False,
                ):
                    for record in _list_records(batch):
                        row += 1
                        place = f"{path}:{row}"
                        if row <= first:
                            continue
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


def _check_type(name: str, kind: Any, settings: ReadSettings, path: str) -> None:
    """Raise ValueError if a column of Parquet has a type that is not read."""
    types = import_extra("pyarrow").types
    is_ref, is_id = name == REF and settings.pairs, name == settings.id_key
    is_list = is_ref and (types.is_list(kind) or types.is_large_list(kind))
    value = kind.value_type if is_list or types.is_dictionary(kind) else kind
    if str(value) not in TEXT_TYPES and not (is_id and types.is_integer(kind)):
        kinds = "strings" + " or lists of strings" * is_ref + " or whole numbers" * is_id
        raise ValueError(f"{path}: the column {name!r} must hold {kinds}, got {kind}.")


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
