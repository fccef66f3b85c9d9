"""Figure 2 of the paper on pauses."""

import json
from pathlib import Path

from typer.testing import CliRunner

from spacy_sentid.word_segmenter.speech.statistics import count_pauses
from studies.__main__ import app

PAUSES = [(0.05, 20, False), (0.5, 60, True), (0.95, 160, True), (1.0, 600, None)] * 3


def draw(pauses: list[tuple], folder: Path, name: str) -> bytes:
    report = folder / "report.json"
    report.write_text(json.dumps({"bins": [row._asdict() for row in count_pauses(pauses)]}))
    found = CliRunner().invoke(app, ["pause-figure", str(report), str(folder / name)])
    assert found.exit_code == 0, found.output
    return (folder / name).read_bytes()


def test_the_figure_is_reproducible(tmp_path: Path) -> None:
    drawn = [draw(PAUSES, tmp_path, name) for name in ("figures/a.svg", "figures/b.svg")]
    assert drawn[0] == drawn[1]
    text = drawn[0].decode()
    for label in ("[0.9, 1.0)", "[150, 500) ms", "25.0% of all", "n = 3", "accuracy 100.0"):
        assert label in text
    assert b"accuracy" not in draw([], tmp_path, "empty.svg")


def test_an_invalid_report_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    found = CliRunner().invoke(app, ["pause-figure", str(tmp_path / "a.json"), "a.svg"])
    assert found.exit_code == 1
    assert "a.json" in found.output
