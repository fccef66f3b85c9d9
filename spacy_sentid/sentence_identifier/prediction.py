"""From what the model says to units: candidate borders, lattice, decoding, confidence.

Positions are tokens of the batch that are not white space, laid end to end. Units never cross the
borders of blocks: documents, and within them the starts that were set before or, if line ends are
to break units, lines.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from ..arrays import Floats1d, Floats2d, Ints1d
from ..units import NSU, SU, Unit
from .annotate import is_parsed
from .decode import decode_bos_eos, decode_eos, log_odds
from .features import LINE_SHORT, extract_features
from .losses import sigmoid
from .model import BOS, EOS, UNIT_START, TokenScores
from .semi_markov import (
    LOG_ZERO,
    NSU_COLUMN,
    SU_COLUMN,
    Lattice,
    best_path,
    expected_gains,
    inside_prob,
    segment_posteriors,
)


class Borders(NamedTuple):
    """What is known about unit starts before decoding, (n_tokens,) bool each."""

    forced: np.ndarray  # a unit starts here, and none goes across
    forbidden: np.ndarray  # no unit starts here
    line_start: np.ndarray  # first token of a line; all False if nobody asked


class ScoredUnits(NamedTuple):
    """The units of one document."""

    units: list[Unit]  # in its tokens that are not white space
    # (n_units,) log-odds that the unit is right, before calibration.
    confidence: Floats1d


def find_borders(
    docs: Sequence[Doc],
    token_indices: Sequence[Ints1d],
    *,
    break_lines: bool,
    need_lines: bool,
    use_starts: bool,
) -> Borders:
    """Collect what is fixed before decoding.

    break_lines: A unit starts at every line start. need_lines: Look for line starts anyway.
    use_starts: Sentence starts that were set before hold, True and False, in Docs without a parse.
    """
    n_tokens = sum(map(len, token_indices))
    forced, forbidden = np.zeros(n_tokens, dtype=bool), np.zeros(n_tokens, dtype=bool)
    line_start = np.zeros(n_tokens, dtype=bool)
    offset = 0
    for doc, tokens in zip(docs, token_indices, strict=True):
        if len(tokens):
            forced[offset] = True
            starts = _starts_of_tokens(doc, tokens)
            if use_starts and starts.any() and not is_parsed(doc):
                forced[offset : offset + len(tokens)] |= starts == 1
                forbidden[offset : offset + len(tokens)] = starts == -1
        offset += len(tokens)
    if break_lines or need_lines:
        line_start = extract_features(list(docs)).gaps >= LINE_SHORT
        if break_lines:
            forced |= line_start
            forbidden &= ~forced
    return Borders(forced, forbidden, line_start)


def _starts_of_tokens(doc: Doc, tokens: Ints1d) -> Ints1d:
    """Read SENT_START of the tokens; a start set on white space is that of the token after it."""
    values = doc.to_array(SENT_START).astype("int64").reshape(-1)
    starts = values[tokens]
    if len(tokens) < len(doc):
        set_starts = np.flatnonzero(values == 1)
        after = np.searchsorted(tokens, set_starts)
        starts[after[after < len(tokens)]] = 1
    return starts


def candidate_cuts(
    flags: Floats2d, borders: Borders, *, threshold: float, max_atoms: int
) -> np.ndarray:
    """Say before which tokens a unit may start, (n_tokens,) bool.

    A token is a candidate if it may start a unit or an SU, or the token before may end an SU, each
    with at least the probability `threshold`. Between two probable starts at most `max_atoms` - 1
    others are kept, the best ones: with more, no unit could reach from one to the other.
    """
    prob = sigmoid(flags)
    strength = np.maximum(prob[:, UNIT_START], prob[:, BOS])
    strength[1:] = np.maximum(strength[1:], prob[:-1, EOS])
    is_cut = ((strength >= threshold) & ~borders.forbidden) | borders.forced
    probable = is_cut & ((strength >= 0.5) | borders.forced)
    weak = np.flatnonzero(is_cut & ~probable)
    stretch = np.cumsum(probable)[weak]
    order = np.lexsort((-strength[weak], stretch))
    first = np.searchsorted(stretch[order], stretch[order])
    is_cut[weak[order[np.arange(len(weak)) - first >= max_atoms - 1]]] = False
    return is_cut


def block_lengths(forced: np.ndarray) -> Ints1d:
    """Lengths of the blocks that start at the forced tokens."""
    starts = np.flatnonzero(forced)
    return np.diff(np.append(starts, len(forced)))


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


def finish_units(decoded: ScoredUnits, line_start: np.ndarray, *, split_lines: bool) -> ScoredUnits:
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
    starts: Ints1d, ends: Ints1d, is_su: np.ndarray, confidence: Floats1d, lengths: Ints1d
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
