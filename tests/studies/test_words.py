"""The study of Chinese word segmenters: its models and its sets."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studies.options import find_models
from studies.words.compare import SETS


def test_models_are_named_and_patterns_match_seeds(tmp_path: Path) -> None:
    for seed in (2, 1):
        (tmp_path / f"seed-{seed}").mkdir()
    found = find_models([f"cnn={tmp_path}/seed-*", "bundled=zh", "cnn=other"])
    seeds = [f"{tmp_path}/seed-{seed}" for seed in (1, 2)]
    assert found == {"cnn": [*seeds, "other"], "bundled": ["zh"]}


@pytest.mark.parametrize("argument", ["cnn", "=folder", "cnn=", "cnn=/no/such/*"])
def test_an_invalid_model_option_is_an_error(argument: str) -> None:
    with pytest.raises(ValueError, match="--model"):
        find_models([argument])


def test_all_sets_exist(find_corpus: Callable[[str], Path]) -> None:
    folder = find_corpus("cws")
    files = {str(path.relative_to(folder)) for path in folder.glob("*/*.txt")}
    assert {row.path for row in SETS} <= files
