"""Whole jobs: their output, and their errors for bad input."""

import csv
import gzip
import io
import json
import os
import shutil
from pathlib import Path

import pytest
from tiny_jobs import TEXTS, give_input, interrupt, make_job, read_rows, write_texts

from spacy_sentid.batch.input.documents import ReadSettings
from spacy_sentid.batch.input.readers import (
    BATCH_CHARS,
    BATCH_RECORDS,
    DocumentReader,
    make_batches,
)
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.work.worker import WorkSettings

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
    told = []
    job = make_job(tiny_pipeline, texts, out=many, shard_size=60, n_process=2)
    summary = run_job(job, on_progress=lambda *done: told.append(done))
    assert summary.n_shards > 5
    assert told[0] == (0, texts.stat().st_size, 0)
    assert many.read_bytes() == one.read_bytes()


def test_bad_records_are_listed_next_to_the_output(tiny_pipeline, tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(b'{"text": "I sleep."}\nnonsense\n{"body": 1}\n\xff\n{"text": "Page 3"}\n')
    summary = run_job(make_job(tiny_pipeline, path, out=out))
    assert (summary.n_records, summary.n_errors) == (2, 3)
    assert [row["id"] for row in read_rows(out)] == [f"{path}:1", f"{path}:5"]
    errors = read_rows(tmp_path / "out.jsonl.errors.jsonl")
    assert [row["place"] for row in errors] == [f"{path}:{n}" for n in (2, 3, 4)]
    assert all(row["reason"] for row in errors)


def test_a_truncated_gz_ends_the_job_and_keeps_finished_shards(tiny_pipeline, texts, tmp_path):
    packed, out = tmp_path / "b.jsonl.gz", tmp_path / "out.jsonl"
    packed.write_bytes(gzip.compress(texts.read_bytes())[:-20])
    with pytest.raises(ValueError, match=r"b\.jsonl\.gz"):
        run_job(make_job(tiny_pipeline, texts, packed, out=out, shard_size=300))
    assert not out.exists()
    assert list((tmp_path / "out.jsonl.job").glob("0*.json"))


def test_a_full_disk_ends_the_job_and_keeps_finished_shards(
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


def test_a_pipeline_that_does_not_load_is_explained(texts, tmp_path):
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
        assert all(row.pop("part") is None and row.pop("text") is None for row in rows)
        units = [unit for row in rows for unit in row["units"]]
        assert all(unit.pop("kind") is None and unit.pop("kind_score") is None for unit in units)
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


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_an_empty_input_gives_an_empty_output(tiny_pipeline, tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / "a.jsonl"
    path.write_text("")
    summary = run_job(make_job(tiny_pipeline, path, out=tmp_path / name))
    assert summary.n_records == 0
    assert (tmp_path / name).exists()


def test_an_output_in_the_input_folder_is_not_read(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    job = make_job(tiny_pipeline, tmp_path, out=out, shard_size=200)
    interrupt(job)
    assert run_job(job).n_records == len(TEXTS)
    assert run_job(job).n_records == len(TEXTS)


def test_an_output_that_is_a_folder_is_refused_before_the_work(tiny_pipeline, texts, tmp_path):
    (tmp_path / "out.jsonl").mkdir()
    with pytest.raises(ValueError, match="folder"):
        run_job(make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl"))


def test_a_full_disk_is_reported_with_the_file(tiny_pipeline, texts, tmp_path, monkeypatch):
    def fail(_file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left .*job\.json"):
        run_job(make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl"))


def test_errors_of_loading_come_from_other_processes(tiny_pipeline, texts, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(tiny_pipeline, broken)
    config = (broken / "config.cfg").read_text()
    (broken / "config.cfg").write_text(config.replace("pretrained =", "pretraind ="))
    job = make_job(broken, texts, out=tmp_path / "out.jsonl", n_process=2)
    with pytest.raises(ValueError, match="pretraind"):
        run_job(job)


def test_many_short_records_are_split_into_shards(tmp_path):
    path = tmp_path / "bad.jsonl.gz"
    path.write_bytes(gzip.compress(b"x\n" * (3 * BATCH_RECORDS)))
    reader = DocumentReader(find_sources([str(path)]), ReadSettings())
    batches = list(make_batches(reader, shard_size=BATCH_CHARS))
    assert [batch.end.number for batch in batches[:2]] == [BATCH_RECORDS, 2 * BATCH_RECORDS]
    assert batches[2].end.source == 1


def test_progress_never_exceeds_the_total(tiny_pipeline, texts, tmp_path, monkeypatch):
    give_input(monkeypatch, "I sleep.\n" * 500)
    told = []
    job = make_job(tiny_pipeline, "-", texts, out=tmp_path / "out.jsonl", format="lines")
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


def list_units(path: Path) -> list[list[str]]:
    """List the units in JSON lines as rows of a table."""
    texts = dict(enumerate(TEXTS))
    names = ("start_char", "end_char", "label", "kind", "score", "label_score", "kind_score")
    return [
        [
            str(row["id"]),
            *(str(unit.get(name, "")) for name in names),
            texts[row["id"]][unit["start_char"] : unit["end_char"]],
        ]
        for row in read_rows(path)
        for unit in row["units"]
    ]


@pytest.mark.parametrize("name", ["out.csv", "out.tsv.gz", "out.csv.zst", "out/"])
def test_tables_have_a_row_for_each_unit_also_when_resumed(tiny_pipeline, texts, tmp_path, name):
    zstandard = pytest.importorskip("zstandard")
    plain = tmp_path / "plain.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=plain))
    settings = {"out": f"{tmp_path}/{name}", "shard_size": 60, "folder_suffix": ".csv"}
    job = make_job(tiny_pipeline, texts, **settings)
    interrupt(job)
    assert run_job(job).n_shards_before >= 2
    out = tmp_path / name
    parts = sorted(out.iterdir()) if name == "out/" else [out]
    rows = []
    for path in parts:
        data = path.read_bytes()
        if name.endswith("gz"):
            data = gzip.decompress(data)
        elif name.endswith("zst"):
            data = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
        dialect = "excel-tab" if "tsv" in name else "excel"
        header, *found = csv.reader(io.StringIO(data.decode("utf8"), newline=""), dialect)
        assert header[:4] == ["id", "start_char", "end_char", "label"]
        rows += found
    assert len(parts) > 2 or name != "out/"
    assert rows == list_units(plain)


@pytest.mark.parametrize(
    "change",
    [{"settings": {"decoder": "bos_eos"}}, {"settings": {"max_length": 3}}, {"with_text": True}],
)
def test_a_job_is_not_resumed_with_other_options(tiny_pipeline, texts, tmp_path, change):
    out = tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=out))
    work = WorkSettings(model=str(tiny_pipeline), **change)
    with pytest.raises(ValueError, match=next(iter(change))):
        run_job(make_job(tiny_pipeline, texts, out=out, work=work))


def test_texts_without_nsus_are_not_written_as_tables(texts, tmp_path):
    job = make_job(Path(), texts, out=tmp_path / "out.csv", work=WorkSettings(keep="su"))
    with pytest.raises(ValueError, match=r"must be \.jsonl or \.parquet, got \.csv"):
        run_job(job)


def test_files_of_all_kinds_are_read_and_skipped_items_are_counted(tiny_pipeline, tmp_path):
    folder, out = tmp_path / "in", tmp_path / "out.jsonl"
    folder.mkdir()
    (folder / "a.html").write_text("<p>I <b>like</b> cats.</p><!-- x -->", encoding="utf8")
    (folder / "b.eml").write_text("Subject: Hi\nX: 1\n\nI sleep.\n", encoding="utf8")
    (folder / "c.eml").write_text("", encoding="utf8")
    (folder / "d.md").write_text("# Title\n", encoding="utf8")
    summary = run_job(make_job(tiny_pipeline, folder, out=out, n_process=2))
    page, mail, markdown = read_rows(out)
    assert page["text"] == "I like cats."
    assert mail["text"] == "Subject: Hi\n\nI sleep."
    assert (page.keys(), markdown.keys()) == ({"id", "text", "units"}, {"id", "units"})
    assert summary.left_out == {"comments": 1, "headers": 1, "tags": 4}
    assert summary.first_error.startswith(f"{folder / 'c.eml'}: the file must be a mail")
