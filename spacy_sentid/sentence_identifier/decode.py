"""From scores to units: the best units of each document, each with a score.

Prediction -> SUs and NSUs that tile the tokens -> merged NSUs, or one for each line -> ScoredUnits
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, log_softmax, sigmoid
from ..units import NSU, NSU_KINDS, SU, Unit, units_from_spans
from .bos_eos import decode_bos_eos, decode_eos, log_odds
from .boundaries import BOS, EOS, INSIDE, UNIT_START, Boundaries, find_line_starts
from .features import BatchTokens
from .model import UnitScores
from .semi_markov import (
    NSU_COLUMN,
    SU_COLUMN,
    Lattice,
    best_path,
    inside_prob,
    minimum_bayes_risk_scores,
    segment_posteriors,
)

CALIBRATED = ("su", "nsu", "su_label", "nsu_label")
# Log-odds beyond this are certainty.
MAX_CONFIDENCE = 30.0


class Prediction(NamedTuple):
    """Scores of some documents of a batch."""

    tokens: BatchTokens
    boundaries: Boundaries
    scores: UnitScores


class ScoredUnits(NamedTuple):
    """The units of one document."""

    units: list[Unit]  # in tokens of the Doc; label: SU, NSU, or a kind of NSU
    scores: Floats1d  # (n_units,) probability that the unit is right, with its label
    label_scores: Floats1d  # (n_units,) that its words are a sentence, or not one, as it says
    # (n_units,) probability of the kind of an NSU; None = the model knows no kinds.
    kind_scores: Floats1d | None


class _Tiles(NamedTuple):
    """Units that tile the tokens of a batch."""

    starts: Ints1d  # (n_units,) first token
    is_su: Bools1d  # (n_units,)
    confidence: Floats1d  # (n_units,) log-odds that the unit is right


def not_calibrated() -> dict[str, list[float]]:
    """Make the calibration that leaves probabilities as the model has them."""
    return {name: [1.0, 0.0] for name in CALIBRATED}


def decode_units(
    prediction: Prediction,
    settings: Mapping[str, Any],
    calibration: Mapping[str, list[float]],
) -> list[ScoredUnits]:
    """Find the best units of each document.

    settings: Those of the component.
    calibration: For "su" and "nsu" the slope and the intercept that make probabilities of log-odds;
        for "su_label" and "nsu_label" those of the label alone.
    """
    tokens, boundaries, scores = prediction
    if scores.lattice is None:
        tiles, outside = _decode_tokens(scores.flags, boundaries, settings)
    else:
        tiles, outside = _decode_segments(scores.lattice, scores.segments, settings)
    if settings["max_length"] is not None:
        tiles = _cut_long_units(tiles, scores.flags, boundaries, settings["max_length"])
    tiles = _merge_nsus(tiles, tokens.lengths)
    if settings["nsu_span"] == "line":
        line_starts = find_line_starts(tokens) & ~boundaries.forbidden
        tiles = _cut_nsus(tiles, np.flatnonzero(line_starts))
    elif settings["nsu_span"] == "element":
        tiles = _cut_elements(tiles, scores.flags[:, UNIT_START], outside, boundaries)
    confidence = np.clip(tiles.confidence, -MAX_CONFIDENCE, MAX_CONFIDENCE)
    label_confidence = _mean_of_tiles(outside, tiles) * np.where(tiles.is_su, -1.0, 1.0)
    kinds, kind_scores = None, None
    if settings["nsu_kinds"] and scores.kinds.shape[1] and len(tiles.starts):
        log_prob = log_softmax(_mean_of_tiles(log_softmax(scores.kinds), tiles))
        kinds = log_prob.argmax(axis=1)
        kind_scores = np.exp(log_prob.max(axis=1))
    return _split_documents(
        tiles,
        _calibrate(confidence, tiles.is_su, calibration, ("nsu", "su")),
        _calibrate(label_confidence, tiles.is_su, calibration, ("nsu_label", "su_label")),
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
    """Make probabilities of log-odds; names: of the calibration of NSUs and of SUs."""
    slopes = np.asarray([calibration[name] for name in names])[is_su.astype("int64")]
    probabilities: Floats1d = sigmoid(slopes[:, 0] * confidence + slopes[:, 1])
    return probabilities


def _mean_of_tiles(values: Any, tiles: _Tiles) -> Any:
    """Mean over the tokens of each unit: (n_units, ...)."""
    if not len(tiles.starts):
        return values[:0]
    sums = np.add.reduceat(values, tiles.starts, axis=0)
    lengths = np.diff(np.append(tiles.starts, len(values)))
    return sums / lengths.reshape(-1, *[1] * (sums.ndim - 1))


def _decode_segments(
    lattice: Lattice, scores: Floats2d, settings: Mapping[str, Any]
) -> tuple[_Tiles, Floats1d]:
    """Decode with the semi-Markov model: maximise what "decode_weights" say.

    scores: (n_segments, 2).
    RETURNS: The units, and of each token the log-odds that it lies outside of SUs.
    """
    posterior, _ = segment_posteriors(lattice, scores)
    values = scores
    if settings["decode_weights"] is not None:
        values = minimum_bayes_risk_scores(lattice, posterior, **settings["decode_weights"])
    path = np.asarray(
        [segment for block in best_path(lattice, values) for segment in block], dtype="int64"
    )
    is_su = values[path, SU_COLUMN] >= values[path, NSU_COLUMN]
    first, last = lattice.first_chunk[path], lattice.last_chunk[path]
    # An SU is right if this very segment is one; an NSU is as sure as its least sure chunk.
    outside = 1.0 - inside_prob(lattice, posterior)
    lowest = outside[first]
    for n in range(1, lattice.max_segment_chunks):
        lowest = np.minimum(lowest, outside[np.minimum(first + n, last)])
    confidence = log_odds(np.where(is_su, posterior[path, SU_COLUMN], lowest))
    of_tokens = np.repeat(log_odds(outside), lattice.chunk_ends - lattice.chunk_starts)
    return _Tiles(lattice.starts[path], is_su, confidence), of_tokens


def _decode_tokens(
    flags: Floats2d, boundaries: Boundaries, settings: Mapping[str, Any]
) -> tuple[_Tiles, Floats1d]:
    """Decode from BOS and EOS alone, as in the paper; returns what `_decode_segments` does.

    flags: (n_tokens, N_FLAGS) logits.
    """
    decoder, threshold = settings["decoder"], settings["threshold"]
    prob = sigmoid(flags[:, [BOS, EOS]])
    prob[boundaries.forbidden, BOS] = 0.0
    prob[np.flatnonzero(boundaries.forbidden & ~boundaries.forced) - 1, EOS] = 0.0
    units: list[Unit] = []
    offset = 0
    for length in boundaries.blocks.tolist():
        bos, eos = prob[offset : offset + length].T
        if decoder == "bos_eos":
            spans = decode_bos_eos(bos, eos, threshold=threshold)
        else:
            spans = decode_eos(eos, force_last=decoder == "eos_force_last")
        units += [
            Unit(offset + start, offset + end, label)
            for start, end, label in units_from_spans(spans, length)
        ]
        offset += length
    first = np.asarray([unit.start for unit in units], dtype="int64")
    last = np.asarray([unit.end - 1 for unit in units], dtype="int64")
    is_su = np.asarray([unit.label == SU for unit in units], dtype=bool)
    # An SU is as sure as its boundaries; an NSU as that no token in it is one.
    highest = np.maximum(flags[:, BOS], flags[:, EOS])
    inside = np.maximum.reduceat(highest, first) if len(first) else highest
    edges = flags[last, EOS]
    if decoder == "bos_eos":
        edges = np.minimum(edges, flags[first, BOS])
    return _Tiles(first, is_su, np.where(is_su, edges, -inside)), -flags[:, INSIDE]


def _cut_long_units(
    tiles: _Tiles, flags: Floats2d, boundaries: Boundaries, max_length: int
) -> _Tiles:
    """Cut SUs of more than `max_length` tokens at their best inner boundary, again and again.

    Where all inner boundaries are forbidden, the SU stays. Each part is as sure as the less sure
    of the whole and its boundaries.
    """
    strength = flags[:, BOS].astype("float64")
    strength[1:] += flags[:-1, EOS]
    strength[boundaries.forbidden] = -np.inf
    ends = np.append(tiles.starts, len(flags))[1:]
    stack = [
        (start, end, confidence)
        for start, end, is_su, confidence in zip(
            tiles.starts.tolist(), ends.tolist(), tiles.is_su, tiles.confidence, strict=True
        )
        if is_su and end - start > max_length
    ]
    cuts: dict[int, float] = {}
    while stack:
        start, end, confidence = stack.pop()
        inner = strength[start + 1 : end]
        if end - start <= max_length or not np.isfinite(inner).any():
            cuts[start] = confidence
            continue
        cut = start + 1 + int(inner.argmax())
        sure = min(confidence, float(strength[cut]))
        stack += [(start, cut, sure), (cut, end, sure)]
    starts = np.union1d(tiles.starts, np.fromiter(cuts, dtype="int64"))
    whole = np.searchsorted(tiles.starts, starts, side="right") - 1
    confidence = tiles.confidence[whole]
    for place in np.flatnonzero(np.isin(starts, list(cuts))).tolist():
        confidence[place] = cuts[int(starts[place])]
    return _Tiles(starts, tiles.is_su[whole], confidence)


def _merge_nsus(tiles: _Tiles, lengths: Ints1d) -> _Tiles:
    """Make one of neighbouring NSUs of a document: boundaries between NSUs carry no meaning.

    A merged NSU is as sure as its least sure part (section 4.2).
    """
    starts, is_su, confidence = tiles
    if not len(starts):
        return tiles
    begins = is_su.copy()
    begins[1:] |= is_su[:-1]
    firsts = np.searchsorted(starts, np.cumsum(lengths) - lengths)
    begins[firsts[firsts < len(starts)]] = True  # units that start a document
    first = np.flatnonzero(begins)
    return _Tiles(starts[first], is_su[first], np.minimum.reduceat(confidence, first))


def _cut_nsus(tiles: _Tiles, line_starts: Ints1d) -> _Tiles:
    """Cut NSUs at line ends; each part is as sure as the whole."""
    around = np.searchsorted(tiles.starts, line_starts, side="right") - 1  # the unit of each
    cuts = line_starts[~tiles.is_su[around] & (tiles.starts[around] != line_starts)]
    starts = np.sort(np.concatenate([tiles.starts, cuts]))
    whole = np.searchsorted(tiles.starts, starts, side="right") - 1
    return _Tiles(starts, tiles.is_su[whole], tiles.confidence[whole])


def _cut_elements(
    tiles: _Tiles, unit_start: Floats1d, outside: Floats1d, boundaries: Boundaries
) -> _Tiles:
    """Cut NSUs where the model sees the start of a unit, and where one is forced to start.

    unit_start, outside: (n_tokens,) log-odds. An element is right if its tokens are outside of SUs,
    units start at both of its ends, and none in it.
    """
    around = np.cumsum(np.bincount(tiles.starts, minlength=len(outside))) - 1  # the unit of each
    is_cut = ((unit_start > 0) & ~boundaries.forbidden) | boundaries.forced
    is_cut &= ~tiles.is_su[around] if len(around) else is_cut
    is_cut[tiles.starts] = True
    starts = np.flatnonzero(is_cut)
    whole = around[starts]
    is_su = tiles.is_su[whole]
    if not len(starts):
        return tiles
    edge = np.where(boundaries.forced, MAX_CONFIDENCE, unit_start)
    inner = np.where(is_cut, -MAX_CONFIDENCE, unit_start)
    ends = np.append(edge[starts[1:]], MAX_CONFIDENCE)
    # Beside an SU the edge is as sure as the label of the tokens; else as the start of a unit.
    begins = np.where(np.append(True, is_su[:-1]), MAX_CONFIDENCE, edge[starts])
    ends = np.where(np.append(is_su[1:], True), MAX_CONFIDENCE, ends)
    sure = np.minimum.reduceat(np.minimum(outside, -inner), starts)
    sure = np.minimum(np.minimum(sure, begins), ends)
    return _Tiles(starts, is_su, np.where(is_su, tiles.confidence[whole], sure))


def _split_documents(
    tiles: _Tiles,
    scores: Floats1d,
    label_scores: Floats1d,
    kinds: Ints1d | None,
    kind_scores: Floats1d | None,
    tokens: BatchTokens,
) -> list[ScoredUnits]:
    """Return the units of the batch to their documents."""
    places = np.concatenate([np.zeros(0, dtype="int64"), *tokens.indices])  # in their Docs
    starts = places[tiles.starts].tolist()
    ends = (places[np.append(tiles.starts, len(places))[1:] - 1] + 1).tolist()
    labels = [NSU] * len(starts) if kinds is None else [NSU_KINDS[kind] for kind in kinds.tolist()]
    labels = [SU if su else label for su, label in zip(tiles.is_su.tolist(), labels, strict=True)]
    units = [Unit(*values) for values in zip(starts, ends, labels, strict=True)]
    bounds = np.searchsorted(tiles.starts, np.cumsum(tokens.lengths)).tolist()
    return [
        ScoredUnits(
            units[start:end],
            scores[start:end],
            label_scores[start:end],
            None if kind_scores is None else kind_scores[start:end],
        )
        for start, end in pairwise([0, *bounds])
    ]
