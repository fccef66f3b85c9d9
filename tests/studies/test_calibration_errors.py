"""Calibration errors of scores."""

import numpy as np
import pytest
import tiny

from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.calibration import calibrate_pipeline
from spacy_sentid.text.units import Unit
from studies.identifier.calibration import calibration_errors, expected_calibration_error

TEXT = "I like cats.\nPage 3"
RIGHT = GoldDocument(TEXT, [Unit(0, 12, "SU"), Unit(13, 19, "NSU")])
WRONG = GoldDocument(TEXT, [Unit(0, 19, "SU")])  # the trained pipeline does not find this


def test_calibration_error_is_the_mean_gap_of_the_bins_by_size() -> None:
    # In [0.9, 1], 2/3 are right with a mean score of 2.9/3, a gap of 0.3 for 3 of 5 units. In
    # [0.8, 0.9), 1 is right with 0.85. In [0.2, 0.3), 0 are right with 0.25. The error is
    # 0.6 * 0.3 + 0.2 * 0.15 + 0.2 * 0.25 = 0.26.
    scores = np.array([0.95, 0.85, 1.0, 0.25, 0.95])
    right = np.array([True, True, True, False, False])
    assert expected_calibration_error(scores, right) == pytest.approx(0.26)
    # In one bin, 3/5 are right with a mean score of 4/5.
    assert expected_calibration_error(scores, right, n_bins=1) == pytest.approx(0.2)


def test_calibration_error_of_no_units_is_0() -> None:
    assert expected_calibration_error(np.zeros(0), np.zeros(0, dtype=bool)) == 0


def test_calibration_on_the_same_texts_reduces_the_error() -> None:
    nlp = tiny.trained()
    texts = [WRONG, RIGHT, RIGHT] * 100
    before = calibration_errors(nlp, texts)
    calibrate_pipeline(nlp, texts)
    after = calibration_errors(nlp, texts)
    assert set(after) == {"su", "nsu", "su_label", "nsu_label"}
    assert before["su"] > 0.1
    assert max(after["su"], after["nsu"]) < 0.05
