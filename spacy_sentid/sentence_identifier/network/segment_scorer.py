"""Score each segment of a lattice as an SU and as an NSU. thinc only.

The hidden vector of a segment is a sum of linear projections of its parts: the two tokens at its
start boundary, the two tokens at its end boundary, and the mean, sum and maximum of its vectors. A
vector for its length is added. All parts except the maximum are projected once for each atom and
then added up, so a segment only costs one small matrix product. GELU and a linear layer compute two
scores from the hidden vector. The gains of eq. 4 are added to them: learned weights times the
logits of the boundary tokens.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Linear, Model

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ...layers.cpu import no_backprop
from .semi_markov import NSU_COLUMN, SU_COLUMN, Lattice

# Divisor of the sum over a segment, which gives it the scale of the other parts.
SUM_SCALE = 40.0
# Lengths in tokens at which a new length class starts.
LENGTH_CLASSES = (2, 3, 4, 5, 6, 7, 9, 11, 15, 21, 31)
# Logits are clipped to this size. Larger ones are certain already, and would outweigh the segments.
MAX_LOGIT = 12.0
# Number of atoms whose segments are scored in one step of prediction.
ATOMS_PER_STEP = 256


class SegmentInput(NamedTuple):
    """Token vectors and boundary logits of a batch, and the segments to score."""

    vectors: Floats2d  # (n_tokens, width)
    bos: Floats1d  # (n_tokens,) logit
    eos: Floats1d
    unit_start: Floats1d
    lattice: Lattice
    lengths: Ints1d  # (n_docs,) tokens of each document; context does not cross documents


def build_segment_scorer(hidden: int, dropout: float) -> Model[SegmentInput, Floats2d]:
    """Build the scorer of segments.

    hidden: Width of the hidden vector.
    dropout: Share of the hidden values that are zeroed in training.
    RETURNS: A layer: SegmentInput -> (n_segments, 2).
    """
    names = ("start", "end", "mean", "sum", "max", "output")
    layers = [Linear(hidden) for _ in names[:-1]] + [Linear(2, hidden)]
    return Model(
        "segment_scorer",
        score_segments,
        init=init_segment_scorer,
        layers=layers,
        refs=dict(zip(names, layers, strict=True)),
        params={"gain": None, "lengths": None},
        dims={"nI": None, "nO": hidden},
        attrs={"dropout": dropout},
    )


def init_segment_scorer(model: Model, X: object = None, Y: object = None) -> None:
    """Initialise all layers. The weights of BOS and EOS start at half of those in eq. 4."""
    width, hidden = model.get_dim("nI"), model.get_dim("nO")
    for name, n_vectors in (("start", 2), ("end", 2), ("mean", 1), ("sum", 1), ("max", 1)):
        layer = model.get_ref(name)
        layer.set_dim("nI", n_vectors * width, force=True)
        layer.initialize()
    model.get_ref("output").initialize()
    model.set_param("gain", model.ops.asarray1f([0.5, 0.5, 1.0]))
    model.set_param("lengths", model.ops.alloc2f(len(LENGTH_CLASSES) + 1, hidden))


class _Atoms(NamedTuple):
    """Values that are computed once for each atom, (n_atoms, ...)."""

    start: Floats2d  # projection of the first token and the one before it
    end: Floats2d  # projection of the last token and the one after it
    mean: Floats2d  # projection of the sum of the vectors, for the mean
    total: Floats2d  # projection of the sum of the vectors, for the sum
    top: Floats2d  # maximum of the vectors


def score_segments(
    model: Model[SegmentInput, Floats2d], X: SegmentInput, is_train: bool
) -> tuple[Floats2d, Callable]:
    """Run the forward pass; the backprop returns gradients of the vectors and the three logits."""
    ops: Any = model.ops
    lattice = X.lattice
    output = model.get_ref("output")
    atoms, backprop_atoms = _project_atoms(model, X, is_train)
    gains, backprop_gains = _boundary_gains(model, X)
    n_atoms = len(lattice.atom_starts)
    if not is_train:
        for low in range(0, n_atoms, ATOMS_PER_STEP):
            parts = _find_segments(lattice, low, min(low + ATOMS_PER_STEP, n_atoms))
            hidden, _ = _hidden_of_segments(model, lattice, atoms, parts, is_train)
            scores = output.predict(ops.gelu(hidden))
            end = 0
            for part in parts:
                start, end = end, end + part.stop - part.start
                gains[part] += scores[start:end]
        return gains, no_backprop
    parts = _find_segments(lattice, 0, n_atoms)
    hidden, backprop_hidden = _hidden_of_segments(model, lattice, atoms, parts, is_train)
    mask = ops.get_dropout_mask(hidden.shape, model.attrs["dropout"])
    scores, backprop_output = output(ops.gelu(hidden) * mask, is_train)

    def backprop(d_scores: Floats2d) -> tuple[Floats2d, tuple[Floats1d, Floats1d, Floats1d]]:
        d_hidden = ops.backprop_gelu(backprop_output(d_scores) * mask, hidden)
        d_vectors = backprop_atoms(backprop_hidden(d_hidden))
        return d_vectors, backprop_gains(d_scores)

    return scores + gains, backprop


def _boundary_gains(
    model: Model[SegmentInput, Floats2d], X: SegmentInput
) -> tuple[Floats2d, Callable]:
    """Compute the part of the scores that depends on the logits of the boundary tokens."""
    ops: Any = model.ops
    lattice = X.lattice
    logits = (X.bos, X.eos, X.unit_start)
    places = (lattice.starts, lattice.ends - 1, lattice.starts)
    clipped = [
        ops.xp.clip(logit[place], -MAX_LOGIT, MAX_LOGIT)
        for logit, place in zip(logits, places, strict=True)
    ]
    gain: Any = model.get_param("gain")
    scores = ops.alloc2f(len(lattice.first_atom), 2)
    start_gain = gain[2] * clipped[2]
    scores[:, SU_COLUMN] = gain[0] * clipped[0] + gain[1] * clipped[1] + start_gain
    scores[:, NSU_COLUMN] = start_gain

    def backprop(d_scores: Floats2d) -> tuple[Floats1d, ...]:
        d_su = d_scores[:, SU_COLUMN]
        d_parts = (d_su, d_su, d_su + d_scores[:, NSU_COLUMN])
        d_gain = [float((d * b).sum()) for d, b in zip(d_parts, clipped, strict=True)]
        model.inc_grad("gain", ops.asarray1f(d_gain))
        gradients = []
        for n, (d_part, place) in enumerate(zip(d_parts, places, strict=True)):
            inside = abs(clipped[n]) < MAX_LOGIT
            d_logit = np.bincount(
                place, weights=d_part * gain[n] * inside, minlength=len(X.vectors)
            )
            gradients.append(d_logit.astype("float32"))
        return tuple(gradients)

    return scores, backprop


def _project_atoms(
    model: Model[SegmentInput, Floats2d], X: SegmentInput, is_train: bool
) -> tuple[_Atoms, Callable]:
    ops: Any = model.ops
    lattice, vectors = X.lattice, X.vectors
    xp = ops.xp
    starts, ends = lattice.atom_starts, lattice.atom_ends
    n_atoms, width = len(starts), vectors.shape[1]
    is_edge = np.zeros(len(vectors) + 1, dtype=bool)  # of a document
    is_edge[0] = is_edge[np.cumsum(X.lengths)] = True
    has_before, has_after = np.flatnonzero(~is_edge[starts]), np.flatnonzero(~is_edge[ends])
    at_start, at_end = ops.alloc2f(n_atoms, 2 * width), ops.alloc2f(n_atoms, 2 * width)
    at_start[:, :width] = vectors[starts]
    at_start[has_before, width:] = vectors[starts[has_before] - 1]
    at_end[:, :width] = vectors[ends - 1]
    at_end[has_after, width:] = vectors[ends[has_after]]
    total = top = vectors[:0]
    if n_atoms:  # thinc's compiled reductions are ten times as fast as numpy's reduceat
        lengths = ops.asarray1i(ends - starts)
        total, top = ops.reduce_sum(vectors, lengths), ops.reduce_max(vectors, lengths)[0]
    start, backprop_start = model.get_ref("start")(at_start, is_train)
    end, backprop_end = model.get_ref("end")(at_end, is_train)
    mean, backprop_mean = model.get_ref("mean")(total, is_train)
    scaled, backprop_sum = model.get_ref("sum")(total / SUM_SCALE, is_train)

    def backprop(gradients: "tuple[_Atoms, Ints2d]") -> Floats2d:
        d_atoms, peaks = gradients
        d_total = backprop_mean(d_atoms.mean) + backprop_sum(d_atoms.total) / SUM_SCALE
        d_vectors = xp.repeat(d_total, ends - starts, axis=0)
        d_start, d_end = backprop_start(d_atoms.start), backprop_end(d_atoms.end)
        ops.scatter_add(d_vectors, starts, d_start[:, :width])
        ops.scatter_add(d_vectors, starts[has_before] - 1, d_start[has_before, width:])
        ops.scatter_add(d_vectors, ends - 1, d_end[:, :width])
        ops.scatter_add(d_vectors, ends[has_after], d_end[has_after, width:])
        # The gradient of each maximum goes to the token with the maximum.
        token_peaks = _peaks(model, X, top)
        places = (token_peaks[peaks, xp.arange(width)] * width + xp.arange(width)).ravel()
        d_top = xp.bincount(places, weights=d_atoms.top.ravel(), minlength=d_vectors.size)
        return d_vectors + d_top.reshape(d_vectors.shape).astype("float32")

    return _Atoms(start, end, mean, scaled, top), backprop


def _peaks(model: Model, X: SegmentInput, top: Floats2d) -> Ints2d:
    """Find the token with the maximum of each atom: (n_atoms, width)."""
    xp, lattice = model.ops.xp, X.lattice
    lengths = lattice.atom_ends - lattice.atom_starts
    is_top = X.vectors == xp.repeat(top, lengths, axis=0)
    position = xp.where(is_top, xp.arange(len(X.vectors))[:, None], 0)
    return xp.maximum.reduceat(position, lattice.atom_starts, axis=0)


def _find_segments(lattice: Lattice, low: int, high: int) -> list[slice]:
    """Find the segments that start with one of the atoms [low, high), by their number of atoms.

    RETURNS: Slices of the lattice's segments, for 1, 2, ... atoms.
    """
    sizes = lattice.last_atom - lattice.first_atom
    bounds = np.searchsorted(sizes, np.arange(lattice.max_segment_atoms + 1)).tolist()
    parts = []
    for start, end in pairwise(bounds):
        inside = np.searchsorted(lattice.first_atom[start:end], (low, high)) + start
        parts.append(slice(*inside.tolist()))
    return parts


def _hidden_of_segments(
    model: Model[SegmentInput, Floats2d],
    lattice: Lattice,
    atoms: _Atoms,
    parts: list[slice],
    is_train: bool,
) -> tuple[Floats2d, Callable]:
    """Compute the hidden vectors of some segments, before the activation.

    parts: See `_find_segments`. Each segment is a segment of the previous part plus one atom.
    """
    ops: Any = model.ops
    xp = ops.xp
    first = np.concatenate([lattice.first_atom[part] for part in parts])
    last = np.concatenate([lattice.last_atom[part] for part in parts])
    n_hidden, width = atoms.mean.shape[1], atoms.top.shape[1]
    # `total` includes the projection of the start, which longer segments with the same start reuse.
    mean, total, top = (np.empty((len(first), n), "float32") for n in (n_hidden, n_hidden, width))
    # The atom with the maximum, for each segment and column.
    peaks = xp.repeat(first[:, None], width, axis=1) if is_train else None
    before, end = slice(0, 0), 0
    for n, part in enumerate(parts):
        start, end = end, end + part.stop - part.start
        now, atom = slice(start, end), last[start:end]
        if n == 0:
            mean[now], top[now] = atoms.mean[atom], atoms.top[atom]
            np.add(atoms.total[atom], atoms.start[atom], out=total[now])
        else:
            shorter = before.start + np.searchsorted(first[before], first[now])
            np.add(mean[shorter], atoms.mean[atom], out=mean[now])
            np.add(total[shorter], atoms.total[atom], out=total[now])
            np.maximum(top[shorter], atoms.top[atom], out=top[now])
            if peaks is not None:
                higher = atoms.top[atom] > top[shorter]
                peaks[now] = xp.where(higher, atom[:, None], peaks[shorter])
        before = now
    length = lattice.atom_ends[last] - lattice.atom_starts[first]
    length_class = np.searchsorted(LENGTH_CLASSES, length, side="right")
    per_token = (1.0 / length[:, None]).astype("float32")
    hidden, backprop_max = model.get_ref("max")(top, is_train)
    mean *= per_token
    for rows in (mean, total, atoms.end[last]):
        hidden += rows
    lengths: Any = model.get_param("lengths")
    hidden += lengths[length_class]

    def backprop(d_hidden: Floats2d) -> "tuple[_Atoms, Ints2d | None]":
        n_atoms, n_hidden = atoms.mean.shape
        d_lengths = xp.zeros_like(lengths)
        ops.scatter_add(d_lengths, length_class, d_hidden)
        model.inc_grad("lengths", d_lengths)
        d_start, d_end = ops.alloc2f(n_atoms, n_hidden), ops.alloc2f(n_atoms, n_hidden)
        for same_size in _by_size(first, last):
            d_start[first[same_size]] += d_hidden[same_size]
            d_end[last[same_size]] += d_hidden[same_size]
        d_mean = _spread(d_hidden * per_token, first, last, n_atoms)
        d_total = _spread(d_hidden, first, last, n_atoms)
        return _Atoms(d_start, d_end, d_mean, d_total, backprop_max(d_hidden)), peaks

    return hidden, backprop


def _spread(gradient: Floats2d, first: Ints1d, last: Ints1d, n_atoms: int) -> Floats2d:
    """Add the gradient of each segment to all of its atoms, by a cumulative sum of steps."""
    steps = np.zeros((n_atoms + 1, gradient.shape[1]), dtype="float64")
    for same_size in _by_size(first, last):
        steps[first[same_size]] += gradient[same_size]
        steps[last[same_size] + 1] -= gradient[same_size]
    return steps[:-1].cumsum(axis=0).astype("float32")


def _by_size(first: Ints1d, last: Ints1d) -> Iterator[slice]:
    """Yield slices of segments with the same number of atoms.

    Segments in a slice have different starts and different ends, so fancy indexing can add to them.
    """
    size = last - first
    bounds = [0, *(np.flatnonzero(np.diff(size)) + 1).tolist(), len(size)]
    for start, end in pairwise(bounds):
        yield slice(start, end)
