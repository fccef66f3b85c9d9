"""Several runs at a time: how they start, fail and stop."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from interrupts import heed_ctrl_c

from studies.training import run_jobs


def note(folder: Path, job: str) -> None:
    """Say that a job started; "fail..." fails, "die..." dies, "long..." starts a long process."""
    (folder / job).touch()
    if job.startswith("fail"):
        raise ValueError(f"{job} failed")
    if job.startswith("odd"):
        raise KeyError(job)
    if job.startswith("die"):
        os._exit(3)
    if job.startswith("long"):
        code = f"import time; time.sleep(3); open({str(folder / 'late')!r}, 'w')"
        subprocess.run([sys.executable, "-c", code], check=False)


def run(folder: Path, *jobs: str, n: int = 2) -> list[str]:
    return list(run_jobs(partial(note, folder), jobs, jobs=n))


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


def test_a_failure_stops_the_others_with_what_they_started(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="fail"):
        run(tmp_path, "long", "fail", n=2)
    time.sleep(4)
    assert not (tmp_path / "late").exists()


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_when_the_study_is_stopped_so_are_its_runs(tmp_path: Path, name: str) -> None:
    code = (
        f"import sys; sys.path[:0] = {list(map(str, Path(__file__).parents[:3]))!r}\n"
        "from pathlib import Path\nfrom test_training import run\n"
        f"if __name__ == '__main__': run(Path({str(tmp_path)!r}), 'long', 'b', n=1)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    process = subprocess.Popen(
        [sys.executable, str(script)], stderr=subprocess.DEVNULL, preexec_fn=heed_ctrl_c
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / "long").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(getattr(signal, name))
    process.wait(timeout=30)
    time.sleep(4)
    assert not (tmp_path / "late").exists()
    assert not (tmp_path / "b").exists()
