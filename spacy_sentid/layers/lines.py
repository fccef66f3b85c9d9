"""A layer for lines, which adds to each row a vector of its line and the lines around it.

rows -> mean, first and last row of each line -> windows over lines -> concatenated with the rows
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Linear, Maxout, Model, NumpyOps, chain

from ..arrays import Floats2d, Ints1d
from .dilated import forward_windows, residual_dilated_maxout

NUMPY = NumpyOps()


class LineInput(NamedTuple):
    """Concatenated rows of texts, and the positions of their lines."""

    rows: Floats2d  # (n_rows, n)
    starts: Ints1d  # (n_lines,) first row of each line
    n_lines: Ints1d  # (n_texts,) number of lines of each text


def line_classifier(
    n_classes: int, width: int, pieces: int, dilations: Sequence[int]
) -> Model[LineInput, Floats2d]:
    """Build a linear classifier of rows, concatenated with the `line_context` of their lines."""
    context: Any = line_context(width, pieces, dilations)
    return chain(context, Linear(n_classes))


def line_context(width: int, pieces: int, dilations: Sequence[int]) -> Model[LineInput, Floats2d]:
    """Build [rows, windows(maxout([mean, first, last row of the line]))]: (n_rows, n + width).

    width: Length of the vector of a line.
    dilations: One residual window layer for each. A window sees the lines at -d, 0 and +d.
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
    """Run the forward pass of `line_context`."""
    pool, *windows = model.layers
    rows, starts, n_lines = X
    width = rows.shape[1]
    lengths = _line_lengths(X)
    pooled, backprop_pool = pool(describe_lines(X), is_train)
    lines, backprop_windows = forward_windows(windows, pooled, n_lines, is_train)

    def backprop(dY: Any) -> Floats2d:
        d_lines = _sum_lines(dY[:, width:], lengths)
        d_pooled = backprop_pool(backprop_windows(d_lines))
        d_means, d_first, d_last = np.split(d_pooled, 3, axis=1)
        d_means /= lengths[:, None].astype("float32")
        d_rows: Any = dY[:, :width] + np.repeat(d_means, lengths, axis=0)
        d_rows[starts] += d_first
        d_rows[starts + lengths - 1] += d_last
        return d_rows

    return np.hstack([rows, np.repeat(lines, lengths, axis=0)]), backprop


def predict_rows(model: Model, X: LineInput) -> Floats2d:
    """Predict with a `line_classifier`, without a copy of all rows."""
    vectors = pool_lines(model, describe_lines(X))
    scores = score_rows(model, X.rows)
    scores += np.repeat(score_lines(model, vectors, X.n_lines), _line_lengths(X), axis=0)
    return scores


def score_rows(model: Model, rows: Floats2d) -> Floats2d:
    """Predict the part of the scores of a `line_classifier` that does not depend on lines."""
    W: Any = model.layers[1].get_param("W")
    scores: Floats2d = rows @ W[:, : rows.shape[1]].T
    return scores


def describe_lines(X: LineInput) -> Floats2d:
    """Concatenate the mean, first and last row of each line: (n_lines, 3 * n)."""
    lengths = _line_lengths(X)
    means = _sum_lines(X.rows, lengths) / lengths[:, None].astype("float32")
    return np.hstack([means, X.rows[X.starts], X.rows[X.starts + lengths - 1]])


def join_descriptions(first: Any, second: Any, n_first: int, n_second: int) -> Any:
    """Combine the descriptions of the two parts of a line, which have n_first and n_second rows."""
    width = len(first) // 3
    share = np.float32(n_first / (n_first + n_second))
    mean = share * first[:width] + (1 - share) * second[:width]
    return np.concatenate([mean, first[width : 2 * width], second[2 * width :]])


def pool_lines(model: Model, descriptions: Floats2d) -> Floats2d:
    """Compute the vectors of lines: (n_lines, width)."""
    vectors: Floats2d = model.layers[0].layers[0].predict(descriptions)
    return vectors


def score_lines(model: Model, vectors: Floats2d, n_lines: Ints1d) -> Floats2d:
    """Predict the part of the scores that the rows of a line share: (n_lines, n_classes).

    vectors: See `pool_lines`.
    n_lines: (n_texts,) number of lines of each text.
    """
    context, linear = model.layers
    lines, _ = forward_windows(context.layers[1:], vectors, n_lines, False)
    W: Any = linear.get_param("W")
    b: Any = linear.get_param("b")
    return lines @ W[:, W.shape[1] - lines.shape[1] :].T + b


def _line_lengths(X: LineInput) -> Ints1d:
    return np.diff(np.append(X.starts, len(X.rows)))[: len(X.starts)]


def _sum_lines(rows: Any, lengths: Ints1d) -> Any:
    if not len(lengths):
        return rows[:0]
    # thinc's compiled sum is ten times as fast as numpy's reduceat.
    return NUMPY.reduce_sum(np.ascontiguousarray(rows), lengths.astype("int32"))
