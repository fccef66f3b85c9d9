"""How records are written: lines of JSON, tables of a row each unit, or Parquet.

records -> lines, rows or a table of a worker -> bytes of a shard -> one file
"""

import csv
import gzip
import io
import json
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import IO, Any

from ..files.records import SURROGATE
from ..files.store import import_extra
from .tasks import SCORES, SENTENCES, UNITS, WORDS

JSONL, CSV, TSV, PARQUET = ".jsonl", ".csv", ".tsv", ".parquet"
ENCODINGS = (JSONL, CSV, TSV, PARQUET)
# A file of each may follow another: the result is a file of the same kind.
SUFFIXES = (
    *(f"{kind}{compression}" for kind in (JSONL, CSV, TSV) for compression in ("", ".gz", ".zst")),
    PARQUET,
)
# Dialects of csv: quotes where they are needed, line ends as in RFC 4180.
DIALECTS = {CSV: "excel", TSV: "excel-tab"}
# Columns of Parquet: what each task finds.
SPAN = [("start_char", "int64"), ("end_char", "int64")]
FIELDS = {
    UNITS: [
        *SPAN,
        ("label", "string"),
        ("kind", "string"),
        ("score", "float64"),
        ("label_score", "float64"),
        ("kind_score", "float64"),
    ],
    SENTENCES: SPAN,
    WORDS: [*SPAN, ("text", "string")],
    SCORES: [("p", "float64"), ("r", "float64"), ("f", "float64")],
}
TEXT = ("text", "string")
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


def find_encoding(suffix: str) -> str:
    """Find how records are encoded by the suffix of a file; the rest of it is a compression.

    >>> find_encoding(".csv.gz"), find_encoding(".parquet")
    ('.csv', '.parquet')
    """
    return next(kind for kind in ENCODINGS if suffix.startswith(kind))


def check_suffix(suffix: str, task: str, *, keep: str | None = None) -> None:
    """Raise ValueError if a task cannot be written as files of a suffix."""
    if find_encoding(suffix) in DIALECTS and (task == SCORES or keep is not None):
        what = f"the task {task!r}" if keep is None else f"what is kept ({keep})"
        raise ValueError(
            f"The output of {what} must be .jsonl or .parquet, got {suffix}: it has no rows of "
            "units."
        )


def make_schema(task: str, *, keep: str | None = None, with_text: bool = False) -> Any:
    """Make the columns that the records of a task have in Parquet.

    "part" is null for whole texts; "text" of a record is null unless it was decoded, as of a mail.
    with_text: Units and sentences have their text.

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
        found = [*FIELDS[task], *([TEXT] if with_text else [])]
        fields = [("part", "int64"), TEXT, (task, list_of(found))]
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


def encode_records(
    records: Iterable[dict[str, Any]],
    encoding: str = JSONL,
    *,
    task: str = UNITS,
    keep: str | None = None,
    with_text: bool = False,
) -> Any:
    """Make what a worker returns: bytes of lines of JSON or rows; for Parquet, an Arrow table."""
    if encoding == PARQUET:
        return make_table(records, make_schema(task, keep=keep, with_text=with_text))
    if encoding in DIALECTS:
        names = _list_columns(task)[1:]
        rows = ([r["id"], *(row.get(name) for name in names)] for r in records for row in r[task])
        return _encode_rows(rows, encoding)
    lines = (json.dumps(record, allow_nan=False) + "\n" for record in records)
    return "".join(lines).encode("ascii")


def _list_columns(task: str) -> list[str]:
    return list(dict.fromkeys(["id", *(name for name, _ in FIELDS[task]), "text"]))


def _encode_rows(rows: Iterable[Sequence[Any]], encoding: str) -> bytes:
    """Encode rows in UTF-8; half characters are replaced."""
    stream = io.StringIO(newline="")
    csv.writer(stream, DIALECTS[encoding]).writerows(rows)
    return SURROGATE.sub("\ufffd", stream.getvalue()).encode("utf8")


def encode_header(suffix: str, task: str) -> bytes:
    """Make what a file begins with: of CSV and TSV, the names of the columns.

    >>> encode_header(".csv", "sentences")
    b'id,start_char,end_char,text\\r\\n'
    """
    encoding = find_encoding(suffix)
    return _encode_rows([_list_columns(task)], encoding) if encoding in DIALECTS else b""


def encode_shard(parts: Sequence[Any], suffix: str) -> bytes:
    """Make the bytes of a file of what workers return; the same records give the same bytes."""
    if suffix == PARQUET:
        pa, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
        stream = pa.BufferOutputStream()
        parquet.write_table(pa.concat_tables(parts).combine_chunks(), stream, compression="zstd")
        data: bytes = stream.getvalue().to_pybytes()
        return data
    lines = b"".join(parts)
    if suffix.endswith(".gz"):
        return gzip.compress(lines, mtime=0)
    if suffix.endswith(".zst"):
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
