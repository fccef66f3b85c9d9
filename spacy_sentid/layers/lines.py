"""A layer that sees lines: each row learns what its line and the lines around it are like.

rows -> mean, first and last row of each line -> windows over lines -> joined to the rows
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Maxout, Model

from ..arrays import Floats2d, Ints1d
from .dilated import forward_windows, residual_dilated_maxout


class LineInput(NamedTuple):
    """Rows of texts laid end to end, and where their lines are."""

    rows: Floats2d  # (n_rows, n)
    starts: Ints1d  # (n_lines,) first row of each line
    n_lines: Ints1d  # (n_texts,) lines of each text


def line_context(width: int, pieces: int, dilations: Sequence[int]) -> Model[LineInput, Floats2d]:
    """Build [rows, windows(maxout([mean, first, last row of the line]))]: (n_rows, n + width).

    width: Length of the vector of a line.
    dilations: One residual window layer each; a window sees the lines at -d, 0 and +d.
    """
    pool: Model = Maxout(width, nP=pieces, normalize=True)
    windows = [residual_dilated_maxout(width, pieces, dilation) for dilation in dilations]
    return Model("line_context", forward_lines, init=init_lines, layers=[pool, *windows])


def init_lines(model: Model, X: LineInput, Y: object = None) -> None:
    """Initialise the layers."""
    pool, *windows = model.layers
    pool.initialize(X=np.hstack([X.rows] * 3))
    for window in windows:
        window.initialize()


def forward_lines(
    model: Model[LineInput, Floats2d], X: LineInput, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    """Forward pass of `line_context`."""
    pool, *windows = model.layers
    rows, starts, n_lines = X
    width = rows.shape[1]
    ends = np.append(starts[1:], len(rows))[: len(starts)]
    line = np.repeat(np.arange(len(starts)), ends - starts)
    lengths = (ends - starts).astype("float32")[:, None]
    means = _sum_lines(rows, starts) / lengths
    pooled, backprop_pool = pool(np.hstack([means, rows[starts], rows[ends - 1]]), is_train)
    lines, backprop_windows = forward_windows(windows, pooled, n_lines, is_train)

    def backprop(dY: Any) -> Floats2d:
        d_lines = _sum_lines(np.ascontiguousarray(dY[:, width:]), starts)
        d_pooled = backprop_pool(backprop_windows(d_lines))
        d_means, d_first, d_last = np.split(d_pooled, 3, axis=1)
        d_rows: Any = dY[:, :width] + (d_means / lengths)[line]
        d_rows[starts] += d_first
        d_rows[ends - 1] += d_last
        return d_rows

    return np.hstack([rows, lines[line]]), backprop


def _sum_lines(rows: Any, starts: Ints1d) -> Any:
    return np.add.reduceat(rows, starts, axis=0) if len(starts) else rows[:0]
