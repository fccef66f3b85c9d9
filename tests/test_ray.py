"""The engine Ray: the same shards as local, retried rows, faults; datasets in, datasets out."""

import gzip
import json
import logging
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from interrupts import heed_ctrl_c

from spacy_sentid.batch.batches import make_batches
from spacy_sentid.batch.documents import Document, LineCounts, ReadSettings
from spacy_sentid.batch.inputs import find_sources
from spacy_sentid.batch.output import ShardFolder, write_shards
from spacy_sentid.batch.ray_dataset import BatchActor, identify_dataset
from spacy_sentid.batch.ray_engine import (
    MARKER,
    MAX_ATTEMPTS,
    AttemptCounter,
    SplitActor,
    do_splits,
    import_ray,
    take_found,
)
from spacy_sentid.batch.split import InputSplit, plan_splits
from spacy_sentid.batch.worker import Worker, WorkSettings
from spacy_sentid.files.records import BadLine

pytestmark = pytest.mark.usefixtures("light_processes")

TEXTS = ["I sleep. Page 3\n\nThe draft is attached.", "", "Re: Thursday\nSend it by Friday."] * 8
SHARD_SIZE = 100


@pytest.fixture(scope="module")
def ray(tmp_path_factory):
    """Ray on this machine, with two cores."""
    pytest.importorskip("ray", reason="the engine Ray needs the extra 'ray'")
    with pytest.MonkeyPatch.context() as patch:
        # Else Ray writes a token of its own to the home folder.
        patch.setenv("RAY_AUTH_TOKEN", uuid4().hex)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        import ray
        import ray.data

        ray.init(
            "local",
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=100_000_000,
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
        yield ray
        ray.shutdown()


@pytest.fixture
def work(tiny_pipeline: Path) -> WorkSettings:
    return WorkSettings(model=str(tiny_pipeline))


@pytest.fixture
def splits(tmp_path: Path) -> list[InputSplit]:
    path = tmp_path / "in" / "texts.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS) + "no JSON\n")
    (path.parent / "a.txt").write_text("I sleep. You sleep.")
    return plan_splits(find_sources([str(path.parent)]), size=300)


def open_folder(path: Path) -> ShardFolder:
    return ShardFolder(str(path))


def write_locally(splits, work, folder) -> None:
    worker, counts = Worker(work), LineCounts()
    for split in splits:
        batches = make_batches(split, ReadSettings(), shard_size=SHARD_SIZE, counts=counts)
        list(write_shards(((each, worker(each.documents)) for each in batches), folder))


def read_folder(path: Path) -> dict[str, bytes]:
    """The files of a job; of manifests what does not depend on the machine."""
    found = {file.name: file.read_bytes() for file in Path(f"{path}.job").iterdir()}
    for name in found:
        if name.endswith(".json"):
            found[name] = json.dumps({**json.loads(found[name]), "peak_bytes": 0}).encode()
    return found


class FakeHandle:
    """A handle of an AttemptCounter for an actor that is called directly."""

    def __init__(self, ray, attempts: AttemptCounter) -> None:
        self.add = self
        self.ray = ray
        self.attempts = attempts

    def remote(self, *args):
        return self.ray.put(self.attempts.add(*args))


@pytest.fixture
def make_actor(ray, work, tmp_path):
    """Make an actor that is called in this process."""

    def make(folder: ShardFolder, **changes) -> SplitActor:
        folder.job.store.write(MARKER, b"1")
        given = {"shard_size": SHARD_SIZE, "run": "1", "cwd": os.getcwd()}
        given["counter"] = FakeHandle(ray, AttemptCounter())
        work_ = changes.pop("work", work)
        return SplitActor(work_, ReadSettings(), folder, **{**given, **changes})

    return make


def call(actor: SplitActor, *splits: InputSplit, first_shard: int = 0) -> list:
    row = {"splits": pickle.dumps([(split, first_shard) for split in splits])}
    return [pickle.loads(found["found"]) for found in actor(row)]


def test_ray_writes_the_same_shards_as_local(ray, splits, work, tmp_path):
    from ray.data import DataContext

    write_locally(splits, work, open_folder(tmp_path / "local"))
    before = DataContext.get_current().target_max_block_size
    infos = list(
        do_splits(
            [(split, 0) for split in splits],
            work,
            ReadSettings(),
            open_folder(tmp_path / "ray"),
            shard_size=SHARD_SIZE,
        )
    )
    assert len(splits) > 3
    assert read_folder(tmp_path / "ray") == read_folder(tmp_path / "local")
    assert sorted(infos) == open_folder(tmp_path / "ray").read_manifests()
    assert ray.is_initialized()
    assert DataContext.get_current().target_max_block_size == before


def test_a_missing_file_is_told_with_the_node(splits, make_actor, tmp_path):
    Path(splits[0].ranges[0].source.path).unlink()
    (error,) = call(make_actor(open_folder(tmp_path / "job")), splits[0])
    assert isinstance(error, FileNotFoundError)
    assert "on the Ray node" in str(error)


class FakeDataset:
    """What `take_found` needs of a dataset."""

    def __init__(self, *found) -> None:
        self.context = SimpleNamespace()
        self.found = found

    def iter_batches(self, **_):
        pa = pytest.importorskip("pyarrow")
        for one in self.found:
            yield pa.table({"found": [pickle.dumps(one)]})


def test_an_error_of_a_worker_is_raised_as_it_is():
    found = take_found(FakeDataset("first", OSError(28, "No space left on device"), "last"))
    assert next(found) == "first"
    with pytest.raises(OSError, match="No space left"):
        next(found)


def test_a_row_that_is_tried_again_tells_of_the_same_shards(splits, make_actor, tmp_path):
    folder = open_folder(tmp_path / "job")
    actor = make_actor(folder)
    first = call(actor, *splits)
    for name in folder.job.store.names():
        if name.endswith(".json") and name > first[2].name:
            folder.job.store.delete(name)
    stamps = {
        name: (tmp_path / "job.job" / name).stat().st_mtime_ns for name in folder.job.store.names()
    }
    again = call(actor, *splits)
    assert [info[:-1] for info in again] == [info[:-1] for info in first]
    kept = [name for name in stamps if name.startswith(first[0].name)]
    assert all((tmp_path / "job.job" / name).stat().st_mtime_ns == stamps[name] for name in kept)


def test_a_split_goes_on_where_an_earlier_run_ended(splits, work, make_actor, tmp_path):
    write_locally(splits, work, open_folder(tmp_path / "local"))
    folder = open_folder(tmp_path / "job")
    call(make_actor(folder), *splits)
    infos = folder.read_manifests()
    begun = next(info for info in infos if not info.ends_split)
    rest = [split for split in splits if split.number == begun.split]
    for info in infos:
        if info.split == begun.split and info.shard > begun.shard:
            folder.job.store.delete(f"{info.name}.json")
    found = call(make_actor(folder), *rest, first_shard=begun.shard + 1)
    assert found[0].shard == begun.shard + 1
    folder.job.store.delete(MARKER)
    assert read_folder(tmp_path / "job") == read_folder(tmp_path / "local")


def test_a_shard_that_kills_its_workers_ends_the_job(ray, splits, make_actor, tmp_path):
    attempts = AttemptCounter()
    actor = make_actor(open_folder(tmp_path / "job"), counter=FakeHandle(ray, attempts))
    for _ in range(MAX_ATTEMPTS - 1):
        attempts.add(0, 0)
    assert not isinstance(call(actor, splits[0])[0], Exception)
    for _ in range(MAX_ATTEMPTS):
        attempts.add(1, 0)
    (error,) = call(actor, splits[1])
    assert isinstance(error, ValueError)
    assert "texts.jsonl (split 1, shard 0)" in str(error)


def test_a_folder_that_is_another_on_a_node_is_told(splits, make_actor, tmp_path):
    (error,) = call(make_actor(open_folder(tmp_path / "job"), run="2"), splits[0])
    assert isinstance(error, ValueError)
    assert "nodes" in str(error)


def test_a_missing_pipeline_is_told(splits, make_actor, tmp_path):
    work = WorkSettings(model="no/pipeline")
    (error,) = call(make_actor(open_folder(tmp_path / "job"), work=work), splits[0])
    assert isinstance(error, ValueError)
    assert "no/pipeline" in str(error)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install 'spacy-sentid\[ray\]'"):
        import_ray()


def test_a_dataset_gets_a_record_a_row(ray, tiny_pipeline, work):
    rows = [{"name": f"n{n}", "body": text} for n, text in enumerate([*TEXTS, None])]
    found = identify_dataset(
        ray.data.from_items(rows, override_num_blocks=2),
        model=str(tiny_pipeline),
        text_column="body",
        id_column="name",
        batch_size=10,
        concurrency=1,
    ).take_all()
    found = {row["id"]: row for row in found}
    bad = found.pop(f"n{len(TEXTS)}")
    assert bad == {**bad, "units": None, "error": bad["error"]}
    assert "null" in bad["error"]
    expected = Worker(work).make_records([Document(f"n{n}", text) for n, text in enumerate(TEXTS)])
    for record in expected:
        assert not isinstance(record, BadLine)
        assert found.pop(record["id"]) == {**record, "error": None}
    assert not found


def make_batch(settings: WorkSettings, *, id_column: str | None = None, **columns) -> list[dict]:
    pa = pytest.importorskip("pyarrow")
    actor = BatchActor(settings, "text", id_column, os.getcwd())
    return actor(pa.table(columns)).to_pylist()


def test_pairs_of_a_dataset_are_scored_and_bad_ones_told():
    good, no_ref, no_hyp = make_batch(
        WorkSettings(task="scores"),
        hyp=["Sales rose.", "Sales rose.", None],
        ref=[["Sales grew.", "Sales fell."], None, ["Sales grew."]],
    )
    assert (len(good["refs"]), good["error"]) == (2, None)
    assert [word["text"] for word in good["hyp_words"]] == ["Sales", "rose", "."]
    assert (no_ref["score"], no_hyp["score"]) == (None, None)
    assert "ref" in no_ref["error"]
    assert "hyp" in no_hyp["error"] or "null" in no_hyp["error"]


def test_ids_of_a_dataset_stay_as_they_are_and_nsus_can_be_cut_out(work):
    keep = WorkSettings(model=work.model, keep="su")
    rows = make_batch(keep, id_column="n", n=[3, None], text=["I sleep.", "\N{GRINNING FACE}"])
    assert [row["id"] for row in rows] == [3, None]
    assert all(set(row) == {"id", "text", "offsets", "error"} for row in rows)


def test_a_dataset_without_the_column_is_refused(work):
    with pytest.raises(ValueError, match="'id'"):
        make_batch(work, id_column="id", text=["I sleep."])


# Runs a job in a process of its own; the settings are given as JSON.
RUN_JOB = """
import json, sys
from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.worker import WorkSettings
given = json.loads(sys.argv[1])
print(run_job(JobSettings(**{**given, "work": WorkSettings(**given["work"])})).n_records)
"""


@pytest.fixture
def cluster():
    """Two nodes of a core each."""
    pytest.importorskip("ray", reason="the engine Ray needs the extra 'ray'")
    pytest.importorskip("psutil")
    from tiny_ray import TinyCluster

    with (
        tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True) as path,
        TinyCluster(Path(path)) as cluster,
    ):
        cluster.add_node()
        cluster.wait()
        yield cluster


