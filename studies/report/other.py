"""Results that the report does not know: tables of whatever JSON holds.

JSON -> plain values by name; objects of one shape -> a table; what is long is cut, and said so
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.report.parts import Part, Source, Table, with_name

MAX_ROWS, MAX_COLUMNS, MAX_CHARACTERS, MAX_TABLES, MAX_DEPTH = 60, 14, 160, 30, 8
ROOT = "values"


def lay_out_others(sources: Sequence[Source]) -> list[Part]:
    """Lay out any JSON, each file for itself."""
    parts: list[Part] = []
    for source in sources:
        tables = list(list_tables(source.data))
        shown = tables[:MAX_TABLES]
        if len(tables) > MAX_TABLES:
            notes = [*shown[-1].notes, f"{len(tables) - MAX_TABLES:,} more tables are left out."]
            shown[-1] = shown[-1]._replace(notes=notes)
        parts += [
            table._replace(title=with_name(source.name, table.title, several=True))
            for table in shown
        ]
    return parts


def list_tables(data: Any, path: str = "", depth: int = 0) -> Iterator[Table]:
    """List the tables of JSON: first the plain values, then what is below.

    >>> [table.rows for table in list_tables({"f": 0.5, "by": {"a": {"n": 1}, "b": {"n": 2}}})]
    [[['name', 'value'], ['f', '0.5']], [['by', 'n'], ['a', '1'], ['b', '2']]]
    """
    if not isinstance(data, Mapping | list) or depth == MAX_DEPTH:
        data = {"": data if not isinstance(data, Mapping | list) else "..."}
    items = dict(enumerate(data, start=1)) if isinstance(data, list) else data
    rows = list(items.values())
    if rows and all(_is_record(row) for row in rows) and len(rows) > 1:
        yield _table_records(items, path)
        return
    plain = {name: value for name, value in items.items() if not _is_nested(value)}
    if plain or not items:
        cells = [[_join(name), format_value(value)] for name, value in plain.items()]
        yield _cut(Table(path or ROOT, [["name", "value"], *cells], n_left=2))
    for name, value in items.items():
        if _is_nested(value):
            yield from list_tables(
                value, f"{path}.{_join(name)}" if path else _join(name), depth + 1
            )


def format_value(value: Any) -> str:
    """Write a plain value in few characters; long numbers are rounded.

    >>> format_value(0.123456789), format_value(None), format_value(True), format_value(12345.6)
    ('0.12346', '-', 'true', '12,346')
    """
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "-"}[value]
    if isinstance(value, int):
        value = f"{value:,}"
    elif isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.5g}"
    elif isinstance(value, Mapping | list):
        value = ", ".join(map(format_value, value)) or "-"
    return value if len(value) <= MAX_CHARACTERS else f"{value[: MAX_CHARACTERS - 1]}…"


def _is_nested(value: Any) -> bool:
    """Tell whether a value needs a table of its own: more than a short list of plain values."""
    if isinstance(value, list):
        return any(isinstance(item, Mapping | list) for item in value)
    return isinstance(value, Mapping) and bool(value)


def _is_record(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and not any(map(_is_nested, value.values()))


def _table_records(items: Mapping[Any, Mapping[str, Any]], path: str) -> Table:
    """Lay out objects without depth: one a row."""
    columns = list(dict.fromkeys(key for row in items.values() for key in row))
    shown = columns[:MAX_COLUMNS]
    rows = [[path or ROOT, *shown]]
    rows += [
        [_join(name), *(format_value(row[key]) if key in row else "" for key in shown)]
        for name, row in items.items()
    ]
    table = Table(path or ROOT, rows)
    if len(columns) > MAX_COLUMNS:
        left_out = f"{len(columns) - MAX_COLUMNS:,} more columns are left out."
        table = table._replace(notes=[left_out])
    return _cut(table)


def _join(name: object) -> str:
    return " ".join(str(name).split())


def _cut(table: Table) -> Table:
    n_more = len(table.rows) - 1 - MAX_ROWS
    if n_more <= 0:
        return table
    notes = [*table.notes, f"{n_more:,} more rows are left out."]
    return table._replace(rows=table.rows[: MAX_ROWS + 1], notes=notes)
