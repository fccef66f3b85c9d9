"""Write records as Parquet: one row for each record, with lists of structs.

records -> Arrow table of a worker -> shard, a Parquet file -> one file
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ...files.records import SURROGATE
from ..tasks import SPAN, TASKS, TEXT, Fields

SCORED_SPAN = (*SPAN, TEXT, ("score", "float64"), ("kind", "string"))
SCORED_WORD = (TEXT, *SPAN, ("support", "float64"))


def make_schema(task: str, *, keep: str | None = None, with_text: bool = False) -> Any:
    """Build the Parquet schema of the records of a task.

    The column "part" is null for whole texts. The column "text" of a record is null unless the text
    was decoded, as for mail.
    with_text: Units and sentences have their text.
    """
    import pyarrow as pa

    def list_of(fields: Fields) -> Any:
        return pa.list_(pa.struct(list(fields)))

    own = TASKS[task].fields
    if keep is not None:
        offsets = pa.list_(pa.list_(pa.int64()))
        fields = [("part", "int64"), TEXT, ("offsets", offsets)]
    elif TASKS[task].is_of_pairs:
        fields = [*own, ("score", "float64"), ("refs", list_of(own)), ("best", "int64")]
        for side in ("hyp", "ref"):
            fields.append((f"{side}_spans", list_of(SCORED_SPAN)))
            fields.append((f"{side}_words", list_of(SCORED_WORD)))
    else:
        fields = [("part", "int64"), TEXT, (task, list_of((*own, *([TEXT] if with_text else []))))]
    return pa.schema([("id", "string"), *fields])


def make_table(records: Iterable[dict[str, Any]], schema: Any) -> Any:
    """Build an Arrow table from records: ids are strings, and lone surrogates are replaced."""
    from pyarrow import Table

    rows = []
    for record in records:
        row = dict(record)
        for key in row.keys() & {"id", "text"}:
            row[key] = SURROGATE.sub("\ufffd", str(row[key]))
        for key in row.keys() & {"hyp_words", "ref_words"}:  # lists with values of several types
            names = [name for name, _ in SCORED_WORD]
            row[key] = [dict(zip(names, word, strict=True)) for word in row[key]]
        rows.append(row)
    return Table.from_pylist(rows, schema=schema)


def write_tables(tables: Sequence[Any]) -> Any:
    """Write tables as a Parquet file, and return its bytes as an Arrow buffer."""
    import pyarrow as pa

    table = pa.concat_tables(tables)
    stream = pa.BufferOutputStream()
    with open_writer(stream, table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return stream.getvalue()


def open_writer(output: Any, schema: Any) -> Any:
    """Open a writer of a Parquet file."""
    from pyarrow.parquet import ParquetWriter

    return ParquetWriter(output, schema, compression="zstd")
