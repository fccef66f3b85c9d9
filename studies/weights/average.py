"""Average the weights of pipelines that were trained further from the same weights.

    python -m studies.weights.average OUT SEED... [--component sentence_identifier]

The mean of such weights is often as good as the best of them, and does not depend on one seed.
OUT is a copy of the first pipeline with the mean weights. Calibrate it before you use its scores.
"""

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spacy_sentid.components.weights import weights_from_bytes, weights_to_bytes


def main() -> None:
    """Average the weights of the pipelines of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("seeds", type=Path, nargs="+")
    parser.add_argument("--component", default="sentence_identifier")
    args = parser.parse_args()
    average_pipelines(args.seeds, args.out, component=args.component)


def average_pipelines(pipelines: Sequence[Path], out: Path, *, component: str) -> None:
    """Write a copy of the first pipeline with the mean of the weights of all.

    Raises ValueError if the weights have different shapes.
    """
    files = [pipeline / component / "model" for pipeline in pipelines]
    message = average_weights([file.read_bytes() for file in files])
    shutil.copytree(pipelines[0], out)
    (out / component / "model").write_bytes(message)


def average_weights(weights: Sequence[bytes]) -> bytes:
    """Return the mean of weights of the same model.

    Raises ValueError if they have different shapes.
    """
    messages = [weights_from_bytes(one) for one in weights]
    for layers in zip(*(message["params"] for message in messages), strict=True):
        for name, value in layers[0].items():
            arrays = [layer[name] for layer in layers]
            if len({getattr(array, "shape", None) for array in arrays}) > 1:
                raise ValueError(f"The weights must be of one model, got other shapes of {name!r}.")
            if isinstance(value, np.ndarray):
                layers[0][name] = np.mean(arrays, axis=0, dtype="float64").astype(value.dtype)
    return weights_to_bytes(messages[0])


if __name__ == "__main__":
    main()
