"""Several runs at a time: how they start, fail and stop."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from interrupts import find_alive, heed_ctrl_c, psutil

from studies.processes import run_parallel

pytestmark = pytest.mark.usefixtures("light_processes")


def note(folder: Path, job: str) -> None:
    """Record that a job started, then do what its name says.

    "fail..." raises ValueError, "odd..." raises KeyError, "die..." exits, and "long" waits for an
    endless process. "fail after long" fails after that process has started.
    """
    (folder / job).touch()
    if job == "fail after long":
        wait_for_process(folder)
    if job.startswith("fail"):
        raise ValueError(f"{job} failed")
    if job.startswith("odd"):
        raise KeyError(job)
    if job.startswith("die"):
        os._exit(3)
    if job == "long":
        endless = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        write_whole(folder / "pid", str(endless.pid))
        endless.wait()


def write_whole(path: Path, text: str) -> None:
    path.with_suffix(".part").write_text(text)
    path.with_suffix(".part").rename(path)


def wait_for_process(folder: Path) -> psutil.Process:
    """Wait until the job "long" has started its process."""
    deadline = time.monotonic() + 60
    while not (folder / "pid").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return psutil.Process(int((folder / "pid").read_text()))


def run(folder: Path, *jobs: str, n: int = 2) -> list[str]:
    return list(run_parallel(partial(note, folder), jobs, processes=n))


def test_all_jobs_are_run(tmp_path: Path) -> None:
    assert sorted(run(tmp_path, "a", "b", "c")) == ["a", "b", "c"]
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", "c"}
    assert run(tmp_path) == []


@pytest.mark.parametrize(
    ("job", "message"),
    [("fail", "fail"), ("die", "3"), ("odd", "KeyError")],
)
def test_a_failure_is_raised_and_nothing_else_starts(
    tmp_path: Path, job: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        run(tmp_path, job, "b", "c", n=1)
    assert [path.name for path in tmp_path.iterdir()] == [job]


def test_a_failure_stops_other_jobs_and_their_processes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="fail"):
        run(tmp_path, "long", "fail after long", n=2)
    pid = int((tmp_path / "pid").read_text())
    assert not psutil.pid_exists(pid) or not find_alive([psutil.Process(pid)])


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_stopping_the_study_stops_its_runs(tmp_path: Path, name: str) -> None:
    code = (
        f"import sys; sys.path[:0] = {list(map(str, Path(__file__).parents[:3]))!r}\n"
        "from pathlib import Path\nfrom test_processes import run\n"
        f"if __name__ == '__main__': run(Path({str(tmp_path)!r}), 'long', 'b', n=1)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    process = subprocess.Popen(
        [sys.executable, str(script)], stderr=subprocess.DEVNULL, preexec_fn=heed_ctrl_c
    )
    endless = wait_for_process(tmp_path)
    process.send_signal(getattr(signal, name))
    process.wait(timeout=30)
    assert not find_alive([endless])
    assert not (tmp_path / "b").exists()
