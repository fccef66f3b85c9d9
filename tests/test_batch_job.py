"""Whole jobs: what is written, and what is told of bad input."""

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
from tiny_jobs import TEXTS, give_input, interrupt, make_job, read_rows, write_texts

from spacy_sentid.batch.documents import ReadSettings
from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.readers import BATCH_CHARS, BATCH_RECORDS, DocumentReader, make_batches
from spacy_sentid.batch.sources import find_sources
from spacy_sentid.batch.worker import WorkSettings

pytestmark = pytest.mark.usefixtures("light_processes")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path)


def test_a_job_writes_a_record_for_each_document_in_their_order(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    summary = run_job(make_job(tiny_pipeline, texts, out=out))
    rows = read_rows(out)
    assert [row["id"] for row in rows] == list(range(len(TEXTS)))
    assert rows[1] == {"id": 1, "units": []}
    for row, text in zip(rows, TEXTS, strict=True):
        covered = "".join(text[unit["start_char"] : unit["end_char"]] for unit in row["units"])
        assert "".join(covered.split()) == "".join(text.split())
    assert (summary.n_records, summary.n_errors) == (len(TEXTS), 0)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"texts.jsonl", "out.jsonl", "out.jsonl.manifest.json"}


def test_shards_and_processes_change_nothing(tiny_pipeline, texts, tmp_path):
    one, many = tmp_path / "one.jsonl", tmp_path / "many.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=one))
    summary = run_job(make_job(tiny_pipeline, texts, out=many, shard_size=60, n_process=2))
    assert summary.n_shards > 5
    assert many.read_bytes() == one.read_bytes()


def test_bad_records_are_told_beside_the_output(tiny_pipeline, tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(b'{"text": "I sleep."}\nnonsense\n{"body": 1}\n\xff\n{"text": "Page 3"}\n')
    summary = run_job(make_job(tiny_pipeline, path, out=out))
    assert (summary.n_records, summary.n_errors) == (2, 3)
    assert [row["id"] for row in read_rows(out)] == [f"{path}:1", f"{path}:5"]
    errors = read_rows(tmp_path / "out.jsonl.errors.jsonl")
    assert [row["place"] for row in errors] == [f"{path}:{n}" for n in (2, 3, 4)]
    assert all(row["reason"] for row in errors)


def test_errors_raise_ends_the_job_at_a_bad_record(tiny_pipeline, tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"text": "I sleep."}\nnonsense\n')
    with pytest.raises(ValueError, match=r"a\.jsonl:2: "):
        run_job(make_job(tiny_pipeline, path, out=out, raise_errors=True))
    assert not out.exists()
    assert run_job(make_job(tiny_pipeline, path, out=out)).n_errors == 1


def test_a_truncated_gz_ends_the_job_and_keeps_what_is_finished(tiny_pipeline, texts, tmp_path):
    packed, out = tmp_path / "b.jsonl.gz", tmp_path / "out.jsonl"
    packed.write_bytes(gzip.compress(texts.read_bytes())[:-20])
    with pytest.raises(ValueError, match=r"b\.jsonl\.gz"):
        run_job(make_job(tiny_pipeline, texts, packed, out=out, shard_size=300))
    assert not out.exists()
    assert list((tmp_path / "out.jsonl.job").glob("0*.json"))


def test_a_full_disk_ends_the_job_and_keeps_what_is_finished(
    tiny_pipeline, texts, tmp_path, monkeypatch
):
    from spacy_sentid.files.store import Store

    write, written = Store.write, []

    def fail(self, name, data):
        written.append(name)
        if len(written) > 6:
            raise OSError(28, "No space left on device", name)
        write(self, name, data)

    job = make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=60)
    monkeypatch.setattr(Store, "write", fail)
    with pytest.raises(OSError, match="No space left"):
        run_job(job)
    monkeypatch.undo()
    assert run_job(job).n_shards_before >= 2


def test_a_pipeline_that_does_not_load_tells_why(texts, tmp_path):
    job = make_job(
        Path(), texts, out=tmp_path / "out.jsonl", work=WorkSettings(model="no_such_model")
    )
    with pytest.raises(ValueError, match="no_such_model"):
        run_job(job)


