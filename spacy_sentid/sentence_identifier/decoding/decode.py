"""Decode scores to the best units of each document, each with a score.

scores -> SUs and NSUs that tile the tokens -> NSUs by element or line, or merged -> ScoredUnits
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, log_softmax, sigmoid
from ...text.units import NSU, NSU_KINDS, SU, Unit, units_from_spans
from ..network.bos_eos import decode_bos_eos, log_odds
from ..network.boundaries import (
    BOS,
    EOS,
    INSIDE,
    UNIT_START,
    Boundaries,
    Candidates,
    find_line_starts,
)
from ..network.line_features import find_row_starts
from ..network.semi_markov import (
    NSU_COLUMN,
    SU_COLUMN,
    Lattice,
    best_path,
    inside_prob,
    minimum_bayes_risk_scores,
    segment_posteriors,
)
from ..network.tagger import UnitInput, UnitScores
from ..network.tokens import LINE_SHORT, BatchTokens, find_words
from .batch_units import (
    MAX_CONFIDENCE,
    BatchUnits,
    cut_elements,
    cut_long_units,
    cut_nsus,
    merge_nsus,
)

CALIBRATED = ("su", "nsu", "su_label", "nsu_label")


class Prediction(NamedTuple):
    """The prediction for some documents of a batch."""

    tokens: BatchTokens
    boundaries: Boundaries
    flags: Floats2d  # (n_tokens, N_FLAGS) logits
    kinds: Floats2d  # (n_tokens, n_kinds) logits; no columns if the model has no head for kinds
    units: BatchUnits  # the best SUs and NSUs
    outside: Floats1d  # (n_tokens,) log-odds that a token is outside of SUs


class ScoredUnits(NamedTuple):
    """The units of one document."""

    units: list[Unit]  # in tokens of the Doc; label: SU, NSU, or a kind of NSU
    scores: Floats1d  # (n_units,) probability that the unit is right, with its label
    label_scores: Floats1d  # (n_units,) probability that SU, or NSU of any kind, is right
    # (n_units,) probability of the kind of an NSU; None = the model has not learned kinds.
    kind_scores: Floats1d | None


def not_calibrated() -> dict[str, list[float]]:
    """Return the calibration that does not change the probabilities of the model."""
    return {name: [1.0, 0.0] for name in CALIBRATED}


def score_and_decode(
    model: Any, X: UnitInput, boundaries: Boundaries, settings: Mapping[str, Any]
) -> tuple[UnitScores, BatchUnits, Floats1d]:
    """Score tokens; see `decode_batch` for the rest of the result.

    boundaries: Boundaries of the tokens that get scores.
    settings: Settings of the component.
    """
    candidates = None
    if settings["decoder"] == "semi_markov":
        candidates = Candidates(boundaries, settings["threshold"])
    scores: UnitScores = model.predict(X._replace(candidates=candidates))
    return scores, *decode_batch(scores, boundaries, settings)


def decode_batch(
    scores: UnitScores, boundaries: Boundaries, settings: Mapping[str, Any]
) -> tuple[BatchUnits, Floats1d]:
    """Find the best SUs and NSUs, and the log-odds that each token is outside of SUs.

    Each region is decoded alone, so the units in one region do not depend on the others.

    settings: Settings of the component.
    """
    if scores.lattice is None:
        return _decode_tokens(scores.flags, boundaries, settings)
    return _decode_segments(scores.lattice, scores.segments, settings)


def decode_units(
    prediction: Prediction,
    settings: Mapping[str, Any],
    calibration: Mapping[str, list[float]],
) -> list[ScoredUnits]:
    """Find the best units of each document.

    settings: Settings of the component.
    calibration: Slope and intercept that convert log-odds to probabilities. "su" and "nsu" are for
        the scores of units, "su_label" and "nsu_label" for the scores of labels.
    """
    tokens, boundaries, flags, logits, units, outside = prediction
    if settings["max_length"] is not None:
        units = cut_long_units(units, flags, boundaries, settings["max_length"])
    units = merge_nsus(units, tokens.lengths)
    if settings["nsu_span"] == "line":
        line_starts = find_line_starts(tokens) & ~boundaries.forbidden
        units = cut_nsus(units, np.flatnonzero(line_starts))
    elif settings["nsu_span"] == "element" and not units.is_su.all():
        # An element that starts inside a line must have a word, as "--- file ---" is one element.
        counts = find_words(tokens) | (tokens.gaps >= LINE_SHORT)
        forced = boundaries.forced
        if settings["newline"] == "paragraph":
            # In our documents, 2,814 of 2,818 line breaks between two rows end an NSU.
            forced = forced | (find_row_starts(tokens) & ~boundaries.forbidden)
        unit_start = flags[:, UNIT_START]
        units = cut_elements(units, unit_start, outside, forced, boundaries.forbidden, counts)
    confidence = np.clip(units.confidence, -MAX_CONFIDENCE, MAX_CONFIDENCE)
    label_confidence = _mean_of_units(outside, units) * np.where(units.is_su, -1.0, 1.0)
    kinds, kind_scores = None, None
    if settings["nsu_kinds"] and logits.shape[1]:
        log_prob = log_softmax(_mean_of_units(log_softmax(logits), units))
        kinds = log_prob.argmax(axis=1)
        kind_scores = np.exp(log_prob.max(axis=1))
    return _split_documents(
        units,
        _calibrate(confidence, units.is_su, calibration, ("nsu", "su")),
        _calibrate(label_confidence, units.is_su, calibration, ("nsu_label", "su_label")),
        kinds,
        kind_scores,
        tokens,
    )


def _calibrate(
    confidence: Floats1d,
    is_su: Bools1d,
    calibration: Mapping[str, list[float]],
    names: tuple[str, str],
) -> Floats1d:
    """Convert log-odds to probabilities.

    names: Keys in `calibration` for NSUs and for SUs.
    """
    slopes = np.asarray([calibration[name] for name in names])[is_su.astype("int64")]
    probabilities: Floats1d = sigmoid(slopes[:, 0] * confidence + slopes[:, 1])
    return probabilities


def _mean_of_units(values: Any, units: BatchUnits) -> Any:
    """Average values over the tokens of each unit: (n_units, ...)."""
    if not len(units.starts):
        return values[:0]
    sums = np.add.reduceat(values, units.starts, axis=0)
    lengths = np.diff(np.append(units.starts, len(values)))
    return sums / lengths.reshape(-1, *[1] * (sums.ndim - 1))


def _decode_segments(
    lattice: Lattice, scores: Floats2d, settings: Mapping[str, Any]
) -> tuple[BatchUnits, Floats1d]:
    """Decode with the semi-Markov model, by the setting "decode_weights".

    scores: (n_segments, 2).
    RETURNS: The units, and the log-odds that each token is outside of SUs.
    """
    posterior, _ = segment_posteriors(lattice, scores)
    values = scores
    if settings["decode_weights"] is not None:
        values = minimum_bayes_risk_scores(lattice, posterior, **settings["decode_weights"])
    path = np.asarray(
        [segment for region in best_path(lattice, values) for segment in region], dtype="int64"
    )
    is_su = values[path, SU_COLUMN] >= values[path, NSU_COLUMN]
    first, last = lattice.first_atom[path], lattice.last_atom[path]
    # The confidence of an SU is the posterior of its segment; that of an NSU is the lowest of its
    # atoms.
    outside = 1.0 - inside_prob(lattice, posterior)
    lowest = outside[first]
    for n in range(1, lattice.max_segment_atoms):
        lowest = np.minimum(lowest, outside[np.minimum(first + n, last)])
    confidence = log_odds(np.where(is_su, posterior[path, SU_COLUMN], lowest))
    of_tokens = np.repeat(log_odds(outside), lattice.atom_ends - lattice.atom_starts)
    return BatchUnits(lattice.starts[path], is_su, confidence), of_tokens


def _decode_tokens(
    flags: Floats2d, boundaries: Boundaries, settings: Mapping[str, Any]
) -> tuple[BatchUnits, Floats1d]:
    """Decode with BOS and EOS only, as in the paper.

    flags: (n_tokens, N_FLAGS) logits.
    RETURNS: See `_decode_segments`.
    """
    prob = sigmoid(flags[:, [BOS, EOS]])
    prob[boundaries.forbidden, BOS] = 0.0
    prob[np.flatnonzero(boundaries.forbidden) - 1, EOS] = 0.0
    units: list[Unit] = []
    offset = 0
    for length in boundaries.regions.tolist():
        bos, eos = prob[offset : offset + length].T
        spans = decode_bos_eos(bos, eos, threshold=settings["threshold"])
        units += [
            Unit(offset + start, offset + end, label)
            for start, end, label in units_from_spans(spans, length)
        ]
        offset += length
    first = np.asarray([unit.start for unit in units], dtype="int64")
    last = np.asarray([unit.end - 1 for unit in units], dtype="int64")
    is_su = np.asarray([unit.label == SU for unit in units], dtype=bool)
    # The confidence of an SU is that of its less sure boundary. An NSU is right if no token inside
    # of it is BOS or EOS.
    highest = np.maximum(flags[:, BOS], flags[:, EOS])
    inside = np.maximum.reduceat(highest, first) if len(first) else highest
    edges = np.minimum(flags[last, EOS], flags[first, BOS])
    return BatchUnits(first, is_su, np.where(is_su, edges, -inside)), -flags[:, INSIDE]


def _split_documents(
    found: BatchUnits,
    scores: Floats1d,
    label_scores: Floats1d,
    kinds: Ints1d | None,
    kind_scores: Floats1d | None,
    tokens: BatchTokens,
) -> list[ScoredUnits]:
    """Split the units of the batch by document."""
    places = np.concatenate([np.zeros(0, dtype="int64"), *tokens.indices])  # in their Docs
    starts = places[found.starts].tolist()
    ends = (places[np.append(found.starts, len(places))[1:] - 1] + 1).tolist()
    labels = [NSU] * len(starts) if kinds is None else [NSU_KINDS[kind] for kind in kinds.tolist()]
    labels = [SU if su else label for su, label in zip(found.is_su.tolist(), labels, strict=True)]
    units = list(map(Unit._make, zip(starts, ends, labels, strict=True)))
    bounds = np.searchsorted(found.starts, np.cumsum(tokens.lengths)).tolist()
    return [
        ScoredUnits(
            units[start:end],
            scores[start:end],
            label_scores[start:end],
            None if kind_scores is None else kind_scores[start:end],
        )
        for start, end in pairwise([0, *bounds])
    ]
