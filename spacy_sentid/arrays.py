"""Names of array types: kind of number and number of dimensions. Shapes stand in comments.

thinc's array protocols and numpy's stubs do not accept each other, so to mypy these are Any; to a
reader they say what an array is. Arrays are numpy's on a CPU and cupy's on a GPU.
"""

from typing import Any, TypeAlias

import numpy as np

Bools1d: TypeAlias = Any
Bools2d: TypeAlias = Any
Bools3d: TypeAlias = Any
Ints1d: TypeAlias = Any
Ints2d: TypeAlias = Any
Floats1d: TypeAlias = Any
Floats2d: TypeAlias = Any
Floats3d: TypeAlias = Any


def sigmoid(logits: Any) -> Any:
    """Compute 1 / (1 + exp(-x)) without overflow."""
    return np.exp(-np.logaddexp(0, -logits))
