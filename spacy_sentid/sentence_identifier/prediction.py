"""From Docs to scored units: model, candidate segments, decoding, confidence.

Docs -> TokenScores -> borders -> lattice -> segment scores -> best units -> runs or lines of NSUs
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model

from ..arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ..units import NSU, SU, Unit
from .borders import Borders, block_lengths, candidate_cuts, find_borders
from .decode import decode_bos_eos, decode_eos, log_odds, sigmoid
from .model import BOS, EOS, TokenScores, get_segment_scorer, segment_input
from .semi_markov import (
    LOG_ZERO,
    NSU_COLUMN,
    SU_COLUMN,
    Lattice,
    best_path,
    build_lattice,
    expected_gains,
    inside_prob,
    segment_posteriors,
)

# Tokens that are worked on together: enough for distinct types to pay, and no more memory.
PART_TOKENS = 30_000


class Prediction(NamedTuple):
    """What the model says of some documents of a batch."""

    n_docs: int
    scores: TokenScores
    borders: Borders
    lattice: Lattice | None  # None: the decoder does not need it
    segment_scores: Floats2d


class ScoredUnits(NamedTuple):
    """The units of one document."""

    units: list[Unit]  # in its tokens that are not white space
    # (n_units,) log-odds that the unit is right, before calibration.
    confidence: Floats1d


def split_batch(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Cut a batch into parts of about PART_TOKENS; a longer Doc is a part of its own."""
    part: list[Doc] = []
    n_tokens = 0
    for doc in docs:
        if part and n_tokens + len(doc) > PART_TOKENS:
            yield part
            part, n_tokens = [], 0
        part.append(doc)
        n_tokens += len(doc)
    if part:
        yield part


def predict_part(model: Model, docs: list[Doc], settings: Mapping[str, Any]) -> Prediction:
    """Score tokens and candidate segments of some documents.

    settings: Those of the component.
    """
    scores = mix_unidirectional(model.predict(docs), settings["uni_rate"])
    borders = find_borders(
        docs,
        scores.token_indices,
        break_lines=settings["newline"] == "break",
        need_lines=settings["split_nsu"] == "line",
        use_starts=not settings["overwrite"],
    )
    if settings["decoder"] != "semi_markov":
        return Prediction(len(docs), scores, borders, None, scores.flags[:0])
    is_cut = candidate_cuts(
        scores.flags, borders, threshold=settings["threshold"], max_atoms=settings["max_atoms"]
    )
    lattice = build_lattice(is_cut, block_lengths(borders.forced), settings["max_atoms"])
    segment_scores = get_segment_scorer(model).predict(segment_input(scores, lattice))
    return Prediction(len(docs), scores, borders, lattice, segment_scores)


def mix_unidirectional(scores: TokenScores, uni_rate: float) -> TokenScores:
    """Interpolate P(BOS) and P(EOS) of the bidirectional and the unidirectional model.

    uni_rate: Share of the latter, lambda in section 6.1.2; 0 and 1 are exactly the one and the
        other. Without a unidirectional model the scores stay as they are.
    """
    if not scores.uni.shape[1] or uni_rate == 0:
        return scores
    flags = scores.flags.copy()
    both = flags[:, [BOS, EOS]]
    if uni_rate == 1:
        flags[:, [BOS, EOS]] = scores.uni
    else:
        prob = uni_rate * sigmoid(scores.uni) + (1 - uni_rate) * sigmoid(both)
        flags[:, [BOS, EOS]] = log_odds(prob)
    return scores._replace(flags=flags)


def decode_part(prediction: Prediction, settings: Mapping[str, Any]) -> list[ScoredUnits]:
    """Find the best units of each document of a part."""
    _, scores, borders, lattice, segment_scores = prediction
    if lattice is None:
        decoded = decode_tokens(
            scores,
            borders,
            decoder=settings["decoder"],
            threshold=settings["threshold"],
            max_length=settings["max_length"],
        )
    else:
        decoded = decode_segments(
            lattice,
            segment_scores,
            scores.lengths,
            gains=settings["gains"],
            max_length=settings["max_length"],
        )
    ends = np.cumsum(scores.lengths).tolist()
    line_starts = np.split(borders.line_start, ends[:-1])
    split_lines = settings["split_nsu"] == "line"
    return [
        finish_units(found, line_start, split_lines=split_lines)
        for found, line_start in zip(decoded, line_starts, strict=True)
    ]


