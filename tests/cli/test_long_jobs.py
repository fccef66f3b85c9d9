"""The progress of long jobs on stderr."""

from pathlib import Path
from typing import Any

import pytest
import tqdm
from tiny_jobs import write_texts
from typer.testing import CliRunner

from spacy_sentid.batch.work import worker as work
from spacy_sentid.cli import app


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list of events: loading, start and end of the bar, processing of texts."""
    found: list[str] = []

    class FakeBar:
        n = 0

        def __init__(self, initial: int, **_: Any) -> None:
            found.append(f"bar at {initial}")

        def __enter__(self) -> "FakeBar":
            return self

        def __exit__(self, *_: object) -> None:
            found.append("bar ends")

        def set_postfix_str(self, *_: object, **__: object) -> None:
            pass

        def update(self, _: int) -> None:
            pass

    def note(name: str) -> None:
        method = getattr(work.Worker, name)

        def run(*args: Any) -> Any:
            found.append(name)
            return method(*args)

        monkeypatch.setattr(work.Worker, name, run)

    monkeypatch.setattr(tqdm, "tqdm", FakeBar)
    note("_load")
    note("_annotate")
    return found


def test_the_bar_starts_when_the_pipeline_is_loaded(
    events: list[str], tiny_pipeline: Path, tmp_path: Path
) -> None:
    texts, out = write_texts(tmp_path), tmp_path / "out.jsonl"
    command = ["identify", str(texts), "--model", str(tiny_pipeline), "-o", str(out)]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert events[:3] == ["_load", "bar at 0", "_annotate"]
    assert events[-1] == "bar ends"


def test_records_on_standard_output_have_no_bar(
    events: list[str], tiny_pipeline: Path, tmp_path: Path
) -> None:
    texts = write_texts(tmp_path)
    result = CliRunner().invoke(app, ["identify", str(texts), "--model", str(tiny_pipeline)])
    assert result.exit_code == 0
    assert result.stderr == ""
    assert set(events) == {"_load", "_annotate"}
