"""Residual dilated windows over the concatenated rows of texts. thinc only.

rows -> the rows at -d, 0, +d side by side -> maxout or gate -> added to the rows

Each window is one thinc node. It predicts in groups of rows, whose matrix stays in the CPU cache.
The weights are stored in the order in which prediction uses them.
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
# Size of the window matrix of a group of rows in prediction, in numbers. It fits the CPU cache.
GROUP_SIZE = 300_000


class TextRows(NamedTuple):
    """Concatenated rows of texts: the input and output of windows."""

    rows: Floats2d  # (n_rows, width)
    texts: Ints1d  # (n_rows,) ascending: the number of the text of each row


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
    attrs = {"dilation": dilation, "offsets": list(offsets), "neighbour_width": seen}
    return Model(
        "residual_window",
        partial(forward_window, kind=MAXOUT),
        init=partial(init_window, shape=shape),
        params=dict.fromkeys(("W", "b", "G", "beta") if normalize else ("W", "b")),
        dims={"nO": width, "nP": pieces},
        attrs={**attrs, "dropout_rate": 0.0},
    )


def gated_dilated_window(width: int, dilation: int) -> Window:
    """Build X + a * sigmoid(g), (a, g) = W [N[i - d], N[i], N[i + d]] + b.

    N is dropout(layer_norm(X)). Rows outside of the text are zeros.
    """
    shape = (2 * width, len(BOTH) * width)
    attrs = {"dilation": dilation, "offsets": list(BOTH), "neighbour_width": width}
    return Model(
        "gated_window",
        partial(forward_window, kind=GATE),
        init=partial(init_window, shape=shape),
        params=dict.fromkeys(("W", "b", "G", "beta")),
        dims={"nO": width},
        attrs={**attrs, "dropout_rate": 0.0},
    )


def init_window(
    model: Window, X: object = None, Y: object = None, *, shape: tuple[int, ...]
) -> None:
    """Initialise one window. `shape` is that of W, with the inputs on the last axis."""
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
    Y = TextRows(X, np.repeat(np.arange(len(lengths)), lengths))
    backprops = []
    for window in windows:
        Y, backprop_window = window(Y, is_train)
        backprops.append(backprop_window)

    def backprop(dY: Floats2d) -> Floats2d:
        gradient = Y._replace(rows=dY)
        for backprop_window in reversed(backprops):
            gradient = backprop_window(gradient)
        return gradient.rows

    return Y.rows, backprop


def forward_window(
    model: Window, X: TextRows, is_train: bool, *, kind: WindowKind
) -> tuple[TextRows, Callable]:
    """Run the forward pass of a window of either kind."""
    inputs, backprop_inputs = kind.prepare(model, X.rows, is_train)
    if not is_train:
        return X._replace(rows=_predict(model, kind, X, inputs)), no_backprop
    columns: Any = model.ops.alloc2f(len(inputs), model.get_param("W").shape[-1])
    gather_window(model, X._replace(rows=inputs), columns, 0)
    update, backprop_update = kind.compute(model, columns)

    def backprop(d_out: TextRows) -> TextRows:
        d_inputs: Any = model.ops.alloc2f(*inputs.shape)
        spread_window(model, X._replace(rows=d_inputs), backprop_update(d_out.rows))
        return d_out._replace(rows=backprop_inputs(d_inputs) + d_out.rows)

    return X._replace(rows=X.rows + update), backprop


def _predict(model: Window, kind: WindowKind, X: TextRows, inputs: Floats2d) -> Floats2d:
    """Compute rows + update, in groups of rows."""
    rows = X.rows
    weights = _order_weights(model)
    n_inputs, n_outputs = weights.shape
    size = min(max(GROUP_SIZE // n_inputs, 1), len(rows))
    columns = np.empty((size, n_inputs), dtype="float32")
    product = np.empty((size, n_outputs), dtype="float32")
    out = np.empty_like(rows)
    for start in range(0, len(rows), max(size, 1)):
        end = min(start + size, len(rows))
        seen = columns[: end - start]
        gather_window(model, X._replace(rows=inputs), seen, start)
        update = kind.finish(model, np.dot(seen, weights, out=product[: end - start]))
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


def gather_window(model: Model, X: TextRows, columns: Floats2d, start: int) -> None:
    """Fill `columns`, (n, n_inputs), with what the window sees of the n rows from `start` on."""
    end = start + len(columns)
    for offset, place, part in _find_parts(model, X.rows.shape[1]):
        column = columns[:, place]
        # The rows that have a neighbour at this distance in the batch.
        low, high = max(start, -offset), max(min(end, len(X.rows) - offset), 0)
        column[: max(low - start, 0)] = 0
        column[max(high - start, 0) :] = 0
        if low < high:
            seen = column[low - start : high - start]
            seen[:] = X.rows[low + offset : high + offset, part]
            if offset:
                seen[X.texts[low:high] != X.texts[low + offset : high + offset]] = 0


def spread_window(model: Model, dX: TextRows, d_columns: Floats2d) -> None:
    """Add the gradient of `gather_window` to that of the rows, `dX`, in place."""
    n = len(d_columns)
    for offset, place, part in _find_parts(model, dX.rows.shape[1]):
        low, high = max(0, -offset), min(n, n - offset)
        if low < high:
            seen = d_columns[low:high, place]
            seen[dX.texts[low:high] != dX.texts[low + offset : high + offset]] = 0
            dX.rows[low + offset : high + offset, part] += seen


def _find_parts(model: Model, width: int) -> Iterator[tuple[int, slice, slice]]:
    """Iterate over the rows that a window sees.

    RETURNS: The distance of a row, its slice of the window's columns, and the slice of its numbers
        that is seen.
    """
    dilation, seen = model.attrs["dilation"], model.attrs["neighbour_width"]
    start = 0
    for offset in model.attrs["offsets"]:
        n = seen if offset else width
        # The first numbers of a left neighbour, the last ones of a right one.
        part = slice(0, n) if offset < 0 else slice(width - n, width)
        yield offset * dilation, slice(start, start + n), part
        start += n