def decode_segments(
    lattice: Lattice,
    segment_scores: Floats2d,
    lengths: Ints1d,
    *,
    gains: Mapping[str, float] | None,
    max_length: int | None,
) -> list[ScoredUnits]:
    """Decode all documents of a batch with the semi-Markov model.

    lengths: (n_docs,) tokens of each document.
    gains: What to maximise, see `expected_gains`; None = the probability of the path.
    """
    if max_length is not None:
        segment_scores = segment_scores.copy()
        too_long = lattice.ends - lattice.starts > max_length
        segment_scores[too_long, SU_COLUMN] = LOG_ZERO
    posterior, _ = segment_posteriors(lattice, segment_scores)
    values = segment_scores if gains is None else expected_gains(lattice, posterior, **gains)
    if max_length is not None and gains is not None:
        values[too_long, SU_COLUMN] = LOG_ZERO
    path = np.asarray(
        [segment for block in best_path(lattice, values) for segment in block], dtype="int64"
    )
    is_su = values[path, SU_COLUMN] >= values[path, NSU_COLUMN]
    first, last = lattice.first[path], lattice.last[path]
    # An SU is right if this very segment is one; an NSU is as sure as its least sure atom.
    inside = inside_prob(lattice, posterior)
    outside = _range_minimum(1.0 - inside, first, last, lattice.max_atoms)
    confidence = log_odds(np.where(is_su, posterior[path, SU_COLUMN], outside))
    return _split_documents(lattice.starts[path], lattice.ends[path], is_su, confidence, lengths)


def decode_tokens(
    scores: TokenScores, borders: Borders, *, decoder: str, threshold: float, max_length: int | None
) -> list[ScoredUnits]:
    """Decode all documents of a batch from BOS and EOS alone, as in the paper."""
    prob = sigmoid(scores.flags)
    starts, ends, is_su = [], [], []
    offset = 0
    for length in block_lengths(borders.forced).tolist():
        block = slice(offset, offset + length)
        bos, eos = prob[block, BOS].copy(), prob[block, EOS].copy()
        bos[borders.forbidden[block]] = 0.0
        eos[:-1][borders.forbidden[block][1:]] = 0.0
        if decoder == "bos_eos":
            spans = decode_bos_eos(bos, eos, threshold=threshold, max_length=max_length)
        else:
            spans = decode_eos(eos, force_last=decoder == "eos_force_last")
        position = 0
        for start, end in [*spans, (length, length)]:
            for first, last, label in ((position, start, False), (start, end, True)):
                if last > first:
                    starts.append(offset + first)
                    ends.append(offset + last)
                    is_su.append(label)
            position = end
        offset += length
    first, last = np.asarray(starts, dtype="int64"), np.asarray(ends, dtype="int64")
    labels = np.asarray(is_su, dtype=bool)
    flags = scores.flags
    highest = np.maximum(flags[:, BOS], flags[:, EOS])
    inside = np.maximum.reduceat(highest, first) if len(first) else highest
    su_borders = flags[last - 1, EOS]
    if decoder == "bos_eos":
        su_borders = np.minimum(su_borders, flags[first, BOS])
    confidence = np.where(labels, su_borders, -inside)
    return _split_documents(first, last, labels, confidence, scores.lengths)


def finish_units(decoded: ScoredUnits, line_start: Bools1d, *, split_lines: bool) -> ScoredUnits:
    """Join neighbouring NSUs into runs; then, if asked, cut the runs at line ends.

    line_start: (n_tokens,) bool of this document.
    """
    units: list[Unit] = []
    confidence: list[float] = []
    for unit, value in zip(decoded.units, decoded.confidence.tolist(), strict=True):
        if units and units[-1].label == unit.label == NSU:
            units[-1] = Unit(units[-1].start, unit.end, NSU)
            confidence[-1] = min(confidence[-1], value)
        else:
            units.append(unit)
            confidence.append(value)
    if split_lines:
        pairs = list(zip(units, confidence, strict=True))
        units, confidence = [], []
        for unit, value in pairs:
            cuts = [unit.start]
            if unit.label == NSU:
                inside = np.flatnonzero(line_start[unit.start + 1 : unit.end])
                cuts += (inside + unit.start + 1).tolist()
            for start, end in zip(cuts, [*cuts[1:], unit.end], strict=True):
                units.append(Unit(start, end, unit.label))
                confidence.append(value)
    return ScoredUnits(units, np.asarray(confidence))


def _range_minimum(values: Floats1d, first: Ints1d, last: Ints1d, longest: int) -> Floats1d:
    """Minimum of values[first : last + 1] for ranges of at most `longest`."""
    lowest = values[first]
    for n in range(1, longest):
        lowest = np.minimum(lowest, values[np.minimum(first + n, last)])
    return lowest


def _split_documents(
    starts: Ints1d, ends: Ints1d, is_su: Bools1d, confidence: Floats1d, lengths: Ints1d
) -> list[ScoredUnits]:
    """Hand the units of the batch back to their documents."""
    doc_ends = np.cumsum(lengths)
    bounds = np.searchsorted(starts, np.concatenate([[0], doc_ends]))
    documents = []
    for n, offset in enumerate((doc_ends - lengths).tolist()):
        rows = slice(bounds[n], bounds[n + 1])
        places = zip(
            (starts[rows] - offset).tolist(),
            (ends[rows] - offset).tolist(),
            is_su[rows].tolist(),
            strict=True,
        )
        units = [Unit(start, end, SU if su else NSU) for start, end, su in places]
        documents.append(ScoredUnits(units, confidence[rows]))
    return documents
