"""Noise: offsets through every change, labels, rates."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.corpora.noise import NoiseRates, NoisyUnit, add_noise

NSUS = ["Page 3", "10:15 Bo"]
texts = st.text(max_size=40).map(str.strip).filter(bool)
units = st.lists(st.tuples(texts, st.sampled_from(["SU", "NSU"])), min_size=1, max_size=5)
rates = st.builds(NoiseRates, *[st.sampled_from([0.0, 0.5, 1.0])] * 4)


def same_letters(old: str, new: str) -> bool:
    """Check if two characters are the same, except for their case."""
    return bool({old, old.lower(), old.upper(), old.title()} & {new, new.lower(), new.upper()})


@given(units, rates, st.integers())
def test_units_keep_their_order_and_offsets_point_to_the_same_characters(
    given_units: list[tuple[str, str]], noise: NoiseRates, seed: int
) -> None:
    noisy = add_noise(given_units, noise, nsus=NSUS, rng=Random(seed))
    assert [unit.source for unit in noisy if unit.source is not None] == [*range(len(given_units))]
    for unit in noisy:
        assert unit.text.split()
        assert unit.text == unit.text.strip()
        if unit.source is None:
            assert unit.label == "NSU"
            continue
        text, label = given_units[unit.source]
        assert unit.label == label or (label == "SU" and noise.p_truncate)
        for i, char in enumerate(text):
            place = unit.find_char(i)
            assert place is None or same_letters(char, unit.text[place]) or len(char.upper()) > 1


@given(units, st.integers())
def test_rates_of_zero_change_nothing(given_units: list[tuple[str, str]], seed: int) -> None:
    rng = Random(seed)
    before = rng.getstate()
    noisy = add_noise(given_units, NoiseRates(), nsus=NSUS, rng=rng)
    assert [(unit.text, unit.label) for unit in noisy] == given_units
    assert rng.getstate() == before


@given(units, rates, st.integers())
def test_the_same_seed_draws_the_same_noise(
    given_units: list[tuple[str, str]], noise: NoiseRates, seed: int
) -> None:
    first, second = (add_noise(given_units, noise, nsus=NSUS, rng=Random(seed)) for _ in range(2))
    assert first == second


def draw(rates: NoiseRates, *units: str) -> list[list[NoisyUnit]]:
    """Draw noise for some SUs 400 times."""
    return [
        add_noise([(text, "SU") for text in units], rates, nsus=NSUS, rng=Random(seed))
        for seed in range(400)
    ]


def test_augmented_units_stay_sus() -> None:
    drawn = {unit.text for row in draw(NoiseRates(p_augment=1.0), "We go.") for unit in row}
    assert drawn == {"we go.", "WE GO.", "We Go.", "We go", "we go", "WE GO", "We Go"}
    assert all(
        unit.label == "SU" for row in draw(NoiseRates(p_augment=1.0), "We go.") for unit in row
    )


def test_only_the_first_and_the_last_unit_are_cut() -> None:
    rows = draw(NoiseRates(p_truncate=1.0), "A b c.", "D e f.", "G h i.")
    first, middle, last = (
        {(unit.text, unit.label) for unit in column} for column in zip(*rows, strict=True)
    )
    assert first == {("A b c.", "SU"), ("b c.", "NSU"), ("c.", "NSU")}
    assert middle == {("D e f.", "SU")}
    assert last == {("G h i.", "SU"), ("G h", "NSU"), ("G", "NSU")}


def test_a_single_unit_is_cut_on_both_sides() -> None:
    drawn = {row[0].text for row in draw(NoiseRates(p_truncate=1.0), "A b c.")}
    assert drawn == {"A b c.", "A b", "A", "b c.", "b", "c."}


def test_nsus_are_inserted_between_units_and_at_both_ends() -> None:
    for row in draw(NoiseRates(p_synthetic_nsu=1.0), "A b.", "C d."):
        assert [unit.source for unit in row if unit.source is not None] == [0, 1]
        labels = "".join("s" if unit.source is not None else "n" for unit in row)
        assert labels.strip("n").strip("s").strip("n") == ""
        assert labels[0] == labels[-1] == "n"
        assert "ss" not in labels


@pytest.mark.parametrize("name", NoiseRates._fields)
def test_rates_are_the_shares_of_changed_units(name: str) -> None:
    rates = NoiseRates(**{name: 0.25})
    text = "We Go On and on and on and on and on and on."
    rows = draw(rates, text)
    changed = sum([unit.text for unit in row] != [text] for row in rows)
    # These two kinds of noise have two places each.
    expected = 1 - 0.75**2 if name in {"p_synthetic_nsu", "p_truncate"} else 0.25
    assert changed / len(rows) == pytest.approx(expected, abs=0.08)


def test_only_sus_get_markers() -> None:
    (su, nsu) = add_noise(
        [("We go.", "SU"), ("Page", "NSU")],
        NoiseRates(p_list_marker=1.0),
        nsus=NSUS,
        rng=Random(0),
    )
    assert su.text.endswith(" We go.")
    assert nsu.text == "Page"
