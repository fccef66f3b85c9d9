"""Whole jobs: what is written, that they go on, that they never mix."""

import gzip
import io
import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from spacy_sentid.batch import store
from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.parcels import PARCEL_CHARS, PARCEL_RECORDS, make_parcels
from spacy_sentid.batch.plan import plan_splits
from spacy_sentid.batch.reading import Position, ReadSettings
from spacy_sentid.batch.shards import ShardFolder, ShardInfo
from spacy_sentid.batch.sources import find_sources
from spacy_sentid.batch.work import WorkSettings
from spacy_sentid.journal import stamp_model

TEXTS = [
    "I sleep. Page 3\n\nThe draft is attached.",
    "",
    "Re: Thursday\nPlease send comments by Friday.",
    "caf\u00e9 \N{GRINNING FACE} I sleep.",
] * 5


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    rows = [json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate(TEXTS)]
    path.write_text("".join(rows), encoding="utf8")
    return path


def make_job(tiny_pipeline: Path, *inputs: Path, out: Path, **settings) -> JobSettings:
    settings.setdefault("work", WorkSettings(model=str(tiny_pipeline)))
    return JobSettings([str(path) for path in inputs], str(out), **settings)


def read_rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]


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
    summary = run_job(make_job(tiny_pipeline, texts, out=many, shard_size=200, n_process=2))
    assert summary.n_shards > 5
    assert many.read_bytes() == one.read_bytes()


def test_the_same_job_again_does_nothing(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    job = make_job(tiny_pipeline, texts, out=out)
    run_job(job)
    stamp = out.stat().st_mtime_ns
    again = run_job(job)
    assert again.n_shards_before == again.n_shards
    assert out.stat().st_mtime_ns == stamp


@pytest.mark.parametrize(
    "change",
    [
        {"work": {"threshold": 0.5}},
        {"work": {"keep": "su"}},
        {"shard_size": 77},
        {"lines": True},
        {"input": True},
    ],
)
def test_another_job_does_not_touch_the_output(tiny_pipeline, texts, tmp_path, change):
    out = tmp_path / "out.jsonl"
    more = tmp_path / "more.txt"
    more.write_text("I sleep.\nYou sleep.\n")
    run_job(make_job(tiny_pipeline, texts, more, out=out))
    before = out.read_bytes()
    work = WorkSettings(model=str(tiny_pipeline), **change.get("work", {}))
    if change.get("input"):
        more.write_text("I sleep.\nYou sleep!\n")
        os.utime(more, ns=(1, 1))
    rest = {name: value for name, value in change.items() if name not in ("work", "input")}
    job = make_job(tiny_pipeline, texts, more, out=out, work=work, **rest)
    with pytest.raises(ValueError, match=r"there already, .*expected"):
        run_job(job)
    assert out.read_bytes() == before


def test_an_output_of_no_job_is_not_touched(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    with pytest.raises(ValueError, match="there already"):
        run_job(make_job(tiny_pipeline, texts, out=out))
    assert out.read_text() == "precious"
    run_job(make_job(tiny_pipeline, texts, out=out, overwrite=True))
    assert len(read_rows(out)) == len(TEXTS)


def test_an_output_that_was_changed_since_is_told(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=out))
    with out.open("a") as file:
        file.write("more")
    with pytest.raises(ValueError, match="changed since"):
        run_job(make_job(tiny_pipeline, texts, out=out))


class Stopped(Exception):
    pass


def stop_after(n_shards: int):
    """Make a progress function that stops a job when so many shards are done."""
    seen = []

    def tell(done: int, total: int, n_records: int) -> None:
        seen.append(n_records)
        if len(seen) > n_shards:
            raise Stopped

    return tell


def interrupt(job: JobSettings, n_shards: int = 3) -> None:
    with pytest.raises(Stopped):
        run_job(job, on_progress=stop_after(n_shards))


def test_an_interrupted_job_goes_on(tiny_pipeline, texts, tmp_path):
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=whole))
    job = make_job(tiny_pipeline, texts, out=out, shard_size=200)
    interrupt(job)
    assert not out.exists()
    done = list((tmp_path / "out.jsonl.job").glob("0*.jsonl"))
    assert done
    summary = run_job(job)
    assert summary.n_shards_before == len(done)
    assert out.read_bytes() == whole.read_bytes()


