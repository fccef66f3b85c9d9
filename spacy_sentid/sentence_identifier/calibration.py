"""Make the scores of units probabilities: logistic (Platt) calibration on dev data.

scores of predicted units, and whether each is exactly right -> slope and intercept for each label
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.language import Language

from ..arrays import Floats1d, sigmoid
from ..pipelines import find
from ..units import NSU, SU, Unit, units_from_spans
from .bos_eos import log_odds
from .concatenation import AssembledText
from .gold import token_characters
from .spans import FACTORY

N_STEPS = 50
# Steps below this are not halved any further.
TINY = 1e-9
# Keeps the fit finite when scores separate right from wrong.
L2 = 1e-3
# Scores are single precision: beyond this a log-odds is certainty.
MAX_LOG_ODDS = 15.0


def calibrate_pipeline(nlp: Language, texts: Sequence[AssembledText]) -> dict[str, list[float]]:
    """Fit the score calibration of a pipeline's identifier, and set it.

    texts: Dev data. A predicted SU is right if it is exactly a gold SU, an NSU if it is exactly
        what lies between two gold SUs.
    RETURNS: For "su" and "nsu" [slope, intercept]: the score is the sigmoid of
        slope * confidence + intercept. A label whose units are all right or all wrong keeps its
        values.

    Raises ValueError if the pipeline has no sentence identifier.
    """
    pipe: Any = find(nlp, FACTORY)
    pipe.calibration = {"su": [1.0, 0.0], "nsu": [1.0, 0.0]}
    rows = score_rows(nlp, texts, su_key=pipe.cfg["su_key"], nsu_key=pipe.cfg["nsu_key"])
    for label in (SU, NSU):
        scores, right = rows[label]
        if 0 < right.sum() < len(right):
            confidence = np.clip(log_odds(scores), -MAX_LOG_ODDS, MAX_LOG_ODDS)
            pipe.calibration[label.lower()] = fit_logistic(confidence, right)
    return pipe.calibration


def score_rows(
    nlp: Language, texts: Sequence[AssembledText], *, su_key: str = "su", nsu_key: str = "nsu"
) -> dict[str, tuple[Floats1d, np.ndarray]]:
    """Run a pipeline and say of each predicted unit its score and whether it is exactly right."""
    rows: dict[str, list[tuple[float, bool]]] = {SU: [], NSU: []}
    for gold, doc in zip(texts, nlp.pipe(text.text for text in texts), strict=True):
        starts, ends = (chars.tolist() for chars in token_characters(doc))
        first, last = ({char: i for i, char in enumerate(chars)} for chars in (starts, ends))
        tokens = [
            (first[unit.start], last[unit.end] + 1)
            for unit in gold.units
            # A gold boundary inside a token cannot be met: such an SU counts as missed.
            if unit.label == SU and unit.start in first and unit.end in last
        ]
        right_units = {
            Unit(starts[start], ends[end - 1], label)
            for start, end, label in units_from_spans(tokens, len(starts))
        }
        for key, label in ((su_key, SU), (nsu_key, NSU)):
            group = doc.spans[key]
            for span, score in zip(group, group.attrs["scores"], strict=True):
                unit = Unit(span.start_char, span.end_char, label)
                rows[label].append((float(score), unit in right_units))
    return {
        label: (np.asarray([s for s, _ in pairs]), np.asarray([r for _, r in pairs], dtype=bool))
        for label, pairs in rows.items()
    }


def fit_logistic(x: Floats1d, y: np.ndarray) -> list[float]:
    """Fit P(y) = sigmoid(slope * x + intercept) by Newton's method: [slope, intercept].

    >>> slope, intercept = fit_logistic(np.array([-2.0, -1.0, 1.0, 2.0, 0.0, 0.0]),
    ...                                 np.array([0, 0, 1, 1, 0, 1]))
    >>> slope > 1, abs(intercept) < 0.01
    (True, True)
    """
    design = np.stack([x, np.ones_like(x)], axis=1)
    prior = np.array([1.0, 0.0])
    weights = prior

    def measure_cost(weights: Floats1d) -> float:
        logits = design @ weights
        loss = float(np.mean(np.logaddexp(0, logits) - y * logits))
        return loss + L2 / 2 * float(((weights - prior) ** 2).sum())

    for _ in range(N_STEPS):
        prob = sigmoid(design @ weights)
        gradient = design.T @ (prob - y) / len(y) + L2 * (weights - prior)
        hessian = (design * (prob * (1 - prob))[:, None]).T @ design / len(y) + L2 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        # Where all probabilities are close to 0 or 1 a full step goes too far.
        cost = measure_cost(weights)
        while measure_cost(weights - step) > cost and abs(step).max() > TINY:
            step /= 2
        weights = weights - step
    return [float(value) for value in weights]
