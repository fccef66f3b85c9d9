"""Calibration errors of the scores of units.

pipeline, gold documents -> scores, and whether each unit is right -> expected calibration errors
"""

from collections.abc import Sequence

import numpy as np
from spacy.language import Language

from spacy_sentid.arrays import Bools1d, Floats1d
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.calibration import judge_scores


def calibration_errors(nlp: Language, texts: Sequence[GoldDocument]) -> dict[str, float]:
    """Measure the calibration error of the scores of a pipeline on texts with gold.

    RETURNS: The expected calibration error of each score in `calibrate_pipeline` ("su", "nsu",
        "su_label", "nsu_label"), in [0, 1]. If it is 0, then for example 80 % of the units with
        score 0.8 are right.
    """
    found = judge_scores(nlp, texts)
    return {name: expected_calibration_error(*pair) for name, pair in found.items()}


def expected_calibration_error(scores: Floats1d, right: Bools1d, *, n_bins: int = 10) -> float:
    """Compute the expected calibration error of scores.

    This is the mean difference between score and share of right units, over bins of equal width,
    weighted by the number of units in each bin.

    scores: In [0, 1].
    RETURNS: In [0, 1]; 0 for no units.

    >>> expected_calibration_error(np.array([0.5, 0.5, 0.9]), np.array([True, False, True]))
    0.0333...
    """
    bins = np.minimum((scores * n_bins).astype(int), n_bins - 1)
    error = 0.0
    for n in range(n_bins):
        inside = bins == n
        if inside.any():
            gap = abs(scores[inside].mean() - right[inside].mean())
            error += float(gap * inside.sum()) / len(scores)
    return error
