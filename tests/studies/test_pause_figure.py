"""The command for Figure 2 of the paper on pauses: the table, and the picture."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import spacy
from typer.testing import CliRunner, Result

from studies.__main__ import app
from studies.pauses.figure import draw_pauses
from studies.pauses.statistics import count_pauses

PAUSES = [(0.05, 20, False), (0.5, 60, True), (0.95, 160, True), (1.0, 600, None)] * 3


def test_the_figure_is_reproducible(tmp_path: Path) -> None:
    paths = [tmp_path / "figures" / name for name in ("a.svg", "b.svg", "empty.svg")]
    for path, pauses in zip(paths, [PAUSES, PAUSES, []], strict=True):
        draw_pauses(count_pauses(pauses), path)
    drawn = [path.read_text(encoding="utf8") for path in paths]
    assert drawn[0] == drawn[1]
    for label in ("[0.9, 1.0)", "[150, 500) ms", "25.0% of all", "n = 3", "accuracy 100.0"):
        assert label in drawn[0]
    assert "accuracy" not in drawn[2]


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["pause-statistics", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the model: p_B is 0.95 after 人, and 0.5 elsewhere."""

    def boundary_probs(nlp: object, texts: Iterable[str]) -> Iterable[np.ndarray]:
        return (np.array([0.95 if char == "人" else 0.5 for char in text[:-1]]) for text in texts)

    monkeypatch.setattr("spacy_sentid.components.pipelines.load", lambda *names: spacy.blank("zh"))
    monkeypatch.setattr("studies.pauses.statistics.boundary_probs", boundary_probs)


def write_pauses(path: Path) -> Path:
    rows = [
        {"id": "a", "chars": list("有人在听"), "pause_ms": [20, 230, 0]},
        {"id": "b", "chars": list("好的"), "pause_ms": [600]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    return path


@pytest.mark.usefixtures("model")
def test_pauses_are_counted_by_probability_and_duration(tmp_path: Path) -> None:
    found = write_pauses(tmp_path / "pauses.jsonl")
    gold = tmp_path / "gold.txt"
    gold.write_text("有人 ， 在 听 。\n", encoding="utf8")
    out = tmp_path / "out" / "table.json"
    result = run(found, "--gold", gold, "--json", out, "--svg", tmp_path / "a.svg")
    assert "1 of 2 utterances" in result.stderr
    assert [line.split()[:4] for line in result.stdout.splitlines()[2:4]] == [
        ["[0.1,", "0.9)", "2", "66.7"],
        ["[0.9,", "1.0)", "1", "33.3"],
    ]
    report = json.loads(out.read_text())
    assert (report["model"], report["n_pauses"]) == ("zh", 3)
    assert [row["accuracy"] for row in report["bins"]] == [None, 0.0, 1.0, None]
    assert "66.7% of all" in (tmp_path / "a.svg").read_text(encoding="utf8")
    assert report["bins"][1]["internal"]["[500, INF)"] == 0.5


@pytest.mark.usefixtures("model")
def test_statistics_without_pauses_are_an_error(tmp_path: Path) -> None:
    found = tmp_path / "pauses.jsonl"
    found.write_text('{"chars": ["好", "的"], "pause_ms": [5]}\n', encoding="utf8")
    assert "pauses" in run(found, code=1).stderr
    assert "output" in run(found, "--json", found, code=1).stderr
    found.write_text("[]\n", encoding="utf8")
    assert "pauses.jsonl:1" in run(found, code=1).stderr
