"""A gated residual window layer: X + a * sigmoid(b), of layer_norm(neighbours). thinc only.

rows of documents laid end to end -> normalised -> the rows at -d, 0, +d side by side -> a, b

Like `windows.build_residual_window`, with the norm before the window and a gate for maxout.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from thinc.api import Model, glorot_uniform_init
from thinc.types import Ragged

from .arrays import Floats2d
from .windows import BLOCK, BOTH, border_rows, gather_window, no_backprop, spread_window


def build_gated_window(width: int, dilation: int) -> Model[Ragged, Ragged]:
    """Build X + a * sigmoid(b), (a, b) = W [N[i - d], N[i], N[i + d]], N = layer_norm(X).

    Windows end at document borders.
    """
    return Model(
        "gated_window",
        forward_window,
        init=init_window,
        params={"W": None, "b": None, "G": None, "beta": None},
        dims={"nO": width},
        attrs={"dilation": dilation, "offsets": list(BOTH), "dropout_rate": 0.0},
    )


def init_window(model: Model, X: object = None, Y: object = None) -> None:
    """Initialise one window layer."""
    width = model.get_dim("nO")
    shape = (2 * width, len(model.attrs["offsets"]) * width)
    model.set_param("W", glorot_uniform_init(model.ops, shape))
    model.set_param("b", model.ops.alloc1f(2 * width))
    model.set_param("G", model.ops.alloc1f(width) + 1)
    model.set_param("beta", model.ops.alloc1f(width))


def forward_window(
    model: Model[Ragged, Ragged], X: Ragged, is_train: bool
) -> tuple[Ragged, Callable]:
    """Forward pass of `build_gated_window`."""
    ops: Any = model.ops
    params: list[Any] = [model.get_param(name) for name in ("W", "b", "G", "beta")]
    W, b, G, beta = params
    rows: Any = X.dataXd
    left, right = border_rows(ops.to_numpy(X.lengths), model.attrs["dilation"])
    normal, scale = _normalise(rows)
    inputs = normal * G + beta
    if not is_train:
        return Ragged(_predict_window(model, rows, inputs, left, right), X.lengths), no_backprop
    width = model.get_dim("nO")
    keep_in = ops.get_dropout_mask(inputs.shape, model.attrs["dropout_rate"])
    columns = gather_window(model, inputs * keep_in, 0, len(rows), left, right)
    hidden = ops.gemm(columns, W, trans2=True)
    hidden += b
    value, gate = hidden[:, :width], _sigmoid(hidden[:, width:])
    out = rows + value * gate

    def backprop(d_out: Ragged) -> Ragged:
        d_rows: Any = d_out.dataXd
        d_hidden = np.concatenate([d_rows * gate, d_rows * value * gate * (1 - gate)], axis=1)
        model.inc_grad("b", d_hidden.sum(axis=0))
        model.inc_grad("W", ops.gemm(d_hidden, columns, trans1=True))
        d_inputs = ops.alloc2f(*rows.shape)
        spread_window(model, d_inputs, ops.gemm(d_hidden, W), left, right)
        d_inputs *= keep_in
        model.inc_grad("beta", d_inputs.sum(axis=0))
        model.inc_grad("G", (d_inputs * normal).sum(axis=0))
        d_normal = d_inputs * G
        dX = d_normal - d_normal.mean(axis=1, keepdims=True)
        dX -= normal * (d_normal * normal).mean(axis=1, keepdims=True)
        dX *= scale
        dX += d_rows
        return Ragged(dX, d_out.lengths)

    return Ragged(out, X.lengths), backprop


def _normalise(X: Floats2d) -> tuple[Floats2d, Floats2d]:
    """Bring each row to mean 0 and deviation 1; also gives 1 / deviation."""
    normal = X - X.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", normal, normal) / max(X.shape[1], 1)
    scale = (1.0 / np.sqrt(variance + 1e-6))[:, None].astype("float32")
    normal *= scale
    return normal, scale


def _sigmoid(X: Floats2d) -> Floats2d:
    """Compute the logistic function; large numbers do not overflow."""
    return 0.5 * (np.tanh(0.5 * X) + 1)


def _predict_window(
    model: Model, rows: Floats2d, inputs: Floats2d, left: Any, right: Any
) -> Floats2d:
    """Forward pass block by block: no matrix of the whole batch, and each block stays in cache."""
    ops: Any = model.ops
    W: Any = model.get_param("W")
    b: Any = model.get_param("b")
    width = model.get_dim("nO")
    out = rows.copy()
    n_rows = max(BLOCK // W.shape[1], 1)
    for start in range(0, len(rows), n_rows):
        end = min(start + n_rows, len(rows))
        hidden = ops.gemm(gather_window(model, inputs, start, end, left, right), W, trans2=True)
        hidden += b
        out[start:end] += hidden[:, :width] * _sigmoid(hidden[:, width:])
    return out
