"""Residual dilated windows over the rows of texts laid end to end. thinc only.

rows -> the rows at -d, 0, +d side by side -> maxout or gate -> added to the rows

Each window is one node of thinc with one forward and one backward pass, and predicts block by
block: there is no matrix of the whole batch, and each block stays in the cache. The matrix of its
weights lies in memory in the order in which prediction multiplies by it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np
from thinc.api import Model, glorot_uniform_init

from ..arrays import Floats2d, Ints1d

# What the windows of a stack see, in dilations from the token.
BOTH, LEFT, RIGHT = (-1, 0, 1), (-1, 0), (0, 1)
# Numbers in the window matrix that one step of prediction works on: it fits the cache.
BLOCK = 300_000


class TextRows(NamedTuple):
    """Rows of texts laid end to end, as they go from window to window."""

    rows: Floats2d  # (n_rows, width)
    lengths: Ints1d  # (n_texts,) rows of each text
    # By dilation, what `edge_rows` finds: the windows of a stack share it.
    edges: dict[int, tuple[Ints1d, Ints1d]]


Window: TypeAlias = Model[TextRows, TextRows]
# The gradient of some rows out of that of what was made of them.
Backprop: TypeAlias = Callable[[Floats2d], Floats2d]


class _Kind(NamedTuple):
    """What a window does with the rows."""

    # Makes of the rows what the window looks at, and its backprop.
    prepare: Callable[[Window, Floats2d, bool], tuple[Floats2d, Backprop]]
    # Makes of columns, (n, n_inputs), what is added to the rows, and its backprop.
    compute: Callable[[Window, Floats2d], tuple[Floats2d, Backprop]]
    # In prediction, makes the same of the product of columns and weights, which it may overwrite.
    finish: Callable[[Window, Floats2d], Floats2d]


def residual_dilated_maxout(
    width: int,
    pieces: int,
    dilation: int,
    offsets: tuple[int, ...] = BOTH,
    *,
    neighbour_width: int | None = None,
    normalize: bool = True,
) -> Window:
    """Build X + dropout(layer_norm(maxout(W [X[i - d], X[i], X[i + d]] + b))).

    pieces: Of the maxout; 1 = the larger of the piece and zero.
    offsets: Which of the three a window sees: -1, 0, 1 times d. Outside of the text are zeros.
    neighbour_width: How many numbers of each neighbour it sees: the first ones of that before, the
        last ones of that after. None = all.
    normalize: False: no layer norm.
    """
    seen = width if neighbour_width is None else neighbour_width
    shape = (width, pieces, sum(seen if offset else width for offset in offsets))
    return Model(
        "residual_window",
        partial(forward_window, kind=_Kind(_take_rows, _maxout_and_norm, _finish_maxout)),
        init=partial(init_window, shape=shape),
        params=dict.fromkeys(("W", "b", "G", "beta") if normalize else ("W", "b")),
        dims={"nO": width, "nP": pieces},
        attrs={
            "dilation": dilation,
            "offsets": list(offsets),
            "neighbour_width": seen,
            "dropout_rate": 0.0,
        },
    )


def gated_dilated_window(width: int, dilation: int) -> Window:
    """Build X + a * sigmoid(g), (a, g) = W [N[i - d], N[i], N[i + d]] + b.

    N is dropout(layer_norm(X)). Outside of the text are zeros.
    """
    shape = (2 * width, len(BOTH) * width)
    return Model(
        "gated_window",
        partial(forward_window, kind=_Kind(_norm_rows, _gate, _finish_gate)),
        init=partial(init_window, shape=shape),
        params=dict.fromkeys(("W", "b", "G", "beta")),
        dims={"nO": width},
        attrs={
            "dilation": dilation,
            "offsets": list(BOTH),
            "neighbour_width": width,
            "dropout_rate": 0.0,
        },
    )


def init_window(
    model: Window, X: object = None, Y: object = None, *, shape: tuple[int, ...]
) -> None:
    """Initialise one window; shape: of W, whose last axis is the inputs."""
    width = model.get_dim("nO")
    model.set_param("W", glorot_uniform_init(model.ops, shape))
    model.set_param("b", model.ops.alloc(shape[:-1]))
    if "G" in model.param_names:
        model.set_param("G", model.ops.alloc1f(width) + 1)
        model.set_param("beta", model.ops.alloc1f(width))


def forward_windows(
    windows: list[Window], X: Floats2d, lengths: Ints1d, is_train: bool
) -> tuple[Floats2d, Backprop]:
    """Pass rows through windows, one after the other.

    lengths: (n_texts,) rows of each text.
    """
    texts = TextRows(X, lengths, {})
    backprops = []
    for window in windows:
        texts, backprop_window = window(texts, is_train)
        backprops.append(backprop_window)

    def backprop(dY: Floats2d) -> Floats2d:
        gradient = TextRows(dY, lengths, texts.edges)
        for backprop_window in reversed(backprops):
            gradient = backprop_window(gradient)
        return gradient.rows

    return texts.rows, backprop


def forward_window(
    model: Window, X: TextRows, is_train: bool, *, kind: _Kind
) -> tuple[TextRows, Callable]:
    """Forward pass of both windows."""
    rows, lengths, edges = X
    dilation = model.attrs["dilation"]
    if dilation not in edges:
        edges[dilation] = edge_rows(lengths, dilation)
    inputs, backprop_inputs = kind.prepare(model, rows, is_train)
    if not is_train:
        return X._replace(rows=_predict(model, kind, rows, inputs, edges[dilation])), no_backprop
    columns: Any = model.ops.alloc2f(len(rows), model.get_param("W").shape[-1])
    gather_window(model, inputs, columns, 0, *edges[dilation])
    update, backprop_update = kind.compute(model, columns)

    def backprop(d_out: TextRows) -> TextRows:
        d_inputs: Any = model.ops.alloc2f(*rows.shape)
        spread_window(model, d_inputs, backprop_update(d_out.rows), *edges[dilation])
        return d_out._replace(rows=backprop_inputs(d_inputs) + d_out.rows)

    return X._replace(rows=rows + update), backprop


def _predict(
    model: Window, kind: _Kind, rows: Floats2d, inputs: Floats2d, edges: tuple[Ints1d, Ints1d]
) -> Floats2d:
    """Compute rows + update, block by block."""
    weights = _ordered_weights(model)
    n_inputs, n_outputs = weights.shape
    size = min(max(BLOCK // n_inputs, 1), len(rows))
    columns = np.empty((size, n_inputs), dtype="float32")
    product = np.empty((size, n_outputs), dtype="float32")
    out = np.empty_like(rows)
    for start in range(0, len(rows), max(size, 1)):
        end = min(start + size, len(rows))
        block = columns[: end - start]
        gather_window(model, inputs, block, start, *edges)
        update = kind.finish(model, np.dot(block, weights, out=product[: end - start]))
        np.add(rows[start:end], update, out=out[start:end])
    return out


def _ordered_weights(model: Window) -> Floats2d:
    """Get the weights as the right side of a product, (n_inputs, n_outputs), piece after piece.

    Their array is replaced by one of equal values whose memory has that order, until training makes
    a new one. So few rows are multiplied up to three times as fast.
    """
    W: Any = model.get_param("W")
    if not W.flags.f_contiguous:
        W = np.asfortranarray(W)
        model.set_param("W", W)
    return W.T.reshape(W.shape[-1], -1)


# What is added to the rows: maxout and norm, or a gate over what was normed before


def _take_rows(model: Window, rows: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    return rows, lambda d_rows: d_rows


def _maxout_and_norm(model: Window, columns: Floats2d) -> tuple[Floats2d, Backprop]:
    ops: Any = model.ops
    pieces = model.get_dim("nP")
    hidden, backprop_linear = _multiply(model, columns)
    if pieces == 1:
        hidden = np.concatenate([hidden, np.zeros_like(hidden)], axis=2)
    best, which = ops.maxout(hidden)
    Y, backprop_norm = _norm(model, best, True)

    def backprop(dY: Floats2d) -> Floats2d:
        d_hidden = ops.backprop_maxout(backprop_norm(dY), which, hidden.shape[2])
        return backprop_linear(np.ascontiguousarray(d_hidden[:, :, :pieces]))

    return Y, backprop


def _finish_maxout(model: Window, product: Floats2d) -> Floats2d:
    b: Any = model.get_param("b")
    width, pieces = b.shape
    product += b.T.ravel()
    if pieces == 1:
        best = np.maximum(product, 0, out=product)
    else:
        best = np.maximum(product[:, :width], product[:, width : 2 * width])
    for n in range(2, pieces):
        np.maximum(best, product[:, n * width : (n + 1) * width], out=best)
    return _norm(model, best, False)[0]


def _norm_rows(model: Window, rows: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    return _norm(model, rows.copy(), is_train)


def _gate(model: Window, columns: Floats2d) -> tuple[Floats2d, Backprop]:
    hidden, backprop_linear = _multiply(model, columns)
    value, gate = _split_gate(hidden)

    def backprop(dY: Floats2d) -> Floats2d:
        d_hidden = np.concatenate([dY * gate, dY * value * gate * (1 - gate)], axis=1)
        return backprop_linear(d_hidden)

    return value * gate, backprop


def _finish_gate(model: Window, product: Floats2d) -> Floats2d:
    b: Any = model.get_param("b")
    product += b
    value, gate = _split_gate(product)
    gate *= value
    return gate


def _split_gate(hidden: Floats2d) -> tuple[Floats2d, Floats2d]:
    """Get the value and the logistic function of the gate."""
    width = hidden.shape[1] // 2
    gate = np.tanh(0.5 * hidden[:, width:])
    gate += 1
    gate *= 0.5
    return hidden[:, :width], gate


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
    """Bring each row, in place, to mean 0 and deviation 1; then G X + beta, and dropout.

    A window without a norm has dropout alone.
    """
    xp = model.ops.xp
    rate = model.attrs["dropout_rate"]
    if "G" not in model.param_names:
        if not is_train:
            return X, no_backprop
        kept: Any = model.ops.get_dropout_mask(X.shape, rate)
        return X * kept, lambda dY: dY * kept
    G: Any = model.get_param("G")
    beta: Any = model.get_param("beta")
    # A product with a column is faster than a mean over short rows.
    share = np.float32(1 / max(X.shape[1], 1))
    X -= X @ xp.full((X.shape[1], 1), share)
    variance = xp.einsum("ij,ij->i", X, X)
    scale = (1.0 / xp.sqrt(share * variance + np.float32(1e-6)))[:, None]
    X *= scale
    if not is_train:
        X *= G
        X += beta
        return X, no_backprop
    mask: Any = model.ops.get_dropout_mask(X.shape, rate)

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
    if len(lengths) == 1:
        (end,) = lengths.tolist()
        return np.arange(min(dilation, end)), np.arange(max(end - dilation, 0), end)
    ends = np.cumsum(lengths)
    position = np.arange(ends[-1] if len(ends) else 0)
    text_start = np.repeat(ends - lengths, lengths)
    text_end = np.repeat(ends, lengths)
    left = np.flatnonzero(position - dilation < text_start)
    right = np.flatnonzero(position + dilation >= text_end)
    return left, right


def gather_window(
    model: Model, X: Floats2d, columns: Floats2d, start: int, left: Ints1d, right: Ints1d
) -> None:
    """Set the rows that the window sees side by side, in `columns`, (n, n_inputs).

    For the n rows from `start` on; left, right: those without a neighbour on that side.
    """
    end = start + len(columns)
    for offset, place, part in _find_parts(model, X.shape[1]):
        column = columns[:, place]
        if not offset:
            column[:] = X[start:end]
            continue
        first = start + offset  # of the neighbours
        low, high = max(first, 0), min(first + len(columns), len(X))
        if low < high:
            column[low - first : high - first] = X[low:high, part]
        edge = left if offset < 0 else right
        column[edge if len(columns) == len(X) else _within(edge, start, end)] = 0


def spread_window(
    model: Model, dX: Floats2d, d_columns: Floats2d, left: Ints1d, right: Ints1d
) -> None:
    """Add the gradient of `gather_window` over all rows to that of the rows, in place."""
    for offset, place, part in _find_parts(model, dX.shape[1]):
        column = d_columns[:, place]
        if offset < 0:
            column[left] = 0
            dX[:offset, part] += column[-offset:]
        elif offset > 0:
            column[right] = 0
            dX[offset:, part] += column[:-offset]
        else:
            dX += column


def _find_parts(model: Model, width: int) -> Iterator[tuple[int, slice, slice]]:
    """Find what a window sees: the distance of a row, its place in the columns, its part seen."""
    dilation, seen = model.attrs["dilation"], model.attrs["neighbour_width"]
    start = 0
    for offset in model.attrs["offsets"]:
        n = seen if offset else width
        part = slice(0, n) if offset < 0 else slice(width - n, width)
        yield offset * dilation, slice(start, start + n), part
        start += n


def _within(rows: Ints1d, start: int, end: int) -> Ints1d:
    """Select from sorted row numbers those in [start, end), counted from `start`."""
    low, high = np.searchsorted(rows, (start, end))
    return rows[low:high] - start


def no_backprop(dY: object) -> NoReturn:
    """Raise RuntimeError."""
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")
