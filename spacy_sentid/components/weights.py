"""Serialize the weights of a model with a checksum, and reject damaged or diverged weights.

dict of weights from thinc <-> msgpack
"""

from typing import Any
from zlib import crc32

import numpy as np
import srsly

CHECKSUM = "crc32"
# Trained weights are far below this. Larger ones, inf and nan come from a training that diverged.
MAX_WEIGHT = 1e6


def weights_to_bytes(weights: dict[str, Any]) -> bytes:
    """Serialize weights with their checksum."""
    weights = srsly.msgpack_loads(srsly.msgpack_dumps(weights))  # copies GPU arrays to the CPU
    data: bytes = srsly.msgpack_dumps({**weights, CHECKSUM: _checksum(weights)})
    return data


def weights_from_bytes(data: bytes) -> dict[str, Any]:
    """Read weights, with or without a checksum (earlier versions wrote none).

    Raises ValueError if they are damaged, or if a number is too large, infinite or nan.
    """
    weights = srsly.msgpack_loads(data)
    if not isinstance(weights, dict) or not {"nodes", "attrs", "params", "shims"} <= set(weights):
        raise ValueError("it must contain weights, got none")
    checksum = weights.pop(CHECKSUM, None)
    if checksum is not None and checksum != _checksum(weights):
        raise ValueError("its checksum is wrong")
    for node, params in zip(weights["nodes"], weights["params"], strict=True):
        for name, values in params.items():
            if getattr(values, "dtype", None) == np.float16:  # bundled weights have 16 bits
                params[name] = values.astype("float32")
            if not _are_small(params[name]):
                raise ValueError(
                    f"weights must be numbers below {MAX_WEIGHT:.0e}, got others in {name!r} of "
                    f"{node['name']!r} because the training diverged"
                )
    return weights


def _are_small(values: Any) -> bool:
    if getattr(values, "dtype", None) != np.float32 or not values.size:
        return True  # not weights, but integers such as the keys of words
    # If a value is nan, the minimum and maximum are nan, and the comparisons are False.
    return bool(values.min() > -MAX_WEIGHT and values.max() < MAX_WEIGHT)


def _checksum(weights: dict[str, Any]) -> int:
    """Compute the checksum of all weights except those of torch, which have their own."""
    total = crc32(srsly.msgpack_dumps(weights["nodes"]))
    for values in [values for part in ("attrs", "params") for values in weights[part]]:
        for name, value in values.items():
            total = crc32(name.encode(), total)
            # Do not copy arrays, which would take most of the time.
            is_plain = isinstance(value, bytes | np.ndarray)
            total = crc32(value if is_plain else srsly.msgpack_dumps(value), total)
    return total
