"""Pauses between the characters of an utterance (section 2.2).

frames -> milliseconds (equation 1); JSONL -> PauseRecord -> gaps with a pause; PauseRecord -> JSONL

Gap i is between character i and character i + 1, from 0: n characters have n - 1 gaps.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...files.atomic import open_output
from ...files.records import BadLine, bad_line, format_record, parse_record, read_lines

FRAME_MS = 10  # the offset of two frames in MFA, and in the paper
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


def pause_from_frames(end_frame: int, next_start_frame: int) -> int:
    """Give the pause between two characters in milliseconds (equation 1).

    end_frame: The first frame after the first character; in the paper's inclusive e_i characters
        without a pause between them would be 10 ms apart.
    next_start_frame: The first frame of the second character.

    >>> pause_from_frames(57, 80)
    230

    Raises ValueError if the second character begins before the first ends.
    """
    if next_start_frame < end_frame:
        raise ValueError(
            f"Found a character that begins at frame {next_start_frame}, before the end of the "
            f"one before it ({end_frame}), expected characters one after the other."
        )
    return (next_start_frame - end_frame) * FRAME_MS


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
    for line in read_pause_lines(path):
        if isinstance(line, BadLine):
            raise ValueError(f"{line.place}: {line.reason}")
        yield line


def read_pause_lines(path: Path) -> Iterator[PauseRecord | BadLine]:
    """Read a JSONL file of pauses; a line that is no such record is a BadLine."""
    for line in read_lines(path):
        if isinstance(line, BadLine):
            yield line
            continue
        try:
            yield parse_pauses(parse_record(line), place=line.place)
        except ValueError as error:
            yield bad_line(line.place, error)


def write_pauses(path: Path, records: Iterable[PauseRecord]) -> int:
    """Write records as JSONL, in one step; gives their number."""
    n_written = 0
    with open_output(path) as file:
        for record in records:
            file.write(format_pauses(record) + "\n")
            n_written += 1
    return n_written


def format_pauses(record: PauseRecord) -> str:
    """Write a record as a line of JSON, without the line end; what is None is left out.

    >>> format_pauses(PauseRecord("a", ["你", "好"], [20]))
    '{"id": "a", "chars": ["你", "好"], "pause_ms": [20]}'
    """
    return format_record(
        {name: value for name, value in record._asdict().items() if value is not None}
    )


def parse_pauses(found: dict[str, Any], *, place: str) -> PauseRecord:
    """Make a record of a JSON object; ValueError with the place if it is none.

    >>> parse_pauses({"chars": ["你", "好"], "pause_ms": [20]}, place="a.jsonl:1")
    PauseRecord(id='a.jsonl:1', chars=['你', '好'], pause_ms=[20], offsets=None, text=None)
    """
    chars, pause_ms = found.get("chars"), found.get("pause_ms")
    if not isinstance(chars, list) or not all(
        isinstance(c, str) and len(c) == 1 and not c.isspace() for c in chars
    ):
        raise ValueError(
            f"{place}: found 'chars' {_show(chars)}, expected a list of strings of one character "
            "each, none of them white space. Mend the line."
        )
    if not chars:
        raise ValueError(f"{place}: found no characters, expected at least one. Leave it out.")
    if not isinstance(pause_ms, list) or not all(type(pause) is int for pause in pause_ms):
        raise ValueError(
            f"{place}: found 'pause_ms' {_show(pause_ms)}, expected a list of whole milliseconds. "
            "Mend the line."
        )
    if len(pause_ms) != len(chars) - 1:
        raise ValueError(
            f"{place}: found {len(pause_ms)} pauses of {len(chars)} characters, expected one for "
            f"each gap between two characters ({len(chars) - 1}). Mend the line."
        )
    for gap, pause in enumerate(pause_ms):
        if pause < 0:
            raise ValueError(
                f"{place}: found a pause of {pause} ms in gap {gap}, expected 0 or more: the "
                "alignment has characters that overlap. Mend it."
            )
    text = found.get("text")
    if text is not None and not isinstance(text, str):
        raise ValueError(f"{place}: found 'text' {_show(text)}, expected a string. Mend the line.")
    offsets = found.get("offsets")
    if offsets is not None:
        offsets = _parse_offsets(offsets, text=text, n_chars=len(chars), place=place)
    return PauseRecord(str(found.get("id", place)), chars, pause_ms, offsets, text)


def _parse_offsets(
    found: Any, *, text: str | None, n_chars: int, place: str
) -> list[tuple[int, int]]:
    """Check that offsets are spans of the text, one a character, in order."""
    fault = ValueError(
        f"{place}: found 'offsets' {_show(found)}, expected [start_char, end_char] of each of the "
        f"{n_chars} characters, in order and inside 'text'. Mend the line."
    )
    if text is None or not isinstance(found, list) or len(found) != n_chars:
        raise fault
    before = (0, 0)
    for span in found:
        if not isinstance(span, list) or [type(place) for place in span] != [int, int]:
            raise fault
        start, end = span
        if not (before[0] <= start < end <= len(text) and before[1] <= end):
            raise fault
        before = (start, end)
    return [(start, end) for start, end in found]


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
