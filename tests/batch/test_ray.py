"""The engine Ray: equal results to the local engine, lost workers, errors, and datasets."""

import gzip
import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import pytest
from interrupts import KILLS, heed_ctrl_c

from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import DocumentBatch, DocumentReader, make_batches
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.batch.work.local import work_on_batches
from spacy_sentid.batch.work.ray_dataset import BatchActor, identify_dataset
from spacy_sentid.batch.work.ray_engine import MAX_ATTEMPTS, RayWorker, import_ray, work_on_ray
from spacy_sentid.batch.work.worker import Worker, WorkSettings
from spacy_sentid.files.records import BadLine

pytestmark = pytest.mark.usefixtures("light_processes")

ACTOR = "kill -9 of an actor"
TEXTS = ["I sleep. Page 3\n\nThe draft is attached.", "", "Re: Thursday\nSend it by Friday."] * 8
SHARD_SIZE = 40


@pytest.fixture(scope="module")
def ray(tmp_path_factory):
    """Ray on this machine, with two cores."""
    pytest.importorskip("ray", reason="the engine Ray needs the extra 'ray'")
    with pytest.MonkeyPatch.context() as patch:
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
def batches(tmp_path: Path) -> list[DocumentBatch]:
    path = tmp_path / "in" / "texts.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS) + "no JSON\n")
    (path.parent / "a.txt").write_text("I sleep. You sleep.")
    reader = DocumentReader(find_sources([str(path.parent)]), ReadSettings())
    return list(make_batches(reader, shard_size=SHARD_SIZE))


def list_results(finished) -> list[tuple]:
    """List results without values that depend on the machine; spools are expanded to bytes."""
    return [(batch.end, result._replace(data=result.data)) for batch, result in finished]


def test_ray_gives_the_same_results_as_local_in_the_same_order(ray, batches, work):
    expected = list_results(work_on_batches(batches, work))
    assert len(batches) >= 8
    assert list_results(work_on_ray(batches, work, n_actors=2)) == expected
    assert ray.is_initialized()


@pytest.mark.slow
def test_a_batch_that_kills_its_workers_ends_the_job(ray, batches, work, monkeypatch):
    class DyingWorker(RayWorker):  # defined here, so that it is pickled by its content
        def work(self, batch: DocumentBatch):
            if batch.end is not None and batch.end.source == 2:
                os._exit(1)
            return RayWorker.work(self, batch)

    monkeypatch.setattr("spacy_sentid.batch.work.ray_engine.RayWorker", DyingWorker)
    found = work_on_ray(batches, work, n_actors=1)
    with pytest.raises(ValueError, match=rf"{MAX_ATTEMPTS} workers died at .*texts\.jsonl"):
        list(found)


def test_a_missing_pipeline_is_reported_with_the_node(ray, batches):
    work = WorkSettings(model="no/pipeline")
    with pytest.raises(ValueError, match=r"no/pipeline.*on the Ray node"):
        list(work_on_ray(batches, work, n_actors=1))


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"pip install spacy-sentid\[ray\]"):
        import_ray()


def test_a_dataset_has_one_record_per_row(ray, tiny_pipeline, work):
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
    assert "None" in bad["error"]
    expected = Worker(work).make_records([Document(f"n{n}", text) for n, text in enumerate(TEXTS)])
    for record in expected:
        assert not isinstance(record, BadLine)
        # A table has all columns, even those of kinds, which this model does not predict.
        units = [{**unit, "kind": None, "kind_score": None} for unit in record["units"]]
        assert found.pop(record["id"]) == {**record, "units": units, "error": None}
    assert not found


def make_batch(settings: WorkSettings, *, id_column: str | None = None, **columns) -> list[dict]:
    pa = pytest.importorskip("pyarrow")
    actor = BatchActor(settings, "text", id_column, os.getcwd())
    return actor(pa.table(columns)).to_pylist()


def test_pairs_of_a_dataset_are_scored_and_bad_ones_reported():
    good, no_ref, no_hyp = make_batch(
        WorkSettings(task="scores"),
        hyp=["Sales rose.", "Sales rose.", None],
        ref=[["Sales grew.", "Sales fell."], None, ["Sales grew."]],
    )
    assert (len(good["refs"]), good["error"]) == (2, None)
    assert [word["text"] for word in good["hyp_words"]] == ["Sales", "rose", "."]
    assert (no_ref["score"], no_hyp["score"]) == (None, None)
    assert "ref" in no_ref["error"]
    assert "hyp" in no_hyp["error"] or "None" in no_hyp["error"]


def test_ids_of_a_dataset_are_kept_and_nsus_can_be_removed(work):
    keep = WorkSettings(model=work.model, keep="su")
    rows = make_batch(keep, id_column="n", n=[3, None], text=["I sleep.", "\N{GRINNING FACE}"])
    assert [row["id"] for row in rows] == [3, None]
    assert all(set(row) == {"id", "text", "offsets", "error"} for row in rows)


