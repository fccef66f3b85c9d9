"""Forced alignments: Praat TextGrid and CTM, times in milliseconds.

file -> Alignment (the intervals of one tier of one utterance), or what is wrong with it

TextGrids come from praatio's parser; the checks are made here, because its own do not tell the
tier, and put the intervals in order first.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import groupby
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ...files.records import BadLine
from ...messages import shorten, shorten_line
from ...settings import require_extra

CTM_COMMENT = ";;"
REPLACED = "\ufffd"  # stands for bytes that are no text


class Kind(str, Enum):
    """What an interval with a label is."""

    words = "words"  # one character or more, without a pause inside
    characters = "characters"  # one character each
    phones = "phones"  # Mandarin phones, of which the vowel of each syllable bears the tone


# How the names of tiers end, by what they hold. MFA calls the tier of its tokens "words", also
# where a token is a character.
TIER_NAMES = {
    Kind.words: ("words", "word"),
    Kind.characters: ("characters", "character", "chars", "char", "hanzi", "words", "word"),
    Kind.phones: ("phones", "phone", "phonemes", "phoneme"),
}


class Interval(NamedTuple):
    """A stretch of the recording."""

    start_ms: int
    end_ms: int
    label: str


class Alignment(NamedTuple):
    """The intervals of an utterance in one tier, in order."""

    id: str
    path: Path
    tier: str | None  # a CTM has none
    intervals: list[Interval]

    def place(self, time_ms: int | None = None) -> str:
        """Name a place for an error message.

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
    """Read the utterances of an alignment file; one that is wrong is a BadLine.

    tier: The name of a TextGrid's tier, or how it ends. Default: by kind (TIER_NAMES).
    id: Of the utterance of a TextGrid. Default: the name of the file.
    """
    if path.suffix.lower() == ".ctm":
        yield from read_ctm(path)
        return
    try:
        yield read_textgrid(path, kind=kind, tier=tier, id=id)
    except ValueError as error:
        yield bad_alignment(path, error)


def bad_alignment(path: Path, error: ValueError) -> BadLine:
    """Make a BadLine of an error in an alignment, with tier and time as part of the place.

    >>> bad_alignment(Path("a.TextGrid"), ValueError("a.TextGrid, tier 'words': found nothing."))
    BadLine(place="a.TextGrid, tier 'words'", reason='found nothing.')
    """
    inside, colon, reason = str(error).removeprefix(str(path)).partition(": ")
    return BadLine(f"{path}{inside}", reason) if colon else BadLine(str(path), inside)


def read_textgrid(
    path: Path, *, kind: Kind = Kind.words, tier: str | None = None, id: str | None = None
) -> Alignment:
    """Read a tier of a TextGrid, long or short, or praatio's JSON of one.

    Raises ValueError with the file if there is no such tier, more than one, or it has intervals
    that overlap, end before they begin, or begin before 0; or without the package praatio.
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
    """Find the tier of a TextGrid, of the names of those with intervals.

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
    """Read the utterances of a CTM: utterance, channel, start, duration, token and more a line.

    The lines of an utterance stand together, in the order of time. An utterance with a line that
    is no such line, or with intervals that are wrong, is a BadLine. Of two channels, the id of the
    second has the channel behind it.
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
            reason = "The lines of an utterance must stand together, got them in two places."
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

    Times are compared in whole milliseconds, so that the noise of floats is no overlap.
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
    """Bring a time to whole milliseconds.

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
    except Exception as error:  # praatio raises many kinds
        raise ValueError(
            f"{path}: a TextGrid must be as Praat or MFA writes it ({shorten_line(error)})."
        ) from error
    _check_signs(path, text)
    return [tier for tier in tiers if tier["class"] == "IntervalTier"]


def _check_signs(path: Path, text: str) -> None:
    """Raise ValueError at a time before 0, the minus of which praatio passes over."""
    for found in re.finditer(r"^\s*(?:xmin|xmax)\s*=\s*-([\d.]*[1-9]\d*)", text, re.MULTILINE):
        names = re.findall(r"name ?= ?\"(.*)\"", text[: found.start()])
        if names:  # else it is a time of the whole file
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
