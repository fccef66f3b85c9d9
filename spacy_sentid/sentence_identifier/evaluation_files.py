"""Evaluation inputs on disk, and the predictions of any system on them.

assembled texts -> inputs.jsonl -> a system -> predictions.jsonl -> the scores of `scorer`

inputs.jsonl        {"id", "text", "units": [{"start_char", "end_char", "label"}]} a line
predictions.jsonl   {"id", "units": [...]} a line, as `spacy-sentid identify` writes it

Offsets are code points of the text. The lines of predictions may be in any order.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..units import NSU, SU, Unit
from .evaluation import AssembledText

PREVIEW = 60


class Input(NamedTuple):
    """One text with gold units and the id that predictions refer to."""

    id: str | int
    text: str
    units: list[Unit]  # in characters


def input_lines(texts: Iterable[AssembledText], *, name: str) -> Iterator[str]:
    """Write each text as one line of JSON, in ASCII; the ids are `name-1`, `name-2`, ...

    >>> list(input_lines([AssembledText("Hi.", [Unit(0, 3, "NSU")])], name="dev"))
    ['{"id": "dev-1", "text": "Hi.", "units": [{"start_char": 0, "end_char": 3, "label": "NSU"}]}']
    """
    for number, (text, units) in enumerate(texts, start=1):
        rows = [
            {"start_char": start, "end_char": end, "label": label} for start, end, label in units
        ]
        yield json.dumps({"id": f"{name}-{number}", "text": text, "units": rows})


def read_inputs(path: Path) -> list[Input]:
    """Read inputs; ValueError, with file and line, for what is none, and for an id met twice."""
    inputs: dict[str | int, Input] = {}
    for place, row in _read_rows(path):
        name = _read_id(row, place)
        text = row.get("text")
        if not isinstance(text, str):
            raise ValueError(f'{place}: found no "text", expected a string. Mend the line.')
        if name in inputs:
            raise ValueError(f"{place}: found the id {name!r} again, expected it once. Mend it.")
        inputs[name] = Input(name, text, _read_units(row, len(text), place))
    return list(inputs.values())


def read_predictions(
    inputs: Iterable[Input], path: Path
) -> Iterator[tuple[str, list[Unit], list[Unit]]]:
    """Pair inputs with the predictions of a file: (text, gold units, predicted units).

    Raises ValueError, with file and line, for what is no prediction, for units that are not in
    the text or overlap, and for ids that are missing, unknown or met twice.
    """
    inputs = list(inputs)
    lengths = {name: len(text) for name, text, _ in inputs}
    found: dict[str | int, list[Unit]] = {}
    for place, row in _read_rows(path):
        name = _read_id(row, place)
        if name not in lengths or name in found:
            what = "again" if name in found else "that no input has"
            raise ValueError(
                f"{place}: found the id {name!r} {what}, expected each id of the inputs once. Run "
                "the system on these inputs, or mend the line."
            )
        found[name] = _read_units(row, lengths[name], place)
    missing = [name for name in lengths if name not in found]
    if missing:
        raise ValueError(
            f"{path}: found no line for {len(missing)} of {len(lengths)} inputs (the first: "
            f"{missing[0]!r}), expected one for each. Run the system on all of them."
        )
    for name, text, units in inputs:
        yield text, units, found[name]


def _read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a .jsonl file, each with its place; blank lines are passed over."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            place = f"{path}:{number}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:  # bytes that are not UTF-8 as well
                raise ValueError(
                    f'{place}: found no JSON ({error}), expected an object with "id" and "units". '
                    "Mend the line."
                ) from error
            if not isinstance(row, dict):
                raise ValueError(
                    f'{place}: found {str(row)[:PREVIEW]}, expected an object with "id" and '
                    '"units". Mend the line.'
                )
            yield place, row


def _read_id(row: dict[str, Any], place: str) -> str | int:
    name: Any = row.get("id")
    if not isinstance(name, str) and not _is_whole(name):
        raise ValueError(
            f'{place}: "id" is {str(name)[:PREVIEW]}, expected a string or a whole number. Mend '
            "the line."
        )
    return name


def _read_units(row: dict[str, Any], length: int, place: str) -> list[Unit]:
    rows = row.get("units")
    if not isinstance(rows, list):
        raise ValueError(
            f'{place}: "units" is {str(rows)[:PREVIEW]}, expected a list. Mend the line.'
        )
    units = sorted(_read_unit(unit, length, place) for unit in rows)
    for i, unit in enumerate(units[1:]):
        if unit.start < units[i].end:
            raise ValueError(
                f"{place}: found units that overlap, {tuple(units[i])} and {tuple(unit)}, expected "
                "none. Mend the line."
            )
    return units


def _read_unit(unit: Any, length: int, place: str) -> Unit:
    if isinstance(unit, dict):
        values: list[Any] = [unit.get(key) for key in ("start_char", "end_char", "label")]
        start, end, label = values
        if (
            _is_whole(start)
            and _is_whole(end)
            and label in (SU, NSU)
            and 0 <= start < end <= length
        ):
            return Unit(start, end, label)
    raise ValueError(
        f'{place}: found the unit {str(unit)[:PREVIEW]}, expected "label" {SU} or {NSU} and 0 <= '
        f'"start_char" < "end_char" <= {length}, the length of the text. Mend the line.'
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
