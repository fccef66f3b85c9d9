"""The mean of the weights of several trainings."""

from pathlib import Path

import numpy as np
import pytest
import spacy

from spacy_sentid.components.weights import weights_from_bytes, weights_to_bytes
from studies.weights.average import average_pipelines, average_weights
from tests import tiny


def to_bytes(*arrays: np.ndarray) -> bytes:
    params = [{"W": array} for array in arrays]
    return weights_to_bytes(
        {"nodes": [{"index": n} for n in range(len(params))], "attrs": [], "params": params,
         "shims": []}
    )  # fmt: skip


def test_each_weight_is_the_mean() -> None:
    first = to_bytes(np.asarray([1, 2], dtype="float32"), np.asarray([[0]], dtype="float32"))
    second = to_bytes(np.asarray([3, 2], dtype="float32"), np.asarray([[5]], dtype="float32"))
    found = weights_from_bytes(average_weights([first, second]))["params"]
    assert [layer["W"].tolist() for layer in found] == [[2, 2], [[2.5]]]
    assert found[0]["W"].dtype == np.float32


def test_the_mean_of_one_is_the_same() -> None:
    weights = to_bytes(np.asarray([0.1, 7], dtype="float32"))
    assert average_weights([weights]) == weights


def test_weights_of_other_models_are_an_error() -> None:
    two, three = (to_bytes(np.zeros(n, dtype="float32")) for n in (2, 3))
    with pytest.raises(ValueError, match="must be of one model"):
        average_weights([two, three])


def test_the_mean_pipeline_can_be_loaded(tmp_path: Path) -> None:
    tiny.trained().to_disk(tmp_path / "seed-0")
    average_pipelines([tmp_path / "seed-0"] * 2, tmp_path / "mean", component=tiny.NAME)
    before, after = (spacy.load(tmp_path / name)(tiny.TEXT) for name in ("seed-0", "mean"))
    assert tiny.unit_texts(after) == tiny.unit_texts(before)
