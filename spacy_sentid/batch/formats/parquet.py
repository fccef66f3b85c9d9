"""Write records as Parquet: one row for each record, with lists of structs.

records -> Arrow table of a worker -> shard, a Parquet file -> one file

A record whose rows are a RowSpool gets its own row group, so it is never in memory twice.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...files.records import SURROGATE
from ...files.store import import_extra
from ..tasks import FIELDS, SCORES, SPAN
from .spool import RowSpool

TEXT = ("text", "string")
SCORED_SPAN = [*SPAN, ("text", "string"), ("score", "float64"), ("kind", "string")]
SCORED_WORD = [("text", "string"), *SPAN, ("support", "float64")]
# Nested columns with hardly any repeated values, by the ends of their names; "" means offsets.
UNIQUE = (".start_char", ".end_char", ".text", "")
# A larger record gets its own row group.
LONG_RECORD_BYTES = 50_000_000


def make_schema(task: str, *, keep: str | None = None, with_text: bool = False) -> Any:
    """Build the Parquet schema of the records of a task.

    The column "part" is null for whole texts. The column "text" of a record is null unless the text
    was decoded, as for mail.
    with_text: Units and sentences have their text.

    Raises ValueError if pyarrow is missing.
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
    """Build an Arrow table from records: ids are strings, and lone surrogates are replaced."""
    pa = import_extra("pyarrow")
    tables, rows = [], []
    for record in records:
        row = dict(record)
        for key in row.keys() & {"id", "text"}:
            row[key] = SURROGATE.sub("\ufffd", str(row[key]))
        for key in row.keys() & {"hyp_words", "ref_words"}:  # lists with values of several types
            names = [name for name, _ in SCORED_WORD]
            row[key] = [dict(zip(names, word, strict=True)) for word in row[key]]
        rows.append(row)
        key, found = next(reversed(row.items()), ("", None))
        if isinstance(found, RowSpool):
            row[key] = None
            tables += [pa.Table.from_pylist(some, schema=schema) for some in (rows[:-1], [row])]
            number, field = schema.get_field_index(key), schema.field(key)
            column = _make_list(found, field.type.value_type)
            tables[-1] = tables[-1].set_column(number, field, column)
            rows = []
    return pa.concat_tables([*tables, pa.Table.from_pylist(rows, schema=schema)])


def _make_list(spool: RowSpool, kind: Any) -> Any:
    """Build an Arrow array of one list, which has the rows of a spool. kind: Type of a row."""
    pa = import_extra("pyarrow")
    if pa.types.is_struct(kind):
        # One field at a time, as a field is in memory twice while its parts are joined.
        fields = [
            _join(([row.get(one.name) for row in block] for block in spool.blocks()), one.type)
            for one in kind
        ]
        rows = pa.StructArray.from_arrays(fields, fields=list(kind))
    else:
        rows = _join(spool.blocks(), kind)
    return pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), rows)


def _join(blocks: Iterable[list[Any]], kind: Any) -> Any:
    pa = import_extra("pyarrow")
    return pa.concat_arrays([pa.array(block, kind) for block in blocks])


def write_tables(tables: Sequence[Any]) -> Any:
    """Write tables as a Parquet file, and return its bytes as an Arrow buffer."""
    pa = import_extra("pyarrow")
    table = pa.concat_tables(tables)
    stream = pa.BufferOutputStream()
    with open_writer(stream, table.schema) as writer:
        sizes = ((batch.nbytes > LONG_RECORD_BYTES, batch) for batch in table.to_batches())
        for is_long, batches in groupby(sizes, itemgetter(0)):
            group = pa.Table.from_batches([batch for _, batch in batches], table.schema)
            writer.write_table(group if is_long else group.combine_chunks())
    return stream.getvalue()


def open_writer(output: Any, schema: Any) -> Any:
    """Open a Parquet writer with dictionaries, which take memory, only for repeated values.

    >>> schema = make_schema("units")
    >>> [name for name in _list_leaves("units", schema.field("units").type) if "score" in name]
    ['units.list.element.score', 'units.list.element.label_score', 'units.list.element.kind_score']
    """
    names = [leaf for field in schema for leaf in _list_leaves(field.name, field.type)]
    repeated = [name for name in names if name.rpartition("list.element")[2] not in UNIQUE]
    parquet = import_extra("pyarrow.parquet")
    return parquet.ParquetWriter(output, schema, compression="zstd", use_dictionary=repeated)


def _list_leaves(path: str, kind: Any) -> list[str]:
    """List the Parquet columns that store an Arrow column."""
    types = import_extra("pyarrow").types
    if types.is_list(kind):
        return _list_leaves(f"{path}.list.element", kind.value_type)
    if types.is_struct(kind):
        return [leaf for one in kind for leaf in _list_leaves(f"{path}.{one.name}", one.type)]
    return [path]
