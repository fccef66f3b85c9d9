"""Where the small thinc models of all parts run, and what their predictions have for a backprop."""

from typing import NoReturn

from thinc.api import Model, NumpyOps, get_current_ops


def run_on_cpu(model: Model) -> None:
    """Let layers compute on the CPU with numpy's BLAS, at these shapes faster than blis by far.

    That is so also where spaCy has been told to use a GPU: what is small and full of borders and
    segments is not worth sending there. An encoder behind a listener stays where it is.
    """
    ops = get_current_ops()
    if not isinstance(ops, NumpyOps) or type(ops) is NumpyOps:  # others bring their own BLAS
        ops = NumpyOps(use_blis=False)
    for node in model.walk():
        node.ops = ops


def no_backprop(dY: object) -> NoReturn:
    """Raise RuntimeError."""
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")
