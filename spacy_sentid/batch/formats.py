"""How records are written: lines of JSON, tables of a row each unit, or Parquet.

records -> lines, rows or a table of a worker -> bytes of a shard -> one file

Lines and rows are encoded piece by piece, also those of one record whose rows are a RowSpool.
"""

import csv
import io
import json
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import IO, Any

from ..files.records import SURROGATE
from ..files.store import import_extra
from .parquet import make_schema, make_table, open_writer, write_tables
from .spool import ByteSpool, RowSpool
from .tasks import FIELDS, SCORES, UNITS

JSONL, CSV, TSV, PARQUET = ".jsonl", ".csv", ".tsv", ".parquet"
ENCODINGS = (JSONL, CSV, TSV, PARQUET)
# A file of each may follow another: the result is a file of the same kind.
SUFFIXES = (
    *(f"{kind}{compression}" for kind in (JSONL, CSV, TSV) for compression in ("", ".gz", ".zst")),
    PARQUET,
)
# Dialects of csv: quotes where they are needed, line ends as in RFC 4180.
DIALECTS = {CSV: "excel", TSV: "excel-tab"}
# Rows of tables are encoded so many characters at a time.
PIECE_CHARS = 1_000_000
GZIP_BITS = 31  # of zlib: with the header and the checksum of gzip


def find_suffix(name: str) -> str | None:
    """Find how an output is written by its name; None for a folder.

    Raises ValueError for another suffix.

    >>> find_suffix("out.jsonl"), find_suffix("out.jsonl.gz"), find_suffix("out/")
    ('.jsonl', '.jsonl.gz', None)
    """
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    last = name.rsplit("/", 1)[-1]
    if "." in last.lstrip("."):
        raise ValueError(
            f"The output must end in {', '.join(SUFFIXES)}, or be a folder, which ends in '/', got "
            f"{name!r}."
        )
    return None


def find_encoding(suffix: str) -> str:
    """Find how records are encoded by the suffix of a file; the rest of it is a compression.

    >>> find_encoding(".csv.gz"), find_encoding(".parquet")
    ('.csv', '.parquet')
    """
    return next(kind for kind in ENCODINGS if suffix.startswith(kind))


def check_suffix(suffix: str, *, keep: str | None = None) -> None:
    """Raise ValueError if what is kept cannot be written as files of a suffix."""
    if find_encoding(suffix) in DIALECTS and keep is not None:
        raise ValueError(
            f"The output of what is kept ({keep}) must be .jsonl or .parquet, got {suffix}: it has "
            "no rows of units."
        )


def encode_records(
    records: Iterable[dict[str, Any]],
    encoding: str = JSONL,
    *,
    task: str = UNITS,
    keep: str | None = None,
    with_text: bool = False,
) -> Any:
    """Make what a worker returns: a ByteSpool of lines or rows; for Parquet, an Arrow table."""
    if encoding == PARQUET:
        return make_table(records, make_schema(task, keep=keep, with_text=with_text))
    if encoding in DIALECTS:
        names = _list_columns(task)[1:]
        # Tables of scores have a row for each pair, without its spans and words.
        found = ((r["id"], row) for r in records for row in ([r] if task == SCORES else r[task]))
        rows = ([name, *map(row.get, names)] for name, row in found)
        return ByteSpool(_encode_rows(rows, encoding))
    return ByteSpool(chain.from_iterable(map(encode_json, records)))


def encode_json(record: dict[str, Any]) -> Iterator[bytes]:
    """Encode a record as a line of JSON, in pieces if its last value is a RowSpool.

    >>> from spacy_sentid.batch.spool import spool_rows
    >>> b"".join(encode_json({"id": 1, "units": spool_rows([[{"a": 1}], [{"a": 2}, 3]])}))
    b'{"id": 1, "units": [{"a": 1}, {"a": 2}, 3]}\\n'
    """
    key, rows = next(reversed(record.items()))
    if not isinstance(rows, RowSpool):
        yield json.dumps(record, allow_nan=False).encode("ascii") + b"\n"
        return
    yield json.dumps({**record, key: []}, allow_nan=False).removesuffix("]}").encode("ascii")
    separator = ""
    for block in filter(None, rows.blocks()):
        yield separator.encode() + json.dumps(block, allow_nan=False)[1:-1].encode("ascii")
        separator = ", "
    yield b"]}\n"


def _list_columns(task: str) -> list[str]:
    names = ["id", *(name for name, _ in FIELDS[task])]
    return [*names, "score"] if task == SCORES else list(dict.fromkeys([*names, "text"]))


def _encode_rows(rows: Iterable[Sequence[Any]], encoding: str) -> Iterator[bytes]:
    """Encode rows in UTF-8, in pieces; half characters are replaced."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, DIALECTS[encoding])
    for row in chain(rows, [None]):
        if row is not None:
            writer.writerow(row)
        if row is None or stream.tell() >= PIECE_CHARS:
            yield SURROGATE.sub("\ufffd", stream.getvalue()).encode("utf8")
            stream.seek(0)
            stream.truncate()


def encode_header(suffix: str, task: str) -> bytes:
    """Make what a file begins with: of CSV and TSV, the names of the columns.

    >>> encode_header(".csv", "sentences")
    b'id,start_char,end_char,text\\r\\n'
    """
    encoding = find_encoding(suffix)
    rows = [_list_columns(task)] if encoding in DIALECTS else []
    return b"".join(_encode_rows(rows, encoding)) if rows else b""


def encode_shard(parts: Sequence[Any], suffix: str) -> Iterator[bytes]:
    """Make the bytes of a file of what workers return; the same records give the same bytes."""
    if suffix == PARQUET:
        yield write_tables(parts)
        return
    lines = chain.from_iterable(parts)
    compressor: Any = None
    if suffix.endswith(".gz"):
        compressor = zlib.compressobj(zlib.Z_BEST_COMPRESSION, zlib.DEFLATED, GZIP_BITS)
    if suffix.endswith(".zst"):
        n_bytes = sum(part.n_bytes for part in parts)
        compressor = import_extra("zstandard").ZstdCompressor().compressobj(n_bytes)
    if compressor is None:
        yield from lines
    else:
        yield from map(compressor.compress, lines)
        yield compressor.flush()


def merge_files(files: Iterable[IO[bytes]], output: IO[bytes], suffix: str) -> None:
    """Write the contents of files one after the other; only one is read at a time."""
    with ExitStack() as stack:
        writer: Any = None
        for file in files:
            with file:
                if suffix != PARQUET:
                    shutil.copyfileobj(file, output, 1 << 20)
                    continue
                shard = import_extra("pyarrow.parquet").ParquetFile(file)
                if writer is None:
                    writer = stack.enter_context(open_writer(output, shard.schema_arrow))
                for number in range(shard.num_row_groups):
                    writer.write_table(shard.read_row_group(number))
