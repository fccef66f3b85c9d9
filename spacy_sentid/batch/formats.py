"""How records are written: lines of JSON, plain or compressed, or Parquet.

records -> lines or a table of a worker -> bytes of a shard -> one file
"""

import gzip
import json
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import IO, Any

from ..files.records import SURROGATE
from ..files.store import import_extra
from .tasks import SCORES, SENTENCES, UNITS, WORDS

JSONL, PARQUET = ".jsonl", ".parquet"
# A file of each may follow another: the result is a file of the same kind.
SUFFIXES = (JSONL, ".jsonl.gz", ".jsonl.zst", PARQUET)
# Columns of Parquet: what each task finds.
SPAN = [("start_char", "int64"), ("end_char", "int64")]
FIELDS = {
    UNITS: [*SPAN, ("label", "string"), ("score", "float64")],
    SENTENCES: SPAN,
    WORDS: [*SPAN, ("text", "string")],
    SCORES: [("p", "float64"), ("r", "float64"), ("f", "float64")],
}
SCORED_SPAN = [*SPAN, ("text", "string"), ("score", "float64")]
SCORED_WORD = [("text", "string"), *SPAN, ("support", "float64")]


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


def make_schema(task: str, *, keep: str | None = None) -> Any:
    """Make the columns that the records of a task have in Parquet; "part" is null for whole texts.

    Raises ValueError without pyarrow.
    """
    pa = import_extra("pyarrow")

    def list_of(fields: list[tuple[str, str]]) -> Any:
        return pa.list_(pa.struct(fields))

    if keep is not None:
        offsets = pa.list_(pa.list_(pa.int64()))
        fields = [("part", "int64"), ("text", "string"), ("offsets", offsets)]
    elif task == SCORES:
        fields = [*FIELDS[task], ("score", "float64"), ("refs", list_of(FIELDS[task]))]
        fields.append(("best", "int64"))
        for side in ("hyp", "ref"):
            fields.append((f"{side}_spans", list_of(SCORED_SPAN)))
            fields.append((f"{side}_words", list_of(SCORED_WORD)))
    else:
        fields = [("part", "int64"), (task, list_of(FIELDS[task]))]
    return pa.schema([("id", "string"), *fields])


def make_table(records: Iterable[dict[str, Any]], schema: Any) -> Any:
    """Make an Arrow table of records: ids are strings, half characters are replaced."""
    rows = []
    for record in records:
        row = dict(record)
        for key in row.keys() & {"id", "text"}:
            row[key] = SURROGATE.sub("\ufffd", str(row[key]))
        for key in row.keys() & {"hyp_words", "ref_words"}:  # lists of values that differ in type
            names = [name for name, _ in SCORED_WORD]
            row[key] = [dict(zip(names, word, strict=True)) for word in row[key]]
        rows.append(row)
    return import_extra("pyarrow").Table.from_pylist(rows, schema=schema)


def encode_records(records: Iterable[dict[str, Any]], schema: Any = None) -> Any:
    """Make what a worker returns: bytes of lines of JSON; with a schema, an Arrow table."""
    if schema is not None:
        return make_table(records, schema)
    lines = (json.dumps(record, allow_nan=False) + "\n" for record in records)
    return "".join(lines).encode("ascii")


def encode_shard(parts: Sequence[Any], suffix: str) -> bytes:
    """Make the bytes of a file of what workers return; the same records give the same bytes."""
    if suffix == PARQUET:
        pa, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
        stream = pa.BufferOutputStream()
        parquet.write_table(pa.concat_tables(parts).combine_chunks(), stream, compression="zstd")
        data: bytes = stream.getvalue().to_pybytes()
        return data
    lines = b"".join(parts)
    if suffix == ".jsonl.gz":
        return gzip.compress(lines, mtime=0)
    if suffix == ".jsonl.zst":
        compressed: bytes = import_extra("zstandard").ZstdCompressor().compress(lines)
        return compressed
    return lines


def merge_files(files: Iterable[IO[bytes]], output: IO[bytes], suffix: str) -> None:
    """Write the contents of files one after the other; only one is read at a time."""
    with ExitStack() as stack:
        writer: Any = None
        for file in files:
            with file:
                if suffix != PARQUET:
                    shutil.copyfileobj(file, output, 1 << 20)
                    continue
                parquet = import_extra("pyarrow.parquet")
                table = parquet.read_table(file)
                if writer is None:
                    writer = parquet.ParquetWriter(output, table.schema, compression="zstd")
                    stack.enter_context(writer)
                writer.write_table(table)
