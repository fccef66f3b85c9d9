"""What a prediction has wrong, by kind.

gold units, predicted units -> runs -> NSUs without a counterpart, borders without one -> faults

missed  an NSU of gold that overlaps with no predicted one, or whole predicted SUs inside an NSU
false   a predicted NSU that overlaps with none of gold, or whole SUs of gold inside an NSU
moved   any other border that only one of the two has, and where the other has it instead, if it
        does: near by, without a border between them

Two NSUs without an SU between them are one, as in the scores. Characters in no unit are NSU.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from ..units import NSU, SU, Unit

MISSED, FALSE, MOVED = "missed", "false", "moved"
KINDS = (MISSED, FALSE, MOVED)
NAMES = {MISSED: "missed NSU", FALSE: "false NSU", MOVED: "moved border"}
_GOLD, _PRED, _BOTH = "gold", "pred", "both"
MOST_MOVED = 40  # characters; what is farther apart are two borders


class Fault(NamedTuple):
    """One error; a border that is missing or too many is an empty stretch."""

    start_char: int
    end_char: int
    kind: str  # one of KINDS
    label: str
    note: str


class Totals(NamedTuple):
    """What there was to get right; of each kind at least as many as errors."""

    gold_nsu: int  # runs that have a counterpart, and those or parts of them that have none
    pred_nsu: int
    borders: int  # between units, of either


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
    missed = list(_without_counterpart(gold_runs, pred_runs))
    false = list(_without_counterpart(pred_runs, gold_runs))
    faults = [Fault(*run[:2], MISSED, NAMES[MISSED], "gold: NSU, predicted: SU") for run in missed]
    faults += [Fault(*run[:2], FALSE, NAMES[FALSE], "gold: SU, predicted: NSU") for run in false]
    gold_borders, pred_borders = _borders(gold_runs), _borders(pred_runs)
    explained = _explained(text, [*missed, *false], sorted(gold_borders | pred_borders))
    sides = dict.fromkeys(gold_borders, _GOLD) | dict.fromkeys(pred_borders, _PRED)
    sides |= dict.fromkeys(gold_borders & pred_borders, _BOTH) | dict.fromkeys(explained, _BOTH)
    faults += _moved_borders(sorted(sides.items()))
    return sorted(faults)


def count_totals(text: str, gold: Iterable[Unit], pred: Iterable[Unit]) -> Totals:
    """Count what the errors of a document are out of."""
    gold_runs, pred_runs = make_runs(text, gold), make_runs(text, pred)
    return Totals(
        _count_nsus(gold_runs, pred_runs),
        _count_nsus(pred_runs, gold_runs),
        len(_borders(gold_runs) | _borders(pred_runs)),
    )


def _count_nsus(runs: Sequence[Unit], others: Sequence[Unit]) -> int:
    nsus = [run for run in runs if run.label == NSU]
    return len({*nsus, *_without_counterpart(runs, others)})


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


def _without_counterpart(runs: Sequence[Unit], others: Sequence[Unit]) -> Iterator[Unit]:
    """Give the NSUs that overlap with no NSU of the others; of the rest, what is whole SUs there.

    SUs side by side are one stretch.
    """
    n = 0
    for run in runs:
        if run.label != NSU:
            continue
        while n < len(others) and others[n].end <= run.start:
            n += 1
        end = n
        while end < len(others) and others[end].start < run.end:
            end += 1
        overlapping = others[n:end]
        if all(other.label == SU for other in overlapping):
            yield run
        else:
            yield from _whole_sus(run, overlapping)


def _whole_sus(run: Unit, others: Sequence[Unit]) -> Iterator[Unit]:
    """Give the stretches of an NSU that are whole SUs of the others."""

    def is_whole(other: Unit) -> bool:
        return other.label == SU and run.start <= other.start and other.end <= run.end

    for found, group in groupby(others, key=is_whole):
        if found:
            sus = list(group)
            yield Unit(sus[0].start, sus[-1].end, NSU)


def _borders(runs: Sequence[Unit]) -> set[int]:
    """Give where a unit begins, the first aside."""
    return {run.start for run in runs[1:]}


def _explained(text: str, stretches: Sequence[Unit], borders: Sequence[int]) -> set[int]:
    """Give the borders that are wrong only because a stretch is: at its ends, and in it.

    borders: Of both sides, in order.
    """
    found: set[int] = set()
    for stretch in stretches:
        n = bisect_left(borders, stretch.start)
        while n < len(borders) and not text[stretch.end : borders[n]].strip():
            found.add(borders[n])
            n += 1
    return found


def _moved_borders(borders: Sequence[tuple[int, str]]) -> list[Fault]:
    """Pair the borders of one side with those of the other that stand next to them."""
    faults = []
    n = 0
    while n < len(borders):
        place, side = borders[n]
        after = borders[n + 1] if n + 1 < len(borders) else (0, _BOTH)
        is_near = after[0] - place <= MOST_MOVED
        if side == _BOTH:
            pass
        elif is_near and after[1] not in (side, _BOTH):
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