@pytest.fixture
def many_texts(tmp_path: Path) -> Path:
    """A folder of all kinds of files, some of them cut into splits, with faults."""
    folder = tmp_path / "many"
    folder.mkdir()
    texts = [f"I sleep {n} times. Page {n}\n\nThe draft of {n} is attached." for n in range(4000)]
    lines = [json.dumps({"text": text}) + "\n" for text in texts]
    lines[7], lines[2900] = "no JSON\n", '{"id": 3}\n'
    (folder / "a.jsonl").write_text("".join(lines))
    with gzip.open(folder / "b.jsonl.gz", "wt") as file:
        file.writelines(lines[:1500])
    (folder / "c.txt").write_text("\n".join(texts[:500]))
    for n in range(20):
        (folder / f"d{n}.txt").write_text(texts[n])
    return folder


def start_job(settings: dict, cluster) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", RUN_JOB, json.dumps(settings)],
        env=cluster.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
    )


def wait_for_shards(out: Path, n_shards: int, job: subprocess.Popen) -> None:
    folder = Path(f"{out}.job")
    deadline = time.monotonic() + 120
    while sum(1 for _ in folder.glob("0*[0-9].json")) < n_shards:
        assert job.poll() is None, job.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def settings_of(many_texts: Path, pipeline: Path, out: Path, **settings) -> dict:
    work = {"model": str(pipeline)}
    given = {"inputs": [str(many_texts)], "output": str(out), "work": work, "shard_size": 10_000}
    return {**given, **settings}


