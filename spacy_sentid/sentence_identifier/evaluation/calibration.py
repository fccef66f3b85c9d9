"""Calibrate the scores of units by logistic (Platt) calibration on dev data.

scores of predicted units, and whether each is right -> slope and intercept for each label
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from spacy.language import Language

from ...arrays import Bools1d, Floats1d, Ints1d, sigmoid
from ...components.pipelines import find
from ...text.units import NSU, SU, Unit, units_from_spans
from ..access.units import FACTORY
from ..data.gold_document import GoldDocument
from ..decoding.decode import CALIBRATED, not_calibrated
from ..learning.gold import token_characters
from ..network.bos_eos import log_odds
from .documents import lay_out

N_STEPS = 50
# A step of the fit is no longer halved if it is smaller than this.
TINY = 1e-9
# Keeps the fit finite if the scores separate right from wrong units perfectly.
L2 = 1e-3
# Changes of the layout and the text, for the documents that scores are fitted on.
LAYOUTS = ("wrap", "end_marks", "tighten", "lower", "join", "upper", "quote", "punctuation")
# Scores have single precision, so larger log-odds cannot be distinguished from certainty.
MAX_LOG_ODDS = 15.0


def calibrate_pipeline(nlp: Language, texts: Sequence[GoldDocument]) -> dict[str, list[float]]:
    """Fit the score calibration of a pipeline's identifier, and set it.

    texts: Dev data.
    RETURNS: [slope, intercept] for "su" and "nsu" (scores of whole units), and for "su_label" and
        "nsu_label" (scores of their labels). A score is the sigmoid of
        slope * confidence + intercept. If all units are right, or all are wrong, the score is not
        calibrated: slope 1, intercept 0.

    Raises ValueError if the pipeline has no sentence identifier.
    """
    pipe: Any = find(nlp, FACTORY)
    pipe.calibration = not_calibrated()
    for name, (scores, right) in judge_scores(nlp, texts).items():
        if 0 < right.sum() < len(right):
            confidence = np.clip(log_odds(scores), -MAX_LOG_ODDS, MAX_LOG_ODDS)
            pipe.calibration[name] = fit_logistic(confidence, right)
    return pipe.calibration


def mix_layouts(documents: Iterable[GoldDocument], *, seed: int = 0) -> Iterator[GoldDocument]:
    """Yield each document as it is, and once with another layout, cycling through LAYOUTS."""
    for document, layout in zip(documents, cycle(LAYOUTS), strict=False):
        yield document
        yield from lay_out([document], layout, seed=seed)


def judge_scores(
    nlp: Language, texts: Sequence[GoldDocument]
) -> dict[str, tuple[Floats1d, Bools1d]]:
    """Run a pipeline and compare the scores of its units with gold.

    RETURNS: For each name in `calibrate_pipeline`, the scores, and whether each unit or label is
        right. A unit is right if gold has the same unit with the same label. If NSUs are merged, an
        NSU is right if it is all text between two gold SUs. A label is right if most tokens of the
        unit have it in gold.
    """
    pipe: Any = find(nlp, FACTORY)
    settings = pipe.cfg
    rows: dict[str, list[tuple[float, bool]]] = {name: [] for name in CALIBRATED}
    for gold, doc in zip(texts, nlp.pipe(text.text for text in texts), strict=True):
        starts, ends = token_characters(doc)
        units = _units_on_tokens(gold.units, starts, ends)
        in_su = np.zeros(len(starts), dtype=bool)
        for start, end, label in units:
            in_su[start:end] = label == SU
        if settings["nsu_span"] == "merged":
            sus = [(start, end) for start, end, label in units if label == SU]
            units = units_from_spans(sus, len(starts))
        right_units = set(units)
        for key, label in zip(pipe.keys, (SU, NSU), strict=True):
            group = doc.spans[key]
            scores = group.attrs["scores"].tolist(), group.attrs["label_scores"].tolist()
            for span, score, label_score in zip(group, *scores, strict=True):
                start, end = np.searchsorted(starts, (span.start_char, span.end_char)).tolist()
                share = in_su[start:end].mean()
                name = label.lower()
                rows[name].append((score, Unit(start, end, label) in right_units))
                has_label = share > 0.5 if label == SU else share < 0.5
                rows[f"{name}_label"].append((label_score, bool(has_label)))
    return {
        name: (np.asarray([s for s, _ in pairs]), np.asarray([r for _, r in pairs], dtype=bool))
        for name, pairs in rows.items()
    }


def _units_on_tokens(units: Iterable[Unit], starts: Ints1d, ends: Ints1d) -> list[Unit]:
    """Convert gold units to token indices.

    Units with a boundary inside a token are dropped, as no predicted unit can match them.
    """
    first, last = ({char: i for i, char in enumerate(chars.tolist())} for chars in (starts, ends))
    return [
        Unit(first[unit.start], last[unit.end] + 1, SU if unit.label == SU else NSU)
        for unit in units
        if unit.start in first and unit.end in last
    ]


def fit_logistic(x: Floats1d, y: np.ndarray) -> list[float]:
    """Fit P(y) = sigmoid(slope * x + intercept) by Newton's method; return [slope, intercept].

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
        # If all probabilities are close to 0 or 1, a full step overshoots.
        cost = measure_cost(weights)
        while measure_cost(weights - step) > cost and abs(step).max() > TINY:
            step /= 2
        weights = weights - step
    return [float(value) for value in weights]
