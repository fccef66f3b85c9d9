"""Calibration of the scores of units."""

import numpy as np
import pytest
import spacy
import tiny

from spacy_sentid.arrays import sigmoid
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.decoding.decode import not_calibrated
from spacy_sentid.sentence_identifier.evaluation.calibration import (
    calibrate_pipeline,
    fit_logistic,
    judge_scores,
)
from spacy_sentid.text.units import Unit


@pytest.mark.parametrize(("slope", "intercept"), [(1.0, 0.0), (0.5, -1.0), (2.0, 0.5)])
def test_the_fit_recovers_the_curve_of_the_data(slope: float, intercept: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000) * 2
    y = rng.random(len(x)) < sigmoid(slope * x + intercept)
    assert fit_logistic(x, y) == pytest.approx([slope, intercept], abs=0.1)


def test_the_fit_stays_finite_where_scores_separate_right_from_wrong() -> None:
    x = np.asarray([-5.0, -4.0, 4.0, 5.0])
    assert np.isfinite(fit_logistic(x, x > 0)).all()


def dev_texts(n: int) -> list[GoldDocument]:
    """Create texts on which the trained pipeline is wrong for every third one, by their gold."""
    text = "I like cats.\nPage 3"
    right, wrong = [Unit(0, 12, "SU"), Unit(13, 19, "NSU")], [Unit(0, 19, "SU")]
    return [GoldDocument(text, wrong if i % 3 == 0 else right) for i in range(n)]


def test_scores_are_judged_by_units_that_are_exactly_right() -> None:
    rows = judge_scores(tiny.trained(), dev_texts(3))
    for name in not_calibrated():
        right = [name == "su_label", True, True]
        assert rows[name][1].tolist() == right
    assert all(((scores >= 0) & (scores <= 1)).all() for scores, _ in rows.values())


def test_calibrated_scores_are_shares_of_right_units() -> None:
    nlp = tiny.trained()
    calibrate_pipeline(nlp, dev_texts(300))
    doc = nlp("I like cats.\nPage 3")
    assert doc.spans["su"].attrs["scores"].tolist() == pytest.approx([2 / 3], abs=0.05)
    assert doc.spans["nsu"].attrs["scores"].tolist() == pytest.approx([2 / 3], abs=0.05)


def test_calibrated_label_scores_are_shares_of_units_of_that_label() -> None:
    # In every third text, the gold SU includes the NSU. So the label of the NSU is wrong there, but
    # the label of the SU is right.
    nlp = tiny.trained()
    found = calibrate_pipeline(nlp, dev_texts(300))
    doc = nlp("I like cats.\nPage 3")
    label_scores = doc.spans["nsu"].attrs["label_scores"].tolist()
    assert label_scores == pytest.approx([2 / 3], abs=0.05)
    assert found["su_label"] == not_calibrated()["su_label"]


def test_each_component_has_its_own_calibration() -> None:
    first, second = (tiny.pipe_of(tiny.blank()).calibration for _ in range(2))
    first["su"][0] = 2.0
    assert second == not_calibrated()


def test_neighbouring_nsus_are_right_as_elements_or_merged() -> None:
    text = "I like cats.\nPage 3\nPage 4"
    units = [Unit(0, 12, "SU"), Unit(13, 19, "METADATA"), Unit(20, 26, "NSU")]
    gold = GoldDocument(text, units, "a")
    for nsu_span, n_units in (("element", 2), ("line", 2), ("merged", 1)):
        rows = judge_scores(tiny.trained(nsu_span=nsu_span), [gold])
        assert rows["nsu"][1].tolist() == [True] * n_units
        assert rows["nsu_label"][1].tolist() == [True] * n_units


@pytest.mark.parametrize(("sentence", "right"), [("I like cats", True), ("I like", False)])
def test_a_label_is_right_if_most_tokens_have_it(sentence: str, right: bool) -> None:
    gold = GoldDocument("I like cats.\nPage 3", [Unit(0, len(sentence), "SU")], "a")
    rows = judge_scores(tiny.trained(), [gold])
    assert rows["su"][1].tolist() == [False]
    assert rows["su_label"][1].tolist() == [right]


def test_texts_without_gold_units_have_no_sus() -> None:
    rows = judge_scores(tiny.trained(), [GoldDocument("I like cats.\nPage 3", [], "a")])
    assert rows["su_label"][1].tolist() == [False]
    assert rows["nsu_label"][1].tolist() == [True]


def test_labels_that_are_all_right_are_not_calibrated() -> None:
    texts = [text for text in dev_texts(9) if len(text.units) == 2]
    found = calibrate_pipeline(tiny.trained(), texts)
    assert found == not_calibrated()


def test_a_pipeline_without_identifier_raises() -> None:
    with pytest.raises(ValueError, match="sentence_identifier"):
        calibrate_pipeline(spacy.blank("en"), [])