def run_locally(many_texts: Path, pipeline: Path, out: Path) -> tuple[bytes, bytes]:
    """Run a job in a new process: numpy keeps the number of threads that it had in this one."""
    given = json.dumps(settings_of(many_texts, pipeline, out))
    subprocess.run([sys.executable, "-c", RUN_JOB, given], check=True, stdout=subprocess.DEVNULL)
    return read_output(out)


def read_output(out: Path) -> tuple[bytes, bytes]:
    errors = out.with_name(f"{out.name}.errors.jsonl")
    return out.read_bytes(), errors.read_bytes()


@pytest.mark.slow
def test_killed_workers_and_nodes_lose_and_double_nothing(
    cluster, many_texts, tiny_pipeline, tmp_path
):
    expected = run_locally(many_texts, tiny_pipeline, tmp_path / "local.jsonl")
    out = tmp_path / "ray.jsonl"
    ray_settings = {"engine": "ray", "ray_address": cluster.address, "n_process": 2}
    job = start_job(settings_of(many_texts, tiny_pipeline, out, **ray_settings), cluster)
    for n_shards in (2, 12, 22):
        wait_for_shards(out, n_shards, job)
        cluster.find_actors()[0].kill()
    wait_for_shards(out, 30, job)
    cluster.kill_node(cluster.nodes[1])
    stdout, stderr = job.communicate(timeout=300)
    assert job.returncode == 0, stderr
    assert read_output(out) == expected
    assert int(stdout.splitlines()[-1]) == expected[0].count(b"\n")
    assert not Path(f"{out}.job").exists()


