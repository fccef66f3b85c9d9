"""Names of array types: kind of number and number of dimensions; and the logistic function.

Shapes are in comments. mypy checks the kind of number. Arrays are numpy's; only encoders compute on
a GPU. What thinc hands over has types of thinc's own, and is annotated as Any where they meet.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools1d: TypeAlias = NDArray[np.bool_]
Bools2d: TypeAlias = NDArray[np.bool_]
Bools3d: TypeAlias = NDArray[np.bool_]
Ints1d: TypeAlias = NDArray[np.integer]
Ints2d: TypeAlias = NDArray[np.integer]
Floats1d: TypeAlias = NDArray[np.floating]
Floats2d: TypeAlias = NDArray[np.floating]
Floats3d: TypeAlias = NDArray[np.floating]
# Columns of features: numbers of any kind, cast when they are laid side by side.
Column: TypeAlias = NDArray[Any]


def log_softmax(logits: Any) -> Any:
    """Compute log(exp(x) / sum(exp(x))) of each row without overflow."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def sigmoid(logits: Any) -> Any:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    return np.exp(-np.logaddexp(0, -logits))
