"""What a prediction has wrong, by kind.

gold units, predicted units -> runs -> NSUs without a counterpart, borders without one -> faults

missed  an NSU of gold that overlaps with no predicted one
false   a predicted NSU that overlaps with none of gold
moved   any other border that only one of the two has, and where the other has it instead, if it
        does: near by, without a border between them

Two NSUs without an SU between them are one, as in the scores. Characters in no unit are NSU.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..units import NSU, SU, Unit

MISSED, FALSE, MOVED = "missed", "false", "moved"
KINDS = (MISSED, FALSE, MOVED)
NAMES = {MISSED: "missed NSU", FALSE: "false NSU", MOVED: "moved border"}
_GOLD, _PRED, _BOTH = "gold", "pred", "both"


class Fault(NamedTuple):
    """One error; a border that is missing or too many is an empty stretch."""

    start_char: int
    end_char: int
    kind: str  # one of KINDS
    label: str
    note: str


class Totals(NamedTuple):
    """What there was to get right."""

    gold_nsu: int  # runs
    pred_nsu: int
    gold_borders: int  # between units


def find_faults(text: str, gold: Iterable[Unit], pred: Iterable[Unit]) -> list[Fault]:
    """Find the errors of a document, in text order; they do not overlap.

    gold, pred: Units in characters, in text order, not overlapping.

    >>> gold = [Unit(0, 6, "NSU"), Unit(7, 15, "SU"), Unit(16, 24, "SU")]
    >>> for fault in find_faults("Page 3 I sleep. You too.", gold, [Unit(0, 24, "SU")]):
    ...     print(*fault[:3], "-", fault.note)
    0 6 missed - gold: NSU, predicted: SU
    16 16 moved - gold has a border here
    """
    gold_runs, pred_runs = make_runs(text, gold), make_runs(text, pred)
    missed = _without_counterpart(gold_runs, pred_runs)
    false = _without_counterpart(pred_runs, gold_runs)
    faults = [Fault(*run[:2], MISSED, NAMES[MISSED], "gold: NSU, predicted: SU") for run in missed]
    faults += [Fault(*run[:2], FALSE, NAMES[FALSE], "gold: SU, predicted: NSU") for run in false]
    gold_borders, pred_borders = _borders(gold_runs), _borders(pred_runs)
    explained = _explained(missed, gold_runs, pred_borders)
    explained |= _explained(false, pred_runs, gold_borders)
    sides = dict.fromkeys(gold_borders, _GOLD) | dict.fromkeys(pred_borders, _PRED)
    sides |= dict.fromkeys(gold_borders & pred_borders, _BOTH) | dict.fromkeys(explained, _BOTH)
    faults += _moved_borders(sorted(sides.items()))
    return sorted(faults)


def count_totals(text: str, gold: Iterable[Unit], pred: Iterable[Unit]) -> Totals:
    """Count what the errors of a document are out of."""
    gold_runs, pred_runs = make_runs(text, gold), make_runs(text, pred)
    return Totals(
        sum(run.label == NSU for run in gold_runs),
        sum(run.label == NSU for run in pred_runs),
        len(_borders(gold_runs)),
    )


def make_runs(text: str, units: Iterable[Unit]) -> list[Unit]:
    """Make units that tile the text, white space aside; NSUs side by side are one.

    >>> [tuple(run) for run in make_runs("a b c d", [Unit(0, 1, "NSU"), Unit(4, 5, "SU")])]
    [(0, 3, 'NSU'), (4, 5, 'SU'), (6, 7, 'NSU')]
    """
    runs: list[Unit] = []

    def add(start: int, end: int, label: str) -> None:
        piece = text[start:end]
        if not piece.strip():
            return
        start += len(piece) - len(piece.lstrip())
        end -= len(piece) - len(piece.rstrip())
        if runs and runs[-1].label == label == NSU:
            start = runs.pop().start
        runs.append(Unit(start, end, label))

    position = 0
    for start, end, label in units:
        add(position, start, NSU)
        add(start, end, SU if label == SU else NSU)
        position = end
    add(position, len(text), NSU)
    return runs


def _without_counterpart(runs: Sequence[Unit], others: Sequence[Unit]) -> list[Unit]:
    """List the NSUs that overlap with none of the others."""
    others = [run for run in others if run.label == NSU]
    found = []
    n = 0
    for run in runs:
        if run.label == NSU:
            while n < len(others) and others[n].end <= run.start:
                n += 1
            if n == len(others) or others[n].start >= run.end:
                found.append(run)
    return found


def _borders(runs: Sequence[Unit]) -> set[int]:
    """Give where a unit begins, the first aside."""
    return {run.start for run in runs[1:]}


def _explained(lone: Sequence[Unit], runs: Sequence[Unit], others: set[int]) -> set[int]:
    """Give the borders that are wrong only because an NSU is: its own, and the others in it."""
    starts = {run.start for run in lone}
    after = {later.start for run, later in pairwise(runs) if run.start in starts}
    inside: set[int] = set()
    rest = sorted(others)
    n = 0
    for run in lone:
        while n < len(rest) and rest[n] <= run.start:
            n += 1
        while n < len(rest) and rest[n] < run.end:
            inside.add(rest[n])
            n += 1
    own = (starts | after) & _borders(runs)
    return own | inside


def _moved_borders(borders: Sequence[tuple[int, str]]) -> list[Fault]:
    """Pair the borders of one side with those of the other that stand next to them."""
    faults = []
    n = 0
    while n < len(borders):
        place, side = borders[n]
        after = borders[n + 1] if n + 1 < len(borders) else (0, _BOTH)
        if side == _BOTH:
            pass
        elif after[1] not in (side, _BOTH):
            where = "after" if side == _PRED else "before"
            faults.append(
                Fault(place, after[0], MOVED, "border moved", f"gold has the border {where} this")
            )
            n += 1
        elif side == _GOLD:
            faults.append(Fault(place, place, MOVED, "border missing", "gold has a border here"))
        else:
            faults.append(Fault(place, place, MOVED, "extra border", "gold has no border here"))
        n += 1
    return faults
