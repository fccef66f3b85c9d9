"""Score each segment of a lattice as an SU and as an NSU. thinc only.

token vectors -> mean, maximum and sum over the segment, first and last vector -> MLP -> 2 scores,
plus the gains of eq. 4: learned weights times the logits of its border tokens.
"""

from collections.abc import Callable
from typing import NamedTuple

from thinc.api import Linear, Maxout, Model, chain
from thinc.types import Floats1d, Floats2d, Ints2d

from .semi_markov import NSU_COLUMN, SU_COLUMN, Lattice

# Parts of a segment's description, each as wide as a token vector.
N_PARTS = 5
# Divides the sum over a segment, so that it is of the size of the other parts.
SUM_SCALE = 40.0
# Logits count up to this size: beyond it a border is certain, and more would drown the segments.
MAX_LOGIT = 8.0
# Segments that one step of prediction works on.
BLOCK = 2048


class SegmentInput(NamedTuple):
    """Token vectors and border logits of a batch, and the segments to score."""

    vectors: Floats2d  # (n_tokens, width)
    bos: Floats1d  # (n_tokens,) logit
    eos: Floats1d
    unit_start: Floats1d
    lattice: Lattice


def build_segment_scorer(hidden: int) -> Model[SegmentInput, Floats2d]:
    """Build the scorer: SegmentInput -> (n_segments, 2). The logits get no gradient."""
    mlp: Model[Floats2d, Floats2d] = chain(
        Maxout(hidden, nP=2, dropout=0.0), Linear(2, hidden)
    )
    return Model(
        "segment_scorer",
        score_segments,
        init=init_segment_scorer,
        layers=[mlp],
        params={"gain": None},
        dims={"nI": None},
    )


def init_segment_scorer(model: Model, X: object = None, Y: object = None) -> None:
    """Initialise the MLP, and the gains at 1/2: half of what the paper's decoder gives them."""
    mlp = model.layers[0]
    mlp.initialize(X=model.ops.alloc2f(1, N_PARTS * model.get_dim("nI")))
    model.set_param("gain", model.ops.alloc1f(3) + 0.5)


def score_segments(
    model: Model[SegmentInput, Floats2d], X: SegmentInput, is_train: bool
) -> tuple[Floats2d, Callable]:
    """Forward pass of `build_segment_scorer`; the backprop gives the gradient of the vectors."""
    ops, mlp, lattice = model.ops, model.layers[0], X.lattice
    n_segments = len(lattice.first)
    logits = [ops.xp.clip(logit, -MAX_LOGIT, MAX_LOGIT) for logit in (X.bos, X.eos, X.unit_start)]
    borders = (
        logits[0][lattice.starts],
        logits[1][lattice.ends - 1],
        logits[2][lattice.starts],
    )
    gain = model.get_param("gain")
    scores = ops.alloc2f(n_segments, 2)
    start_gain = gain[2] * borders[2]
    scores[:, SU_COLUMN] = gain[0] * borders[0] + gain[1] * borders[1] + start_gain
    scores[:, NSU_COLUMN] = start_gain
    if not is_train:
        atoms = _pool_atoms(model, X)
        for start in range(0, n_segments, BLOCK):
            block = slice(start, min(start + BLOCK, n_segments))
            scores[block] += mlp.predict(_describe(model, X, atoms, block))
        return scores, _no_backprop
    description, peaks = _describe_for_training(model, X)
    mlp_scores, backprop_mlp = mlp(description, is_train)
    scores += mlp_scores

    def backprop(d_scores: Floats2d) -> Floats2d:
        d_su = d_scores[:, SU_COLUMN]
        d_start = d_su + d_scores[:, NSU_COLUMN]
        d_gain = [(d * b).sum() for d, b in zip((d_su, d_su, d_start), borders, strict=True)]
        model.inc_grad("gain", ops.asarray1f(d_gain))
        return _backprop_description(model, X, backprop_mlp(d_scores), peaks)

    return scores, backprop