def test_a_gz_file_goes_on_within(tiny_pipeline, texts, tmp_path):
    packed = tmp_path / "texts.jsonl.gz"
    packed.write_bytes(gzip.compress(texts.read_bytes() * 200))
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, packed, out=whole))
    job = make_job(tiny_pipeline, packed, out=out, shard_size=20_000)
    interrupt(job, 2)
    assert run_job(job).n_shards_before
    assert out.read_bytes() == whole.read_bytes()


def test_an_interrupted_job_does_not_go_on_with_other_inputs(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    job = make_job(tiny_pipeline, texts, out=out, shard_size=200)
    interrupt(job)
    with texts.open("a") as file:
        file.write('{"text": "More."}\n')
    with pytest.raises(ValueError, match=r"texts\.jsonl is changed since"):
        run_job(job)
    run_job(make_job(tiny_pipeline, texts, out=out, shard_size=200, overwrite=True))
    assert len(read_rows(out)) == len(TEXTS) + 1


def test_an_interrupted_job_does_not_go_on_with_another_pipeline(tiny_pipeline, texts, tmp_path):
    job = make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=200)
    interrupt(job)
    other = make_job(
        tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=200, work=WorkSettings()
    )
    with pytest.raises(ValueError, match="model"):
        run_job(other)


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
    from spacy_sentid.batch.store import LocalStore

    write, written = LocalStore.write, []

    def fail(self, name, data):
        written.append(name)
        if len(written) > 6:
            raise OSError(28, "No space left on device", name)
        write(self, name, data)

    job = make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=300)
    monkeypatch.setattr(LocalStore, "write", fail)
    with pytest.raises(OSError, match="No space left"):
        run_job(job)
    monkeypatch.undo()
    assert run_job(job).n_shards_before >= 2


