"""Read and write evaluation inputs, and read the predictions of any system on them.

assembled texts -> inputs.jsonl -> a system -> predictions.jsonl -> the scores of `scorer`

inputs.jsonl        {"id", "text", "units": [{"start_char", "end_char", "label"}]} a line
predictions.jsonl   {"id", "units": [...]} a line, as `spacy-sentid identify` writes it

Offsets are code points of the text. The lines of predictions may be in any order.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ...files.atomic import open_output
from ...files.records import parse_record, read_good_lines
from ...messages import shorten
from ...text.units import NSU, SU, Unit
from ..corpora.concatenation import AssembledText


class Input(NamedTuple):
    """A text with gold units, and the id that predictions refer to."""

    id: str | int
    text: str
    units: list[Unit]  # in characters


def write_inputs(path: Path, texts: Iterable[AssembledText], *, name: str) -> None:
    """Write each text as one line of ASCII JSON, with the ids `name-1`, `name-2`, ..."""
    if path.suffix != ".jsonl":
        raise ValueError(f"The name of the file must end in .jsonl, got {path}.")
    with open_output(path) as file:
        for number, (text, units) in enumerate(texts, start=1):
            rows = [
                {"start_char": unit[0], "end_char": unit[1], "label": unit[2]} for unit in units
            ]
            record = {"id": f"{name}-{number}", "text": text, "units": rows}
            file.write(json.dumps(record) + "\n")


def read_inputs(path: Path) -> list[Input]:
    """Read inputs. Raises ValueError, with file and line, for invalid lines and duplicate ids."""
    inputs: dict[str | int, Input] = {}
    for place, name, record in _read_records(path):
        text = record.get("text")
        if not isinstance(text, str):
            raise ValueError(f'{place}: "text" must be a string, got {shorten(text)}.')
        if name in inputs:
            raise ValueError(f"{place}: each id must be unique, got {shorten(name)} again.")
        inputs[name] = Input(name, text, _read_units(record, len(text), place))
    return list(inputs.values())


def read_predictions(
    inputs: Iterable[Input], path: Path
) -> Iterator[tuple[str, list[Unit], list[Unit]]]:
    """Pair inputs with the predictions of a file: (text, gold units, predicted units).

    Raises ValueError with file and line for invalid lines, for units that overlap or are outside of
    the text, and for missing, unknown or duplicate ids.
    """
    inputs = list(inputs)
    lengths = {name: len(text) for name, text, _ in inputs}
    found: dict[str | int, list[Unit]] = {}
    for place, name, record in _read_records(path):
        if name not in lengths or name in found:
            what = "again" if name in found else "which is not the id of an input"
            raise ValueError(
                f"{place}: each id of the inputs must occur once, got {shorten(name)} {what}. "
                "Run the system on these inputs."
            )
        found[name] = _read_units(record, lengths[name], place)
    missing = [name for name in lengths if name not in found]
    if missing:
        raise ValueError(
            f"{path}: each of the {len(lengths)} inputs must have a line, got none for "
            f"{len(missing)} of them (the first is {shorten(missing[0])}). Run the system on all "
            "inputs."
        )
    for name, text, units in inputs:
        yield text, units, found[name]


def _read_records(path: Path) -> Iterator[tuple[str, str | int, dict[str, Any]]]:
    """Yield (place, id, object) for each line of a .jsonl file that is not blank."""
    for line in read_good_lines(path):
        record = parse_record(line)
        name: Any = record.get("id")
        if not isinstance(name, str) and not _is_whole(name):
            raise ValueError(
                f'{line.place}: "id" must be a string or a whole number, got {shorten(name)}.'
            )
        yield line.place, name, record


def _read_units(record: dict[str, Any], length: int, place: str) -> list[Unit]:
    rows = record.get("units")
    if not isinstance(rows, list):
        raise ValueError(f'{place}: "units" must be a list, got {shorten(rows)}.')
    units = []
    for row in rows:
        values: list[Any] = [None] * 3
        if isinstance(row, dict):
            values = [row.get(key) for key in ("start_char", "end_char", "label")]
        start, end, label = values
        is_unit = _is_whole(start) and _is_whole(end) and label in (SU, NSU)
        if not is_unit or not 0 <= start < end <= length:
            raise ValueError(
                f'{place}: a unit must have the "label" {SU} or {NSU}, and 0 <= "start_char" < '
                f'"end_char" <= {length} (the length of the text), got {shorten(row)}.'
            )
        units.append(Unit(start, end, label))
    units.sort()
    for unit, following in pairwise(units):
        if following.start < unit.end:
            raise ValueError(
                f"{place}: units must not overlap, got {tuple(unit)} and {tuple(following)}."
            )
    return units


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
