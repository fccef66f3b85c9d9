"""Forced alignments: one tier of a Praat TextGrid, with times in milliseconds.

file -> Alignment; or ValueError with file, tier and time

praatio parses the file, but its own checks do not name the tier, and count rounding errors as
overlaps.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ...extras import require_extra
from ...messages import shorten_line

# Endings of the names of tiers, the best first. MFA calls the tier of its tokens "words", even if
# each token is a character.
TIERS = ("words", "word", "characters", "character", "chars", "char", "hanzi")


class Interval(NamedTuple):
    """A labelled interval of a recording."""

    start_ms: int
    end_ms: int
    label: str


class Alignment(NamedTuple):
    """The intervals of an utterance in one tier, in order."""

    id: str
    path: Path
    tier: str
    intervals: list[Interval]

    def place(self, time_ms: int | None = None) -> str:
        """Format a place for an error message.

        >>> Alignment("a", Path("a.TextGrid"), "words", []).place(1250)
        "a.TextGrid, tier 'words', 1.250 s"
        """
        time = "" if time_ms is None else f", {time_ms / 1000:.3f} s"
        return f"{self.path}, tier {self.tier!r}{time}"


def find_alignments(paths: Iterable[Path]) -> list[tuple[Path, str]]:
    """List the TextGrids in files and folders, with their ids: the path inside a given folder.

    Raises ValueError for a file of another type, and for a folder without TextGrids.
    """
    files = []
    for path in paths:
        folder = path if path.is_dir() else path.parent
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        found = [file for file in inside if file.suffix.lower() == ".textgrid"]
        if not found:
            raise ValueError(f"Alignments must be .TextGrid files, got {path}.")
        files += [(file, file.relative_to(folder).with_suffix("").as_posix()) for file in found]
    return files


def read_textgrid(path: Path, *, tier: str | None = None, id: str | None = None) -> Alignment:
    """Read a tier of a TextGrid in the long or short format, in UTF-8 or UTF-16.

    tier: The name of the tier, or its ending. None = one of TIERS.
    id: The id of the utterance. None = the name of the file.

    Raises ValueError, with the file, unless there is exactly one such tier, for intervals that
    overlap or end before they begin, and if the package praatio is not installed.
    """
    with require_extra("a TextGrid", extra="speech"):
        from praatio.utilities.textgrid_io import parseTextgridStr
    raw = path.read_bytes()
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = raw.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        found = parseTextgridStr(text, includeEmptyIntervals=True)["tiers"]
        tiers = [
            (row["name"], [_make_interval(*entry) for entry in row["entries"]])
            for row in found
            if row["class"] == "IntervalTier"
        ]
    except Exception as error:  # praatio raises errors of many types
        raise ValueError(
            f"{path}: the file must be a TextGrid as Praat or MFA writes it "
            f"({shorten_line(error)})."
        ) from error
    index = choose_tier([name for name, _ in tiers], tier=tier, place=str(path))
    alignment = Alignment(id or path.stem, path, *tiers[index])
    check_intervals(alignment)
    return alignment


def _make_interval(start: str | float, end: str | float, label: str) -> Interval:
    # In whole milliseconds, rounding errors do not count as overlaps.
    return Interval(round(float(start) * 1000), round(float(end) * 1000), label.strip())


def choose_tier(names: Sequence[str], *, tier: str | None, place: str) -> int:
    """Find a tier by the names of all interval tiers: its index.

    >>> choose_tier(["Li - words", "Li - phones"], tier=None, place="a")
    0
    """
    wanted = TIERS if tier is None else (tier,)
    folded = [name.casefold() for name in names]
    for name in map(str.casefold, wanted):
        matches = [i for i, found in enumerate(folded) if found.endswith(name)]
        if len(matches) > 1:
            matches = [i for i in matches if folded[i] == name]
        if len(matches) == 1:
            return matches[0]
    raise ValueError(
        f"{place}: the name of exactly one tier must end in {' or '.join(map(repr, wanted))}, got "
        f"the tiers {', '.join(map(repr, names)) or 'none'}. Choose one with --tier."
    )


def check_intervals(alignment: Alignment) -> None:
    """Raise ValueError with file, tier and time if intervals overlap or are negative."""
    before = Interval(0, 0, "")
    for interval in alignment.intervals:
        if not before.end_ms <= interval.start_ms <= interval.end_ms:
            raise ValueError(
                f"{alignment.place(interval.start_ms)}: {interval.label!r} must begin after the "
                f"end of {before.label!r}, {before.end_ms / 1000:.3f} s, and end after its start, "
                f"got {interval.end_ms / 1000:.3f} s."
            )
        before = interval
