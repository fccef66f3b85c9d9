"""Kappa of two annotations, and the counts of Table 2."""

import numpy as np
import pytest
import tiny_pairs
from sklearn.metrics import cohen_kappa_score

from studies.paraphrase_data.annotations import compare_annotations, compute_kappa, count_pairs

RNG = np.random.default_rng(0)
RANDOM = [(RNG.integers(0, 2, n), RNG.integers(0, 2, n)) for n in (1, 5, 40, 200)]


@pytest.mark.parametrize(("gold", "pred"), RANDOM[1:])
def test_kappa_matches_scikit_learn(gold: np.ndarray, pred: np.ndarray) -> None:
    assert compute_kappa(gold, pred) == pytest.approx(cohen_kappa_score(gold, pred))


def test_kappa_of_a_single_tag_is_nan() -> None:
    assert np.isnan(compute_kappa([0, 0], [0, 0]))


def test_kappa_of_different_lengths_is_an_error() -> None:
    with pytest.raises(ValueError, match="3 and 2"):
        compute_kappa([0, 1, 0], [0, 1])


def test_statistics_of_table_2() -> None:
    counts = count_pairs(tiny_pairs.PAIRS)
    words = sum(len(pair.words1) + len(pair.words2) for pair in tiny_pairs.PAIRS)
    assert (counts["pairs"], counts["paraphrases"]) == (6, 1)
    assert counts["words"] == words
    assert counts["para_tag_rate"] == pytest.approx(1 - 9 / words)
    assert count_pairs([])["para_tag_rate"] == 0


def test_annotations_of_different_pairs_are_an_error() -> None:
    with pytest.raises(ValueError, match="pair-0"):
        compare_annotations(tiny_pairs.PAIRS, tiny_pairs.PAIRS[1:])
