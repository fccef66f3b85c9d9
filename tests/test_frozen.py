"""The bundled models still give the recorded outputs."""

import json

import pytest
from frozen_outputs import FILE, find_outputs


def test_the_bundled_models_find_the_recorded_spans_and_scores() -> None:
    recorded = [json.loads(line) for line in FILE.read_text(encoding="utf8").splitlines()]
    found = list(find_outputs())
    assert len(found) == len(recorded) > 800
    for new, old in zip(found, recorded, strict=True):
        assert new.keys() == old.keys()
        for key, value in old.items():
            if key == "settings" or not isinstance(value, dict):
                assert new[key] == value
                continue
            assert new[key]["spans"] == value["spans"], old
            assert new[key].keys() == value.keys()
            for name in value.keys() - {"spans"}:
                # Scores are probabilities; the support of a word is a logit of up to about 5.
                assert new[key][name] == pytest.approx(value[name], abs=1.5e-5, rel=1e-5), old
