"""Training losses of the flags, kinds and segments, and their weighted sum with the syntax loss.

gold units on tokens -> (n_tokens, N_FLAGS) targets with a mask -> loss and gradient of the logits
gold units, segments -> segments that agree with gold -> loss and gradient of their scores
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Bools1d, Bools2d, Floats1d, Floats2d, Ints1d, log_softmax, sigmoid
from ...text.units import NSU_KINDS, SU, Unit, flags_from_units
from ..network.boundaries import BOS, EOS, INSIDE, N_FLAGS, UNIT_START
from ..network.semi_markov import NSU_COLUMN, SU_COLUMN, Lattice, path_loss
from ..network.tagger import UnitScores
from .gold import Gold
from .syntax import SyntaxTargets, syntax_loss

KIND_INDEX = {kind: n for n, kind in enumerate(NSU_KINDS)}


class Targets(NamedTuple):
    """The gold of a batch, document after document."""

    flags: Floats2d  # (n_tokens, N_FLAGS): 0 or 1
    known: Bools1d  # (n_tokens,) the flags are known
    kinds: Ints1d  # (n_tokens,) kind of the token's NSU, as an index of NSU_KINDS; -1 = unknown
    shares: Floats1d  # (n_tokens,) 1 / length of the token's unit
    # Gold units of each Doc, in tokens of the batch. None = there is no gold, or it does not cover
    # every token.
    paths: list[list[Unit] | None]


def build_targets(golds: Sequence[Gold]) -> Targets:
    """Concatenate the gold of a batch; documents without gold have no known tokens."""
    flags = np.zeros((sum(len(gold.known) for gold in golds), N_FLAGS), dtype="float32")
    kinds = np.full(len(flags), -1, dtype="int64")
    shares = np.zeros(len(flags), dtype="float32")
    paths: list[list[Unit] | None] = []
    offset = 0
    for units, known, _ in golds:
        rows = flags[offset : offset + len(known)]
        rows[:, BOS], rows[:, EOS] = flags_from_units(units or (), len(known))
        for start, end, label in units or ():
            rows[start, UNIT_START] = 1
            rows[start:end, INSIDE] = label == SU
            kinds[offset + start : offset + end] = KIND_INDEX.get(label, -1)
            shares[offset + start : offset + end] = 1 / (end - start)
        path = [Unit(offset + start, offset + end, label) for start, end, label in units or ()]
        covered = sum(unit.end - unit.start for unit in path)
        paths.append(path if path and covered == len(known) else None)
        offset += len(known)
    known_tokens = np.concatenate([gold.known for gold in golds])
    kinds[~known_tokens] = -1
    return Targets(flags, known_tokens, kinds, shares, paths)


def unit_loss(
    scores: UnitScores,
    targets: Targets,
    syntax: SyntaxTargets,
    syntax_labels: Mapping[str, Sequence[str]],
    weights: Mapping[str, float],
) -> tuple[float, UnitScores]:
    """Sum the losses of all heads and of the segments.

    weights: The setting "loss_weights".
    RETURNS: Loss, and the gradient of the scores.
    """
    flags, d_flags = flag_loss(scores.flags, targets, weights)
    syntax_part, d_syntax = syntax_loss(scores.syntax, syntax, syntax_labels, weights)
    segments, d_segments = 0.0, scores.segments
    if scores.lattice is not None:
        segments, d_segments = segment_loss(
            scores.lattice, scores.segments, targets.paths, weight=weights["segments"]
        )
    kinds, d_kinds = kind_loss(scores.kinds, targets.kinds, targets.shares, weight=weights["kinds"])
    gradient = UnitScores(d_flags, d_kinds, d_syntax, d_segments, scores.lattice)
    return flags + kinds + syntax_part + segments, gradient


def flag_loss(
    logits: Floats2d, targets: Targets, weights: Mapping[str, float]
) -> tuple[float, Floats2d]:
    """Compute the weighted binary cross-entropy of the flags, averaged over known tokens.

    logits: (n_tokens, n), of all flags, or only of BOS and EOS.
    weights: "bos", "eos", and "context" for INSIDE and UNIT_START.
    RETURNS: Loss, and the gradient of the logits.
    """
    gold = targets.flags[:, : logits.shape[1]]
    names = ("bos", "eos", "context", "context")[: logits.shape[1]]
    column_weights = np.asarray([weights[name] for name in names], dtype="float32")
    scale = targets.known[:, None] * column_weights / max(int(targets.known.sum()), 1)
    entropy = np.logaddexp(0, logits) - gold * logits
    gradient = (sigmoid(logits) - gold) * scale
    return float((entropy * scale).sum()), gradient.astype("float32")


def kind_loss(
    logits: Floats2d, kinds: Ints1d, shares: Floats1d, *, weight: float
) -> tuple[float, Floats2d]:
    """Compute the cross-entropy of the kinds of NSUs, averaged over NSUs.

    logits: (n_tokens, n_kinds), or no columns.
    kinds, shares: (n_tokens,), see `Targets`.
    RETURNS: Loss, and the gradient of the logits.
    """
    gradient = np.zeros(logits.shape, dtype="float32")
    rows = np.flatnonzero(kinds >= 0)
    if not logits.shape[1] or not len(rows) or not weight:
        return 0.0, gradient
    log_prob = log_softmax(logits[rows])
    gold = kinds[rows]
    scale = weight * shares[rows] / shares[rows].sum()
    gradient[rows] = np.exp(log_prob)
    gradient[rows, gold] -= 1
    gradient[rows] *= scale[:, None]
    return -float((scale * log_prob[np.arange(len(rows)), gold]).sum()), gradient


def segment_loss(
    lattice: Lattice, scores: Floats2d, paths: Sequence[list[Unit] | None], *, weight: float
) -> tuple[float, Floats2d]:
    """Compute the weighted negative log-likelihood of gold among all segmentations.

    The loss is averaged over the gold units.

    lattice: Segments, with whole documents as regions.
    scores: (n_segments, 2).
    RETURNS: Loss, and its gradient (n_segments, 2).
    """
    losses, gradient = path_loss(lattice, scores, allowed_segments(lattice, paths))
    scale = weight / sum(len(path) for path in paths if path is not None)
    return scale * float(losses.sum()), gradient * np.float32(scale)


def allowed_segments(lattice: Lattice, paths: Sequence[list[Unit] | None]) -> Bools2d:
    """Mark the labelled segments that agree with gold: (n_segments, 2).

    A gold SU is one segment. NSUs may be cut and joined in any way, as boundaries between NSUs have
    no meaning (section 4.2). In documents without a gold path, all segments agree.
    """
    starts, ends = lattice.starts, lattice.ends
    n_tokens = int(lattice.atom_ends[-1]) if len(lattice.atom_ends) else 0
    su_end, is_nsu = np.full(n_tokens, -1), np.zeros(n_tokens, dtype=bool)
    for path in paths:
        for start, end, label in path or ():
            if label == SU:
                su_end[start] = end
            else:
                is_nsu[start:end] = True
    n_nsu = np.concatenate([[0], np.cumsum(is_nsu)])
    allowed = np.zeros((len(starts), 2), dtype=bool)
    allowed[:, SU_COLUMN] = su_end[starts] == ends
    allowed[:, NSU_COLUMN] = n_nsu[ends] - n_nsu[starts] == ends - starts
    has_path = np.asarray([path is not None for path in paths], dtype=bool)
    doc = np.repeat(np.arange(len(has_path)), lattice.doc_atoms)[lattice.first_atom]
    allowed[~has_path[doc]] = True
    return allowed
