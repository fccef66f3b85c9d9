"""Functions that keep small thinc models on the CPU and that end passes without backprop."""

from typing import NoReturn

from thinc.api import Model, NumpyOps, get_current_ops


def run_on_cpu(model: Model) -> None:
    """Run the layers of a model on the CPU with numpy's BLAS.

    It is much faster than blis at these shapes. The layers stay on the CPU even if spaCy uses a
    GPU, which is not worth it for small layers with many text boundaries. An encoder that a
    listener reads is not moved.
    """
    ops = get_current_ops()
    if not isinstance(ops, NumpyOps) or type(ops) is NumpyOps:  # others bring their own BLAS
        ops = NumpyOps(use_blis=False)
    for node in model.walk():
        node.ops = ops


def no_backprop(dY: object) -> NoReturn:
    """Raise RuntimeError, as a pass that only predicts stores nothing for backprop."""
    raise RuntimeError("Only a forward pass in training can be backpropagated, not a prediction.")
