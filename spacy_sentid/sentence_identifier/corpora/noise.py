"""Noise for training texts: changed, truncated, marked and inserted units. No spaCy, no numpy.

units of a text -> list markers -> NSUs between units -> case and final marks -> cut ends

A corpus of clean sentences teaches three things that are wrong in other text. An SU always has a
capital and a final mark, a text always begins and ends with an SU, and there is nothing between
SUs. Against the first two, the paper has `p_augment` and `p_truncate` (+AUG, section 6.1.1,
Appendix D). Against the third, we add `p_synthetic_nsu` and `p_list_marker`. A probability of 0
uses no random numbers.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from ...text.offsets import MappedText, OffsetMap, apply_edits, keep_spans
from ...text.units import NSU, SU, count_words, word_spans
from .concatenation import draw_geometric
from .edits import CASES, change_case, remove_final_marks

# Probability that another inserted NSU follows one. In EWT, 1.8 NSUs occur in a row on average.
P_NEXT = 0.4
# List markers and other labels before a sentence that belong to it.
MARKERS = ("-", "-", "--", "*", "•", ">", "PS", "PS -", "P.S.", "Q:", "A:", "NOTE:", "Re:")
NUMBERED = ("{}.", "{})", "({})", "{}:")


class NoiseRates(NamedTuple):
    """Probability of each kind of noise, in [0, 1]."""

    p_augment: float = 0.0  # for each unit: change its case, remove the final mark, or both
    p_truncate: float = 0.0  # for the first and the last unit of a text: cut it at a word
    p_synthetic_nsu: float = 0.0  # for each place between units and both ends: more NSUs
    p_list_marker: float = 0.0  # for each SU: put a list marker or similar before it


class NoisyUnit(NamedTuple):
    """A unit of a text with noise."""

    text: str
    label: str
    source: int | None  # index of the original unit; None = inserted
    changes: tuple[OffsetMap, ...]  # from the original unit to `text`, in order

    def find_char(self, char: int) -> int | None:
        """Find the new position of a character of the original unit; None if it was deleted."""
        found: int | None = char
        for change in self.changes:
            found = None if found is None else change.find_char(found)
        return found


def add_noise(
    units: Sequence[tuple[str, str]],
    rates: NoiseRates,
    *,
    rng: Random,
    nsus: Sequence[str] = (),
) -> list[NoisyUnit]:
    """Add random noise to the units of one text.

    units: (text, label) of each unit, with at least one word.
    nsus: NSUs to insert between the units.
    RETURNS: The units in their order, each with at least one word, and the inserted ones.
    """
    noisy = [NoisyUnit(text, label, n, ()) for n, (text, label) in enumerate(units)]
    noisy = [
        _edited(unit, apply_edits(unit.text, [(0, 0, _draw_marker(rng) + " ")]))
        if unit.label == SU and _happens(rates.p_list_marker, rng)
        else unit
        for unit in noisy
    ]
    noisy = _insert_units(noisy, rates.p_synthetic_nsu, nsus, rng)
    noisy = [_augment(unit, rng) if _happens(rates.p_augment, rng) else unit for unit in noisy]
    if noisy and _happens(rates.p_truncate, rng):
        n_words = count_words(noisy[0].text)
        noisy[0] = _truncate(noisy[0], rng.randrange(n_words), n_words)
    if noisy and _happens(rates.p_truncate, rng):
        n_words = count_words(noisy[-1].text)
        noisy[-1] = _truncate(noisy[-1], 0, 1 + rng.randrange(n_words))
    return noisy


def _draw_marker(rng: Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(MARKERS)
    return rng.choice(NUMBERED).format(rng.choice((rng.randint(1, 20), rng.choice("abcdABCD"))))


def _happens(rate: float, rng: Random) -> bool:
    return rate > 0 and rng.random() < rate


def _edited(unit: NoisyUnit, edit: MappedText) -> NoisyUnit:
    return unit._replace(text=edit.text, changes=(*unit.changes, edit.offsets))


def _augment(unit: NoisyUnit, rng: Random) -> NoisyUnit:
    rule = rng.choice(("case", "marks", "case and marks"))
    if rule != "marks":
        unit = _edited(unit, change_case(unit.text, rng.choice(CASES)))
    if rule != "case":
        unit = _edited(unit, remove_final_marks(unit.text))
    return unit


def _truncate(unit: NoisyUnit, start: int, end: int) -> NoisyUnit:
    """Keep words [start, end). A unit that loses words becomes an NSU (Table 4)."""
    words = word_spans(unit.text)
    edit = keep_spans(unit.text, [(words[start][0], words[end - 1][1])])
    return _edited(unit, edit)._replace(label=unit.label if edit.text == unit.text else NSU)


def _insert_units(
    units: list[NoisyUnit], rate: float, nsus: Sequence[str], rng: Random
) -> list[NoisyUnit]:
    result: list[NoisyUnit] = []
    for n in range(len(units) + 1):
        if _happens(rate, rng):
            for _ in range(int(draw_geometric(1 - P_NEXT, rng))):
                result.append(NoisyUnit(rng.choice(nsus), NSU, None, ()))
        result += units[n : n + 1]
    return result
