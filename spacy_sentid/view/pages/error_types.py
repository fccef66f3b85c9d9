"""Find the errors of a prediction, by kind.

units of gold and prediction, which tile the text -> NSUs and boundaries without a counterpart

missed  a gold NSU that overlaps with no predicted one, or whole predicted SUs inside a gold NSU
false   a predicted NSU that overlaps with no gold one, or whole gold SUs inside a predicted NSU
moved   any other boundary that only gold or only the prediction has. A gold boundary and a
        predicted one that are close, with no boundary between them, count as one error.
kind    an NSU with the same boundaries in both, but with another kind

Adjacent NSUs count as one, as in the scores. Characters outside all units count as NSU.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from ...text.units import NSU, NSU_KINDS, SU, Unit, trim_span
from ..text.kinds import name_kind
from ..text.units import Mark

MISSED, FALSE, MOVED, KIND = "missed", "false", "moved", "kind"
KINDS = (MISSED, FALSE, MOVED, KIND)
NAMES = {MISSED: "missed NSU", FALSE: "false NSU", MOVED: "moved boundary", KIND: "wrong kind"}
MISSED_NOTE, FALSE_NOTE = "gold: NSU, predicted: SU", "gold: SU, predicted: NSU"
_GOLD, _PRED, _BOTH = "gold", "pred", "both"
MAX_MOVED = 40  # characters; boundaries farther apart are two errors


def find_errors(text: str, gold: Sequence[Unit], pred: Sequence[Unit]) -> list[Mark]:
    """Find the errors of a document.

    gold, pred: Units in characters, in text order, without overlaps. The label of an NSU may be its
        kind.
    RETURNS: Marks in text order, without overlaps, whose kind is one of KINDS. A missing or extra
        boundary is an empty mark.

    >>> gold = [Unit(0, 6, "NSU"), Unit(7, 15, "SU"), Unit(16, 24, "SU")]
    >>> errors = find_errors("Page 3 I sleep. You too.", gold, [Unit(0, 24, "SU")])
    >>> for error in errors:
    ...     print(*error[:3], "-", error.note)
    0 6 missed - gold: NSU, predicted: SU
    16 16 moved - gold has a boundary here
    """
    gold_units, pred_units = tile_units(text, gold), tile_units(text, pred)
    missed = list(_without_counterpart(gold_units, pred_units))
    false = list(_without_counterpart(pred_units, gold_units))
    errors = [Mark(*unit[:2], MISSED, NAMES[MISSED], MISSED_NOTE) for unit in missed]
    errors += [Mark(*unit[:2], FALSE, NAMES[FALSE], FALSE_NOTE) for unit in false]
    gold_boundaries, pred_boundaries = _boundaries(gold_units), _boundaries(pred_units)
    explained = _explained(text, [*missed, *false], sorted(gold_boundaries | pred_boundaries))
    sides = dict.fromkeys(gold_boundaries, _GOLD) | dict.fromkeys(pred_boundaries, _PRED)
    sides |= dict.fromkeys(explained | (gold_boundaries & pred_boundaries), _BOTH)
    errors += _moved_boundaries(sorted(sides.items()))
    kind_of = {unit[:2]: unit.label for unit in gold if unit.label in NSU_KINDS}
    same = [unit for unit in pred if unit.label in NSU_KINDS and unit[:2] in kind_of]
    errors += _wrong_kinds(same, kind_of, errors)
    return sorted(errors)


def _wrong_kinds(
    units: Iterable[Unit], kind_of: Mapping[tuple[int, int], str], errors: Iterable[Mark]
) -> list[Mark]:
    """List the errors of kinds, for units that overlap with no other error."""
    taken = {place for error in errors for place in range(error.start_char, error.end_char)}
    return [
        Mark(
            *unit[:2],
            KIND,
            NAMES[KIND],
            f"gold: {name_kind(kind_of[unit[:2]])}, predicted: {name_kind(unit.label)}",
        )
        for unit in units
        if unit.label != kind_of[unit[:2]] and taken.isdisjoint(range(*unit[:2]))
    ]


def tile_units(text: str, units: Iterable[Unit]) -> list[Unit]:
    """Convert units to ones that tile the text, except for white space; merge adjacent NSUs.

    >>> [tuple(unit) for unit in tile_units("a b c d", [Unit(0, 1, "NSU"), Unit(4, 5, "SU")])]
    [(0, 3, 'NSU'), (4, 5, 'SU'), (6, 7, 'NSU')]
    """
    found: list[Unit] = []

    def add(start: int, end: int, label: str) -> None:
        start, end = trim_span(text, start, end)
        if start >= end:
            return
        if found and found[-1].label == label == NSU:
            start = found.pop().start
        found.append(Unit(start, end, label))

    position = 0
    for start, end, label in units:
        add(position, start, NSU)
        add(start, end, SU if label == SU else NSU)
        position = end
    add(position, len(text), NSU)
    return found


def _without_counterpart(units: Sequence[Unit], others: Sequence[Unit]) -> Iterator[Unit]:
    """Yield NSUs without an overlapping NSU in `others`, and whole SUs of `others` inside an NSU.

    Adjacent SUs are yielded as one unit.
    """
    n = 0
    for unit in units:
        if unit.label != NSU:
            continue
        while n < len(others) and others[n].end <= unit.start:
            n += 1
        end = n
        while end < len(others) and others[end].start < unit.end:
            end += 1
        overlapping = others[n:end]
        if all(other.label == SU for other in overlapping):
            yield unit
        else:
            yield from _whole_sus(unit, overlapping)


def _whole_sus(unit: Unit, others: Sequence[Unit]) -> Iterator[Unit]:
    """Yield the parts of an NSU that are whole SUs of the others."""

    def is_whole(other: Unit) -> bool:
        return other.label == SU and unit.start <= other.start and other.end <= unit.end

    for found, group in groupby(others, key=is_whole):
        if found:
            sus = list(group)
            yield Unit(sus[0].start, sus[-1].end, NSU)


def _boundaries(units: Sequence[Unit]) -> set[int]:
    """Return the start of each unit except the first."""
    return {unit.start for unit in units[1:]}


def _explained(text: str, spans: Sequence[Unit], boundaries: Sequence[int]) -> set[int]:
    """Return the boundaries inside or at the ends of spans that are already errors.

    boundaries: The boundaries of gold and prediction, in order.
    """
    found: set[int] = set()
    for span in spans:
        n = bisect_left(boundaries, span.start)
        while n < len(boundaries) and not text[span.end : boundaries[n]].strip():
            found.add(boundaries[n])
            n += 1
    return found


def _moved_boundaries(boundaries: Sequence[tuple[int, str]]) -> list[Mark]:
    """List the errors of boundaries: single ones, or a gold and a predicted boundary together."""
    errors = []
    n = 0
    while n < len(boundaries):
        place, side = boundaries[n]
        end, other = boundaries[n + 1] if n + 1 < len(boundaries) else (0, _BOTH)
        is_pair = end - place <= MAX_MOVED and other not in (side, _BOTH)
        n += 1
        if side == _BOTH:
            continue
        if is_pair:
            where = "after" if side == _PRED else "before"
            n += 1
            label, note = "boundary moved", f"gold has the boundary {where} this"
        elif side == _GOLD:
            label, note = "boundary missing", "gold has a boundary here"
        else:
            label, note = "extra boundary", "gold has no boundary here"
        errors.append(Mark(place, end if is_pair else place, MOVED, label, note))
    return errors
