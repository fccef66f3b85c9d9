"""Measures of agreement, checked by hand and against scipy, and the baselines."""

import random
import sys

import pytest

from studies.text_scores import baselines
from studies.text_scores.correlations import (
    accuracy,
    check_extras,
    kendall,
    mean_spearman,
    pearson,
    spearman,
)

for name in ("scipy", "rouge_score", "sacrebleu"):
    pytest.importorskip(name)


def test_correlations_match_scipy():
    from scipy.stats import pearsonr, rankdata

    rng = random.Random(0)
    human = [rng.randint(1, 5) for _ in range(30)]
    scores = [value + rng.gauss(0, 1) for value in human]
    assert pearson(human, scores) == pytest.approx(pearsonr(human, scores).statistic)
    ranks = pearsonr(rankdata(human), rankdata(scores)).statistic
    assert spearman(human, scores) == pytest.approx(ranks)


@pytest.mark.parametrize("measure", [spearman, pearson])
def test_equal_values_have_no_correlation(measure):
    assert measure([1, 1, 1], [1, 2, 3]) is None
    assert measure([1, 2, 3], [5, 5, 5]) is None


def test_groups_without_a_correlation_are_ignored():
    groups, human = "aaabbbccc", [1, 2, 3, 1, 2, 3, 7, 7, 7]
    assert mean_spearman(groups, human, [1, 2, 3, 1, 3, 2, 1, 2, 3]) == (1 + 0.5) / 2
    assert mean_spearman("aa", [1, 1], [1, 2]) is None


def test_ties_count_as_errors():
    groups, human = "aabbccdd", [1, 0] * 4
    scores = [2, 1, 2, 1, 1, 1, 1, 2]
    assert accuracy(groups, human, scores) == 2 / 4
    assert kendall(groups, human, scores) == (2 - 2) / 4
    assert accuracy("", [], []) is kendall("", [], []) is None


def test_order_within_a_group_does_not_matter():
    assert accuracy("aabb", [0, 1, 1, 0], [1, 2, 1, 2]) == 0.5


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ValueError, match=r"needs sacrebleu, .*pip install \"spacy-sentid\[nlg\]\""):
        check_extras()


def test_baselines_have_known_scores():
    pair = ("The cat sat", "the cat slept well")
    found = {name: next(metric([pair])) for name, metric in baselines.make_baselines().items()}
    assert found["overlap"][:3] == pytest.approx((2 / 3, 2 / 4, 4 / 7))
    assert found["ROUGE-1"][:3] == pytest.approx((2 / 3, 2 / 4, 4 / 7))
    assert found["ROUGE-2"][:3] == (1 / 2, 1 / 3, pytest.approx(2 / 5))
    assert found["ROUGE-L"][:3] == (2 / 3, 2 / 4, pytest.approx(4 / 7))
    assert found["BLEU"].p == found["BLEU"].f
    assert 0 < found["BLEU"].f < found["chrF"].f < 1


def test_identical_texts_score_one_and_different_texts_near_zero():
    for metric in baselines.make_baselines().values():
        pairs = [("a cat sat on mats", "a cat sat on mats"), ("bird", "no word in common")]
        whole, none = list(metric(pairs))
        assert whole[:3] == pytest.approx((1, 1, 1))
        assert none.f < 0.1
