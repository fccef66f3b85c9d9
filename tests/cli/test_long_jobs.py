"""Messages of long jobs on stderr: that a pipeline is being loaded, and the progress."""

import threading
from pathlib import Path
from typing import Any

import pytest
import tqdm
import typer
from tiny_jobs import TEXTS, write_texts
from typer.testing import CliRunner

from spacy_sentid.batch import tasks
from spacy_sentid.batch.work import worker as work
from spacy_sentid.cli import app, long_jobs

MESSAGE = "Loading the pipeline ...\n"


class FakeTimer:
    """A stand-in for the timer of slow loading, which records its events."""

    daemon = False

    def __init__(self, events: list[str]) -> None:
        self.events = events

    def start(self) -> None:
        self.events.append("start")

    def cancel(self) -> None:
        self.events.append("cancel")


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list of events: start and end of the timer, start of the bar, processing of texts."""
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

    annotate = work.Worker._annotate

    def note(*args: Any) -> Any:
        found.append("work")
        return annotate(*args)

    monkeypatch.setattr(long_jobs, "Timer", lambda *_: FakeTimer(found))
    monkeypatch.setattr(tqdm, "tqdm", FakeBar)
    monkeypatch.setattr(work.Worker, "_annotate", note)
    return found


@pytest.mark.parametrize("with_output", [True, False])
def test_slow_loading_is_reported_once_on_stderr(
    with_output: bool, tiny_pipeline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = write_texts(tmp_path)
    said, load, echo = threading.Event(), tasks.Task.load, typer.echo

    def note(message: str, **settings: bool) -> None:
        echo(message, **settings)
        said.set()

    def load_slowly(*args: Any) -> Any:
        assert said.wait(60)
        return load(*args)

    monkeypatch.setattr(long_jobs, "LOADING_SECONDS", 0.0)
    monkeypatch.setattr(typer, "echo", note)
    monkeypatch.setattr(tasks.Task, "load", load_slowly)
    command = ["identify", str(texts), "--model", str(tiny_pipeline)]
    command += ["-o", str(tmp_path / "out.jsonl")] if with_output else []
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0
    assert result.stderr.count(MESSAGE) == 1
    assert result.stdout.count("\n") == (0 if with_output else len(TEXTS))
    assert MESSAGE not in result.stdout


def test_quick_loading_is_not_reported(tiny_pipeline: Path, tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    result = CliRunner().invoke(app, ["identify", str(texts), "--model", str(tiny_pipeline)])
    assert result.exit_code == 0
    assert result.stderr == ""


def test_the_bar_starts_when_the_pipeline_is_loaded(
    events: list[str], tiny_pipeline: Path, tmp_path: Path
) -> None:
    texts, out = write_texts(tmp_path), tmp_path / "out.jsonl"
    command = ["identify", str(texts), "--model", str(tiny_pipeline), "-o", str(out)]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert events[:4] == ["start", "cancel", "bar at 0", "work"]
    assert events[-2:] == ["bar ends", "cancel"]


def test_the_timer_ends_with_records_on_stdout_and_with_errors(
    events: list[str], tiny_pipeline: Path, tmp_path: Path
) -> None:
    texts = write_texts(tmp_path)
    command = ["identify", str(texts), "--model"]
    assert CliRunner().invoke(app, [*command, str(tiny_pipeline)]).exit_code == 0
    assert events[:3] == ["start", "cancel", "work"]
    events.clear()
    assert CliRunner().invoke(app, [*command, str(tmp_path)]).exit_code == 1
    assert events == ["start", "cancel"]