class _Atoms(NamedTuple):
    total: Floats2d  # (n_atoms + 1, width) running sum of the vectors before each atom
    top: Floats2d  # (n_atoms, width) maximum over each atom


def _pool_atoms(model: Model, X: SegmentInput) -> _Atoms:
    xp, lattice = model.ops.xp, X.lattice
    if not len(lattice.atom_starts):
        return _Atoms(X.vectors[:0], X.vectors[:0])
    return _Atoms(
        xp.add.reduceat(X.vectors, lattice.atom_starts, axis=0),
        xp.maximum.reduceat(X.vectors, lattice.atom_starts, axis=0),
    )


def _describe(model: Model, X: SegmentInput, atoms: _Atoms, block: slice) -> Floats2d:
    """Describe the segments of a block: (n_segments, N_PARTS * width)."""
    lattice, xp = X.lattice, model.ops.xp
    first, last = lattice.first[block], lattice.last[block]
    starts, ends = lattice.atom_starts[first], lattice.atom_ends[last]
    total, top = atoms.total[first], atoms.top[first]
    for n in range(1, lattice.max_atoms):
        longer = last >= first + n
        if not longer.any():
            break
        total[longer] += atoms.total[first[longer] + n]
        top[longer] = xp.maximum(top[longer], atoms.top[first[longer] + n])
    mean = total / (ends - starts)[:, None].astype("float32")
    return xp.hstack(
        (mean, top, total / SUM_SCALE, X.vectors[starts], X.vectors[ends - 1])
    )


def _describe_for_training(model: Model, X: SegmentInput) -> tuple[Floats2d, Ints2d]:
    """Describe all segments, and say which token each maximum was taken from."""
    description = _describe(model, X, _pool_atoms(model, X), slice(None))
    width = X.vectors.shape[1]
    tops = description[:, width : 2 * width]
    xp, lattice = model.ops.xp, X.lattice
    # The token of each atom's maximum, then, atom by atom, that of the segment's.
    atom_top = xp.maximum.reduceat(X.vectors, lattice.atom_starts, axis=0)
    lengths = lattice.atom_ends - lattice.atom_starts
    is_top = X.vectors == xp.repeat(atom_top, lengths, axis=0)
    position = xp.arange(len(X.vectors))[:, None]
    atom_peak = xp.maximum.reduceat(xp.where(is_top, position, 0), lattice.atom_starts, axis=0)
    peaks = atom_peak[lattice.first]
    for n in range(1, lattice.max_atoms):
        longer = xp.flatnonzero(lattice.last >= lattice.first + n)
        atom = lattice.first[longer] + n
        peaks[longer] = xp.where(atom_top[atom] == tops[longer], atom_peak[atom], peaks[longer])
    return description, peaks


def _backprop_description(
    model: Model, X: SegmentInput, d_description: Floats2d, peaks: Ints2d
) -> Floats2d:
    """Carry the gradient of the descriptions back to the token vectors."""
    xp, lattice = model.ops.xp, X.lattice
    n_tokens, width = X.vectors.shape
    starts, ends = lattice.starts, lattice.ends
    d_mean, d_top, d_sum, d_first, d_last = xp.split(d_description, N_PARTS, axis=1)
    spread = d_mean / (ends - starts)[:, None].astype("float32") + d_sum / SUM_SCALE
    # Each segment adds its gradient to all of its tokens: steps up and down, then a running sum.
    steps = xp.zeros((n_tokens + 1, width), dtype="float64")
    model.ops.scatter_add(steps, starts, spread)
    model.ops.scatter_add(steps, ends, -spread)
    d_vectors = steps[:-1].cumsum(axis=0).astype("float32")
    model.ops.scatter_add(d_vectors, starts, d_first)
    model.ops.scatter_add(d_vectors, ends - 1, d_last)
    flat = (peaks * width + xp.arange(width)).ravel()
    d_peaks = xp.bincount(flat, weights=d_top.ravel(), minlength=n_tokens * width)
    return d_vectors + d_peaks.reshape(n_tokens, width).astype("float32")


def _no_backprop(d_scores: Floats2d) -> Floats2d:
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")
