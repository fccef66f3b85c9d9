"""Residual dilated windows over the rows of texts laid end to end. thinc only.

rows -> the rows at -d, 0, +d side by side -> maxout or gate -> added to the rows

Each window is one node of thinc with one forward and one backward pass, and predicts block by
block: there is no matrix of the whole batch, and each block stays in the cache.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, TypeAlias

import numpy as np
from thinc.api import Model, glorot_uniform_init
from thinc.types import Ragged

from ..arrays import Floats2d, Ints1d

# What the windows of a stack see, in dilations from the token.
BOTH, LEFT, RIGHT = (-1, 0, 1), (-1, 0), (0, 1)
# Numbers in the window matrix that one step of prediction works on: it fits the cache.
BLOCK = 300_000

Window: TypeAlias = Model[Ragged, Ragged]
# The gradient of some rows out of that of what was made of them.
Backprop: TypeAlias = Callable[[Floats2d], Floats2d]


def residual_dilated_maxout(
    width: int, pieces: int, dilation: int, offsets: tuple[int, ...] = BOTH
) -> Window:
    """Build X + dropout(layer_norm(maxout(W [X[i - d], X[i], X[i + d]] + b))).

    offsets: Which of the three a window sees: -1, 0, 1 times d. Outside of the text are zeros.
    """
    shape = (width, pieces, len(offsets) * width)
    return Model(
        "residual_window",
        partial(forward_window, prepare=_take_rows, compute=_maxout_and_norm),
        init=partial(init_window, shape=shape),
        params=dict.fromkeys(("W", "b", "G", "beta")),
        dims={"nO": width, "nP": pieces},
        attrs={"dilation": dilation, "offsets": list(offsets), "dropout_rate": 0.0},
    )


def gated_dilated_window(width: int, dilation: int) -> Window:
    """Build X + a * sigmoid(g), (a, g) = W [N[i - d], N[i], N[i + d]] + b.

    N is dropout(layer_norm(X)). Outside of the text are zeros.
    """
    shape = (2 * width, len(BOTH) * width)
    return Model(
        "gated_window",
        partial(forward_window, prepare=_norm_rows, compute=_gate),
        init=partial(init_window, shape=shape),
        params=dict.fromkeys(("W", "b", "G", "beta")),
        dims={"nO": width},
        attrs={"dilation": dilation, "offsets": list(BOTH), "dropout_rate": 0.0},
    )


def init_window(
    model: Window, X: object = None, Y: object = None, *, shape: tuple[int, ...]
) -> None:
    """Initialise one window; shape: of W, whose last axis is the inputs."""
    width = model.get_dim("nO")
    model.set_param("W", glorot_uniform_init(model.ops, shape))
    model.set_param("b", model.ops.alloc(shape[:-1]))
    model.set_param("G", model.ops.alloc1f(width) + 1)
    model.set_param("beta", model.ops.alloc1f(width))


def forward_windows(
    windows: list[Window], X: Floats2d, lengths: Ints1d, is_train: bool
) -> tuple[Floats2d, Backprop]:
    """Pass rows through windows, one after the other.

    lengths: (n_texts,) rows of each text.
    """
    ragged = _make_ragged(X, lengths)
    backprops = []
    for window in windows:
        ragged, backprop_window = window(ragged, is_train)
        backprops.append(backprop_window)

    def backprop(dY: Floats2d) -> Floats2d:
        d_ragged = _make_ragged(dY, lengths)
        for backprop_window in reversed(backprops):
            d_ragged = backprop_window(d_ragged)
        dX: Any = d_ragged.dataXd
        return dX

    Y: Any = ragged.dataXd
    return Y, backprop


def _make_ragged(rows: Any, lengths: Any) -> Ragged:
    return Ragged(rows, lengths)


def forward_window(
    model: Window, X: Ragged, is_train: bool, *, prepare: Callable, compute: Callable
) -> tuple[Ragged, Callable]:
    """Forward pass of both windows.

    prepare: Makes of the rows what the window looks at, and its backprop.
    compute: Makes of columns, (n, n_inputs), what is added to the rows, and its backprop.
    """
    rows: Any = X.dataXd
    weights: Any = model.get_param("W")
    edges = edge_rows(model.ops.to_numpy(X.lengths), model.attrs["dilation"])
    inputs, backprop_inputs = prepare(model, rows, is_train)
    out = rows.copy()
    n_rows = max(len(rows) if is_train else BLOCK // weights.shape[-1], 1)
    for start in range(0, max(len(rows), 1), n_rows):
        end = min(start + n_rows, len(rows))
        columns = gather_window(model, inputs, start, end, *edges)
        update, backprop_update = compute(model, columns, is_train)
        out[start:end] += update
    if not is_train:
        return Ragged(out, X.lengths), no_backprop

    def backprop(d_out: Ragged) -> Ragged:
        d_rows: Any = d_out.dataXd
        d_inputs: Any = model.ops.alloc2f(*rows.shape)
        spread_window(model, d_inputs, backprop_update(d_rows), *edges)
        return Ragged(backprop_inputs(d_inputs) + d_rows, d_out.lengths)

    return Ragged(out, X.lengths), backprop


# What is added to the rows: maxout and norm, or a gate over what was normed before


def _take_rows(model: Window, rows: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    return rows, lambda d_rows: d_rows


def _maxout_and_norm(model: Window, columns: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    ops: Any = model.ops
    pieces = model.get_dim("nP")
    if not is_train:
        return _norm(model, _maxout(model, columns), is_train)
    hidden, backprop_linear = _multiply(model, columns)
    best, which = ops.maxout(hidden)
    Y, backprop_norm = _norm(model, best, is_train)

    def backprop(dY: Floats2d) -> Floats2d:
        return backprop_linear(ops.backprop_maxout(backprop_norm(dY), which, pieces))

    return Y, backprop


def _maxout(model: Window, columns: Floats2d) -> Floats2d:
    """Compute the maxout piece after piece: no array holds them all."""
    W: Any = model.get_param("W")
    b: Any = model.get_param("b")
    best: Any = None
    for piece in range(W.shape[1]):
        hidden = columns @ W[:, piece].T
        hidden += b[:, piece]
        best = hidden if best is None else np.maximum(best, hidden, out=best)
    return best


def _norm_rows(model: Window, rows: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    return _norm(model, rows.copy(), is_train)


def _gate(model: Window, columns: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    width = model.get_dim("nO")
    hidden, backprop_linear = _multiply(model, columns)
    value = hidden[:, :width]
    gate = 0.5 * (np.tanh(0.5 * hidden[:, width:]) + 1)  # the logistic function

    def backprop(dY: Floats2d) -> Floats2d:
        d_hidden = np.concatenate([dY * gate, dY * value * gate * (1 - gate)], axis=1)
        return backprop_linear(d_hidden)

    return value * gate, backprop


def _multiply(model: Window, columns: Floats2d) -> tuple[Floats2d, Backprop]:
    """Compute W columns + b, of the shape of b for each row."""
    ops: Any = model.ops
    weights: Any = model.get_param("W")
    b: Any = model.get_param("b")
    W = weights.reshape(-1, weights.shape[-1])
    Y = ops.gemm(columns, W, trans2=True).reshape(-1, *b.shape)
    Y += b

    def backprop(dY: Floats2d) -> Floats2d:
        model.inc_grad("b", dY.sum(axis=0))
        flat = dY.reshape(len(columns), -1)
        model.inc_grad("W", ops.gemm(flat, columns, trans1=True).reshape(weights.shape))
        return ops.gemm(flat, W)

    return Y, backprop


def _norm(model: Window, X: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    """Bring each row, in place, to mean 0 and deviation 1; then G X + beta, and dropout."""
    xp = model.ops.xp
    G: Any = model.get_param("G")
    beta: Any = model.get_param("beta")
    # A product with a column is faster than a mean over short rows.
    X -= X @ xp.full((X.shape[1], 1), 1 / max(X.shape[1], 1), dtype="float32")
    variance = xp.einsum("ij,ij->i", X, X) / max(X.shape[1], 1)
    scale = (1.0 / xp.sqrt(variance + 1e-6))[:, None].astype("float32")
    X *= scale
    if not is_train:
        X *= G
        X += beta
        return X, no_backprop
    mask: Any = model.ops.get_dropout_mask(X.shape, model.attrs["dropout_rate"])

    def backprop(dY: Floats2d) -> Floats2d:
        dY = dY * mask
        model.inc_grad("beta", dY.sum(axis=0))
        model.inc_grad("G", (dY * X).sum(axis=0))
        dX = dY * G
        means = dX.mean(axis=1, keepdims=True), (dX * X).mean(axis=1, keepdims=True)
        dX -= means[0]
        dX -= X * means[1]
        dX *= scale
        return dX

    return (X * G + beta) * mask, backprop


# Neighbours


def edge_rows(lengths: Ints1d, dilation: int) -> tuple[Ints1d, Ints1d]:
    """Find the rows whose left (right) neighbour at that distance is in another text."""
    ends = np.cumsum(lengths)
    position = np.arange(ends[-1] if len(ends) else 0)
    text_start = np.repeat(ends - lengths, lengths)
    text_end = np.repeat(ends, lengths)
    left = np.flatnonzero(position - dilation < text_start)
    right = np.flatnonzero(position + dilation >= text_end)
    return left, right


def gather_window(
    model: Model, X: Floats2d, start: int, end: int, left: Ints1d, right: Ints1d
) -> Floats2d:
    """Set the rows that the window sees side by side: (end - start, n_offsets * width).

    For the rows [start, end); left, right: those without a neighbour on that side.
    """
    width, dilation, offsets = X.shape[1], model.attrs["dilation"], model.attrs["offsets"]
    columns: Any = model.ops.alloc2f(end - start, len(offsets) * width)
    low, high = max(start - dilation, 0), min(end + dilation, len(X))
    for n, offset in enumerate(offsets):
        column = columns[:, n * width : (n + 1) * width]
        if offset < 0:
            if low < end - dilation:
                column[low + dilation - start :] = X[low : end - dilation]
            column[_within(left, start, end)] = 0
        elif offset > 0:
            if start + dilation < high:
                column[: high - dilation - start] = X[start + dilation : high]
            column[_within(right, start, end)] = 0
        else:
            column[:] = X[start:end]
    return columns


def spread_window(
    model: Model, dX: Floats2d, d_columns: Floats2d, left: Ints1d, right: Ints1d
) -> None:
    """Add the gradient of `gather_window` over all rows to that of the rows, in place."""
    width, dilation = dX.shape[1], model.attrs["dilation"]
    for n, offset in enumerate(model.attrs["offsets"]):
        column = d_columns[:, n * width : (n + 1) * width]
        if offset < 0:
            column[left] = 0
            dX[:-dilation] += column[dilation:]
        elif offset > 0:
            column[right] = 0
            dX[dilation:] += column[:-dilation]
        else:
            dX += column


def _within(rows: Ints1d, start: int, end: int) -> Ints1d:
    """Select from sorted row numbers those in [start, end), counted from `start`."""
    return rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start


def no_backprop(dY: object) -> NoReturn:
    """Raise RuntimeError."""
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")
