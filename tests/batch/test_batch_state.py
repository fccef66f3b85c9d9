"""Jobs are resumed, never mixed, and not repeated when they are done."""

import gzip
import os
import shutil
from pathlib import Path

import pytest
from tiny_jobs import TEXTS, give_input, interrupt, make_job, read_rows, write_texts

from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.resume import fingerprint_pipeline
from spacy_sentid.batch.tasks import TASKS
from spacy_sentid.batch.work.worker import WorkSettings
from spacy_sentid.files import store
from spacy_sentid.files.fingerprint import fingerprint_model


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path)


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
        {"work": {"settings": {"threshold": 0.5}}},
        {"work": {"keep": "su"}},
        {"shard_size": 77},
        {"format": "lines"},
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
    with pytest.raises(ValueError, match="already exists"):
        run_job(job)
    assert out.read_bytes() == before


def test_an_output_that_no_job_wrote_is_not_touched(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("precious")
    with pytest.raises(ValueError, match="already exists"):
        run_job(make_job(tiny_pipeline, texts, out=out))
    assert out.read_text() == "precious"
    run_job(make_job(tiny_pipeline, texts, out=out, overwrite=True))
    assert len(read_rows(out)) == len(TEXTS)


def test_an_output_that_was_changed_is_refused(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=out))
    with out.open("a") as file:
        file.write("more")
    with pytest.raises(ValueError, match="was changed after"):
        run_job(make_job(tiny_pipeline, texts, out=out))


def test_an_interrupted_job_is_resumed(tiny_pipeline, texts, tmp_path):
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


def test_a_resumed_job_continues_the_line_numbers(tiny_pipeline, tmp_path):
    path, whole, out = tmp_path / "a.jsonl", tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    path.write_text(('{"text": "I sleep."}\nnonsense\n' + "\n" * 9) * 40)
    run_job(make_job(tiny_pipeline, path, out=whole, shard_size=30))
    interrupt(make_job(tiny_pipeline, path, out=out, shard_size=30), 5)
    assert run_job(make_job(tiny_pipeline, path, out=out, shard_size=30)).n_shards_before
    assert out.read_bytes() == whole.read_bytes()
    assert [row["id"] for row in read_rows(out)] == [f"{path}:{11 * n + 1}" for n in range(40)]
    places = [row["place"] for row in read_rows(tmp_path / "out.jsonl.errors.jsonl")]
    assert places == [f"{path}:{11 * n + 2}" for n in range(40)]


def test_a_job_is_resumed_within_a_gz_file(tiny_pipeline, texts, tmp_path):
    packed = tmp_path / "texts.jsonl.gz"
    packed.write_bytes(gzip.compress(texts.read_bytes() * 200))
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, packed, out=whole))
    job = make_job(tiny_pipeline, packed, out=out, shard_size=20_000)
    interrupt(job, 2)
    assert run_job(job).n_shards_before
    assert out.read_bytes() == whole.read_bytes()


def test_an_interrupted_job_is_not_resumed_with_other_inputs(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    job = make_job(tiny_pipeline, texts, out=out, shard_size=200)
    interrupt(job)
    with texts.open("a") as file:
        file.write('{"text": "More."}\n')
    with pytest.raises(ValueError, match=r"texts\.jsonl"):
        run_job(job)
    run_job(make_job(tiny_pipeline, texts, out=out, shard_size=200, overwrite=True))
    assert len(read_rows(out)) == len(TEXTS) + 1


def test_an_interrupted_job_is_not_resumed_with_another_pipeline(tiny_pipeline, texts, tmp_path):
    job = make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=200)
    interrupt(job)
    other = make_job(
        tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=200, work=WorkSettings()
    )
    with pytest.raises(ValueError, match="model"):
        run_job(other)


