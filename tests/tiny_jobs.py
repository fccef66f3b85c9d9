"""Small batch jobs, complete or interrupted."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.work.worker import WorkSettings

TEXTS = [
    "I sleep. Page 3\n\nThe draft is attached.",
    "",
    "Re: Thursday\nPlease send comments by Friday.",
    "caf\u00e9 \N{GRINNING FACE} I sleep.",
] * 5


def write_texts(tmp_path: Path) -> Path:
    """Write TEXTS as a file of JSON lines."""
    path = tmp_path / "texts.jsonl"
    rows = [json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate(TEXTS)]
    path.write_text("".join(rows), encoding="utf8")
    return path


def make_job(tiny_pipeline: Path, *inputs: Path, out: Path, **settings) -> JobSettings:
    settings.setdefault("work", WorkSettings(model=str(tiny_pipeline)))
    return JobSettings([str(path) for path in inputs], str(out), **settings)


def read_rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


class Stopped(Exception):
    pass


def stop_after(n_shards: int):
    """Build a progress function that stops a job after a number of shards."""
    seen = []

    def tell(done: int, total: int, n_records: int) -> None:
        seen.append(n_records)
        if len(seen) > n_shards:
            raise Stopped

    return tell


def interrupt(job: JobSettings, n_shards: int = 3) -> None:
    with pytest.raises(Stopped):
        run_job(job, on_progress=stop_after(n_shards))


def give_input(monkeypatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