@pytest.mark.parametrize("name", ["out.jsonl.gz", "out.jsonl.zst", "out.parquet", "out/"])
def test_every_kind_of_output_has_the_same_records(tiny_pipeline, texts, tmp_path, name):
    parquet = pytest.importorskip("pyarrow.parquet")
    zstandard = pytest.importorskip("zstandard")
    plain = tmp_path / "plain.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=plain))
    out = tmp_path / name
    run_job(make_job(tiny_pipeline, texts, out=f"{tmp_path}/{name}", shard_size=100))
    if name == "out.parquet":
        rows = [{**row, "id": int(row["id"])} for row in parquet.read_table(out).to_pylist()]
        assert all(row.pop("part") is None for row in rows)
        assert rows == read_rows(plain)
        return
    if name == "out/":
        parts = sorted(out.iterdir())
        assert len(parts) > 2
        data = b"".join(path.read_bytes() for path in parts)
    elif name.endswith("gz"):
        data = gzip.decompress(out.read_bytes())
    else:
        data = zstandard.ZstdDecompressor().stream_reader(out.open("rb"), read_across_frames=True)
        data = data.read()
    assert data == plain.read_bytes()


def test_an_empty_input_gives_an_empty_output(tiny_pipeline, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("")
    for name in ("out.jsonl", "out.parquet"):
        summary = run_job(make_job(tiny_pipeline, path, out=tmp_path / name))
        assert summary.n_records == 0
        assert (tmp_path / name).exists()


def test_an_output_in_the_input_folder_is_not_read(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    job = make_job(tiny_pipeline, tmp_path, out=out, shard_size=200)
    interrupt(job)
    assert run_job(job).n_records == len(TEXTS)
    assert run_job(job).n_records == len(TEXTS)


def test_an_output_that_is_a_folder_is_told_before_the_work(tiny_pipeline, texts, tmp_path):
    (tmp_path / "out.jsonl").mkdir()
    with pytest.raises(ValueError, match="folder"):
        run_job(make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl"))


def test_a_full_disk_is_told_with_the_file(tiny_pipeline, texts, tmp_path, monkeypatch):
    def fail(_file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left .*job\.json"):
        run_job(make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl"))


def test_why_a_pipeline_does_not_load_comes_from_other_processes(tiny_pipeline, texts, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(tiny_pipeline, broken)
    config = (broken / "config.cfg").read_text()
    (broken / "config.cfg").write_text(config.replace("pretrained =", "pretraind ="))
    job = make_job(broken, texts, out=tmp_path / "out.jsonl", n_process=2)
    with pytest.raises(ValueError, match="pretraind"):
        run_job(job)


def test_shards_of_many_short_records_end_too(tmp_path):
    path = tmp_path / "bad.jsonl.gz"
    path.write_bytes(gzip.compress(b"x\n" * (3 * BATCH_RECORDS)))
    reader = DocumentReader(find_sources([str(path)]), ReadSettings())
    batches = list(make_batches(reader, shard_size=BATCH_CHARS))
    assert [batch.end.number for batch in batches[:2]] == [BATCH_RECORDS, 2 * BATCH_RECORDS]
    assert batches[2].end.source == 1


def test_progress_is_never_beyond_the_whole(tiny_pipeline, texts, tmp_path, monkeypatch):
    give_input(monkeypatch, "I sleep.\n" * 500)
    told = []
    job = make_job(tiny_pipeline, "-", texts, out=tmp_path / "out.jsonl", lines=True)
    run_job(job, on_progress=lambda done, total, _: told.append((done, total)))
    assert told[-1][0] == told[-1][1] == texts.stat().st_size
    assert all(done <= total for done, total in told)


def test_pairs_are_scored_in_a_job(tmp_path):
    path, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs = [{"id": n, "hyp": "Sales rose in May.", "ref": "In May, sales fell."} for n in range(3)]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in [*pairs, {"hyp": "alone"}]))
    summary = run_job(JobSettings([str(path)], str(out), WorkSettings(task="scores")))
    assert (summary.n_records, summary.n_errors) == (3, 1)
    assert [span["text"] for span in read_rows(out)[2]["hyp_spans"]] == ["rose"]
