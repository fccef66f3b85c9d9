"""Files of a record a line, where a bad line does not end a long job.

line -> its place and text, or its place and what is wrong with it -> OUT, OUT.errors.jsonl
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .atomic import open_output

BYTE_ORDER_MARK = "\ufeff"
SURROGATE = re.compile("[\ud800-\udfff]")
Parsed = TypeVar("Parsed")


class Line(NamedTuple):
    """A line of a file, without its line end."""

    place: str  # such as "pairs.jsonl:7"
    text: str


class BadLine(NamedTuple):
    """A line, or another part of a file, that a job leaves out."""

    place: str
    reason: str


def read_lines(path: Path, *, blank: bool = False) -> Iterator[Line | BadLine]:
    """Read the lines of a UTF-8 file; what is no UTF-8 is a BadLine.

    blank: Give empty lines too; else they are passed over.
    """
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            place = f"{path}:{number}"
            try:
                text = raw.decode("utf8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                yield BadLine(place, f"found bytes that are not UTF-8 ({error.reason}).")
                continue
            if number == 1:
                text = text.removeprefix(BYTE_ORDER_MARK)
            if blank or text.strip():
                yield Line(place, text)


def read_good_lines(path: Path, *, blank: bool = False) -> Iterator[Line]:
    """Read the lines of a UTF-8 file; ValueError with the place of one that is no UTF-8."""
    for line in read_lines(path, blank=blank):
        if isinstance(line, BadLine):
            raise ValueError(f"{line.place}: {line.reason} Save the file as UTF-8.")
        yield line


def count_lines(paths: Iterable[Path], *, blank: bool = False) -> int:
    """Count the lines that `read_lines` gives."""
    total = 0
    for path in paths:
        with path.open("rb") as file:
            total += sum(1 for line in file if blank or line.strip())
    return total


def parse_record(line: Line) -> dict[str, Any]:
    """Read a JSON object; ValueError with the place of the line if it is none.

    >>> parse_record(Line("a.jsonl:1", '{"id": 3}'))
    {'id': 3}
    """
    try:
        record = json.loads(line.text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(
            f"{line.place}: invalid JSON ({error}). Each line must be a JSON object."
        ) from error
    if "\\ud" in line.text.casefold() and SURROGATE.search(json.dumps(record, ensure_ascii=False)):
        raise ValueError(
            f"{line.place}: text must be valid Unicode, got a lone surrogate (half of a character)."
        )
    if not isinstance(record, dict):
        raise ValueError(
            f"{line.place}: each line must be a JSON object, got {line.text.strip()[:40]!r}."
        )
    return record


def format_record(record: dict[str, Any]) -> str:
    """Write a record as a line of JSON, without the line end.

    >>> format_record({"id": "é"})
    '{"id": "é"}'
    """
    return json.dumps(record, ensure_ascii=False)


def write_records(path: Path, records: Iterable[dict[str, Any]]) -> int:
    """Write records as JSON lines, in one step; gives their number."""
    n = 0
    with open_output(path) as file:
        for record in records:
            file.write(format_record(record) + "\n")
            n += 1
    return n


def bad_line(place: str, error: ValueError) -> BadLine:
    """Make a BadLine of an error; the place is not told twice.

    >>> bad_line("a.jsonl:3", ValueError("a.jsonl:3: found no JSON."))
    BadLine(place='a.jsonl:3', reason='found no JSON.')
    """
    return BadLine(place, str(error).removeprefix(f"{place}: "))


def parse_lines(
    lines: Iterable[Line | BadLine], parse: Callable[[Line], Parsed]
) -> Iterator[Parsed | BadLine]:
    """Parse lines; one for which `parse` raises ValueError becomes a BadLine."""
    for line in lines:
        try:
            yield line if isinstance(line, BadLine) else parse(line)
        except ValueError as error:
            yield bad_line(line.place, error)


def errors_path(output: Path) -> Path:
    """Name the file next to an output that lists what was left out.

    >>> errors_path(Path("out/pairs.jsonl")).name
    'pairs.jsonl.errors.jsonl'
    """
    return output.with_name(f"{output.name}.errors.jsonl")


def write_errors(output: Path, errors: Iterable[Sequence[str]]) -> int:
    """Write (place, reason) of each excluded record next to an output; returns their number.

    Without any there is no such file, nor one of an earlier job.
    """
    rows = [{"place": place, "reason": reason} for place, reason in errors]
    path = errors_path(output)
    if not rows:
        path.unlink(missing_ok=True)
        return 0
    return write_records(path, rows)
