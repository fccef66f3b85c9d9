"""Targets and gradients of the flag head, and the gold path of the segment lattice. numpy only.

gold units on tokens -> (n_tokens, N_FLAGS) targets with a mask -> loss and gradient of the logits
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..units import SU
from .alignment import AlignedGold
from .model import BOS, EOS, INSIDE, N_FLAGS, UNIT_START
from .semi_markov import NSU_COLUMN, SU_COLUMN, Lattice, build_lattice


class Targets(NamedTuple):
    """The gold of a batch, document after document."""

    flags: Floats2d  # (n_tokens, N_FLAGS): 0 or 1
    known: np.ndarray  # (n_tokens,) bool: the flags are known
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

    weights: "borders" for BOS and EOS, "context" for INSIDE and UNIT_START.
    """
    column_weights = np.asarray([weights["borders"]] * 2 + [weights["context"]] * 2, dtype="f")
    scale = targets.known[:, None] * column_weights / max(int(targets.known.sum()), 1)
    entropy = np.logaddexp(0, logits) - targets.flags * logits
    gradient = (sigmoid(logits) - targets.flags) * scale
    return float((entropy * scale).sum()), gradient.astype("float32")


def gold_lattice(
    targets: Targets, is_cut: np.ndarray, lengths: Ints1d, max_atoms: int
) -> tuple[Lattice, np.ndarray]:
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


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)) without overflow."""
    return np.exp(-np.logaddexp(0, -logits))
