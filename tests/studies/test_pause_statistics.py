"""Figure 2: bins of probability and duration, and its table."""

import pytest

from studies.pauses.statistics import (
    DURATION_BINS,
    PROB_BINS,
    count_pauses,
    gold_boundaries,
    table_rows,
)


@pytest.mark.parametrize(
    ("prob", "name"),
    [
        (0.0, "[0.0, 0.1)"),
        (0.0999, "[0.0, 0.1)"),
        (0.1, "[0.1, 0.9)"),
        (0.8999, "[0.1, 0.9)"),
        (0.9, "[0.9, 1.0)"),
        (0.99989, "[0.9, 1.0)"),
        (0.9999, "1.0"),
        (1.0, "1.0"),
    ],
)
def test_probabilities_fall_into_the_bins_of_the_paper(prob: float, name: str) -> None:
    assert [row.name for row in count_pauses([(prob, 100)]) if row.n] == [name]


@pytest.mark.parametrize(
    ("duration", "column"), [(10, 0), (49, 0), (50, 1), (149, 1), (150, 2), (499, 2), (500, 3)]
)
def test_durations_fall_into_the_bins_of_the_paper(duration: int, column: int) -> None:
    expected = {name: float(k == column) for k, name in enumerate(DURATION_BINS)}
    assert count_pauses([(0.5, duration)])[1].internal == expected


def test_shares_and_accuracy_have_the_right_totals() -> None:
    pauses = [(0.05, 20, False), (0.05, 20, True), (0.95, 60, True), (0.95, 160), (0.95, 9, False)]
    first, _, third, _ = count_pauses(pauses)
    assert (first.n, first.overall, first.n_gold, first.accuracy) == (2, 0.5, 2, 0.5)
    assert (third.n, third.overall, third.n_gold, third.accuracy) == (2, 0.5, 1, 1.0)
    assert list(third.internal.values()) == [0.0, 0.5, 0.5, 0.0]


def test_no_pauses_are_empty_bins() -> None:
    found = count_pauses([])
    assert [row.name for row in found] == list(PROB_BINS)
    assert all(row.n == 0 and row.accuracy is None and row.overall == 0.0 for row in found)


@pytest.mark.parametrize("prob", [-0.1, 1.1, float("nan")])
def test_a_probability_is_between_0_and_1(prob: float) -> None:
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        count_pauses([(prob, 100)])


@pytest.mark.parametrize(
    ("words", "text", "ends"),
    [
        (["有", "人", "在", "细细", "听"], "有人在细细听", {0, 1, 2, 4}),
        (["“", "有人", "”", "，", "在", "。"], "有人在", {1}),
        (["。"], "", set()),
        ([], "", set()),
    ],
)
def test_gold_ends_are_gaps_between_spoken_characters(
    words: list[str], text: str, ends: set[int]
) -> None:
    assert gold_boundaries(words) == (text, ends)


BINS = count_pauses([(0.05, 20, False), (0.5, 60, True), (0.95, 160, True), (1.0, 600, None)] * 3)


def test_the_table_is_in_percent() -> None:
    heading, *rows = table_rows(BINS)
    assert heading[:3] == ["p_B", "pauses", "overall"]
    assert rows[0] == ["[0.0, 0.1)", "3", "25.0", "100.0", "0.0", "0.0", "0.0", "0.0"]
    assert rows[3][-1] == "-"
    assert table_rows(count_pauses([]))[1] == ["[0.0, 0.1)", "0", "0.0", *"-----"]
