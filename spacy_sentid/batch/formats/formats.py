"""Write records as JSON lines or arrays, CSV or TSV tables with one row per unit, or Parquet.

records -> lines, rows or a table of a worker -> bytes of a shard -> one file
"""

import csv
import gzip
import io
import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import IO, Any

from ...extras import require_extra
from ...files.records import SURROGATE
from ..tasks import TASKS, UNITS
from .parquet import make_schema, make_table, open_writer, write_tables
from .records import make_tool_task

JSONL, JSON, CSV, TSV, PARQUET = ".jsonl", ".json", ".csv", ".tsv", ".parquet"
ENCODINGS = (JSONL, JSON, CSV, TSV, PARQUET)
# Files of each format can be merged into one file of the same format.
SUFFIXES = (
    *(f"{kind}{compression}" for kind in (JSONL, CSV, TSV) for compression in ("", ".gz", ".zst")),
    JSON,
    PARQUET,
)
# Dialects of the csv module: quotes where they are needed, line ends as in RFC 4180.
DIALECTS = {CSV: "excel", TSV: "excel-tab"}


def find_suffix(name: str) -> str | None:
    """Find the suffix of an output, which sets its format; None for a folder.

    Raises ValueError for an unknown suffix.

    >>> find_suffix("out.jsonl"), find_suffix("out.jsonl.gz"), find_suffix("out/")
    ('.jsonl', '.jsonl.gz', None)
    """
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    last = name.rsplit("/", 1)[-1]
    if "." in last.lstrip("."):
        raise ValueError(
            f"The name of the output must end in {', '.join(SUFFIXES)}, or in '/' for a folder, "
            f"got {name!r}."
        )
    return None


def find_encoding(suffix: str) -> str:
    """Find the encoding of records from the suffix of a file, without its compression.

    >>> find_encoding(".csv.gz"), find_encoding(".parquet")
    ('.csv', '.parquet')
    """
    return next(kind for kind in ENCODINGS if suffix.startswith(kind))


def check_suffix(suffix: str, *, keep: str | None = None, export: str | None = None) -> None:
    """Raise ValueError if records cannot be written in files of a suffix.

    keep: Texts without NSUs have no rows. export: Tools read JSON.
    """
    with require_extra(f"the output {suffix}", extra="batch"):
        if suffix == PARQUET:
            import pyarrow  # noqa: F401
        if suffix.endswith(".zst"):
            import zstandard  # noqa: F401
    if export is not None and find_encoding(suffix) not in (JSONL, JSON):
        raise ValueError(
            f"The output with --export {export} must be .jsonl or .json, got {suffix}."
        )
    if find_encoding(suffix) in DIALECTS and keep is not None:
        raise ValueError(
            f"The output with --keep {keep} must be .jsonl or .parquet, got {suffix}. It has no "
            "units to write as rows of a table."
        )


def encode_records(
    records: Iterable[dict[str, Any]],
    encoding: str = JSONL,
    *,
    task: str = UNITS,
    keep: str | None = None,
    with_text: bool = False,
    export: str | None = None,
) -> Any:
    """Encode records as the bytes of lines or rows; for Parquet, as an Arrow table.

    Lines become an array (.json) when they are written to a file.
    """
    if encoding == PARQUET:
        return make_table(records, make_schema(task, keep=keep, with_text=with_text))
    if encoding in DIALECTS:
        of_task = TASKS[task]
        names = of_task.list_columns()[1:]
        found = ((record["id"], row) for record in records for row in of_task.list_rows(record))
        return _encode_rows(([name, *map(row.get, names)] for name, row in found), encoding)
    if export is not None:
        records = (make_tool_task(record, export) for record in records)
    return b"".join(map(encode_json, records))


def encode_json(record: dict[str, Any]) -> bytes:
    """Encode a record as a line of JSON.

    >>> encode_json({"id": 1, "units": []})
    b'{"id": 1, "units": []}\\n'
    """
    return json.dumps(record, allow_nan=False).encode("ascii") + b"\n"


def join_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join JSON lines to a JSON array.

    >>> b"".join(join_lines([b'{"id": 1}\\n', b'{"id": 2}\\n']))
    b'[\\n{"id": 1},\\n{"id": 2}\\n]\\n'
    """
    start = b"[\n"
    for line in lines:
        yield start + line.rstrip(b"\n")
        start = b",\n"
    yield b"[\n\n]\n" if start == b"[\n" else b"\n]\n"


def _encode_rows(rows: Iterable[Sequence[Any]], encoding: str) -> bytes:
    """Encode rows in UTF-8; lone surrogates are replaced."""
    stream = io.StringIO(newline="")
    csv.writer(stream, DIALECTS[encoding]).writerows(rows)
    return SURROGATE.sub("\ufffd", stream.getvalue()).encode("utf8")


def encode_header(suffix: str, task: str) -> bytes:
    """Encode the header of a file: the names of the columns for CSV and TSV, otherwise nothing.

    >>> encode_header(".csv", "sentences")
    b'id,start_char,end_char,text\\r\\n'
    """
    encoding = find_encoding(suffix)
    return _encode_rows([TASKS[task].list_columns()], encoding) if encoding in DIALECTS else b""


def encode_shard(parts: Sequence[Any], suffix: str) -> Any:
    """Encode the results of workers as the bytes of a file. Equal records give equal bytes."""
    if suffix == PARQUET:
        return write_tables(parts)
    data = b"".join(parts)
    if suffix == JSON:
        return b"".join(join_lines(data.splitlines()))
    if suffix.endswith(".gz"):
        return gzip.compress(data, mtime=0)
    if suffix.endswith(".zst"):
        import zstandard

        return zstandard.compress(data)
    return data


def merge_files(files: Iterable[IO[bytes]], output: IO[bytes], suffix: str) -> None:
    """Merge the shards of a file; only one is open at a time. Shards of .json are JSON lines."""
    if suffix == JSON:
        output.writelines(join_lines(chain.from_iterable(files)))
        return
    with ExitStack() as stack:
        writer: Any = None
        for file in files:
            with file:
                if suffix != PARQUET:
                    shutil.copyfileobj(file, output)
                    continue
                from pyarrow.parquet import ParquetFile

                shard = ParquetFile(file)
                if writer is None:
                    writer = stack.enter_context(open_writer(output, shard.schema_arrow))
                for number in range(shard.num_row_groups):
                    writer.write_table(shard.read_row_group(number))
