"""Laws that commands must fulfil for any text, as in `hostile_laws`."""

import csv
import json
import random
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hostile import SURROGATES
from hostile_faults import Fault, Faults
from hostile_laws import ALONE, sample

from spacy_sentid.batch.formats.records import readable_text
from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import DocumentReader
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.batch.tasks import SCORES, SENTENCES, UNITS, WORDS
from spacy_sentid.batch.work.worker import Worker, WorkSettings
from spacy_sentid.files.records import BadLine
from spacy_sentid.view.demo.demo import answer, read_request
from spacy_sentid.view.demo.pipelines import DemoPipeline, load_pipelines


@cache
def make_worker(task: str) -> Worker:
    """Build the worker of a task once per process."""
    return Worker(WorkSettings(task=task, with_text=task in (UNITS, SENTENCES)))


def check_records(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check `identify`: each text has a JSON record, and only white space is in no row."""
    task = rng.choice([UNITS, SENTENCES, WORDS])
    documents = [Document(n, text, f"texts.jsonl:{n + 1}") for n, text in enumerate(texts)]
    result = make_worker(task)(documents)
    for bad in result.errors:
        faults.append(Fault(int(bad.place.rpartition(":")[2]) - 1, bad.reason))
    for record in map(json.loads, result.data.splitlines()):
        with faults.of(record["id"]):
            text, end = readable_text(texts[record["id"]]), 0
            for row in record[task]:
                assert end <= row["start_char"] < row["end_char"] <= len(text)
                between, found = (
                    text[end : row["start_char"]],
                    text[row["start_char"] : row["end_char"]],
                )
                end = row["end_char"]
                assert not between.strip()
                assert found == found.strip()
                assert row.get("text", found) == found
                assert 0 <= row.get("score", 0) <= 1
            assert not text[end:].strip()


def check_files(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check that texts written to JSON lines, CSV and text files are read back unchanged."""
    whole = ["".join(c for c in text if ord(c) not in SURROGATES) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        lines, table, text = (Path(folder, f"texts.{suffix}") for suffix in ("jsonl", "csv", "txt"))
        escape = rng.random() < 0.5
        rows = texts if escape else whole
        data = "".join(json.dumps({"text": row}, ensure_ascii=escape) + "\n" for row in rows)
        lines.write_bytes(data.encode())
        with table.open("w", encoding="utf8", newline="") as file:
            writer = csv.writer(file, quoting=csv.QUOTE_ALL)
            writer.writerows([["text"], *([row.replace("\0", "")] for row in whole)])
        joined = "".join(whole)
        text.write_bytes(joined.encode())
        table_rows = [row.replace("\0", "") for row in whole]  # Python 3.10 cannot read NUL in CSV
        for path, expected in ((lines, rows), (table, table_rows), (text, [joined])):
            found = list(DocumentReader(find_sources([str(path)]), ReadSettings()))
            for n, (document, row) in enumerate(zip(found, expected, strict=True)):
                with faults.of(n):
                    assert not isinstance(document, BadLine), document
                    assert document.text == row, path.suffix


@cache
def load_demo() -> dict[str, DemoPipeline]:
    """Load the pipelines of `serve` once per process."""
    return {pipeline.name: pipeline for pipeline in load_pipelines()}


def check_answers(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check that `serve` answers requests for some texts, and refuses pairs without words."""
    pipelines = load_demo()
    for n in sample(texts, ALONE, rng):
        with faults.of(n):
            name, pipeline = rng.choice(list(pipelines.items()))
            ref = "I sleep." if pipeline.task == SCORES else None
            body = json.dumps({"pipeline": name, "text": texts[n], "ref": ref}).encode()
            if ref and not readable_text(texts[n]).strip():
                with pytest.raises(ValueError, match="must have words"):
                    read_request(body, pipelines)
                continue
            html = answer(read_request(body, pipelines))["html"]
            html.encode()
            assert "<script" not in html.replace('<script type="application/json"', "")
