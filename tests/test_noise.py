"""Noise: offsets through every change, labels, rates, made-up units."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.noise import (
    CASES,
    KINDS,
    NoiseRates,
    NoisyUnit,
    add_marker,
    add_noise,
    change_case,
    draw_marker,
    keep_words,
    make_unit,
    remove_final_marks,
)
from spacy_sentid.units import word_spans

CORPUS = ["We saw Pierre Vinken in Paris today.", "Sales rose 3%, Mr. Smith said.", "It did."]
texts = st.text(max_size=40).map(str.strip).filter(bool)
units = st.lists(st.tuples(texts, st.sampled_from(["SU", "NSU"])), min_size=1, max_size=5)
rates = st.builds(NoiseRates, *[st.sampled_from([0.0, 0.5, 1.0])] * 4)


def same_letters(old: str, new: str) -> bool:
    """Whether two characters are the same but for their case."""
    return bool({old, old.lower(), old.upper(), old.title()} & {new, new.lower(), new.upper()})


@pytest.mark.parametrize(
    ("text", "case", "changed"),
    [
        ("don't Go", "title", "Don't Go"),
        ("McDonald’s IN THE usa", "title", "Mcdonald’s In The Usa"),
        ('"hello" (the 3RD)', "title", '"Hello" (The 3rd)'),
        ("straße ŉ ǆ", "upper", "STRASSE ʼN Ǆ"),
        ("ǆep ßa", "title", "ǅep Ssa"),
        ("İstanbul", "lower", "i̇stanbul"),
        ("ΟΔΟΣ ΣΟΦΟΣ", "lower", "οδος σοφος"),
        ("ΟΔΟΣ", "title", "Οδος"),
        ("2 + 2", "upper", "2 + 2"),
        ("中文。", "title", "中文。"),
    ],
)
def test_case_changes(text: str, case: str, changed: str) -> None:
    assert change_case(text, case).text == changed


@given(texts, st.sampled_from(CASES))
def test_case_keeps_words_and_maps_every_character(text: str, case: str) -> None:
    changed, places = change_case(text, case)
    assert len(changed.split()) == len(text.split())
    ends = [*places[1:], len(changed)]
    assert places[0] == 0
    for char, start, end in zip(text, places, ends, strict=True):
        assert start < end
        # A final sigma is the one letter that depends on its word.
        assert changed[start:end] in {char.lower(), char.upper(), char.title(), "ς"}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("We go.", "We go"),
        ("Really?!", "Really"),
        ('"Go!"', '"Go'),
        ('Go!".', "Go"),
        ('"Go".', '"Go"'),
        ("Well...", "Well"),
        ("Go !", "Go"),
        ("flaw . . .", "flaw . ."),
        ("走吧。", "走吧"),
        ("(Go.)", "(Go.)"),
        ("Go", "Go"),
        ('He said "go"', 'He said "go"'),
        ("?!", "?!"),
        ("...", "..."),
        ('"!"', '"'),
    ],
)
def test_final_marks_go(text: str, rest: str) -> None:
    assert remove_final_marks(text).text == rest


@given(texts)
def test_what_final_marks_leave_is_the_beginning(text: str) -> None:
    rest, places = remove_final_marks(text)
    assert rest
    assert text.startswith(rest)
    assert list(places) == [i if i < len(rest) else -1 for i in range(len(text))]


@given(texts, st.data())
def test_kept_words_are_a_run_of_the_text(text: str, data: st.DataObject) -> None:
    words = [text[first:last] for first, last in word_spans(text)]
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    rest, places = keep_words(text, start, end)
    assert [rest[first:last] for first, last in word_spans(rest)] == words[start:end]
    kept = [(char, place) for char, place in zip(text, places, strict=True) if place >= 0]
    assert kept == [(char, i) for i, char in enumerate(rest)]


def test_a_marker_comes_before_the_text() -> None:
    text, places = add_marker("Go.", "PS -")
    assert text == "PS - Go."
    assert [text[place] for place in places] == list("Go.")


@given(units, rates, st.integers())
def test_units_keep_their_order_and_every_place_leads_to_its_character(
    given_units: list[tuple[str, str]], noise: NoiseRates, seed: int
) -> None:
    noisy = add_noise(given_units, noise, corpus=CORPUS, rng=Random(seed))
    assert [unit.source for unit in noisy if unit.source is not None] == [*range(len(given_units))]
    for unit in noisy:
        assert unit.text.split()
        assert unit.text == unit.text.strip()
        if unit.source is None:
            assert (unit.label, list(unit.places)) == ("NSU", [])
            continue
        text, label = given_units[unit.source]
        assert unit.label == label or (label == "SU" and noise.truncate)
        assert len(unit.places) == len(text)
        for char, place in zip(text, unit.places, strict=True):
            assert place == -1 or same_letters(char, unit.text[place]) or len(char.upper()) > 1


@given(units, st.integers())
def test_rates_of_zero_draw_nothing_and_change_nothing(
    given_units: list[tuple[str, str]], seed: int
) -> None:
    rng = Random(seed)
    before = rng.getstate()
    noisy = add_noise(given_units, NoiseRates(), corpus=CORPUS, rng=rng)
    assert [(unit.text, unit.label) for unit in noisy] == given_units
    assert rng.getstate() == before


@given(units, rates, st.integers())
def test_the_same_seed_draws_the_same_noise(
    given_units: list[tuple[str, str]], noise: NoiseRates, seed: int
) -> None:
    first, second = (
        add_noise(given_units, noise, corpus=CORPUS, rng=Random(seed)) for _ in range(2)
    )
    assert first == second


def draw(rates: NoiseRates, *units: str) -> list[list[NoisyUnit]]:
    """Noise for some SUs, 400 times."""
    return [
        add_noise([(text, "SU") for text in units], rates, corpus=CORPUS, rng=Random(seed))
        for seed in range(400)
    ]


def test_augmented_units_stay_sus() -> None:
    drawn = {unit.text for row in draw(NoiseRates(augment=1.0), "We go.") for unit in row}
    assert drawn == {"we go.", "WE GO.", "We Go.", "We go", "we go", "WE GO", "We Go"}
    assert all(
        unit.label == "SU" for row in draw(NoiseRates(augment=1.0), "We go.") for unit in row
    )


def test_only_the_first_and_the_last_unit_are_cut() -> None:
    rows = draw(NoiseRates(truncate=1.0), "A b c.", "D e f.", "G h i.")
    first, middle, last = (
        {(unit.text, unit.label) for unit in column} for column in zip(*rows, strict=True)
    )
    assert first == {("A b c.", "SU"), ("b c.", "NSU"), ("c.", "NSU")}
    assert middle == {("D e f.", "SU")}
    assert last == {("G h i.", "SU"), ("G h", "NSU"), ("G", "NSU")}


def test_a_single_unit_is_cut_on_both_sides() -> None:
    drawn = {row[0].text for row in draw(NoiseRates(truncate=1.0), "A b c.")}
    assert drawn == {"A b c.", "A b", "A", "b c.", "b", "c."}


def test_units_are_made_up_at_every_joint_and_at_both_ends() -> None:
    for row in draw(NoiseRates(insert=1.0), "A b.", "C d."):
        assert [unit.source for unit in row if unit.source is not None] == [0, 1]
        labels = "".join("s" if unit.source is not None else "n" for unit in row)
        assert labels.strip("n").strip("s").strip("n") == ""
        assert labels[0] == labels[-1] == "n"
        assert "ss" not in labels


@pytest.mark.parametrize("name", NoiseRates._fields)
def test_a_rate_is_the_share_that_is_drawn(name: str) -> None:
    rates = NoiseRates(**{name: 0.25})
    text = "We Go On and on and on and on and on and on."
    rows = draw(rates, text)
    changed = sum([unit.text for unit in row] != [text] for row in rows)
    # insert and truncate have two places each.
    expected = 1 - 0.75**2 if name in {"insert", "truncate"} else 0.25
    assert changed / len(rows) == pytest.approx(expected, abs=0.08)


def test_only_sus_get_markers() -> None:
    (su, nsu) = add_noise(
        [("We go.", "SU"), ("Page", "NSU")], NoiseRates(marker=1.0), corpus=CORPUS, rng=Random(0)
    )
    assert su.text.endswith(" We go.")
    assert nsu.text == "Page"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "corpus",
    [CORPUS, ["x"], ["."], ["...", "- -"], ["我们今天去公园散步。"], ["\u0130\u0130 \u00df."]],
    ids=["sentences", "letter", "mark", "marks", "no spaces", "odd letters"],
)
def test_every_kind_makes_text_of_any_corpus(
    kind: Callable[[Sequence[str], Random], str], corpus: list[str]
) -> None:
    for seed in range(100):
        text = kind(corpus, Random(seed))
        assert text.strip() == text != ""


@given(st.lists(texts, min_size=1, max_size=4), st.integers())
def test_made_up_units_have_words(corpus: list[str], seed: int) -> None:
    text = make_unit(corpus, Random(seed))
    assert text.strip() == text != ""


def test_no_unit_of_the_corpus_is_made_up_whole() -> None:
    made = {make_unit(CORPUS, Random(seed)) for seed in range(3000)}
    assert not any(text.strip(".") in other for text in CORPUS for other in made)


def test_markers_have_no_space_at_their_ends() -> None:
    for seed in range(200):
        marker = draw_marker(Random(seed))
        assert marker.strip() == marker != ""