@pytest.mark.slow
def test_an_interrupted_job_ends_its_actors_and_goes_on(
    cluster, many_texts, tiny_pipeline, tmp_path
):
    expected = run_locally(many_texts, tiny_pipeline, tmp_path / "local.jsonl")
    out = tmp_path / "ray.jsonl"
    ray_settings = {"engine": "ray", "ray_address": cluster.address, "n_process": 2}
    settings = settings_of(many_texts, tiny_pipeline, out, **ray_settings)
    job = start_job(settings, cluster)
    wait_for_shards(out, 5, job)
    os.killpg(job.pid, signal.SIGINT)  # as Ctrl-C in a terminal does
    _, stderr = job.communicate(timeout=60)
    assert "KeyboardInterrupt" in stderr
    deadline = time.monotonic() + 20
    while cluster.find_actors():
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert sum(1 for _ in Path(f"{out}.job").glob("0*[0-9].json")) >= 5
    job = start_job(settings, cluster)
    _, stderr = job.communicate(timeout=300)
    assert job.returncode == 0, stderr
    assert read_output(out) == expected


@pytest.mark.slow
def test_a_ray_that_the_job_starts_ends_with_it(many_texts, tiny_pipeline, tmp_path):
    pytest.importorskip("ray", reason="the engine Ray needs the extra 'ray'")
    expected = run_locally(many_texts, tiny_pipeline, tmp_path / "local.jsonl")
    out = tmp_path / "ray.jsonl"
    settings = settings_of(many_texts, tiny_pipeline, out, engine="ray", n_process=2)
    code = RUN_JOB + "import ray\nassert not ray.is_initialized()\n"
    env = {**os.environ, "RAY_AUTH_TOKEN": uuid4().hex}
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(settings)],
        env=env, check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert read_output(out) == expected
