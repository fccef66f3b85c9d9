"""Pauses between the characters of an utterance (section 2.2).

JSONL -> PauseRecord -> gaps with a pause; PauseRecord -> JSONL

Gap i is between character i and character i + 1, from 0: n characters have n - 1 gaps.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ...files.records import (
    BadLine,
    Line,
    format_record,
    parse_lines,
    parse_record,
    read_good_lines,
    read_lines,
)

MIN_PAUSE_MS = 10  # what section 2.4 counts as a pause


class PauseRecord(NamedTuple):
    """The characters of an utterance as they are said, and the silence in each gap."""

    id: str
    chars: list[str]
    pause_ms: list[int]
    # Where each character stands in the text, (start_char, end_char); the characters of a number
    # all point to the number.
    offsets: list[tuple[int, int]] | None = None
    text: str | None = None  # as it was before the cleaning


def pause_gaps(record: PauseRecord, *, min_ms: int = MIN_PAUSE_MS) -> list[int]:
    """List the gaps of a record with a pause of at least `min_ms`, in order.

    >>> pause_gaps(PauseRecord("a", list("有人在细细地倾听"), [0, 230, 0, 0, 0, 110, 0]))
    [1, 5]
    """
    return [gap for gap, pause in enumerate(record.pause_ms) if pause >= min_ms]


def read_pauses(path: Path) -> Iterator[PauseRecord]:
    """Read a JSONL file of pauses: `chars` and `pause_ms`, maybe `id`, `text` and `offsets`.

    Other keys are passed over. Without an id, it is the place of the line. Raises ValueError with
    the file and line of the first line that is no such record.
    """
    return map(parse_pauses, read_good_lines(path))


def read_pause_lines(path: Path) -> Iterator[PauseRecord | BadLine]:
    """Read a JSONL file of pauses; a line that is no such record is a BadLine."""
    return parse_lines(read_lines(path), parse_pauses)


def format_pauses(record: PauseRecord) -> str:
    """Write a record as a line of JSON, without the line end; what is None is left out.

    >>> format_pauses(PauseRecord("a", ["你", "好"], [20]))
    '{"id": "a", "chars": ["你", "好"], "pause_ms": [20]}'
    """
    return format_record(
        {name: value for name, value in record._asdict().items() if value is not None}
    )


def parse_pauses(line: Line) -> PauseRecord:
    """Make a record of a line of JSON; ValueError with its place if it is none.

    >>> parse_pauses(Line("a.jsonl:1", '{"chars": ["你", "好"], "pause_ms": [20]}'))
    PauseRecord(id='a.jsonl:1', chars=['你', '好'], pause_ms=[20], offsets=None, text=None)
    """
    found = parse_record(line)

    def check(key: str, is_right: bool, expected: str) -> None:
        if not is_right:
            shown = repr(found.get(key))
            shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
            raise ValueError(f"{line.place}: {key!r} must be {expected}, got {shown}.")

    values: list[Any] = [found.get(key) for key in ("chars", "pause_ms", "offsets", "text")]
    chars, pause_ms, offsets, text = values
    is_list = isinstance(chars, list) and len(chars) > 0
    check(
        "chars",
        is_list and all(isinstance(c, str) and len(c) == 1 and not c.isspace() for c in chars),
        "a list of strings of one character each, at least one, none of them white space",
    )
    n = len(chars)
    check(
        "pause_ms",
        _are_counts(pause_ms) and len(pause_ms) == n - 1,
        f"a list of whole milliseconds, 0 or more, one for each of the {n - 1} gaps",
    )
    check("text", text is None or isinstance(text, str), "a string")
    if offsets is not None:
        pairs = offsets if isinstance(offsets, list) else []
        is_right = len(pairs) == n and all(_are_counts(p) and len(p) == 2 for p in pairs)
        check(
            "offsets",
            is_right
            and all(start < end <= len(text or "") for start, end in pairs)
            and all(a <= c and b <= d for (a, b), (c, d) in pairwise(pairs)),
            f"[start_char, end_char] of each of the {n} characters, in order and inside 'text'",
        )
        offsets = [(start, end) for start, end in pairs]
    return PauseRecord(str(found.get("id", line.place)), chars, pause_ms, offsets, text)


def _are_counts(found: Any) -> bool:
    return isinstance(found, list) and all(type(n) is int and n >= 0 for n in found)