def test_a_second_process_is_refused(tiny_pipeline, texts, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    out = tmp_path / "out.jsonl"
    with (tmp_path / "out.jsonl.job.lock").open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(ValueError, match="another process"):
            run_job(make_job(tiny_pipeline, texts, out=out))


class Killed(BaseException):
    pass


def kill_at(monkeypatch, n: int) -> None:
    """Stop a job before its n-th change to files."""
    changes = []

    def kill(change):
        def make(*args, **settings):
            changes.append(args)
            if len(changes) == n:
                raise Killed
            return change(*args, **settings)

        return make

    for name in ("write", "delete", "clear"):
        monkeypatch.setattr(store.Store, name, kill(getattr(store.Store, name)))
    monkeypatch.setattr(Path, "replace", kill(Path.replace))


@pytest.mark.parametrize("name", ["out.jsonl", pytest.param("out/", marks=pytest.mark.slow)])
def test_a_job_is_resumed_between_any_two_changes_to_files(
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
    """Interrupt a job, and return it with the entries of its shards."""
    packed = tmp_path / "texts.jsonl.gz"
    packed.write_bytes(gzip.compress(texts.read_bytes()))
    job = make_job(tiny_pipeline, packed, out=tmp_path / "out.jsonl", shard_size=100)
    interrupt(job)
    shards = sorted((tmp_path / "out.jsonl.job").glob("0*.json"))
    assert len(shards) >= 2
    return job, shards


@pytest.mark.parametrize("harm", ["gone", "empty", "cut", "no records", "fewer records"])
def test_a_damaged_shard_is_written_again(tiny_pipeline, texts, tmp_path, harm):
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


@pytest.mark.parametrize("name", ["out.jsonl.job/job.json", "out.jsonl.manifest.json"])
def test_a_damaged_file_next_to_the_output_is_reported(tiny_pipeline, texts, tmp_path, name):
    job = make_job(tiny_pipeline, texts, out=tmp_path / "out.jsonl", shard_size=200)
    if name.endswith("job.json"):
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
    (tmp_path / "out" / "part-00000009.jsonl.partial").touch()
    (tmp_path / "out" / "notes.txt").touch()
    run_job(make_job(tiny_pipeline, texts, out=f"{tmp_path}/out/", overwrite=True))
    left = {path.name for path in (tmp_path / "out").iterdir()}
    assert left == {"notes.txt", "part-00000000.jsonl"}


def test_a_shard_missing_from_an_output_folder_is_reported(tiny_pipeline, texts, tmp_path):
    job = make_job(tiny_pipeline, texts, out=f"{tmp_path}/out/", shard_size=200)
    run_job(job)
    min((tmp_path / "out").iterdir()).unlink()
    with pytest.raises(ValueError, match="was changed after"):
        run_job(job)


def test_a_job_with_standard_input_is_never_resumed(tiny_pipeline, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    settings = {"out": out, "format": "lines", "shard_size": 60}
    job = make_job(tiny_pipeline, "-", **settings)
    give_input(monkeypatch, "I sleep.\n" * 30)
    interrupt(job)
    give_input(monkeypatch, "You read it.\n" * 40)
    with pytest.raises(ValueError, match="standard input"):
        run_job(job)
    assert run_job(make_job(tiny_pipeline, "-", overwrite=True, **settings)).n_records == 40
    give_input(monkeypatch, "I sleep.\n")
    with pytest.raises(ValueError, match="standard input"):
        run_job(job)
    assert len(read_rows(out)) == 40


def test_a_job_without_finished_shards_does_not_block_others(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    with pytest.raises(ValueError, match="The pipeline must be"):
        run_job(make_job(tiny_pipeline, texts, out=out, work=WorkSettings(model="typo")))
    assert run_job(make_job(tiny_pipeline, texts, out=out)).n_records == len(TEXTS)


def test_files_of_a_killed_job_are_not_inputs(tiny_pipeline, texts, tmp_path):
    job = make_job(tiny_pipeline, tmp_path / "*", out=tmp_path / "out.jsonl", shard_size=200)
    interrupt(job)
    for name in ("out.jsonl.job.lock", "out.jsonl.partial", "out.jsonl.errors.jsonl.7.partial"):
        (tmp_path / name).touch()
    assert run_job(job).n_records == len(TEXTS)


def test_a_slash_after_the_pipeline_does_not_change_the_job(tiny_pipeline, texts, tmp_path):
    out = tmp_path / "out.jsonl"
    run_job(make_job(tiny_pipeline, texts, out=out))
    work = WorkSettings(model=f"{tiny_pipeline}/")
    assert run_job(make_job(tiny_pipeline, texts, out=out, work=work)).n_shards_before


def test_loading_a_package_does_not_change_its_fingerprint(tiny_pipeline, tmp_path):
    folder = shutil.copytree(tiny_pipeline, tmp_path / "package")
    before = fingerprint_model(str(folder))
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "package.pyc").touch()
    assert fingerprint_model(str(folder)) == before
    (folder / "more").touch()
    assert fingerprint_model(str(folder)) != before


def test_bundled_pipelines_have_fingerprints():
    models = [(task, model) for task in TASKS.values() for model in task.list_languages()]
    assert {task for task, _ in models} == set(TASKS.values())
    found = {fingerprint_pipeline(task, model) for task, model in models}
    assert len(found) == len(models)
