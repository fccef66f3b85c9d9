"""Files of a record a line, where a bad line does not end a long job.

line -> its place and text, or its place and what is wrong with it -> OUT, OUT.errors.jsonl
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from ..messages import shorten
from .atomic import open_output

BYTE_ORDER_MARK = "\ufeff"
SURROGATE = re.compile("[\ud800-\udfff]")
# A longer line, row or file of one record is left out: most likely it is no text.
MAX_RECORD_BYTES = 100_000_000
SKIP_BYTES = 1 << 20
Parsed = TypeVar("Parsed")
Raw = TypeVar("Raw")


class Line(NamedTuple):
    """A line of a file, without its line end."""

    place: str  # such as "pairs.jsonl:7"
    text: str


class BadLine(NamedTuple):
    """A line, or another part of a file, that a job leaves out."""

    place: str
    reason: str


class LongLine(NamedTuple):
    """A line that is too long to be held in memory."""

    n_bytes: int


def read_raw_lines(file: BinaryIO, max_bytes: int) -> Iterator[bytes | LongLine]:
    """Read lines with their ends, each of at most `max_bytes`; of a longer one only the length.

    >>> from io import BytesIO
    >>> list(read_raw_lines(BytesIO(b"One\\n" + b"x" * 9 + b"\\nTwo"), 4))
    [b'One\\n', LongLine(n_bytes=10), b'Two']
    """
    return iter(partial(_read_raw_line, file, max_bytes), b"")


def _read_raw_line(file: BinaryIO, max_bytes: int) -> bytes | LongLine:
    raw = file.readline(max_bytes + 1)
    n_bytes = len(raw)
    if n_bytes <= max_bytes:
        return raw
    while not raw.endswith(b"\n") and (raw := file.readline(SKIP_BYTES)):
        n_bytes += len(raw)
    return LongLine(n_bytes)


def split_carriage_returns(lines: Iterable[Raw]) -> Iterator[Raw | bytes]:
    r"""Split the one line of a file without LF after each CR, which becomes LF.

    >>> list(split_carriage_returns([b"One\rTwo"])), list(split_carriage_returns([b"O\rne\n"]))
    ([b'One\n', b'Two'], [b'O\rne\n'])
    """
    lines = iter(lines)
    for first in lines:
        if isinstance(first, bytes) and b"\r" in first and not first.endswith(b"\n"):
            yield from first.replace(b"\r", b"\n").splitlines(keepends=True)
        else:
            yield first
        break
    yield from lines


def too_long(what: str, n_bytes: int, max_bytes: int) -> str:
    """Say that a line, row or file is left out, as it is too long.

    >>> too_long("line", 3_000_000_000, MAX_RECORD_BYTES)
    'the line must have at most 100,000,000 bytes, got 3,000,000,000.'
    """
    return f"the {what} must have at most {max_bytes:,} bytes, got {n_bytes:,}."


def read_lines(path: Path, *, blank: bool = False) -> Iterator[Line | BadLine]:
    """Read the lines of a UTF-8 file; what is no UTF-8, or too long, is a BadLine.

    blank: Give empty lines too; else they are passed over.
    """
    with path.open("rb") as file:
        lines = split_carriage_returns(read_raw_lines(file, MAX_RECORD_BYTES))
        for number, raw in enumerate(lines, start=1):
            place = f"{path}:{number}"
            if isinstance(raw, LongLine):
                reason = too_long("line", raw.n_bytes, MAX_RECORD_BYTES)
                yield BadLine(place, f"{reason} Split it.")
                continue
            try:
                text = raw.decode("utf8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                reason = f"found bytes that are not UTF-8 ({error.reason}). Save the file as UTF-8."
                yield BadLine(place, reason)
                continue
            if number == 1:
                text = text.removeprefix(BYTE_ORDER_MARK)
            if blank or text.strip():
                yield Line(place, text)


def read_good_lines(path: Path, *, blank: bool = False) -> Iterator[Line]:
    """Read the lines of a UTF-8 file; ValueError with the place of a bad one."""
    for line in read_lines(path, blank=blank):
        if isinstance(line, BadLine):
            raise ValueError(f"{line.place}: {line.reason}")
        yield line


def count_lines(paths: Iterable[Path], *, blank: bool = False) -> int:
    """Count the lines that `read_lines` gives."""
    total = 0
    for path in paths:
        with path.open("rb") as file:
            lines = read_raw_lines(file, MAX_RECORD_BYTES)
            total += sum(
                blank or isinstance(line, LongLine) or bool(line.strip()) for line in lines
            )
    return total


def parse_record(line: Line) -> dict[str, Any]:
    """Read a JSON object; ValueError with the place of the line if it is none.

    >>> parse_record(Line("a.jsonl:1", '{"id": 3}'))
    {'id': 3}
    """
    try:
        record = json.loads(line.text)
    except (ValueError, RecursionError) as error:  # also numbers of 5,000 digits
        raise ValueError(
            f"{line.place}: invalid JSON ({error}). Each line must be a JSON object."
        ) from error
    if "\\ud" in line.text.casefold() and SURROGATE.search(json.dumps(record, ensure_ascii=False)):
        raise ValueError(
            f"{line.place}: text must be valid Unicode, got a lone surrogate (half of a character)."
        )
    if not isinstance(record, dict):
        raise ValueError(
            f"{line.place}: each line must be a JSON object, got {shorten(line.text.strip())}."
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
