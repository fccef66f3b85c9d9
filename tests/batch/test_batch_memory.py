"""Batch jobs whose records are longer than memory, or than the limit for one."""

import gzip
import io
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

from spacy_sentid.batch.formats import formats, parquet, spool
from spacy_sentid.batch.formats import records as batch_records
from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import DocumentReader
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.batch.job import run_job
from spacy_sentid.batch.work import worker
from spacy_sentid.batch.work.worker import WorkSettings
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
    "a.csv": (b"text\n", b"%s\n"),
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
    found = read_file(path, lines=True, max_record_bytes=30)
    assert [isinstance(each, Document) for each in found] == [True, False, True, False, False]
    first = 2 if head else 1
    assert [each.place for each in found] == [f"{path}:{n}" for n in range(first, first + 5)]
    lengths = [each.reason.split(".")[0] for each in found if isinstance(each, BadLine)]
    what = "row" if head else "line"
    text = "the {} must have at most 30 bytes, got {:,}"
    assert lengths[:2] == [text.format(what, n_bytes)] * 2
    assert lengths[2] == text.format(what, n_bytes - 1)
    assert read_resumed(path, lines=True, max_record_bytes=30) == found


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
    is_text = name == "a.txt"
    sources = find_sources([str(path)], lines=is_text)
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


@pytest.mark.parametrize(
    ("part", "name", "place"),
    [
        ("input.readers", "_parse_json_line", "{path}"),
        ("work.worker.Worker", "_annotate", "{path}:1 to {path}:2"),
        ("work.worker", "encode_records", "{path}:1 to {path}:2"),
        ("output", "merge_files", "{out}"),
    ],
)
def test_too_little_memory_ends_a_job_with_the_place_and_what_to_do(
    tiny_pipeline, tmp_path, monkeypatch, part, name, place
):
    def fail(*_args, **_settings):
        raise MemoryError

    path, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"text": "I sleep."}\n{"text": "You sleep."}\n')
    monkeypatch.setattr(f"spacy_sentid.batch.{part}.{name}", fail)
    expected = f"{place.format(path=path, out=out)}: there is not enough memory for this."
    job = make_job(tiny_pipeline, path, out=out)
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}.*--n-process.*--max-record-"):
        run_job(job)
    monkeypatch.undo()
    assert run_job(job).n_records == 2


def make_rows(n_blocks: int) -> list[list[dict]]:
    rows = [{"start_char": 9 * n, "end_char": 9 * n + 8, "text": f"é{n}\ud800"} for n in range(7)]
    return [rows[: n % 8] for n in range(n_blocks)]


@pytest.mark.parametrize("n_blocks", range(10))
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv", ".jsonl.gz", ".jsonl.zst"])
def test_rows_in_a_spool_are_written_like_those_in_a_list(n_blocks, suffix, monkeypatch):
    monkeypatch.setattr(spool, "BLOCK_BYTES", 50)
    monkeypatch.setattr(formats, "PIECE_CHARS", 20)
    blocks = make_rows(n_blocks)
    rows = [row for block in blocks for row in block]
    written = []
    for found in (rows, spool.spool_rows(blocks)):
        records = [{"id": 1, "sentences": rows[:2]}, {"id": 2, "part": 1, "sentences": found}] * 2
        made = formats.encode_records(records, formats.find_encoding(suffix), task="sentences")
        written.append(b"".join(formats.encode_shard([made, made], suffix)))
    assert written[0] == written[1]
    if suffix == ".jsonl":
        lines = [json.loads(line) for line in written[0].splitlines()]
        assert [line["sentences"] for line in lines] == [rows[:2], rows] * 4


@pytest.mark.parametrize("n_blocks", range(10))
@pytest.mark.parametrize("long_bytes", [0, 10**9])
def test_rows_in_a_spool_are_the_same_in_parquet(n_blocks, long_bytes, monkeypatch):
    monkeypatch.setattr(parquet, "LONG_RECORD_BYTES", long_bytes)
    blocks = [[{**row, "text": "é"} for row in block] for block in make_rows(n_blocks)]
    rows = [row for block in blocks for row in block]
    read = []
    for found in (rows, spool.spool_rows(blocks)):
        records = [{"id": 1, "sentences": rows[:2]}, {"id": 2, "part": 1, "sentences": found}] * 2
        schema = parquet.make_schema("sentences", with_text=True)
        table = parquet.make_table(records, schema)
        [data] = formats.encode_shard([table, table], ".parquet")
        merged = io.BytesIO()
        formats.merge_files([io.BytesIO(data), io.BytesIO(data)], merged, ".parquet")
        read.append(pq.read_table(merged))
    assert read[0] == read[1]
    assert read[0].num_rows == 16


@pytest.mark.parametrize("settings", [{}, {"with_text": True}, {"keep": "su"}])
@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_long_document_has_the_same_record_as_from_a_list(
    tiny_pipeline, tmp_path, monkeypatch, settings, name
):
    def collect(blocks):
        return [row for block in blocks for row in block]

    texts = [" ".join(TEXTS[:4]) * 9, "I sleep.", "", "<p>Page 3<p>" * 99]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in enumerate(texts)))
    monkeypatch.setattr(worker, "BLOCK_CHARS", 200)
    work = WorkSettings(model=str(tiny_pipeline), **settings)
    written = []
    for spool_rows in (spool.spool_rows, collect):
        monkeypatch.setattr(batch_records, "spool_rows", spool_rows)
        run_job(make_job(tiny_pipeline, path, out=tmp_path / name, work=work, overwrite=True))
        written.append((tmp_path / name).read_bytes())
    if name == "out.parquet":
        written = [pq.read_table(io.BytesIO(data)).to_pylist() for data in written]
    assert written[0] == written[1]


@pytest.mark.parametrize("keep", [None, "su"])
def test_the_rows_of_a_long_document_take_little_memory(tmp_path, keep):
    text = "He came. " * 60_000
    labelled = [{"start_char": 9 * n, "end_char": 9 * n + 8, "label": "SU"} for n in range(60_000)]
    blocks = (labelled[n : n + 4_000] for n in range(0, 60_000, 4_000))
    with trace_memory() as peak:
        record = batch_records.make_record(Document(1, text), blocks, "units", keep=keep)
        made = formats.encode_records([record])
    assert made.n_bytes > (1_000_000 if keep else 3_000_000)
    assert peak[0] < 8_000_000