def test_a_dataset_without_the_column_is_refused(work):
    with pytest.raises(ValueError, match="'id'"):
        make_batch(work, id_column="id", text=["I sleep."])


# Runs a job in its own process, with settings in JSON.
RUN_JOB = """
import json, sys
from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.work.work_settings import WorkSettings
given = json.loads(sys.argv[1])
print(run_job(JobSettings(**{**given, "work": WorkSettings(**given["work"])})).n_records)
"""


@pytest.fixture
def cluster():
    """A cluster of two nodes with one core each."""
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
    """A folder of all kinds of files with errors, some of them cut into splits."""
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
        env={**cluster.env, "RAY_ADDRESS": cluster.address},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
    )


def count_shards(out: Path) -> int:
    return sum(1 for _ in Path(f"{out}.job").glob("0*[0-9].json"))


def wait_for_shards(out: Path, n_shards: int, job: subprocess.Popen) -> None:
    deadline = time.monotonic() + 120
    while count_shards(out) < n_shards:
        assert job.poll() is None, job.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def wait_until_no_actors(cluster) -> None:
    deadline = time.monotonic() + 60
    while cluster.find_actors():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def settings_of(many_texts: Path, pipeline: Path, out: Path, **settings) -> dict:
    work = {"model": str(pipeline)}
    given = {"inputs": [str(many_texts)], "output": str(out), "work": work, "shard_size": 10_000}
    return {**given, **settings}


def run_locally(many_texts: Path, pipeline: Path, out: Path) -> tuple[bytes, bytes]:
    """Run a job in a new process, as numpy would keep its number of threads in this one."""
    given = json.dumps(settings_of(many_texts, pipeline, out))
    subprocess.run([sys.executable, "-c", RUN_JOB, given], check=True, stdout=subprocess.DEVNULL)
    return read_output(out)


def read_output(out: Path) -> tuple[bytes, bytes]:
    errors = out.with_name(f"{out.name}.errors.jsonl")
    return out.read_bytes(), errors.read_bytes()


@pytest.mark.slow
def test_killed_workers_and_nodes_lose_and_duplicate_nothing(
    cluster, many_texts, tiny_pipeline, tmp_path
):
    expected = run_locally(many_texts, tiny_pipeline, tmp_path / "local.jsonl")
    out = tmp_path / "ray.jsonl"
    ray_settings = {"engine": "ray", "n_process": 2}
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
def test_an_interrupted_job_ends_its_actors_and_can_be_resumed(
    cluster, many_texts, tiny_pipeline, tmp_path
):
    expected = run_locally(many_texts, tiny_pipeline, tmp_path / "local.jsonl")
    out = tmp_path / "ray.jsonl"
    ray_settings = {"engine": "ray", "n_process": 2}
    settings = settings_of(many_texts, tiny_pipeline, out, **ray_settings)
    job = start_job(settings, cluster)
    wait_for_shards(out, 5, job)
    os.killpg(job.pid, signal.SIGINT)  # like Ctrl-C in a terminal
    _, stderr = job.communicate(timeout=60)
    assert "KeyboardInterrupt" in stderr
    wait_until_no_actors(cluster)
    assert count_shards(out) >= 5
    job = start_job(settings, cluster)
    _, stderr = job.communicate(timeout=300)
    assert job.returncode == 0, stderr
    assert read_output(out) == expected


# 20 kills: of the job, of the job with its child processes, and of its actors.
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_ray_job_killed_in_all_ways_has_the_same_output_after_restarts(
    cluster, many_texts, tiny_pipeline, tmp_path, seed
):
    expected = run_locally(many_texts, tiny_pipeline, tmp_path / "local.jsonl")
    out = tmp_path / "ray.jsonl"
    ray_settings = {"engine": "ray", "n_process": 2}
    settings = settings_of(many_texts, tiny_pipeline, out, **ray_settings)
    rng = random.Random(seed)
    left = rng.sample([*KILLS, *KILLS, ACTOR, ACTOR], k=10)
    n_shards = 0
    job = start_job(settings, cluster)
    while left:
        wait_for_shards(out, n_shards + rng.randint(1, 3), job)
        time.sleep(rng.uniform(0, 0.1))
        kind = left.pop()
        print(kind, f"after {count_shards(out)} shards")
        if kind == ACTOR:
            cluster.find_actors()[0].kill()
        else:
            KILLS[kind].send(job)
            job.communicate(timeout=60)
            assert job.returncode
            wait_until_no_actors(cluster)
            job = start_job(settings, cluster)
        n_shards = count_shards(out)
    _, stderr = job.communicate(timeout=300)
    assert job.returncode == 0, stderr
    assert read_output(out) == expected
    assert not Path(f"{out}.job").exists()


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
