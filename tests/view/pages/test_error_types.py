"""Errors of a prediction by kind."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.text.units import NSU, SU, Unit
from spacy_sentid.view.pages.error_types import (
    FALSE,
    KIND,
    MISSED,
    MOVED,
    find_errors,
    tile_units,
)

# Units by letters. Each new letter begins a unit. Small letters are NSUs.
ROWS = [
    ("all right", "aa BB CC", "aa BB CC", []),
    ("an NSU in an SU", "aa BB", "AA AA", [("missed", "aa", "missed NSU")]),
    ("an NSU as an SU", "aa BB", "AA BB", [("missed", "aa", "missed NSU")]),
    ("an NSU cut in two SUs", "aa bb CC", "AA BB CC", [("missed", "aa bb", "missed NSU")]),
    ("an SU as an NSU", "AA BB", "aa BB", [("false", "AA", "false NSU")]),
    ("two SUs as an NSU", "AA BB CC", "aa bb CC", [("false", "AA BB", "false NSU")]),
    ("two SUs as one", "AA BB", "AA AA", [("moved", "", "boundary missing")]),
    ("an SU as two", "AA AA", "AA BB", [("moved", "", "extra boundary")]),
    ("a boundary too late", "AA BB BB", "AA AA BB", [("moved", "BB ", "boundary moved")]),
    ("an NSU too long", "aa BB BB", "aa aa BB", [("moved", "BB ", "boundary moved")]),
    ("an NSU too short", "aa aa BB", "aa BB BB", [("moved", "aa ", "boundary moved")]),
    ("two NSUs are one", "aa bb CC", "aa aa CC", []),
    ("SUs swallowed by an NSU", "aa BB CC", "aa aa aa", [("false", "BB CC", "false NSU")]),
    (
        "an NSU, but for a word, as SUs",
        "aa aa aa",
        "aa BB CC",
        [("missed", "aa aa", "missed NSU")],
    ),
    (
        "SUs swallowed at two places",
        "AA bb CC dd",
        "aa aa aa aa",
        [("false", "AA", "false NSU"), ("false", "CC", "false NSU")],
    ),
    (
        "an SU swallowed and half of the next",
        "aa BB CC CC",
        "aa aa aa CC",
        [("false", "BB", "false NSU"), ("moved", "", "extra boundary")],
    ),
    (
        "a boundary too far away to be the same",
        f"AA {'B' * 50} BB",
        f"AA {'A' * 50} BB",
        [("moved", "", "boundary missing"), ("moved", "", "extra boundary")],
    ),
    (
        "of every kind",
        "aa BB CC DD EE EE",
        "AA BB cc DD DD EE",
        [
            ("missed", "aa", "missed NSU"),
            ("false", "CC", "false NSU"),
            ("moved", "EE ", "boundary moved"),
        ],
    ),
]


def units_of(row: str) -> list[Unit]:
    """Make a unit of each run of words with the same letter."""
    units: list[Unit] = []
    position = 0
    for word in row.split(" "):
        end = position + len(word)
        label = NSU if word.islower() else SU
        if units and row[units[-1].start] == word[0]:
            units[-1] = Unit(units[-1].start, end, label)
        else:
            units.append(Unit(position, end, label))
        position = end + 1
    return units


@pytest.mark.parametrize(("name", "gold", "pred", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_errors_are_found_by_kind(name, gold, pred, expected):
    found = find_errors(gold, units_of(gold), units_of(pred))
    assert [(kind, gold[start:end], label) for start, end, kind, label, _ in found] == expected


TEXT = st.text("ab \n", max_size=24)
CUTS = st.lists(st.tuples(st.integers(0, 24), st.booleans()), max_size=8)


def make_units(text: str, cuts: list[tuple[int, bool]]) -> list[Unit]:
    places = dict(cuts)
    bounds = [*sorted(place for place in places if place < len(text)), len(text)]
    return [Unit(start, end, SU if places[start] else NSU) for start, end in pairwise(bounds)]


@given(TEXT, CUTS, CUTS)
def test_there_are_errors_if_and_only_if_the_tiles_differ(text, gold_cuts, pred_cuts):
    gold, pred = make_units(text, gold_cuts), make_units(text, pred_cuts)
    same = tile_units(text, gold) == tile_units(text, pred)
    assert same == (not find_errors(text, gold, pred))


@given(TEXT, CUTS, CUTS)
def test_errors_are_in_order_and_do_not_overlap(text, gold_cuts, pred_cuts):
    found = find_errors(text, make_units(text, gold_cuts), make_units(text, pred_cuts))
    end = 0
    for error in found:
        assert end <= error.start_char <= error.end_char <= len(text)
        end = error.end_char
    assert len({error[:2] for error in found}) == len(found)


@given(TEXT, CUTS, CUTS)
def test_swapping_gold_and_prediction_swaps_missed_and_false(text, gold_cuts, pred_cuts):
    gold, pred = make_units(text, gold_cuts), make_units(text, pred_cuts)

    def spans(first, second, kind):
        errors = find_errors(text, first, second)
        return [error[:2] for error in errors if error.kind == kind]

    assert spans(gold, pred, MISSED) == spans(pred, gold, FALSE)
    assert spans(gold, pred, MOVED) == spans(pred, gold, MOVED)


@given(TEXT, CUTS)
def test_tiles_tile_the_letters(text, cuts):
    units = tile_units(text, make_units(text, cuts))
    covered = "".join(text[run.start : run.end] for run in units)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(text[run.start : run.end].strip() == text[run.start : run.end] for run in units)


@pytest.mark.parametrize(
    ("gold", "pred", "notes"),
    [
        ("HEADING", "CODE", ["gold: heading, predicted: code"]),
        ("CODE", "CODE", []),
        ("NSU", "CODE", []),
        ("CODE", "NSU", []),
    ],
)
def test_kinds_of_the_same_nsu_are_compared(gold, pred, notes):
    sides = [[Unit(0, 6, label), Unit(7, 15, SU)] for label in (gold, pred)]
    errors = find_errors("Page 3 I sleep.", *sides)
    assert [error.note for error in errors if error.kind == KIND] == notes
    assert len(errors) == len(notes)


def test_a_text_predicted_as_one_nsu_is_one_false_nsu():
    text = "Head " + "I sleep. " * 20
    gold = [Unit(0, 4, NSU), *(Unit(n, n + 8, SU) for n in range(5, len(text), 9))]
    pred = [Unit(0, len(text), NSU)]
    [error] = find_errors(text, gold, pred)
    assert error[:3] == (5, len(text) - 1, FALSE)
