"""Read documents from CSV and Parquet files, one from each row."""

import csv
from collections.abc import Iterator, Sequence
from typing import Any

from ...files.records import BYTE_ORDER_MARK, BadLine
from ...messages import shorten
from .documents import NOT_UTF8, REF, Document, ReadSettings, leave_out, make_document
from .sources import SourceFile

# Rows of Parquet are read in batches of about this many bytes as stored. A text that rows share is
# stored once but read for each row, so the number of rows is limited as well.
BATCH_BYTES = 4_000_000
MAX_BATCH_ROWS = 64
# Arrow types of texts; bytes must be UTF-8.
TEXT_TYPES = ("string", "large_string", "string_view", "binary", "large_binary", "null")


def read_csv(file: SourceFile, path: str, settings: ReadSettings) -> Iterator[Document | BadLine]:
    """Read the rows after the header; blank rows are skipped.

    Raises ValueError if the columns are missing, or a quote is not closed.
    """
    rows = _list_rows(file, path, settings.max_record_bytes)
    place, names = next(rows, (path, []))
    if isinstance(names, BadLine):
        raise ValueError(f"{place}: the first line must have the names of columns: {names.reason}")
    _find_columns(names, settings, path)
    n_needed = 1 + max(map(names.index, settings.list_text_keys()))
    for place, row in rows:
        if isinstance(row, BadLine):
            yield row
        elif len(row) < n_needed or any(row[len(names) :]):
            # An unquoted comma in a text would truncate the text.
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


def _list_rows(
    file: SourceFile, path: str, max_bytes: int
) -> Iterator[tuple[str, list[str] | BadLine]]:
    """Yield (place, row); the header is the first row.

    If a row is too long, or a quote is not closed, nobody knows where the next row begins, so this
    is an error of the file.
    """
    n_lines = n_bytes = n_quotes = 0
    at_end = False

    def read_lines() -> Iterator[str]:
        nonlocal n_lines, n_bytes, n_quotes, at_end
        while raw := file.readline(max_bytes + 1 - n_bytes):
            n_lines, n_bytes = n_lines + 1, n_bytes + len(raw)
            n_quotes += raw.count(b'"')
            if n_bytes > max_bytes:
                raise ValueError(
                    f"{place}: the row must have at most {max_bytes:,} bytes, got more. Close its "
                    "quote or split it, or raise the limit with --max-record-bytes."
                )
            if n_lines == 1:
                raw = raw.removeprefix(BYTE_ORDER_MARK.encode())
            yield raw.decode("utf8", "surrogateescape")  # bytes that are not UTF-8: surrogates
        at_end = True

    rows = csv.reader(read_lines())
    row: list[str] | BadLine | None = []
    while row is not None:
        place, n_bytes, n_quotes = f"{path}:{n_lines + 1}", 0, 0
        limit = csv.field_size_limit(max_bytes)  # this applies to the whole process
        try:
            row = next(rows, None)
            "".join(row or ()).encode("utf8")
        except csv.Error as error:
            row = BadLine(place, f"the line must be CSV ({error}). Fix the line.")
        except UnicodeEncodeError:
            row = BadLine(place, NOT_UTF8.format(reason="invalid byte"))
        finally:
            csv.field_size_limit(limit)
        if at_end and n_quotes % 2:  # the file ends within a row
            raise ValueError(
                f"{place}: a quote must be closed, got no closing quote in the {n_bytes:,} bytes "
                "up to the end of the file. Fix the row; the file may be truncated."
            )
        if row:
            yield place, row


def _find_columns(names: Sequence[str], settings: ReadSettings, path: str) -> list[str]:
    """List the columns to read; raise ValueError unless each required one occurs exactly once."""
    needed = list(settings.list_text_keys())
    if settings.id_key in names:
        needed.append(settings.id_key)
    wrong = [repr(key) for key in needed if names.count(key) != 1]
    if wrong:
        raise ValueError(
            f"{path}: the columns must include {' and '.join(wrong)} exactly once, got "
            f"{shorten(', '.join(names)) if names else 'none'}. Separate CSV columns by commas."
        )
    return needed


def read_parquet(
    file: SourceFile, path: str, settings: ReadSettings, *, first: int = 0
) -> Iterator[Document | BadLine]:
    """Read the rows of a Parquet file, but only the columns that are needed.

    first: Number of the first row, from 0; row groups before it are not read.

    Raises ValueError if the file is broken, or the columns are missing or have other types.
    """
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with ParquetFile(file, buffer_size=1 << 20) as table:
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
                            continue
                        n_bytes = _count_bytes(list(record.values()))
                        if n_bytes > settings.max_record_bytes:
                            yield leave_out(place, "row", n_bytes, settings.max_record_bytes)
                        else:
                            yield make_document(record, settings, place)
    except (ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise ValueError(
            f"{path}: the Parquet file is broken or truncated ({error}). Copy or write it again."
        ) from error


def _check_type(name: str, kind: Any, settings: ReadSettings, path: str) -> None:
    """Raise ValueError if a Parquet column has an unsupported type."""
    from pyarrow import types

    is_ref, is_id = name == REF and settings.pairs, name == settings.id_key
    is_list = is_ref and (types.is_list(kind) or types.is_large_list(kind))
    value = kind.value_type if is_list or types.is_dictionary(kind) else kind
    if str(value) not in TEXT_TYPES and not (is_id and types.is_integer(kind)):
        kinds = "strings" + " or lists of strings" * is_ref + " or whole numbers" * is_id
        raise ValueError(f"{path}: the column {name!r} must hold {kinds}, got {kind}.")


def _list_records(batch: Any) -> Iterator[dict[str, Any] | UnicodeDecodeError]:
    """Yield the rows of a batch; yield the error for a row that is not UTF-8."""
    names = batch.schema.names
    for scalars in zip(*batch.columns, strict=True):
        try:
            values = [scalar.as_py() for scalar in scalars]
            values = [one.decode() if isinstance(one, bytes) else one for one in values]
            yield dict(zip(names, values, strict=True))
        except UnicodeDecodeError as error:
            yield error


def _count_bytes(value: Any) -> int:
    """Count the bytes of the texts of a row."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf8", "surrogatepass"))
    return sum(map(_count_bytes, value)) if isinstance(value, list) else 0
