"""From scores to units: the best units of each document, each with a score.

Prediction -> SUs and NSUs that tile the tokens -> merged NSUs, or one for each line -> ScoredUnits
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d, sigmoid
from ..units import NSU, SU, Unit, units_from_spans
from .bos_eos import decode_bos_eos, decode_eos, log_odds
from .boundaries import BOS, EOS, Boundaries, find_line_starts
from .features import BatchTokens
from .model import UnitScores
from .semi_markov import (
    LOG_ZERO,
    NSU_COLUMN,
    SU_COLUMN,
    Lattice,
    best_path,
    inside_prob,
    minimum_bayes_risk_scores,
    segment_posteriors,
)

# Log-odds beyond this are certainty.
MAX_CONFIDENCE = 30.0


class Prediction(NamedTuple):
    """Scores of some documents of a batch."""

    tokens: BatchTokens
    boundaries: Boundaries
    scores: UnitScores


class ScoredUnits(NamedTuple):
    """The units of one document."""

    units: list[Unit]  # in tokens of the Doc
    scores: Floats1d  # (n_units,) probability that the unit is right


class _Tiles(NamedTuple):
    """Units that tile the tokens of a batch."""

    starts: Ints1d  # (n_units,) first token
    is_su: Bools1d  # (n_units,)
    confidence: Floats1d  # (n_units,) log-odds that the unit is right


def decode_units(
    prediction: Prediction,
    settings: Mapping[str, Any],
    calibration: Mapping[str, list[float]],
) -> list[ScoredUnits]:
    """Find the best units of each document.

    settings: Those of the component.
    calibration: For "su" and "nsu" the slope and the intercept that make probabilities of log-odds.
    """
    tokens, boundaries, scores = prediction
    if scores.lattice is None:
        tiles = _decode_tokens(scores.flags, boundaries, settings)
    else:
        tiles = _decode_segments(scores.lattice, scores.segments, settings)
    tiles = _merge_nsus(tiles, tokens.lengths)
    if settings["nsu_span"] == "line":
        tiles = _cut_nsus(tiles, np.flatnonzero(find_line_starts(tokens)))
    slopes = np.asarray([calibration["nsu"], calibration["su"]])[tiles.is_su.astype("int64")]
    clipped = np.clip(tiles.confidence, -MAX_CONFIDENCE, MAX_CONFIDENCE)
    return _split_documents(tiles, sigmoid(slopes[:, 0] * clipped + slopes[:, 1]), tokens)


def _decode_segments(lattice: Lattice, scores: Floats2d, settings: Mapping[str, Any]) -> _Tiles:
    """Decode with the semi-Markov model: maximise what "decode_weights" say.

    scores: (n_segments, 2).
    """
    decode_weights, max_length = settings["decode_weights"], settings["max_length"]
    too_long = np.zeros(len(scores), dtype=bool)
    if max_length is not None:
        too_long = lattice.ends - lattice.starts > max_length
        scores = scores.copy()
        scores[too_long, SU_COLUMN] = LOG_ZERO
    posterior, _ = segment_posteriors(lattice, scores)
    values = scores
    if decode_weights is not None:
        values = minimum_bayes_risk_scores(lattice, posterior, **decode_weights)
        values[too_long, SU_COLUMN] = LOG_ZERO
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
    return _Tiles(lattice.starts[path], is_su, confidence)


def _decode_tokens(flags: Floats2d, boundaries: Boundaries, settings: Mapping[str, Any]) -> _Tiles:
    """Decode from BOS and EOS alone, as in the paper.

    flags: (n_tokens, N_FLAGS) logits.
    """
    decoder = settings["decoder"]
    limits = {"threshold": settings["threshold"], "max_length": settings["max_length"]}
    prob = sigmoid(flags[:, [BOS, EOS]])
    prob[boundaries.forbidden, BOS] = 0.0
    prob[np.flatnonzero(boundaries.forbidden & ~boundaries.forced) - 1, EOS] = 0.0
    units: list[Unit] = []
    offset = 0
    for length in boundaries.blocks.tolist():
        bos, eos = prob[offset : offset + length].T
        if decoder == "bos_eos":
            spans = decode_bos_eos(bos, eos, **limits)
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
    return _Tiles(first, is_su, np.where(is_su, edges, -inside))


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


def _split_documents(tiles: _Tiles, scores: Floats1d, tokens: BatchTokens) -> list[ScoredUnits]:
    """Return the units of the batch to their documents."""
    places = np.concatenate([np.zeros(0, dtype="int64"), *tokens.indices])  # in their Docs
    starts = places[tiles.starts].tolist()
    ends = (places[np.append(tiles.starts, len(places))[1:] - 1] + 1).tolist()
    labels = [SU if su else NSU for su in tiles.is_su.tolist()]
    units = [Unit(*values) for values in zip(starts, ends, labels, strict=True)]
    bounds = np.searchsorted(tiles.starts, np.cumsum(tokens.lengths)).tolist()
    return [
        ScoredUnits(units[start:end], scores[start:end]) for start, end in pairwise([0, *bounds])
    ]
