"""Accuracy of the identifier: calibration of its scores."""

import numpy as np
import pytest

from studies.identifier.accuracy import expected_calibration_error


def test_calibration_error_is_the_mean_gap_of_the_bins_by_size() -> None:
    # [0.9, 1]: 2/3 right at 2.9/3 on average, a gap of 0.3 for 3 of 5 units. [0.8, 0.9): 1 at 0.85.
    # [0.2, 0.3): 0 at 0.25. Together 0.6 * 0.3 + 0.2 * 0.15 + 0.2 * 0.25 = 0.26.
    scores = np.array([0.95, 0.85, 1.0, 0.25, 0.95])
    right = np.array([True, True, True, False, False])
    assert expected_calibration_error(scores, right) == pytest.approx(0.26)
    # One bin: 3/5 right at 4/5.
    assert expected_calibration_error(scores, right, n_bins=1) == pytest.approx(0.2)


def test_calibration_error_of_no_units_is_0() -> None:
    assert expected_calibration_error(np.zeros(0), np.zeros(0, dtype=bool)) == 0
