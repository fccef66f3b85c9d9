"""Kill jobs at random moments, resume them, and compare their output with an undisturbed run.

`python tests/kills.py --n 500` kills jobs with a stub worker, and prints a table. With `--model`,
the workers load this pipeline.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from interrupts import KILLS, find_alive, heed_ctrl_c, psutil

WORKER = "kill -9 of a worker"
WAYS = (*KILLS, WORKER)
# Exit codes of a job that is killed before it is complete.
CODES = {"kill -9": -9, "SIGTERM": 130, "SIGINT": 130, "Ctrl-C": 130, WORKER: 1}
SECONDS = 30  # in which a killed job must have ended
STUB = (sys.executable, str(Path(__file__).with_name("stub_job.py")))
# The command itself. If it takes more than a minute, it prints its stack and ends.
REAL = (
    sys.executable,
    "-c",
    "import faulthandler; faulthandler.dump_traceback_later(60, exit=True); "
    "from spacy_sentid.cli import main; main()",
)


class Job(NamedTuple):
    """A job with small shards. start: The command that runs it, STUB or REAL."""

    start: Sequence[str]
    inputs: Path
    options: Sequence[str] = ("--shard-size", "0.001")

    def run(self, out: Path, n_process: int) -> "Run":
        """Start the job in a new process group, or resume it."""
        command = [*self.start, "identify", str(self.inputs), "-o", str(out), *self.options]
        command += ["--n-process", str(n_process)]
        with Path(f"{out}.stderr").open("wb") as stderr:
            process = subprocess.Popen(
                command, stderr=stderr, preexec_fn=heed_ctrl_c, start_new_session=True
            )
        return Run(process, out)


class Run(NamedTuple):
    """A run of a job."""

    process: subprocess.Popen
    out: Path

    def list_workers(self) -> list[psutil.Process]:
        """List the processes that it has started, without the resource tracker of Python."""
        with suppress(psutil.NoSuchProcess):
            found = psutil.Process(self.process.pid).children()
            return [one for one in found if "spawn_main" in str(read_command(one))]
        return []

    def wait_for_workers(self, n: int) -> list[psutil.Process]:
        """Wait until the run has workers, or has ended."""
        while len(workers := self.list_workers()) < n and self.process.poll() is None:
            time.sleep(0.001)
        return workers

    def wait_for_shards(self, n: int) -> None:
        """Wait until shards are finished, or the run has ended."""
        while len(list(Path(f"{self.out}.job").glob("0*.json"))) < n:
            if self.process.poll() is not None:
                break
            time.sleep(0.01)

    def end(self, seconds: float = SECONDS) -> int:
        """Wait until the run and all its workers have ended; return its exit code."""
        workers = self.list_workers()
        code = self.process.wait(timeout=seconds)
        assert not find_alive(workers)
        return code

    def read_messages(self) -> str:
        """Read what was written to stderr."""
        return Path(f"{self.out}.stderr").read_text(encoding="utf8")


def read_command(process: psutil.Process) -> list[str]:
    """Read the command of a process; [] if it has ended."""
    with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        return process.cmdline()
    return []


def write_inputs(folder: Path) -> Path:
    """Write 300 short documents and some bad lines."""
    rows = [json.dumps({"id": n, "text": f"Page {n}\n\nI sleep. " * 5}) for n in range(300)]
    rows[7:7] = rows[90:90] = ["nonsense"]
    path = folder / "in.jsonl"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf8")
    return path


def compare(out: Path, whole: Path) -> None:
    """Check that an output and its errors equal those of an undisturbed run."""
    for end in ("", ".errors.jsonl"):
        assert Path(f"{out}{end}").read_bytes() == Path(f"{whole}{end}").read_bytes()
    assert not Path(f"{out}.job").exists()


def kill_and_resume(
    job: Job, whole: Path, out: Path, ways: Sequence[str], *, n_process: int, seed: object = 0
) -> list[tuple[str, int, float]]:
    """Kill a job once for each of `ways`, resume it each time, and compare the outputs.

    Half of the kills come while the workers start. The others come at any later moment. A job that
    is complete is compared, and started again.
    whole: Output of an undisturbed run, in which its time is measured.

    Returns (way, exit code, seconds until the end) of each kill.
    """
    started = time.monotonic()
    assert job.run(whole, n_process).end(120) == 0
    seconds = time.monotonic() - started
    rng = random.Random(str(seed))
    killed: list[tuple[str, int, float]] = []
    while len(killed) < len(ways):
        way = ways[len(killed)]
        run = job.run(out, n_process)
        workers = run.wait_for_workers(rng.randint(1, n_process) if n_process > 1 else 0)
        time.sleep(rng.uniform(0, rng.choice([0.1, seconds])))
        workers = run.list_workers() or workers
        sent = time.monotonic()
        if run.process.poll() is None:
            if way == WORKER and workers:
                with suppress(psutil.NoSuchProcess):
                    rng.choice(workers).kill()
            elif way != WORKER:
                KILLS[way].send(run.process)
        code = run.process.wait(timeout=SECONDS)
        assert not find_alive(workers)
        if code == 0 or (workers and not Path(f"{out}.job").exists()):  # it was complete
            compare(out, whole)
            for path in out.parent.glob(f"{out.name}*"):
                path.unlink()
            continue
        killed.append((way, code, time.monotonic() - sent))
        if workers:  # otherwise it may be killed while Python starts
            said = run.read_messages()
            assert code == CODES[way.split(" of the ")[0]], said
            # A process that is just started prints a traceback if its parent is gone.
            assert "Traceback" not in said or way == "kill -9", said
    assert job.run(out, n_process).end(120) == 0
    compare(out, whole)
    return killed


def main() -> None:
    """Kill jobs, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100, help="number of kills")
    parser.add_argument("--n-process", type=int, default=2)
    parser.add_argument("--model", help="pipeline of the workers")
    parser.add_argument("--seed", default="0")
    given = parser.parse_args()
    rng = random.Random(given.seed)
    ways = [WAYS[n % len(WAYS)] for n in range(given.n)]
    rng.shuffle(ways)
    folder = Path(tempfile.mkdtemp())
    try:
        options = ("--shard-size", "0.001", *(["--model", given.model] if given.model else []))
        job = Job(REAL if given.model else STUB, write_inputs(folder), options)
        killed = kill_and_resume(
            job,
            folder / "whole.jsonl",
            folder / "out.jsonl",
            ways,
            n_process=given.n_process,
            seed=given.seed,
        )
    finally:
        shutil.rmtree(folder)
    print("| way | kills | exit codes | longest, seconds |\n| --- | ---: | --- | ---: |")
    for way in WAYS:
        rows = [(code, seconds) for name, code, seconds in killed if name == way]
        codes = ", ".join(f"{code}: {n}" for code, n in Counter(one for one, _ in rows).items())
        longest = max((seconds for _, seconds in rows), default=0)
        print(f"| {way} | {len(rows)} | {codes} | {longest:.1f} |")
    print(f"{len(killed)} kills; all outputs are equal.")


if __name__ == "__main__":
    main()