def test_a_second_process_is_kept_away(tiny_pipeline, texts, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    out = tmp_path / "out.jsonl"
    with (tmp_path / "out.jsonl.job.lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="another process"):
            run_job(make_job(tiny_pipeline, texts, out=out))


def test_a_pipeline_that_does_not_load_tells_why(texts, tmp_path):
    job = make_job(
        Path(), texts, out=tmp_path / "out.jsonl", work=WorkSettings(model="no_such_model")
    )
    with pytest.raises(ValueError, match="no pipeline 'no_such_model'"):
        run_job(job)


@pytest.mark.parametrize("name", ["out.jsonl.gz", "out.jsonl.zst", "out.parquet", "out/"])
def test_every_kind_of_output_has_the_same_records(tiny_pipeline, texts, tmp_path, name):
    parquet = pytest.importorskip("pyarrow.parquet")
    zstandard = pytest.importorskip("zstandard")
    plain = tmp_path / "plain.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=plain))
    out = tmp_path / name
    run_job(make_job(tiny_pipeline, texts, out=f"{tmp_path}/{name}", shard_size=300))
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


class Killed(BaseException):
    pass


def kill_at(monkeypatch, n: int) -> None:
    """Stop a job before its n-th change of files."""
    changes = []

    def kill(change):
        def make(*args, **settings):
            changes.append(args)
            if len(changes) == n:
                raise Killed
            return change(*args, **settings)

        return make

    for name in ("write", "delete", "clear"):
        monkeypatch.setattr(store.LocalStore, name, kill(getattr(store.LocalStore, name)))
    monkeypatch.setattr(Path, "replace", kill(Path.replace))


@pytest.mark.parametrize("name", ["out.jsonl", "out/"])
def test_a_job_goes_on_from_between_any_two_changes_of_files(
    tiny_pipeline, texts, tmp_path, monkeypatch, name
):
    with texts.open("a") as file:
        file.write("nonsense\n")
    ends = []
    for n in range(1, 100):
        folder = tmp_path / str(n)
        job = make_job(tiny_pipeline, texts, out=f"{folder}/{name}", shard_size=700)
        with monkeypatch.context() as patch:
            kill_at(patch, n)
            try:
                run_job(job)
            except Killed:
                pass
            else:
                break
        run_job(job)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        ends.append(
            {
                str(path.relative_to(folder)): path.read_bytes()
                for path in files
                if path.suffix == ".jsonl"
            }
        )
        assert {path.name for path in folder.iterdir()} <= {
            name.rstrip("/") + end for end in ("", ".errors.jsonl", ".manifest.json")
        }
    assert n > 10
    assert all(end == ends[0] for end in ends)


def make_shards(tiny_pipeline: Path, texts: Path, tmp_path: Path) -> tuple[JobSettings, list[Path]]:
    """Interrupt a job of one split; gives it, and the manifests of its shards."""
    packed = tmp_path / "texts.jsonl.gz"
    packed.write_bytes(gzip.compress(texts.read_bytes()))
    job = make_job(tiny_pipeline, packed, out=tmp_path / "out.jsonl", shard_size=100)
    interrupt(job)
    shards = sorted((tmp_path / "out.jsonl.job").glob("0*-0*.json"))
    assert len(shards) >= 2
    return job, shards


@pytest.mark.parametrize("harm", ["gone", "empty", "cut", "no records", "fewer records"])
def test_a_shard_that_was_harmed_is_done_anew(tiny_pipeline, texts, tmp_path, harm):
    whole = tmp_path / "whole.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=whole))
    job, shards = make_shards(tiny_pipeline, texts, tmp_path)
    records = shards[0].with_suffix(".jsonl")
    if harm == "gone":
        shards[0].unlink()
    elif harm in ("empty", "cut"):
        shards[0].write_bytes(b"" if harm == "empty" else shards[0].read_bytes()[:20])
    elif harm == "no records":
        records.unlink()
    else:
        records.write_bytes(records.read_bytes()[:-5])
    assert run_job(job).n_shards_before == 0
    assert (tmp_path / "out.jsonl").read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("name", ["out.jsonl.job/plan.json", "out.jsonl.manifest.json"])
def test_a_damaged_file_beside_the_output_is_told(tiny_pipeline, texts, tmp_path, name):
    job = make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=200)
    if name.endswith("plan.json"):
        interrupt(job)
    else:
        run_job(job)
    (tmp_path / name).write_bytes(b'{"job"')
    with pytest.raises(ValueError, match=r"damaged.*--overwrite"):
        run_job(job)
    again = make_job(
        tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=200, overwrite=True
    )
    assert run_job(again).n_records == len(TEXTS)


def test_an_output_folder_that_is_overwritten_keeps_no_old_shards(tiny_pipeline, texts, tmp_path):
    job = make_job(tiny_pipeline, texts, out=f"{tmp_path}/out/", shard_size=200)
    assert run_job(job).n_shards > 2
    (tmp_path / "out" / "part-0000009-00000.jsonl.77.partial").touch()
    (tmp_path / "out" / "notes.txt").touch()
    run_job(make_job(tiny_pipeline, texts, out=f"{tmp_path}/out/", overwrite=True))
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert left == {"notes.txt", "part-0000000-00000.jsonl"}


def test_a_shard_that_is_gone_from_an_output_folder_is_told(tiny_pipeline, texts, tmp_path):
    job = make_job(tiny_pipeline, texts, out=f"{tmp_path}/out/", shard_size=200)
    run_job(job)
    min((tmp_path / "out").iterdir()).unlink()
    with pytest.raises(ValueError, match="changed since"):
        run_job(job)


def test_shards_are_in_the_order_of_their_numbers(tmp_path, monkeypatch):
    # As it is with 100,000 shards of a split: 100000 is before 99999 by its name.
    monkeypatch.setattr(ShardInfo, "name", property(lambda info: f"0-{info.shard}"))
    folder = ShardFolder(str(tmp_path / "job"), data=None, suffix=".jsonl")
    infos = [ShardInfo(0, n, False, Position(byte=n), 0, 0, 0, 0, 0) for n in range(11)]
    for info in infos:
        folder.write(info, b"", [])
    assert folder.read_manifests() == infos


def give_input(monkeypatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))


def test_standard_input_is_never_taken_for_that_of_another_job(
    tiny_pipeline, tmp_path, monkeypatch
):
    out = tmp_path / "out.jsonl"
    settings = {"out": out, "lines": True, "shard_size": 60}
    job = make_job(tiny_pipeline, "-", **settings)
    give_input(monkeypatch, "I sleep.\n" * 30)
    interrupt(job)
    give_input(monkeypatch, "You read it.\n" * 40)
    with pytest.raises(ValueError, match="interrupted job and standard input"):
        run_job(job)
    assert run_job(make_job(tiny_pipeline, "-", overwrite=True, **settings)).n_records == 40
    give_input(monkeypatch, "I sleep.\n")
    with pytest.raises(ValueError, match="there already and standard input"):
        run_job(job)
    assert len(read_rows(out)) == 40


