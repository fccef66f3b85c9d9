"""Residual dilated windows over the concatenated rows of texts. thinc only.

rows -> the rows at -d, 0, +d side by side -> maxout or gate -> added to the rows

Each window is one thinc node. It predicts block by block: there is no matrix of the whole batch,
and each block stays in the CPU cache. The weights are stored in the order in which prediction uses
them.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from thinc.api import Model, glorot_uniform_init

from ..arrays import Floats2d, Ints1d
from .cpu import no_backprop
from .window_updates import GATE, MAXOUT, Backprop, WindowKind

# The rows that a window sees, as multiples of the dilation from the token.
BOTH = (-1, 0, 1)
# Size of the window matrix of a block in prediction, in numbers. It fits the CPU cache.
BLOCK = 300_000


class TextRows(NamedTuple):
    """Concatenated rows of texts: the input and output of windows."""

    rows: Floats2d  # (n_rows, width)
    lengths: Ints1d  # (n_texts,) number of rows of each text
    # The result of `edge_rows` by dilation, which the windows of a stack share.
    edges: dict[int, tuple[Ints1d, Ints1d]]


Window: TypeAlias = Model[TextRows, TextRows]


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

    pieces: Number of pieces of the maxout. With 1, it is a ReLU: the maximum of the piece and zero.
    offsets: The rows that the window sees, as multiples of d: some of -1, 0 and 1. Rows outside of
        the text are zeros.
    neighbour_width: Number of columns of each neighbour that the window sees: the first ones of the
        left neighbour, the last ones of the right one. None, or a number above `width`, means all.
    normalize: If False, there is no layer norm.
    """
    seen = width if neighbour_width is None else min(neighbour_width, width)
    shape = (width, pieces, sum(seen if offset else width for offset in offsets))
    return Model(
        "residual_window",
        partial(forward_window, kind=MAXOUT),
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

    N is dropout(layer_norm(X)). Rows outside of the text are zeros.
    """
    shape = (2 * width, len(BOTH) * width)
    return Model(
        "gated_window",
        partial(forward_window, kind=GATE),
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
    """Initialise one window.

    shape: Shape of W, with the inputs on the last axis.
    """
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

    lengths: (n_texts,) number of rows of each text.
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
    model: Window, X: TextRows, is_train: bool, *, kind: WindowKind
) -> tuple[TextRows, Callable]:
    """Run the forward pass of a window of either kind."""
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
    model: Window, kind: WindowKind, rows: Floats2d, inputs: Floats2d, edges: tuple[Ints1d, Ints1d]
) -> Floats2d:
    """Compute rows + update, block by block."""
    weights = _order_weights(model)
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


def _order_weights(model: Window) -> Floats2d:
    """Get the weights W as the right side of a product, (n_inputs, n_outputs), piece after piece.

    The array of the weights is replaced by a copy in this memory order, which multiplies a small
    number of rows up to three times as fast. Training replaces the array again.
    """
    W: Any = model.get_param("W")
    if not W.flags.f_contiguous:
        W = np.asfortranarray(W)
        model.set_param("W", W)
    return W.T.reshape(W.shape[-1], -1)


# Neighbours


def edge_rows(lengths: Ints1d, dilation: int) -> tuple[Ints1d, Ints1d]:
    """Find the rows without a left (right) neighbour at this distance in their own text."""
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
    """Fill `columns`, (n, n_inputs), with what the window sees of the n rows from `start` on.

    left, right: The rows without a neighbour on that side, see `edge_rows`.
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
    """Add the gradient of `gather_window` to that of the rows, `dX`, in place."""
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
    """Iterate over the rows that a window sees.

    RETURNS: The distance of a row, its slice of the window's columns, and the slice of its numbers
        that is seen.
    """
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
