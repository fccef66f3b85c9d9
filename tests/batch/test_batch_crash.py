"""Jobs that are killed at any moment end at once, and lose and duplicate nothing when resumed."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from interrupts import KILLS, find_alive
from kills import REAL, STUB, WAYS, WORKER, Job, Run, kill_and_resume, write_inputs
from stub_job import LOADING

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kill -9 needs a POSIX system"),
    pytest.mark.usefixtures("light_processes"),
]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_inputs(tmp_path_factory.mktemp("crash"))


@pytest.fixture
def stub(inputs: Path) -> Job:
    """A job with a worker that needs no pipeline."""
    return Job(STUB, inputs)


@pytest.fixture
def real(inputs: Path, tiny_pipeline: Path) -> Job:
    return Job(REAL, inputs, ("--shard-size", "0.001", "--model", str(tiny_pipeline)))


@pytest.fixture(params=["stub", pytest.param("real", marks=pytest.mark.slow)])
def job(request: pytest.FixtureRequest) -> Job:
    return request.getfixturevalue(request.param)


def stop(job: Job, out: Path, moment: str) -> Run:
    """Start a job with two workers, and stop it with SIGSTOP while they start, load or work.

    While they work, they are then sending results, which no pipe can hold as a whole.
    """
    run = job.run(out, 2)
    run.wait_for_workers(2 if moment == "loading" else 1)
    if moment == "sending":
        run.wait_for_shards(1)
    time.sleep(0.3 if moment == "loading" else 0)
    run.process.send_signal(signal.SIGSTOP)
    time.sleep(1 if moment == "sending" else 0)
    return run


MOMENTS = pytest.mark.parametrize("moment", ["starting", "loading", "sending"])


@pytest.mark.parametrize(
    ("moment", "number"), [("starting", 0), ("loading", 1), ("sending", 0), ("sending", 1)]
)
def test_a_worker_that_is_killed_ends_the_job_with_a_message(
    job, tmp_path, monkeypatch, moment, number
):
    out = tmp_path / "out.jsonl"
    monkeypatch.setenv(LOADING, "0" if moment == "sending" else "1")
    run = stop(job, out, moment)
    workers = run.list_workers()
    workers[number].kill()
    run.process.send_signal(signal.SIGCONT)
    assert run.end() == 1
    assert not find_alive(workers)
    message = run.read_messages().splitlines()[-1]
    assert message.startswith("Error: A process of the job died")
    assert f"at {job.inputs}:" in message or moment != "sending"


@MOMENTS
@pytest.mark.parametrize("way", ["Ctrl-C", "SIGTERM", "SIGTERM of the group"])
def test_ctrl_c_and_sigterm_end_the_job_without_a_traceback(
    job, tmp_path, monkeypatch, moment, way
):
    monkeypatch.setenv(LOADING, "0" if moment == "sending" else "20")
    run = stop(job, tmp_path / "out.jsonl", moment)
    workers = run.list_workers()
    KILLS[way].send(run.process)
    run.process.send_signal(signal.SIGCONT)
    assert run.end(15) == 130
    assert not find_alive(workers)
    assert run.read_messages().splitlines()[-1].startswith("Interrupted. Finished work is kept.")
    assert "Traceback" not in run.read_messages()


@MOMENTS
def test_workers_end_when_their_job_is_killed(stub, tmp_path, monkeypatch, moment):
    monkeypatch.setenv(LOADING, "0" if moment == "sending" else "20")
    run = stop(stub, tmp_path / "out.jsonl", moment)
    workers = run.list_workers()
    run.process.kill()
    assert run.process.wait(timeout=15) == -signal.SIGKILL
    assert not find_alive(workers, seconds=15)


def test_workers_send_their_errors(stub, tmp_path, monkeypatch):
    monkeypatch.setenv(LOADING, "soon")
    run = stub.run(tmp_path / "out.jsonl", 2)
    assert run.end() == 1
    assert "Error: could not convert string to float: 'soon'" in run.read_messages()


def choose(n: int, seed: object = 0) -> list[str]:
    """Choose ways to kill a job, each of them equally often."""
    ways = [WAYS[number % len(WAYS)] for number in range(n)]
    random.Random(str(seed)).shuffle(ways)
    return ways


# `python tests/kills.py --n 500` is the long version.
@pytest.mark.parametrize("n_kills", [7, pytest.param(70, marks=pytest.mark.slow)])
def test_killed_jobs_have_the_same_output_when_they_are_resumed(stub, tmp_path, n_kills):
    ways, whole = choose(n_kills), tmp_path / "whole.jsonl"
    kill_and_resume(stub, whole, tmp_path / "out.jsonl", ways, n_process=2)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("n_process", [1, 2])
def test_killed_jobs_with_pipelines_have_the_same_output_when_they_are_resumed(
    real, tmp_path, n_process, seed
):
    ways = [way for way in choose(14, seed) if n_process > 1 or way != WORKER]
    whole = tmp_path / "whole.jsonl"
    kill_and_resume(real, whole, tmp_path / "out.jsonl", ways, n_process=n_process, seed=seed)
