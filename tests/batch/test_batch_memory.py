"""Batch jobs whose records are longer than memory, or than the limit for one."""

import gzip
import json
import re
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow.parquet as pq
import pytest
import zstandard
from batch_reads import read_file, read_resumed
from tiny_jobs import TEXTS, make_job
from typer.testing import CliRunner

from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import DocumentReader
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.batch.job import run_job
from spacy_sentid.batch.work import worker
from spacy_sentid.batch.work.worker import WorkSettings
from spacy_sentid.cli import app
from spacy_sentid.files import records
from spacy_sentid.files.records import BadLine, Line, count_lines, read_good_lines, read_lines

STORE = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
# The start of each format, and a complete record.
RECORDS = {
    "a.jsonl": (b"", b'{"text": "%s"}\n'),
    "a.txt": (b"", b"%s\n"),  # size of each line
}
WHOLE = {"a.html": b"<p>%s", "a.eml": b"Subject: a\n\n%s"}


@contextmanager
def trace_memory() -> Iterator[list[int]]:
    """Yield a list that has the peak bytes of Python's memory after the block."""
    peak: list[int] = []
    tracemalloc.start()
    try:
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("suffix", STORE)
@pytest.mark.parametrize("n_bytes", [32, 5_000_000])
@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_is_too_long_is_left_out_and_the_others_are_read(
    tmp_path, name, n_bytes, suffix
):
    path = tmp_path / f"{name}{suffix}"
    head, record = RECORDS[name]
    long = record % (b"x" * (n_bytes + 2 - len(record)))
    data = [head, record % b"a", long, record % b"b", long, long.removesuffix(b"\n")]
    path.write_bytes(STORE[suffix](b"".join(data)))
    found = read_file(path, lines=name == "a.txt", max_record_bytes=30)
    assert [isinstance(each, Document) for each in found] == [True, False, True, False, False]
    assert [each.place for each in found] == [f"{path}:{n}" for n in range(1, 6)]
    lengths = [each.reason.split(".")[0] for each in found if isinstance(each, BadLine)]
    text = "the line must have at most 30 bytes, got {:,}"
    assert lengths == [text.format(n) for n in (n_bytes, n_bytes, n_bytes - 1)]
    assert read_resumed(path, lines=name == "a.txt", max_record_bytes=30) == found


def test_a_record_that_is_as_long_as_the_limit_is_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(RECORDS["a.jsonl"][1] % b"a")
    n_bytes = path.stat().st_size
    assert [each.place for each in read_file(path, max_record_bytes=n_bytes)] == [f"{path}:1"]
    [bad] = read_file(path, max_record_bytes=n_bytes - 1)
    assert f"at most {n_bytes - 1} bytes, got {n_bytes}." in bad.reason


@pytest.mark.parametrize("suffix", STORE)
@pytest.mark.parametrize("name", WHOLE)
def test_a_file_that_is_too_long_to_be_read_whole_is_left_out(tmp_path, name, suffix):
    path = tmp_path / f"{name}{suffix}"
    data = WHOLE[name] % (b"x" * 5_000_000)
    path.write_bytes(STORE[suffix](data))
    [bad] = read_file(path, max_record_bytes=1_000_000)
    expected = f"the file must have at most 1,000,000 bytes, got {len(data):,}."
    assert (bad.place, bad.reason[: len(expected)]) == (str(path), expected)
    [page] = read_file(path, max_record_bytes=len(data))
    assert page.text.endswith("x" * 5_000_000)


def test_references_that_are_too_long_leave_a_pair_out(tmp_path):
    hyp, ref = tmp_path / "hyp.txt", tmp_path / "ref.txt"
    hyp.write_bytes(b"a\nb\n" + b"x" * 99 + b"\nd\n")
    ref.write_bytes(b"a\n" + b"x" * 99 + b"\nc\nd")
    sources = find_sources([str(hyp)], refs=[str(ref)])
    found = list(DocumentReader(sources, ReadSettings(pairs=True, max_record_bytes=20)))
    assert [each.place for each in found] == [f"{hyp}:1", f"{ref}:2", f"{hyp}:3", f"{hyp}:4"]
    assert [isinstance(each, BadLine) for each in found] == [False, True, True, False]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("name", [*RECORDS, *WHOLE])
def test_a_small_file_of_a_giant_record_takes_little_memory(tmp_path, name, suffix):
    path = tmp_path / f"{name}{suffix}"
    path.write_bytes(STORE[suffix](bytes(60_000_000)))
    sources = find_sources([str(path)], format="lines" if name == "a.txt" else None)
    reader = DocumentReader(sources, ReadSettings(max_record_bytes=1_000_000))
    with trace_memory() as peak:
        try:
            [(place, reason)] = reader
        except ValueError as error:  # the first line of a CSV file is its header
            place, reason = path, str(error)
    assert str(place).startswith(str(path))
    assert "at most 1,000,000 bytes, got 60,000,000" in reason
    # The output of one step of zstd is in memory twice. For gzip this is 2 MB.
    assert peak[0] < (20_000_000 if suffix == ".gz" else 130_000_000)


def test_lines_of_other_commands_have_the_limit_too(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_RECORD_BYTES", 10)
    path = tmp_path / "a.txt"
    path.write_bytes(b"One\n\n" + b"x" * 30 + b"\nTwo")
    reason = "the line must have at most 10 bytes, got 31. Split it."
    assert list(read_lines(path)) == [
        Line(f"{path}:1", "One"), BadLine(f"{path}:3", reason), Line(f"{path}:4", "Two")
    ]  # fmt: skip
    assert (count_lines([path]), count_lines([path], blank=True)) == (3, 4)
    with pytest.raises(ValueError, match=r"a\.txt:3: the line must have at most 10 bytes"):
        list(read_good_lines(path))


def test_too_little_memory_ends_a_job_with_what_to_do(tiny_pipeline, tmp_path, monkeypatch):
    def fail(*_args, **_settings):
        raise MemoryError

    path, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"text": "I sleep."}\n{"text": "You sleep."}\n')
    monkeypatch.setattr(worker.Worker, "_annotate", fail)
    command = ["identify", str(path), "-o", str(out), "--model", str(tiny_pipeline)]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 1
    assert re.match("Error: there is not enough memory.*--max-record-bytes", result.stderr)
    monkeypatch.undo()
    assert CliRunner().invoke(app, command).exit_code == 0


@pytest.mark.parametrize("settings", [{}, {"with_text": True}, {"keep": "su"}])
def test_a_long_document_has_the_same_rows_in_json_and_parquet(
    tiny_pipeline, tmp_path, monkeypatch, settings
):
    texts = [" ".join(TEXTS[:4]) * 9, "I sleep.", "", "<p>Page 3<p>" * 99]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in enumerate(texts)))
    monkeypatch.setattr(worker, "PART_CHARS", 200)
    work = WorkSettings(model=str(tiny_pipeline), **settings)
    written = []
    for name in ("out.jsonl", "out.parquet"):
        run_job(make_job(tiny_pipeline, path, out=tmp_path / name, work=work))
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").open()]
    key = "offsets" if "keep" in settings else "units"
    table = pq.read_table(tmp_path / "out.parquet").to_pylist()
    for record, row in zip(written, table, strict=True):
        rows = row[key]
        if key == "units":
            rows = [{k: v for k, v in unit.items() if v is not None} for unit in rows]
        assert rows == record[key]
