"""Read and write files with one record per line, where a bad line does not end a long job.

line -> its place and text, or its place and error -> OUT, OUT.errors.jsonl
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from ..messages import shorten
from .atomic import open_output

BYTE_ORDER_MARK = "\ufeff"
SURROGATE = re.compile("[\ud800-\udfff]")
# Longer lines, rows or files of one record are left out, as they are most likely not text.
MAX_RECORD_BYTES = 100_000_000
SKIP_BYTES = 1 << 20
Parsed = TypeVar("Parsed")
Raw = TypeVar("Raw")


class Line(NamedTuple):
    """A line of a file, without its line end."""

    place: str  # such as "pairs.jsonl:7"
    text: str


class BadLine(NamedTuple):
    """A line, or another part of a file, that a job skips because of an error."""

    place: str
    reason: str


class LongLine(NamedTuple):
    """A line that is too long to be held in memory."""

    n_bytes: int


def read_raw_lines(file: BinaryIO, max_bytes: int) -> Iterator[bytes | LongLine]:
    """Read lines of at most `max_bytes` with their ends; yield only the length of longer ones.

    >>> from io import BytesIO
    >>> list(read_raw_lines(BytesIO(b"One\\n" + b"x" * 9 + b"\\nTwo"), 4))
    [b'One\\n', LongLine(n_bytes=10), b'Two']
    """
    while raw := file.readline(max_bytes + 1):
        n_bytes = len(raw)
        if n_bytes <= max_bytes:
            yield raw
            continue
        while not raw.endswith(b"\n") and (raw := file.readline(SKIP_BYTES)):
            n_bytes += len(raw)
        yield LongLine(n_bytes)


def split_carriage_returns(lines: Iterable[Raw]) -> Iterator[Raw | bytes]:
    r"""Split a file that has CR but no LF, which is a single line, after each CR, and write LF.

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
    """Format the error of a line, row or file that is too long.

    >>> too_long("line", 3_000_000_000, MAX_RECORD_BYTES)
    'the line must have at most 100,000,000 bytes, got 3,000,000,000.'
    """
    return f"the {what} must have at most {max_bytes:,} bytes, got {n_bytes:,}."


def read_lines(path: Path, *, blank: bool = False) -> Iterator[Line | BadLine]:
    """Read the lines of a UTF-8 file. A line that is not UTF-8, or too long, becomes a BadLine.

    blank: Yield blank lines too; otherwise they are skipped.
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
                reason = f"the line must be UTF-8 ({error.reason}). Save the file as UTF-8."
                yield BadLine(place, reason)
                continue
            if number == 1:
                text = text.removeprefix(BYTE_ORDER_MARK)
            if blank or text.strip():
                yield Line(place, text)


def read_good_lines(path: Path, *, blank: bool = False) -> Iterator[Line]:
    """Read the lines of a UTF-8 file; raise ValueError with the place of a bad one."""
    for line in read_lines(path, blank=blank):
        if isinstance(line, BadLine):
            raise ValueError(f"{line.place}: {line.reason}")
        yield line


def count_lines(paths: Iterable[Path], *, blank: bool = False) -> int:
    """Count the lines that `read_lines` yields."""
    total = 0
    for path in paths:
        with path.open("rb") as file:
            lines = read_raw_lines(file, MAX_RECORD_BYTES)
            total += sum(
                blank or isinstance(line, LongLine) or bool(line.strip()) for line in lines
            )
    return total


def parse_record(line: Line) -> dict[str, Any]:
    """Parse a line as a JSON object; raise ValueError with its place if it is not one.

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
    """Write records as JSON lines, atomically, and return their number."""
    n = 0
    with open_output(path) as file:
        for record in records:
            file.write(format_record(record) + "\n")
            n += 1
    return n


def bad_line(place: str, error: ValueError) -> BadLine:
    """Convert an error to a BadLine; the reason does not repeat the place.

    >>> bad_line("a.jsonl:3", ValueError("a.jsonl:3: invalid JSON."))
    BadLine(place='a.jsonl:3', reason='invalid JSON.')
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
    """Name the file next to an output that lists the excluded records.

    >>> errors_path(Path("out/pairs.jsonl")).name
    'pairs.jsonl.errors.jsonl'
    """
    return output.with_name(f"{output.name}.errors.jsonl")


def write_errors(output: Path, errors: Iterable[Sequence[str]]) -> int:
    """Write (place, reason) of each excluded record next to an output, and return their number.

    Without excluded records no file is written, and the file of an earlier job is deleted.
    """
    rows = [{"place": place, "reason": reason} for place, reason in errors]
    path = errors_path(output)
    if not rows:
        path.unlink(missing_ok=True)
        return 0
    return write_records(path, rows)
