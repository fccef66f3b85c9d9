"""Read documents of Parquet files, a row each."""

from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any

from ..files.records import BadLine
from .documents import (
    NOT_UTF8,
    REF,
    Document,
    Entry,
    Position,
    ReadSettings,
    make_document,
    shorten,
    tell_changed,
)
from .extras import import_extra
from .parquet_files import open_parquet
from .pieces import PieceRead
from .plan import piece_size

# Rows are read in batches of about so many bytes.
BATCH_BYTES = 4_000_000
MAX_BATCH_ROWS = 4096


def read_parquet(read: PieceRead) -> Iterator[Entry]:
    """Read rows of the row groups of a piece; only the columns that are needed.

    Raises ValueError for a file without the columns, or with columns of other types.
    """
    piece, path = read.piece, read.piece.source.path
    with open_parquet(piece.source) as file:
        names = _find_columns(file.schema_arrow, read.settings, path)
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        # rows before each row group, and in all
        rows = [0, *accumulate(group.num_rows for group in groups)]
        end = len(groups) if piece.end is None else piece.end
        if max(piece.start, end) > len(groups):
            raise ValueError(tell_changed(path, f"row group {end:,}"))
        first, last = rows[piece.start], rows[end]
        row = first if read.is_new else read.start.line
        if row > last:
            raise ValueError(tell_changed(path, f"row {row:,}"))
        numbers = [number for number in range(piece.start, end) if rows[number + 1] > row]
        if not numbers:
            return
        n_skip = row - rows[numbers[0]]
        n_bytes = sum(groups[number].total_byte_size for number in numbers)
        n_rows = max(BATCH_BYTES * (last - rows[numbers[0]]) // max(n_bytes, 1), 1)
        batches = file.iter_batches(
            min(n_rows, MAX_BATCH_ROWS), row_groups=numbers, columns=names, use_threads=False
        )
        for batch in batches:
            n_here = min(n_skip, batch.num_rows)
            n_skip -= n_here
            for record in _list_records(batch.slice(n_here)):
                row += 1
                document = _make_document(record, read.settings, f"{path}:{row}")
                stored = read.stored + piece_size(piece) * (row - first) // (last - first)
                yield Entry(document, Position(read.start.piece, line=row), stored)


def _find_columns(schema: Any, settings: ReadSettings, path: str) -> list[str]:
    """List the columns to read; ValueError if they are not there once, or hold something else."""
    types = import_extra("pyarrow").types
    expected: dict[str, tuple[Callable[[Any], bool], str]] = {}
    for key in settings.list_text_keys():
        expected[key] = (_holds_text, "strings")
    if settings.pairs:
        expected[REF] = (_holds_refs, "strings or lists of strings")
    if settings.id_key in schema.names:
        expected[settings.id_key] = (
            lambda kind: _holds_text(kind) or types.is_integer(kind),
            "strings or whole numbers",
        )
    for name, (is_right, kinds) in expected.items():
        found = schema.get_all_field_indices(name)
        if len(found) != 1:
            names = shorten(", ".join(schema.names) or "nothing")
            raise ValueError(
                f"{path}: found the columns {names}, expected {name!r} once. Rename the columns."
            )
        kind = _kind_of_values(schema.field(found[0]).type)
        if not is_right(kind):
            raise ValueError(
                f"{path}: found {kind} in the column {name!r}, expected {kinds}. Convert the "
                "column."
            )
    return list(expected)


def _kind_of_values(kind: Any) -> Any:
    types = import_extra("pyarrow").types
    return kind.value_type if types.is_dictionary(kind) else kind


def _holds_text(kind: Any) -> bool:
    names = ("string", "large_string", "string_view", "binary", "large_binary", "null")
    return str(kind) in names


def _holds_refs(kind: Any) -> bool:
    types = import_extra("pyarrow").types
    is_list = types.is_list(kind) or types.is_large_list(kind)
    return _holds_text(kind.value_type if is_list else kind)


def _list_records(batch: Any) -> Iterator[dict[str, Any]]:
    names = batch.schema.names
    columns = [_list_values(batch.column(name)) for name in names]
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


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


def _make_document(
    record: dict[str, Any], settings: ReadSettings, place: str
) -> Document | BadLine:
    for value in record.values():
        if isinstance(value, UnicodeDecodeError):
            return BadLine(place, NOT_UTF8.format(reason=value.reason))
    return make_document(record, settings, place)
