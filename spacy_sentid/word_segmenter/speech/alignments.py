"""Forced alignments: Praat TextGrid and CTM, times in milliseconds.

file -> Alignment (the intervals of one tier of one utterance), or a BadLine with the error

TextGrids are parsed with praatio and checked here. The checks of praatio do not report the tier,
and they sort the intervals first.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ...components.settings import require_extra
from ...files.records import BadLine
from ...messages import shorten, shorten_line

CTM_COMMENT = ";;"
REPLACED = "\ufffd"  # replaces bytes that are not UTF-8


class Kind(str, Enum):
    """Kinds of labelled intervals."""

    words = "words"  # one character or more, without a pause inside
    characters = "characters"  # one character each
    phones = "phones"  # Mandarin phones; the vowel of each syllable has the tone


# Endings of the names of tiers, by kind of interval. MFA calls the tier of its tokens "words", even
# if each token is a character.
TIER_NAMES = {
    Kind.words: ("words", "word"),
    Kind.characters: ("characters", "character", "chars", "char", "hanzi", "words", "word"),
    Kind.phones: ("phones", "phone", "phonemes", "phoneme"),
}


class Interval(NamedTuple):
    """A labelled interval of a recording."""

    start_ms: int
    end_ms: int
    label: str


class Alignment(NamedTuple):
    """The intervals of an utterance in one tier, in order."""

    id: str
    path: Path
    tier: str | None  # None for a CTM
    intervals: list[Interval]

    def place(self, time_ms: int | None = None) -> str:
        """Format a place for an error message.

        >>> Alignment("a", Path("a.TextGrid"), "words", []).place(1250)
        "a.TextGrid, tier 'words', 1.250 s"
        """
        parts = [str(self.path)]
        parts.append(f"utterance {self.id!r}" if self.tier is None else f"tier {self.tier!r}")
        if time_ms is not None:
            parts.append(f"{time_ms / 1000:.3f} s")
        return ", ".join(parts)


def read_alignments(
    path: Path, *, kind: Kind = Kind.words, tier: str | None = None, id: str | None = None
) -> Iterator[Alignment | BadLine]:
    """Read the utterances of an alignment file; an invalid one becomes a BadLine.

    tier: The name of a tier of the TextGrid, or its ending. None = by kind (TIER_NAMES).
    id: The id of the utterance of a TextGrid. None = the name of the file.
    """
    if path.suffix.lower() == ".ctm":
        yield from read_ctm(path)
        return
    try:
        yield read_textgrid(path, kind=kind, tier=tier, id=id)
    except ValueError as error:
        yield bad_alignment(path, error)


def bad_alignment(path: Path, error: ValueError) -> BadLine:
    """Make a BadLine from an error in an alignment, with tier and time as part of the place.

    >>> bad_alignment(Path("a.TextGrid"), ValueError("a.TextGrid, tier 'words': no speech."))
    BadLine(place="a.TextGrid, tier 'words'", reason='no speech.')
    """
    inside, colon, reason = str(error).removeprefix(str(path)).partition(": ")
    return BadLine(f"{path}{inside}", reason) if colon else BadLine(str(path), inside)


def read_textgrid(
    path: Path, *, kind: Kind = Kind.words, tier: str | None = None, id: str | None = None
) -> Alignment:
    """Read a tier of a TextGrid, in the long or short format or praatio's JSON.

    Raises ValueError, with the file, unless there is exactly one such tier. It is also raised for
    intervals that overlap, end before they begin or begin before 0, and if the package praatio is
    not installed.
    """
    tiers = _parse_textgrid(path)
    chosen = choose_tier([found["name"] for found in tiers], kind=kind, tier=tier, place=str(path))
    found = tiers[chosen]
    alignment = Alignment(id or path.stem, path, found["name"], [])
    for start, end, label in found["entries"]:
        alignment.intervals.append(Interval(to_ms(start), to_ms(end), str(label).strip()))
    check_intervals(alignment)
    return alignment


def choose_tier(names: Sequence[str], *, kind: Kind, tier: str | None, place: str) -> int:
    """Find the tier of a kind by the names of the interval tiers: its index.

    >>> choose_tier(["Li - words", "Li - phones"], kind=Kind.phones, tier=None, place="a")
    1
    """
    wanted = TIER_NAMES[kind] if tier is None else (tier,)
    for name in wanted:
        same = [i for i, found in enumerate(names) if found.casefold() == name.casefold()]
        ending = [i for i, found in enumerate(names) if found.casefold().endswith(name.casefold())]
        matches = same or ending
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise ValueError(
                f"{place}: one tier must be {name!r}, got {len(matches)} tiers: "
                f"{', '.join(repr(names[i]) for i in matches)}. Choose one with --tier."
            )
    raise ValueError(
        f"{place}: a tier's name must end in {' or '.join(map(repr, wanted))}, got the tiers "
        f"{', '.join(map(repr, names)) or 'none'}. Choose one with --tier."
    )


def read_ctm(path: Path) -> Iterator[Alignment | BadLine]:
    """Read the utterances of a CTM.

    Each line has utterance, channel, start, duration, token and perhaps more columns. The lines of
    an utterance must be consecutive and in the order of time. An utterance with an invalid line or
    invalid intervals becomes a BadLine. If an utterance has two channels, the id of the second ends
    in the channel.
    """
    seen: set[tuple[str, str]] = set()
    names: set[str] = set()
    for key, group in groupby(_ctm_rows(path), key=lambda row: row[:2]):
        rows = [found for *_, found in group]
        is_second = key[0] in names and key not in seen
        alignment = Alignment(
            "-".join(key) if is_second else key[0],
            path,
            None,
            [found for found in rows if isinstance(found, Interval)],
        )
        faults = [found for found in rows if isinstance(found, BadLine)]
        if key in seen:
            reason = "The lines of an utterance must be consecutive, got them in two places."
            faults = [BadLine(alignment.place(), reason)]
        elif not faults:
            try:
                check_intervals(alignment)
            except ValueError as error:
                faults = [bad_alignment(path, error)]
        yield faults[0] if faults else alignment
        seen.add(key)
        names.add(alignment.id)


def check_intervals(alignment: Alignment) -> None:
    """Raise ValueError with file, tier and time if intervals overlap or are negative.

    Times are compared in whole milliseconds, so that rounding errors do not count as overlaps.
    """
    before = Interval(0, 0, "")
    for interval in alignment.intervals:
        expected = ""
        if interval.start_ms < 0:
            expected = "not begin before the recording"
        elif interval.end_ms < interval.start_ms:
            expected = f"end after its start, got {interval.end_ms / 1000:.3f} s"
        elif interval.start_ms < before.end_ms:
            expected = f"begin after the end of {before.label!r}, {before.end_ms / 1000:.3f} s"
        if expected:
            place = alignment.place(interval.start_ms)
            raise ValueError(f"{place}: {interval.label!r} must {expected}.")
        before = interval


def to_ms(seconds: str | float) -> int:
    """Convert a time in seconds to whole milliseconds.

    >>> to_ms("0.35000000000000003"), to_ms(1.1)
    (350, 1100)
    """
    time = float(seconds)
    if not isfinite(time):
        raise ValueError(f"a time must be a number, got {seconds} s")
    return round(time * 1000)


def _parse_textgrid(path: Path) -> list[dict[str, Any]]:
    """Parse the interval tiers of a TextGrid: their names and entries (start, end, label)."""
    with require_extra("a TextGrid", extra="speech"):
        from praatio.utilities.textgrid_io import parseTextgridStr
    raw = path.read_bytes()
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        tiers = parseTextgridStr(text, includeEmptyIntervals=True)["tiers"]
    except Exception as error:  # praatio raises errors of many types
        raise ValueError(
            f"{path}: the file must be a TextGrid as Praat or MFA writes it "
            f"({shorten_line(error)})."
        ) from error
    _check_signs(path, text)
    return [tier for tier in tiers if tier["class"] == "IntervalTier"]


def _check_signs(path: Path, text: str) -> None:
    """Raise ValueError for a negative time, because praatio ignores the minus sign."""
    for found in re.finditer(r"^\s*(?:xmin|xmax)\s*=\s*-([\d.]*[1-9]\d*)", text, re.MULTILINE):
        names = re.findall(r"name ?= ?\"(.*)\"", text[: found.start()])
        if names:  # without a name before it, it is a time of the whole file
            raise ValueError(
                f"{path}, tier {names[-1]!r}, -{found[1]} s: A time must not be before the "
                "recording."
            )


def _ctm_rows(path: Path) -> Iterator[tuple[str, str, Interval | BadLine]]:
    """Read a CTM: utterance, channel and interval of each line."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, text in enumerate(file, start=1):
            fields = text.split()
            if not fields or fields[0].startswith(CTM_COMMENT):
                continue
            found: Interval | BadLine
            try:
                if len(fields) < 5:
                    raise ValueError("too few columns")
                if REPLACED in text:
                    raise ValueError("bytes that are not UTF-8")
                start, end = to_ms(fields[2]), to_ms(float(fields[2]) + float(fields[3]))
                found = Interval(start, end, fields[4])
            except ValueError as error:
                reason = (
                    "A line must have utterance, channel, start, duration and token, got "
                    f"{shorten(text.strip())} ({shorten_line(error)})."
                )
                found = BadLine(f"{path}:{number}", reason)
            yield fields[0], "".join(fields[1:2]), found
