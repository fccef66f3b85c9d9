"""The updates that windows add to the rows: a maxout with a layer norm, or a gate. thinc only.

columns -> product with the weights -> maxout or gate -> update of the rows
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Model

from ..arrays import Floats2d
from .cpu import no_backprop

# Computes the gradient of the input rows from the gradient of the output.
Backprop = Callable[[Floats2d], Floats2d]


class WindowKind(NamedTuple):
    """The functions of one kind of window."""

    # Computes the inputs of the window from the rows.
    prepare: Callable[[Model, Floats2d, bool], tuple[Floats2d, Backprop]]
    # Computes the update from the columns, (n, n_inputs).
    compute: Callable[[Model, Floats2d], tuple[Floats2d, Backprop]]
    # In prediction, computes the update from the product of columns and weights. It may overwrite
    # the product.
    finish: Callable[[Model, Floats2d], Floats2d]


def find_largest(product: Floats2d, b: Floats2d) -> Floats2d:
    """Find the maximum over the pieces of a product, (n, pieces * width), which is overwritten.

    If there is one piece, find the maximum of the piece and zero.

    b: (width, pieces), the biases.
    """
    width, pieces = b.shape
    product += b.T.ravel()
    if pieces == 1:
        return np.maximum(product, 0, out=product)
    best = np.maximum(product[:, :width], product[:, width : 2 * width])
    for n in range(2, pieces):
        np.maximum(best, product[:, n * width : (n + 1) * width], out=best)
    return best


def _take_rows(model: Model, rows: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    return rows, lambda d_rows: d_rows


def _maxout_and_norm(model: Model, columns: Floats2d) -> tuple[Floats2d, Backprop]:
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


def _finish_maxout(model: Model, product: Floats2d) -> Floats2d:
    b: Any = model.get_param("b")
    return _norm(model, find_largest(product, b), False)[0]


def _norm_rows(model: Model, rows: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    return _norm(model, rows.copy(), is_train)


def _gate(model: Model, columns: Floats2d) -> tuple[Floats2d, Backprop]:
    hidden, backprop_linear = _multiply(model, columns)
    value, gate = _split_gate(hidden)

    def backprop(dY: Floats2d) -> Floats2d:
        d_hidden = np.concatenate([dY * gate, dY * value * gate * (1 - gate)], axis=1)
        return backprop_linear(d_hidden)

    return value * gate, backprop


def _finish_gate(model: Model, product: Floats2d) -> Floats2d:
    b: Any = model.get_param("b")
    product += b
    value, gate = _split_gate(product)
    gate *= value
    return gate


def _split_gate(hidden: Floats2d) -> tuple[Floats2d, Floats2d]:
    """Get the value, and the logistic function of the gate."""
    width = hidden.shape[1] // 2
    gate = np.tanh(0.5 * hidden[:, width:])
    gate += 1
    gate *= 0.5
    return hidden[:, :width], gate


def _multiply(model: Model, columns: Floats2d) -> tuple[Floats2d, Backprop]:
    """Compute W columns + b; each row has the shape of b."""
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


def _norm(model: Model, X: Floats2d, is_train: bool) -> tuple[Floats2d, Backprop]:
    """Normalise each row to mean 0 and standard deviation 1, in place; then G X + beta and dropout.

    A window without a layer norm only has dropout.
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
    # A product with a column vector is faster than the mean of short rows.
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


MAXOUT = WindowKind(_take_rows, _maxout_and_norm, _finish_maxout)
GATE = WindowKind(_norm_rows, _gate, _finish_gate)
