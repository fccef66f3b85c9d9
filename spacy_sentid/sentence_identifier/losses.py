"""The training loss of units: of the flag head, and of the segments.

gold units on tokens -> (n_tokens, N_FLAGS) targets with a mask -> loss and gradient of the logits
gold units, candidate borders -> segments that agree with gold -> loss and gradient of the vectors
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Model

from ..arrays import Bools1d, Bools2d, Floats2d, Ints1d
from ..units import SU
from .alignment import AlignedGold
from .borders import Borders, candidate_cuts
from .decode import sigmoid
from .model import (
    BOS,
    EOS,
    INSIDE,
    N_FLAGS,
    UNIT_START,
    TokenScores,
    get_segment_scorer,
    segment_input,
)
from .semi_markov import NSU_COLUMN, SU_COLUMN, Lattice, build_lattice, path_loss


class Targets(NamedTuple):
    """The gold of a batch, document after document."""

    flags: Floats2d  # (n_tokens, N_FLAGS): 0 or 1
    known: Bools1d  # (n_tokens,) bool: the flags are known
    # For each Doc its gold path: (start, end, column of the label) in tokens of the batch.
    # None = there is no gold, or it does not cover every token.
    paths: list[list[tuple[int, int, int]] | None]


def build_targets(golds: Sequence[AlignedGold | None], lengths: Ints1d) -> Targets:
    """Lay the gold of a batch end to end; documents without gold have no known tokens."""
    n_tokens = int(lengths.sum())
    flags = np.zeros((n_tokens, N_FLAGS), dtype="float32")
    known = np.zeros(n_tokens, dtype=bool)
    paths: list[list[tuple[int, int, int]] | None] = []
    offset = 0
    for gold, length in zip(golds, lengths.tolist(), strict=True):
        path: list[tuple[int, int, int]] = []
        position = 0
        if gold is not None:
            known[offset : offset + length] = gold.known
            for start, end, label in gold.units:
                flags[offset + start, UNIT_START] = 1
                if label == SU:
                    flags[offset + start, BOS] = 1
                    flags[offset + end - 1, EOS] = 1
                    flags[offset + start : offset + end, INSIDE] = 1
                column = SU_COLUMN if label == SU else NSU_COLUMN
                path.append((offset + start, offset + end, column))
                position = end if start == position else -1
        paths.append(path if gold is not None and position == length and length else None)
        offset += length
    return Targets(flags, known, paths)


def flag_loss(
    logits: Floats2d, targets: Targets, weights: Mapping[str, float]
) -> tuple[float, Floats2d]:
    """Weighted binary cross-entropy, mean over known tokens: (loss, gradient of the logits).

    logits: (n_tokens, n) of all flags, or of BOS and EOS alone (the unidirectional model).
    weights: "bos", "eos"; "context" for INSIDE and UNIT_START.
    """
    gold = targets.flags[:, : logits.shape[1]]
    names = ("bos", "eos", "context", "context")[: logits.shape[1]]
    column_weights = np.asarray([weights[name] for name in names], dtype="float32")
    scale = targets.known[:, None] * column_weights / max(int(targets.known.sum()), 1)
    entropy = np.logaddexp(0, logits) - gold * logits
    gradient = (sigmoid(logits) - gold) * scale
    return float((entropy * scale).sum()), gradient.astype("float32")


def gold_lattice(
    targets: Targets, is_cut: Bools1d, lengths: Ints1d, max_atoms: int
) -> tuple[Lattice, Bools2d]:
    """Build a lattice that holds the gold path, and say which labelled segments agree with gold.

    A gold SU is one segment. NSUs may be cut and joined in any way, as their borders among each
    other carry no meaning (section 4.2).

    is_cut: (n_tokens,) bool, the borders that the model itself would try. Where more of them fall
        into a gold unit than a segment can span, those too many are dropped.
    RETURNS: The lattice, and (n_segments, 2) bool; all True in documents without a gold path.
    """
    is_cut = is_cut.copy()
    su_ends: dict[int, int] = {}
    is_nsu = np.zeros(len(is_cut), dtype=bool)
    for path in targets.paths:
        for start, end, column in path or ():
            inside = start + 1 + np.flatnonzero(is_cut[start + 1 : end])
            if len(inside) >= max_atoms:
                is_cut[inside] = False
                is_cut[np.random.choice(inside, max_atoms - 1, replace=False)] = True
            is_cut[start] = True
            if column == SU_COLUMN:
                su_ends[start] = end
            else:
                is_nsu[start:end] = True
    lattice = build_lattice(is_cut, lengths, max_atoms)
    starts, ends = lattice.starts, lattice.ends
    su_end = np.asarray([su_ends.get(start, -1) for start in starts.tolist()], dtype="int64")
    n_nsu = np.concatenate([[0], np.cumsum(is_nsu)])
    allowed = np.zeros((len(starts), 2), dtype=bool)
    allowed[:, SU_COLUMN] = su_end == ends
    allowed[:, NSU_COLUMN] = n_nsu[ends] - n_nsu[starts] == ends - starts
    has_path = np.asarray([path is not None for path in targets.paths], dtype=bool)
    doc = np.repeat(np.arange(len(has_path)), lattice.doc_atoms)[lattice.first]
    return lattice, allowed | ~has_path[doc][:, None]


def segment_loss(
    model: Model,
    scores: TokenScores,
    targets: Targets,
    *,
    weight: float,
    threshold: float,
    max_atoms: int,
) -> tuple[float, Floats2d, Floats2d]:
    """Negative log-likelihood of gold among all segmentations, mean over gold units, weighted.

    The parameters of the segment scorer get their gradient here.
    RETURNS: Loss, gradient of the flags, gradient of the vectors.
    """
    d_flags, d_vectors = np.zeros_like(scores.flags), np.zeros_like(scores.vectors)
    n_units = sum(len(path) for path in targets.paths if path is not None)
    if not weight or not n_units or not model.has_ref("segment_scorer"):
        return 0.0, d_flags, d_vectors
    nothing = np.zeros(len(scores.flags), dtype=bool)
    is_cut = candidate_cuts(
        scores.flags,
        Borders(nothing, nothing, nothing),
        threshold=threshold,
        max_atoms=max_atoms,
    )
    lattice, allowed = gold_lattice(targets, is_cut, scores.lengths, max_atoms)
    scorer: Model = get_segment_scorer(model)
    output: Any = scorer.begin_update(segment_input(scores, lattice))
    segment_scores, backprop = output
    losses, d_segments = path_loss(lattice, segment_scores, allowed)
    scale = weight / n_units
    d_vectors, d_borders = backprop(d_segments * np.float32(scale))
    for column, d_column in zip((BOS, EOS, UNIT_START), d_borders, strict=True):
        d_flags[:, column] = d_column
    return scale * float(losses.sum()), d_flags, d_vectors
