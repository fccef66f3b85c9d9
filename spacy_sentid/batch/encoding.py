"""How records are written: as lines of JSON, compressed or not, or as Parquet.

lines of JSON -> bytes of a file; the files of all shards -> one
"""

import gzip
import io
import shutil
from collections.abc import Iterable
from typing import IO, Any

from .extras import import_extra
from .tasks import SCORES, SENTENCES, WORDS

JSONL, PARQUET = ".jsonl", ".parquet"
# A file of each may follow another: the result is a file of the same kind.
SUFFIXES = (JSONL, ".jsonl.gz", ".jsonl.zst", PARQUET)


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
            f"Found output {name!r}, expected a name that ends in {', '.join(SUFFIXES)}, or a "
            "folder, which ends in '/'. Name it so."
        )
    return None


def encode_lines(lines: bytes, suffix: str, schema: Any) -> bytes:
    """Make the bytes of a file of some lines of JSON; the same lines give the same bytes.

    schema: Of the columns, for Parquet.
    """
    if suffix == JSONL:
        return lines
    if suffix == PARQUET:
        return _make_parquet(lines, schema)
    if suffix == ".jsonl.gz":
        return gzip.compress(lines, mtime=0)
    compressed: bytes = import_extra("zstandard").ZstdCompressor().compress(lines)
    return compressed


def _make_parquet(lines: bytes, schema: Any) -> bytes:
    import pyarrow.parquet as parquet
    from pyarrow import BufferOutputStream, json

    options = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    if lines:
        # A record is to be within a block.
        blocks = json.ReadOptions(block_size=max(len(lines), 1 << 20), use_threads=False)
        table = json.read_json(io.BytesIO(lines), read_options=blocks, parse_options=options)
    else:
        table = schema.empty_table()
    stream = BufferOutputStream()
    parquet.write_table(table.select(schema.names).cast(schema), stream, compression="zstd")
    data: bytes = stream.getvalue().to_pybytes()
    return data


def make_schema(task: str, *, keep: str | None = None) -> Any:
    """Make the columns that the records of a task have in Parquet; "part" is null for whole texts.

    Raises ValueError for pairs, whose records have lists of several types, and without pyarrow.
    """
    pa = import_extra("pyarrow")
    if task == SCORES:
        raise ValueError(
            f"Found the task {task!r} with Parquet, expected lines of JSON: its records have lists "
            "of several types. Name an output that ends in .jsonl."
        )
    span = [("start_char", pa.int64()), ("end_char", pa.int64())]
    fields = [("id", pa.string()), ("part", pa.int64())]
    if keep is not None:
        fields += [("text", pa.string()), ("offsets", pa.list_(pa.list_(pa.int64())))]
    elif task == SENTENCES:
        fields.append((task, pa.list_(pa.struct(span))))
    elif task == WORDS:
        fields.append((task, pa.list_(pa.struct([*span, ("text", pa.string())]))))
    else:
        unit = [*span, ("label", pa.string()), ("score", pa.float64())]
        fields.append((task, pa.list_(pa.struct(unit))))
    return pa.schema(fields)


def merge_files(files: Iterable[IO[bytes]], output: IO[bytes], suffix: str, schema: Any) -> None:
    """Write the contents of files behind each other; only one is read at a time."""
    if suffix != PARQUET:
        for file in files:
            with file:
                shutil.copyfileobj(file, output, 1 << 20)
        return
    import pyarrow.parquet as parquet

    with parquet.ParquetWriter(output, schema, compression="zstd") as writer:
        for file in files:
            with file:
                writer.write_table(parquet.read_table(file))
