"""Pauses between the characters of an utterance (section 2.2).

JSONL -> PauseRecord -> gaps with a pause; PauseRecord -> JSONL

Gap i is between character i and character i + 1, from 0: n characters have n - 1 gaps.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...files.records import Line, format_record, parse_record, read_good_lines
from ...messages import shorten

# The minimum length of a pause (section 2.4), and of its probability of being a boundary (2.3).
MIN_PAUSE_MS = 10
MIN_P = 0.5


class PauseRecord(NamedTuple):
    """The spoken characters of an utterance, and the silence in each gap."""

    id: str
    chars: list[str]
    pause_ms: list[int]
    # The offsets of each character in the text, (start_char, end_char). All characters of a number
    # have the offsets of the number.
    offsets: list[tuple[int, int]] | None = None
    text: str | None = None  # the text before it was cleaned


def pause_gaps(record: PauseRecord, *, min_ms: int = MIN_PAUSE_MS) -> list[int]:
    """List the gaps of a record with a pause of at least `min_ms`, in order.

    >>> pause_gaps(PauseRecord("a", list("有人在细细地倾听"), [0, 230, 0, 0, 0, 110, 0]))
    [1, 5]
    """
    return [gap for gap, pause in enumerate(record.pause_ms) if pause >= min_ms]


def read_pauses(path: Path) -> Iterator[PauseRecord]:
    """Read a JSONL file of pauses.

    Keys other than the fields of PauseRecord are ignored. The default id is the file and line.
    Raises ValueError, with file and line, for the first invalid line.
    """
    return map(parse_pauses, read_good_lines(path))


def format_pauses(record: PauseRecord) -> str:
    """Format a record as a line of JSON without the line end. Fields with None are omitted.

    >>> format_pauses(PauseRecord("a", ["你", "好"], [20]))
    '{"id": "a", "chars": ["你", "好"], "pause_ms": [20]}'
    """
    return format_record(
        {name: value for name, value in record._asdict().items() if value is not None}
    )


def parse_pauses(line: Line) -> PauseRecord:
    """Parse a record from a line of JSON. Raises ValueError, with file and line, if it is invalid.

    >>> parse_pauses(Line("a.jsonl:1", '{"chars": ["你", "好"], "pause_ms": [20]}'))
    PauseRecord(id='a.jsonl:1', chars=['你', '好'], pause_ms=[20], offsets=None, text=None)
    """
    found = parse_record(line)
    values: list[Any] = [found.get(key) for key in ("chars", "pause_ms", "offsets", "text")]
    chars, pause_ms, offsets, text = values

    def check(key: str, is_right: bool, expected: str) -> None:
        if not is_right:
            shown = shorten(found.get(key))
            raise ValueError(f"{line.place}: {key!r} must be {expected}, got {shown}.")

    is_list = isinstance(chars, list) and len(chars) > 0
    check(
        "chars",
        is_list and all(isinstance(c, str) and len(c) == 1 and not c.isspace() for c in chars),
        "a list of one or more strings of one character each, without white space",
    )
    n = len(chars)
    check(
        "pause_ms",
        _are_counts(pause_ms, n - 1),
        f"a list of whole milliseconds, 0 or more, for each of the {n - 1} gaps",
    )
    check("text", text is None or isinstance(text, str), "a string")
    if offsets is not None:
        check(
            "offsets",
            isinstance(offsets, list)
            and len(offsets) == n
            and all(_are_counts(pair, 2) and pair[0] < pair[1] for pair in offsets)
            and all(pair[1] <= len(text or "") for pair in offsets),
            f"a list of [start_char, end_char] in 'text' for each of the {n} characters",
        )
        offsets = [(start, end) for start, end in offsets]
    return PauseRecord(str(found.get("id", line.place)), chars, pause_ms, offsets, text)


def _are_counts(found: Any, n: int) -> bool:
    is_list = isinstance(found, list) and len(found) == n
    return is_list and all(type(number) is int and number >= 0 for number in found)
