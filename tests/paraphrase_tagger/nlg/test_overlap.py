"""chrF and ROUGE precision, compared with sacrebleu and rouge-score."""

import random

import pytest

from spacy_sentid.paraphrase_tagger.nlg.overlap import score_chrf, score_rouge_precision

# The expected values are printed by: python -c 'from sacrebleu.metrics import CHRF; c = CHRF();
#   print(c.sentence_score(HYP, [REF]).score)', with sacrebleu 2.6.0; and by
#   RougeScorer(["rouge1", "rouge2"]).score(REF, HYP), with rouge-score 0.1.2.
ROWS = [
    ("Sales rose by 2.5 percent.", "In May, sales fell by 2.5 %.", 23.128212, 0.666667, 0.4),
    ("It rained.", "It rained.", 100.0, 1.0, 1.0),
    ("ab", "abcdefgh", 23.404255, 0.0, 0.0),
    ("a a a", "a b", 22.727273, 0.333333, 0.0),
    ("x", "y", 0.0, 0.0, 0.0),
    ("Änderungen kosten", "Eine Änderung kostet viel", 43.943511, 0.0, 0.0),
    ("", "a", 0.0, 0.0, 0.0),
]


@pytest.mark.parametrize(("hyp", "ref", "chrf", "rouge1", "rouge2"), ROWS)
def test_scores_are_those_of_other_packages(hyp, ref, chrf, rouge1, rouge2):
    assert 100 * score_chrf(hyp, ref) == pytest.approx(chrf)
    assert score_rouge_precision(hyp, ref, size=1) == pytest.approx(rouge1, abs=1e-6)
    assert score_rouge_precision(hyp, ref, size=2) == pytest.approx(rouge2, abs=1e-6)


def test_random_texts_have_the_scores_of_other_packages():
    metrics = pytest.importorskip("sacrebleu.metrics")
    scorers = pytest.importorskip("rouge_score.rouge_scorer")
    rng = random.Random(0)
    chrf, rouge = metrics.CHRF(), scorers.RougeScorer(["rouge1", "rouge2"])
    for _ in range(200):
        texts = ["".join(rng.choices("aAb é1.\n ", k=rng.randint(0, 30))) for _ in range(2)]
        hyp, ref = texts
        assert 100 * score_chrf(hyp, ref) == pytest.approx(chrf.sentence_score(hyp, [ref]).score)
        for size in (1, 2):
            expected = rouge.score(ref, hyp)[f"rouge{size}"].precision
            assert score_rouge_precision(hyp, ref, size=size) == pytest.approx(expected)
