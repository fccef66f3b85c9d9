"""Measure the peak memory of jobs with giant records: zeros in gzip, and one long text."""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

MEGABYTE = 1_000_000
ZEROS = ("jsonl", "csv", "html", "eml", "txt --format lines", "txt")
LONG = ("sentences", "sentences --text", "units", "units --text")


class Run(NamedTuple):
    """The result of a job."""

    code: int
    megabytes: float
    seconds: float  # CPU seconds
    said: str  # last line of stderr


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=3, help="GB of zeros in a gzip file")
    parser.add_argument("--limit", type=float, default=2.5, help="GB that a job may address")
    parser.add_argument(
        "--sentences", type=int, default=300_000, help="number of sentences of the long text"
    )
    parser.add_argument("--zeros", nargs="*", default=ZEROS, help="formats of the files of zeros")
    parser.add_argument("--tasks", nargs="*", default=LONG, help="tasks for the long text")
    parser.add_argument("--outputs", nargs="*", default=["jsonl", "csv", "parquet"])
    args = parser.parse_args()
    print(f"| input | task | output | exit code | peak MB | CPU s | says |\n|{' --- |' * 7}")
    with tempfile.TemporaryDirectory() as folder:
        for name in args.zeros:
            suffix, *options = name.split()
            path = Path(folder, f"zeros.{suffix}.gz")
            with gzip.open(path, "wb", compresslevel=1) as file:
                for _ in range(round(args.gigabytes * 1000)):
                    file.write(bytes(MEGABYTE))
            out = Path(folder, "out.jsonl")
            found = run_job(path, out, ["sentences", *options], limit=args.limit)
            print_row(f"{args.gigabytes:g} GB of zeros, .{suffix}.gz", name, out, found)
        path = Path(folder, "long.jsonl")
        text = "He came. " * args.sentences
        path.write_text(json.dumps({"text": text}) + "\n", encoding="utf8")
        for task in args.tasks:
            for suffix in args.outputs:
                out = Path(folder, f"out.{suffix}")
                found = run_job(path, out, task.split(), limit=args.limit)
                print_row(f"{len(text) / MEGABYTE:g} MB of text in a record", task, out, found)


def run_job(path: Path, out: Path, task: list[str], *, limit: float) -> Run:
    """Run `identify` in a process with a limited address space. limit: In GB."""
    import resource

    n_bytes = round(limit * 1e9)
    command = [sys.executable, "-m", "spacy_sentid", "identify", str(path), "-o", str(out)]
    environ = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [*command, "--overwrite", "--task", *task],
            stderr=said,
            env=environ,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes)),
        )
        _, status, used = os.wait4(process.pid, 0)
        said.seek(0)
        lines = said.read().decode().strip().splitlines()
    process.returncode = os.waitstatus_to_exitcode(status)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(process.returncode, peak / 1e6, used.ru_utime + used.ru_stime, lines[-1])


def print_row(what: str, task: str, out: Path, found: Run) -> None:
    """Print a row immediately, because a run takes minutes."""
    cells = [what, task, out.suffix, str(found.code), f"{found.megabytes:,.0f}"]
    said = found.said.replace(str(out.parent), "").replace("|", "\\|")
    print(f"| {' | '.join([*cells, f'{found.seconds:.0f}', said])} |", flush=True)


if __name__ == "__main__":
    main()
