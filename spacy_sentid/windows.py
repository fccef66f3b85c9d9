"""A residual dilated window layer: X + layer_norm(maxout(neighbours)). thinc only.

rows of documents laid end to end -> the rows at -d, 0, +d side by side -> maxout -> rows
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from thinc.api import Model, glorot_uniform_init
from thinc.types import Ragged

from .arrays import Floats2d, Ints1d

# What the windows of a stack see, in dilations from the token.
BOTH, LEFT, RIGHT = (-1, 0, 1), (-1, 0), (0, 1)
# Numbers in the window matrix that one step of prediction works on: it fits the cache.
BLOCK = 300_000


def build_residual_window(
    width: int, pieces: int, dilation: int, offsets: tuple[int, ...] = BOTH
) -> Model[Ragged, Ragged]:
    """Build X + layer_norm(maxout(X[i - d], X[i], X[i + d])); windows end at document borders.

    offsets: Which of the three a window sees: -1, 0, 1 times d.
    """
    return Model(
        "residual_window",
        forward_window,
        init=init_window,
        params={"W": None, "b": None, "G": None, "beta": None},
        dims={"nO": width, "nP": pieces},
        attrs={"dilation": dilation, "offsets": list(offsets), "dropout_rate": 0.0},
    )


def run_hidden(
    hidden: list[Model], X: Floats2d, lengths: Ints1d, dropout: float, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    """Pass rows through a layer that mixes their columns, and then through windows.

    hidden: The mixing layer, and the windows; in training with dropout before and after them.
    lengths: (n_texts,) rows of each text; windows end at the borders.
    """
    mix, *windows = hidden
    ops: Any = mix.ops
    Y, backprop_mix = mix(X, is_train)
    keep: Any = None
    keep_last: Any = None
    if is_train:
        keep = ops.get_dropout_mask(Y.shape, dropout)
        keep_last = ops.get_dropout_mask(Y.shape, dropout)
        Y = Y * keep
    ragged = Ragged(Y, lengths)
    backprops = []
    for window in windows:
        ragged, backprop_window = window(ragged, is_train)
        backprops.append(backprop_window)
    out: Any = ragged.dataXd if keep_last is None else ragged.dataXd * keep_last

    def backprop(d_out: Floats2d) -> Floats2d:
        d_ragged = Ragged(d_out * keep_last, lengths)
        for backprop_window in reversed(backprops):
            d_ragged = backprop_window(d_ragged)
        d_rows: Any = d_ragged.dataXd
        return backprop_mix(d_rows * keep)

    return out, backprop


def init_window(model: Model, X: object = None, Y: object = None) -> None:
    """Initialise one window layer."""
    width, pieces = model.get_dim("nO"), model.get_dim("nP")
    shape = (width, pieces, len(model.attrs["offsets"]) * width)
    model.set_param("W", glorot_uniform_init(model.ops, shape))
    model.set_param("b", model.ops.alloc2f(width, pieces))
    model.set_param("G", model.ops.alloc1f(width) + 1)
    model.set_param("beta", model.ops.alloc1f(width))


def forward_window(
    model: Model[Ragged, Ragged], X: Ragged, is_train: bool
) -> tuple[Ragged, Callable]:
    """Forward pass of `build_residual_window`."""
    if not is_train:
        return Ragged(_predict_window(model, X), X.lengths), no_backprop
    ops: Any = model.ops
    width, pieces = model.get_dim("nO"), model.get_dim("nP")
    weights: Any = model.get_param("W")
    W = weights.reshape(width * pieces, -1)
    rows: Any = X.dataXd
    left, right = border_rows(ops.to_numpy(X.lengths), model.attrs["dilation"])
    columns = gather_window(model, rows, 0, len(rows), left, right)
    hidden = ops.gemm(columns, W, trans2=True).reshape(-1, width, pieces)
    hidden += model.get_param("b")
    best, which = ops.maxout(hidden)
    mean = best.mean(axis=1, keepdims=True)
    scale = 1.0 / ops.xp.sqrt(best.var(axis=1, keepdims=True) + 1e-6)
    normal = (best - mean) * scale
    G: Any = model.get_param("G")
    out = normal * G + model.get_param("beta")
    mask = ops.get_dropout_mask(out.shape, model.attrs["dropout_rate"])
    out *= mask
    out += rows

    def backprop(d_out: Ragged) -> Ragged:
        d_rows: Any = d_out.dataXd
        dY = d_rows * mask
        model.inc_grad("beta", dY.sum(axis=0))
        model.inc_grad("G", (dY * normal).sum(axis=0))
        d_normal = dY * G
        d_best = d_normal - d_normal.mean(axis=1, keepdims=True)
        d_best -= normal * (d_normal * normal).mean(axis=1, keepdims=True)
        d_best *= scale
        d_hidden = ops.backprop_maxout(d_best, which, pieces)
        model.inc_grad("b", d_hidden.sum(axis=0))
        d_hidden = d_hidden.reshape(-1, width * pieces)
        d_W = ops.gemm(d_hidden, columns, trans1=True)
        model.inc_grad("W", d_W.reshape(weights.shape))
        d_columns = ops.gemm(d_hidden, W)
        dX = d_rows.copy()
        spread_window(model, dX, d_columns, left, right)
        return Ragged(dX, d_out.lengths)

    return Ragged(out, X.lengths), backprop


def _predict_window(model: Model[Ragged, Ragged], ragged: Ragged) -> Floats2d:
    """Forward pass block by block: no matrix of the whole batch, and each block stays in cache."""
    ops: Any = model.ops
    X: Any = ragged.dataXd
    width, pieces = model.get_dim("nO"), model.get_dim("nP")
    weights: Any = model.get_param("W")
    W = weights.reshape(width * pieces, -1)
    params: list[Any] = [model.get_param(name) for name in ("b", "G", "beta")]
    b, G, beta = params
    left, right = border_rows(ops.to_numpy(ragged.lengths), model.attrs["dilation"])
    out = X.copy()
    n_rows = max(BLOCK // W.shape[1], 1)
    for start in range(0, len(X), n_rows):
        end = min(start + n_rows, len(X))
        hidden = ops.gemm(gather_window(model, X, start, end, left, right), W, trans2=True)
        hidden = hidden.reshape(-1, width, pieces)
        hidden += b
        best, _ = ops.maxout(hidden)
        best -= best.mean(axis=1, keepdims=True)
        variance = ops.xp.einsum("ij,ij->i", best, best) / width
        best *= (1.0 / ops.xp.sqrt(variance + 1e-6))[:, None]
        best *= G
        best += beta
        out[start:end] += best
    return out


def border_rows(lengths: Ints1d, dilation: int) -> tuple[Ints1d, Ints1d]:
    """Find the rows whose left (right) neighbour at that distance is in another document."""
    ends = np.cumsum(lengths)
    position = np.arange(ends[-1] if len(ends) else 0)
    doc_start = np.repeat(ends - lengths, lengths)
    doc_end = np.repeat(ends, lengths)
    left = np.flatnonzero(position - dilation < doc_start)
    right = np.flatnonzero(position + dilation >= doc_end)
    return left, right


def gather_window(
    model: Model, X: Floats2d, start: int, end: int, left: Ints1d, right: Ints1d
) -> Floats2d:
    """Set the rows that the window sees side by side: (end - start, n_offsets * width).

    For the rows [start, end); left, right: those without a neighbour on that side.
    """
    width, dilation, offsets = X.shape[1], model.attrs["dilation"], model.attrs["offsets"]
    columns: Floats2d = model.ops.alloc2f(end - start, len(offsets) * width)
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


def no_backprop(dY: Ragged) -> Ragged:
    """Raise RuntimeError."""
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")