def test_a_job_that_finished_no_shard_stands_in_nobody_s_way(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    with pytest.raises(ValueError, match="no pipeline"):
        run_job(make_job(tiny_pipeline, texts, out=out, work=WorkSettings(model="typo")))
    assert run_job(make_job(tiny_pipeline, texts, out=out)).n_records == len(TEXTS)


def test_errors_raise_holds_for_a_job_that_is_done(tiny_pipeline, tmp_path):
    path, out = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"text": "I sleep."}\nnonsense\n')
    run_job(make_job(tiny_pipeline, path, out=out))
    with pytest.raises(ValueError, match=r"a\.jsonl:2: "):
        run_job(make_job(tiny_pipeline, path, out=out, raise_errors=True))


def test_what_a_killed_job_left_is_no_input(tiny_pipeline, texts, tmp_path):
    job = make_job(tiny_pipeline, tmp_path / "*", out=tmp_path / "out.jsonl", shard_size=200)
    interrupt(job)
    for name in ("out.jsonl.job.lock", "out.jsonl.partial", "out.jsonl.errors.jsonl.7.partial"):
        (tmp_path / name).touch()
    assert run_job(job).n_records == len(TEXTS)


def test_an_output_that_is_a_folder_is_told_before_the_work(tiny_pipeline, texts, tmp_path):
    (tmp_path / "out.jsonl").mkdir()
    with pytest.raises(ValueError, match="folder at"):
        run_job(make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl"))


def test_a_full_disk_is_told_with_the_file(tiny_pipeline, texts, tmp_path, monkeypatch):
    def fail(_file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"No space left on device: '.*plan\.json"):
        run_job(make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl"))


def test_why_a_pipeline_does_not_load_comes_from_other_processes(tiny_pipeline, texts, tmp_path):
    broken = tmp_path / "broken"
    shutil.copytree(tiny_pipeline, broken)
    config = (broken / "config.cfg").read_text()
    (broken / "config.cfg").write_text(config.replace("pretrained =", "pretraind ="))
    job = make_job(broken, texts, out=tmp_path / "out.jsonl", n_process=2)
    with pytest.raises(ValueError, match="pretraind"):
        run_job(job)


def test_a_slash_behind_the_pipeline_makes_no_other_job(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=out))
    work = WorkSettings(model=f"{tiny_pipeline}/")
    assert run_job(make_job(tiny_pipeline, texts, out=out, work=work)).n_shards_before


def test_shards_of_many_short_records_end_too(tmp_path):
    path = tmp_path / "bad.jsonl.gz"
    path.write_bytes(gzip.compress(b"x\n" * (3 * PARCEL_RECORDS)))
    [split] = plan_splits(find_sources([str(path)]), size=PARCEL_CHARS)
    parcels = make_parcels(split, ReadSettings(), shard_size=PARCEL_CHARS)
    assert [parcel.shard for parcel in parcels] == [0, 1, 2]


def test_progress_is_never_beyond_the_whole(tiny_pipeline, texts, tmp_path, monkeypatch):
    give_input(monkeypatch, "I sleep.\n" * 500)
    told = []
    job = make_job(tiny_pipeline, "-", texts, out=tmp_path / "out.jsonl", lines=True)
    run_job(job, on_progress=lambda done, total, _: told.append((done, total)))
    assert told[-1][0] == told[-1][1] == texts.stat().st_size
    assert all(done <= total for done, total in told)


def test_loading_a_package_makes_no_other_pipeline_of_it(tiny_pipeline, tmp_path):
    folder = shutil.copytree(tiny_pipeline, tmp_path / "package")
    before = stamp_model(str(folder))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "package.pyc").touch()
    assert stamp_model(str(folder)) == before
    (folder / "more").touch()
    assert stamp_model(str(folder)) != before


def test_pairs_are_scored_in_a_job(tmp_path):
    path, out = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    pairs = [{"id": n, "hyp": "Sales rose in May.", "ref": "In May, sales fell."} for n in range(3)]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in [*pairs, {"hyp": "alone"}]))
    summary = run_job(JobSettings([str(path)], str(out), WorkSettings(task="scores")))
    assert (summary.n_records, summary.n_errors) == (3, 1)
    assert [span["text"] for span in read_rows(out)[2]["hyp_spans"]] == ["rose"]
