"""Scores of tags, tuned thresholds, and the command that prints them."""

import json
from pathlib import Path

import numpy as np
import pytest
import tiny_pairs
from sklearn.metrics import accuracy_score, f1_score
from typer.testing import CliRunner

from spacy_sentid.cli import app
from spacy_sentid.components.pipelines import find, load
from spacy_sentid.paraphrase_tagger.corpus import format_pair
from spacy_sentid.paraphrase_tagger.scorer import (
    make_paraphrase_scorer,
    score_examples,
    score_tagger,
    score_tags,
    tune_threshold,
)
from spacy_sentid.scores import summarise_scores

RNG = np.random.default_rng(0)
RANDOM = [(RNG.integers(0, 2, n), RNG.integers(0, 2, n)) for n in (1, 5, 40, 200)]


@pytest.mark.parametrize(("gold", "pred"), RANDOM)
def test_word_scores_are_those_of_scikit_learn(gold: np.ndarray, pred: np.ndarray) -> None:
    scores = score_tags([gold], [pred])
    assert scores["paraphrase_acc"] == pytest.approx(accuracy_score(gold, pred))
    assert scores["unparaphrased_f"] == pytest.approx(f1_score(gold, pred, zero_division=1.0))


def test_only_exact_spans_count() -> None:
    scores = score_tags([[1, 1, 0, 1]], [[1, 0, 0, 1]])
    assert scores["spans_unparaphrased_f"] == 0.5


def test_words_without_gold_do_not_count() -> None:
    scores = score_tags([np.array([-1, 1, 0])], [np.array([1, 1, 0])])
    assert scores["paraphrase_acc"] == scores["unparaphrased_f"] == 1.0


def test_f1_is_1_without_gold_and_predicted_spans() -> None:
    assert score_tags([[0, 0]], [[0, 0]])["unparaphrased_f"] == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_tuned_threshold_is_the_best(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tags, probs = rng.integers(0, 2, 60), rng.integers(0, 9, 60) / 8
    threshold, best = tune_threshold(tags, probs)
    scores = {t: score_tags([tags], [(probs >= t).astype(int)])["unparaphrased_f"] for t in probs}
    assert best == pytest.approx(max(scores.values())) == pytest.approx(scores[threshold])


def test_scores_are_summarised_by_mean_and_deviation() -> None:
    summary = summarise_scores([{"f": 0.5}, {"f": 0.7}])
    assert summary["mean"]["f"] == pytest.approx(0.6)
    assert summary["sd"]["f"] == pytest.approx(0.1 * 2**0.5)


def test_examples_without_gold_are_skipped() -> None:
    assert make_paraphrase_scorer() is score_examples
    assert score_examples([]) == {}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{format_pair(pair)}\n" for pair in tiny_pairs.PAIRS))
    return path


def invoke(*args: object) -> str:
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_prints_a_table(file: Path, tmp_path: Path) -> None:
    tiny_pairs.trained().to_disk(tmp_path / "model")
    out = tmp_path / "scores.json"
    command = ["evaluate", "pairs", file, "--model", tmp_path / "model", "--json", out]
    rows = [line.split() for line in invoke(*command).splitlines()]
    assert rows[:3] == [
        ["P", "R", "F1"],
        ["words", "100.0", "100.0", "100.0"],
        ["exact", "spans", "100.0", "100.0", "100.0"],
    ]
    assert json.loads(out.read_text())["scores"]["unparaphrased_best_f"] == 1.0
    assert invoke(*command, "--threshold", 1).splitlines()[1].split()[2] == "0.0"


def test_pairs_are_scored_under_the_key_of_the_tagger() -> None:
    nlp = tiny_pairs.trained()
    find(nlp, "paraphrase_tagger").cfg["key"] = "other"
    assert score_tagger(nlp, tiny_pairs.PAIRS)["unparaphrased_f"] == 1.0


def test_a_pipeline_without_the_tagger_is_an_error(tmp_path: Path) -> None:
    import spacy

    spacy.blank("en").to_disk(tmp_path / "model")
    with pytest.raises(ValueError, match="paraphrase_tagger"):
        find(load(str(tmp_path / "model")), "paraphrase_tagger")
    with pytest.raises(ValueError, match="none"):
        load(str(tmp_path / "none"))
