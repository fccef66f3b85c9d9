"""Write records as JSON lines or arrays, CSV or TSV tables with one row per unit, or Parquet.

records -> lines, rows or a table of a worker -> bytes of a shard -> one file

Lines and rows are encoded in pieces, even those of a single record if its rows are a RowSpool.
"""

import csv
import io
import json
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from typing import IO, Any

from ...files.records import SURROGATE
from ...files.store import import_extra
from ..tasks import FIELDS, SCORES, UNITS
from .parquet import make_schema, make_table, open_writer, write_tables
from .records import make_tool_task
from .spool import ByteSpool, RowSpool

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
# Rows of tables are encoded in pieces of about this many characters.
PIECE_CHARS = 1_000_000
PIECE_BYTES = 1 << 20
GZIP_BITS = 31  # tells zlib to write the header and the checksum of gzip


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
    """Encode records as a ByteSpool of lines or rows; for Parquet, as an Arrow table.

    Lines become an array (.json) when they are written to a file.
    """
    if encoding == PARQUET:
        return make_table(records, make_schema(task, keep=keep, with_text=with_text))
    if encoding in DIALECTS:
        names = _list_columns(task)[1:]
        # A table of scores has one row for each pair, without its spans and words.
        found = ((r["id"], row) for r in records for row in ([r] if task == SCORES else r[task]))
        rows = ([name, *map(row.get, names)] for name, row in found)
        return ByteSpool(_encode_rows(rows, encoding))
    if export is not None:
        records = (make_tool_task(record, export) for record in records)
    return ByteSpool(chain.from_iterable(map(encode_json, records)))


def encode_json(record: dict[str, Any]) -> Iterator[bytes]:
    """Encode a record as a line of JSON, in pieces if its last value, at any depth, is a RowSpool.

    >>> from spacy_sentid.batch.formats.spool import spool_rows
    >>> b"".join(encode_json({"id": 1, "units": spool_rows([[{"a": 1}], [{"a": 2}, 3]])}))
    b'{"id": 1, "units": [{"a": 1}, {"a": 2}, 3]}\\n'
    """
    spools: list[RowSpool] = []

    def leave_empty(rows: RowSpool) -> list[Any]:
        spools.append(rows)
        return []

    line = json.dumps(record, allow_nan=False, default=leave_empty).encode("ascii")
    if not spools:
        yield line + b"\n"
        return
    start = line.rstrip(b"]}")
    yield start
    separator = ""
    for block in filter(None, spools[0].blocks()):
        yield separator.encode() + json.dumps(block, allow_nan=False)[1:-1].encode("ascii")
        separator = ", "
    yield line[len(start) :] + b"\n"


def join_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Join JSON lines, which come in any pieces, to a JSON array.

    >>> b"".join(join_lines([b'{"id": 1}', b'\\n{"id"', b': 2}\\n']))
    b'[\\n{"id": 1},\\n{"id": 2}\\n]\\n'
    """
    yield b"[\n"
    ending = b""
    for piece in pieces:
        lines = (ending + piece).removesuffix(b"\n")
        ending = (ending + piece)[len(lines) :]
        yield lines.replace(b"\n", b",\n")
    yield b"\n]\n"


def _list_columns(task: str) -> list[str]:
    names = ["id", *(name for name, _ in FIELDS[task])]
    return [*names, "score"] if task == SCORES else list(dict.fromkeys([*names, "text"]))


def _encode_rows(rows: Iterable[Sequence[Any]], encoding: str) -> Iterator[bytes]:
    """Encode rows in UTF-8, in pieces; lone surrogates are replaced."""
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
    """Encode the header of a file: the names of the columns for CSV and TSV, otherwise nothing.

    >>> encode_header(".csv", "sentences")
    b'id,start_char,end_char,text\\r\\n'
    """
    encoding = find_encoding(suffix)
    rows = [_list_columns(task)] if encoding in DIALECTS else []
    return b"".join(_encode_rows(rows, encoding)) if rows else b""


def encode_shard(parts: Sequence[Any], suffix: str) -> Iterator[bytes]:
    """Encode the results of workers as the bytes of a file. Equal records give equal bytes."""
    if suffix == PARQUET:
        yield write_tables(parts)
        return
    lines: Iterable[bytes] = chain.from_iterable(parts)
    if suffix == JSON:
        lines = join_lines(lines)
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
    """Merge the shards of a file; only one is open at a time. Shards of .json are JSON lines."""
    if suffix == JSON:
        output.writelines(join_lines(chain.from_iterable(map(_read_pieces, files))))
        return
    with ExitStack() as stack:
        writer: Any = None
        for file in files:
            with file:
                if suffix != PARQUET:
                    shutil.copyfileobj(file, output, PIECE_BYTES)
                    continue
                shard = import_extra("pyarrow.parquet").ParquetFile(file)
                if writer is None:
                    writer = stack.enter_context(open_writer(output, shard.schema_arrow))
                for number in range(shard.num_row_groups):
                    writer.write_table(shard.read_row_group(number))


def _read_pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        yield from iter(partial(file.read, PIECE_BYTES), b"")
