"""The bootstrap of the pause study: known cases, exhaustive draws, and random differences."""

from itertools import product

import numpy as np
import pytest

from studies.significance import compare_counts


def test_equal_systems_do_not_differ() -> None:
    counts = np.array([[3, 4, 4], [5, 6, 7], [0, 0, 0]])
    assert compare_counts(counts, counts) == 1.0
    assert compare_counts(counts[:0], counts[:0]) == 1.0


def test_a_system_that_is_always_better_has_the_smallest_p() -> None:
    gold = np.full(30, 10)
    good, bad = (np.stack([np.full(30, n), gold, gold], axis=1) for n in (9, 8))
    assert compare_counts(good, bad, draws=999) == compare_counts(bad, good, draws=999) == 2 / 1000


def test_p_matches_exhaustive_draws() -> None:
    a = np.array([[9, 10, 10], [4, 6, 5], [7, 9, 9]])
    b = np.array([[7, 10, 11], [5, 6, 6], [8, 9, 9]])
    differences = []
    for rows in product(range(3), repeat=3):
        (a_right, a_gold, a_pred), (b_right, b_gold, b_pred) = (
            counts[list(rows)].sum(axis=0) for counts in (a, b)
        )
        differences.append(2 * a_right / (a_gold + a_pred) - 2 * b_right / (b_gold + b_pred))
    shares = [np.mean(np.array(differences) <= 0), np.mean(np.array(differences) >= 0)]
    assert compare_counts(a, b, draws=20000) == pytest.approx(2 * min(shares), abs=0.02)


def test_random_differences_are_rarely_significant() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(5, 15, size=(150, 80))
    found = []
    for lengths in gold:
        a, b = (np.stack([rng.binomial(lengths, 0.8), lengths, lengths], 1) for _ in range(2))
        found.append(compare_counts(a, b, draws=400))
    assert 0.01 <= np.mean(np.array(found) < 0.05) <= 0.1


def test_counts_of_different_sentences_raise() -> None:
    with pytest.raises(ValueError, match="same sentences"):
        compare_counts(np.array([[1, 2, 2]]), np.array([[1, 3, 2]]))
