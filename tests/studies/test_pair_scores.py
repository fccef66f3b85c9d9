"""Scores of the recipes of the paraphrase tagger, and the tables made of their reports."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_pairs

from studies.results import list_cells
from studies.weights.pair_evaluation import (
    PairProbs,
    evaluate_taggers,
    score_at,
    tag_by_overlap,
    tune_on,
)
from studies.weights.pair_scores import make_results


def write_report(folder: Path, recipe: str, test: str, *, f: float) -> None:
    def summary(value: float, sd: float | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {"mean": {"paraphrase_acc": 0.8, "unparaphrased_f": value}}
        return (
            found if sd is None else {**found, "sd": {"paraphrase_acc": 0.0, "unparaphrased_f": sd}}
        )

    rows = [
        {"system": "overlap", "pairs": "all", "seeds": 1, "thresholds": [None]}
        | {"fixed": summary(0.6), "tuned": {}},
        {"system": "tagger", "pairs": "all", "seeds": 3, "thresholds": [0.5, 0.4, 0.6]}
        | {"fixed": summary(f, 0.01), "tuned": summary(f + 0.1, 0.02)},
    ]
    path = folder / recipe / f"{test}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"threshold": 0.3, "rows": rows}))


def test_recipes_are_lines_and_tests_are_columns(tmp_path: Path) -> None:
    for recipe, f in (("full", 0.7), ("bundled", 0.65)):
        write_report(tmp_path, recipe, "test", f=f)
    write_report(tmp_path, "full", "contrast_probe", f=0.5)
    results = make_results(tmp_path)
    assert results.settings["thresholds"]["full"] == {"fixed": 0.3, "tuned": [0.5, 0.4, 0.6]}
    assert results.values("overlap", "unparaphrased_f", dict(results.rows[0].setting)) == [0.6]
    heads, *rows = list_cells(results, results.tables[0])
    f1 = [
        heads.index(name)
        for name in ("test, fixed: F1", "test, tuned: F1", "contrast probe, fixed: F1")
    ]
    assert [[row[0], row[1], *(row[n] for n in f1)] for row in rows] == [
        ["plain overlap", "", "60.0", "", "60.0"],
        ["recipe of the bundled weights", "3", "65.0±1.0", "75.0±2.0", ""],
        ["all training data, CPU", "3", "70.0±1.0", "80.0±2.0", "50.0±1.0"],
    ]


def test_a_folder_without_reports_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"full/test\.json"):
        make_results(tmp_path)


def test_words_are_tagged_by_overlap() -> None:
    pair = tiny_pairs.pair("The dogs sleep .", "A dog sleeps !")
    assert tag_by_overlap(pair, function_words=True).probs.tolist() == [1, 1, 1, 1] * 2
    pair = tiny_pairs.pair("The Dog sleeps .", "A dog slept .")
    assert tag_by_overlap(pair, function_words=False).probs.tolist() == [0, 0, 1, 0] * 2


def test_predictions_are_scored_at_a_threshold_over_both_sides() -> None:
    pair = tiny_pairs.pair("a [b]", "a [c]")
    found = [PairProbs(pair, np.array([0.1, 0.9, 0.2, 0.4]))]
    assert score_at(found, 0.5)["unparaphrased_r"] == 0.5
    assert tune_on(found) == pytest.approx(0.21)
    assert score_at(found, 0.4)["unparaphrased_f"] == 1.0


def test_a_recipe_is_scored_with_its_seeds_and_by_source() -> None:
    nlp, pairs = tiny_pairs.trained(), tiny_pairs.PAIRS
    report = evaluate_taggers([nlp, nlp], pairs, dev=pairs, by_source=True)
    last = report["rows"][-1]
    assert (last["system"], last["seeds"]) == ("tagger", 2)
    assert last["tuned"]["mean"]["unparaphrased_f"] == 1.0
    assert last["tuned"]["sd"]["unparaphrased_f"] == 0.0
