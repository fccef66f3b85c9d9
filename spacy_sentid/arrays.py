"""Array types by kind of number and dimensions, and the sigmoid and softmax functions.

Shapes are in comments, and mypy only checks the kind of number. Arrays are numpy arrays, as only
encoders run on a GPU. Values from thinc have types of their own, so they are annotated as Any.
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
# A column of features: numbers of any kind, cast when the columns are stacked.
Column: TypeAlias = NDArray[Any]


def log_softmax(logits: Any) -> Any:
    """Compute log(exp(x) / sum(exp(x))) of each row without overflow."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def sigmoid(logits: Any) -> Any:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    return np.exp(-np.logaddexp(0, -logits))
