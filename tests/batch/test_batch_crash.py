"""Jobs that are killed at any moment and restarted lose and duplicate nothing."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from interrupts import KILLS, find_alive, heed_ctrl_c, psutil

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kill -9 needs a POSIX system"),
    pytest.mark.usefixtures("light_processes"),
]
TEXTS = ["I sleep. Page 3\n\nThe draft is attached.", "Re: Thursday\nYou read it.", "caf\u00e9"]


@pytest.fixture(scope="module")
def job(tiny_pipeline: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, float]:
    """Inputs, with the output and the seconds of an undisturbed run."""
    folder = tmp_path_factory.mktemp("crash")
    inputs = folder / "in"
    inputs.mkdir()
    rng = random.Random(0)
    for n in range(4):
        rows = [{"id": f"{n}/{i}", "text": " ".join(rng.choices(TEXTS, k=30))} for i in range(60)]
        lines = [json.dumps(row) + "\n" for row in rows]
        lines.insert(7, "nonsense\n")
        (inputs / f"{n}.jsonl").write_text("".join(lines))
    (inputs / "text.txt").write_text("\n\n".join(TEXTS * 60), encoding="utf8")
    whole = folder / "whole.jsonl"
    start = time.monotonic()
    assert start_job(inputs, whole, tiny_pipeline).wait() == 0
    return inputs, whole, time.monotonic() - start


def start_job(inputs: Path, out: Path, model: Path, n_process: int = 1) -> subprocess.Popen:
    command = [sys.executable, "-m", "spacy_sentid", "identify", str(inputs), "-o", str(out)]
    command += ["--model", str(model), "--n-process", str(n_process), "--shard-size", "0.012"]
    return subprocess.Popen(
        command, stderr=subprocess.DEVNULL, preexec_fn=heed_ctrl_c, start_new_session=True
    )


def kill_and_resume(job, model: Path, out: Path, kills: Sequence[str], n_process: int) -> None:
    """Kill a job at random moments, once for each of `kills`, and compare its final output.

    The first kill of six may come at any moment, even while loading. The others come after the job
    has finished more shards. A job that ends before all kills is compared, and started again.
    """
    inputs, whole, seconds = job
    folder = out.with_name(f"{out.name}.job")
    rng = random.Random(out.name)
    left = list(kills)
    n_shards = 0
    while left:
        process = start_job(inputs, out, model, n_process)
        # Wait for shards, not for seconds, as another run may be far slower.
        n_more = rng.randint(1, 3) if (len(kills) - len(left)) % 6 else 0
        while count_shards(folder) < n_shards + n_more and process.poll() is None:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.05 if n_more else seconds / 4))
        if process.poll() is None:
            workers = psutil.Process(process.pid).children(recursive=True)
            KILLS[left[0]].send(process)
            # Workers die with their parent process.
            process.wait(timeout=60)
            assert not find_alive(workers)
        if process.returncode:
            print(left.pop(0), f"after {count_shards(folder)} shards")
        else:
            compare(out, whole)
            for path in out.parent.glob(f"{out.name}*"):
                path.unlink()
        n_shards = count_shards(folder)
    assert start_job(inputs, out, model, n_process).wait() == 0
    compare(out, whole)


def count_shards(folder: Path) -> int:
    with suppress(FileNotFoundError):  # before the job, and after it
        return sum(name.startswith("0") and name.endswith(".json") for name in os.listdir(folder))
    return 0


def compare(out: Path, whole: Path) -> None:
    """Check that an output and its errors equal those of an undisturbed run."""
    errors = [path.with_name(f"{path.name}.errors.jsonl") for path in (out, whole)]
    assert out.read_bytes() == whole.read_bytes()
    assert errors[0].read_bytes() == errors[1].read_bytes()
    assert not out.with_name(f"{out.name}.job").exists()


@pytest.mark.parametrize("n_process", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_job_has_the_same_output_after_a_restart(job, tiny_pipeline, tmp_path, n_process):
    kills = ["kill -9", "kill -9"]
    kill_and_resume(job, tiny_pipeline, tmp_path / "out.jsonl", kills, n_process)


# 48 kills with one process and 48 with two; 80 of them come in the middle of the work.
@pytest.mark.slow
@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_job_killed_in_all_ways_has_the_same_output_after_restarts(
    job, tiny_pipeline, tmp_path, n_process, seed
):
    kills = random.Random(seed).sample([*KILLS, *KILLS], k=12)
    kill_and_resume(job, tiny_pipeline, tmp_path / f"out-{seed}.jsonl", kills, n_process)


def test_ctrl_c_ends_cleanly_and_the_job_can_be_resumed(job, tiny_pipeline, tmp_path):
    inputs, whole, _seconds = job
    out = tmp_path / "out.jsonl"
    process = start_job(inputs, out, tiny_pipeline, n_process=2)
    folder = tmp_path / "out.jsonl.job"
    while not list(folder.glob("0*.json")):
        assert process.poll() is None
        time.sleep(0.02)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert not find_alive(workers)
    assert start_job(inputs, out, tiny_pipeline).wait() == 0
    assert out.read_bytes() == whole.read_bytes()


def test_a_killed_worker_ends_the_job_with_a_message(job, tiny_pipeline, tmp_path):
    inputs, whole, _ = job
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "spacy_sentid", "identify", str(inputs), "-o", str(out)]
    command += ["--model", str(tiny_pipeline), "--n-process", "2", "--shard-size", "0.012"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list((tmp_path / "out.jsonl.job").glob("0*.json")):
        assert process.poll() is None
        time.sleep(0.02)
    # The youngest child, as older ones belong to multiprocessing itself.
    workers = psutil.Process(process.pid).children(recursive=True)
    max(workers, key=lambda worker: worker.memory_info().rss).kill()
    _, message = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "killed from outside" in message
    assert start_job(inputs, out, tiny_pipeline).wait() == 0
    assert out.read_bytes() == whole.read_bytes()
