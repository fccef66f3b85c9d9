"""Whole jobs with giant records, in processes whose memory is limited or measured."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs the memory limits of Linux"),
]


# An intermediate process. Linux counts the memory of the parent in the peak of a process, and the
# process of the tests may be large.
LAUNCHER = """
import os, resource, subprocess, sys
n_bytes = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
process = subprocess.Popen(sys.argv[2:])
_, status, used = os.wait4(process.pid, 0)
print(used.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run_limited(env: dict[str, str], *arguments: object, n_bytes: int) -> tuple[int, int, str]:
    """Run a command with a limited address space; return its exit code, peak bytes and output."""
    command = [sys.executable, "-m", "spacy_sentid", *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER, str(n_bytes), *command],
        capture_output=True,
        text=True,
        env={**env, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return done.returncode, int(done.stdout.splitlines()[-1]), done.stderr


@pytest.fixture(scope="module")
def zeros(tmp_path_factory) -> Path:
    """A gzip file with 3 GB of zeros."""
    path = tmp_path_factory.mktemp("zeros") / "zeros.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(3_000):
            file.write(bytes(1_000_000))
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt", "a.html", "a.eml"])
def test_three_gigabytes_of_zeros_end_with_a_message(zeros, light_env, tmp_path, name):
    path, out = tmp_path / f"{name}.gz", tmp_path / "out.jsonl"
    path.symlink_to(zeros)
    options = ["--format", "lines"] * name.endswith(".txt") + ["--task", "sentences", "-o", out]
    code, peak, said = run_limited(light_env, "identify", path, *options, n_bytes=2_500_000_000)
    assert (code, "Traceback" in said) == (1, False), said
    last = said.splitlines()[-1]
    assert last.startswith("Error: ")
    assert str(path) in last
    assert ("got more." if name == "a.csv" else "got 3,000,000,000.") in last
    assert peak < 500_000_000
    assert (tmp_path / "out.jsonl.errors.jsonl").exists() == (name != "a.csv")


@pytest.mark.parametrize("options", [[], ["--text"]])
@pytest.mark.parametrize(("suffix", "megabytes"), [("jsonl", 450), ("csv", 450), ("parquet", 700)])
def test_a_record_of_3_megabytes_takes_a_bounded_amount_of_memory(
    light_env, tmp_path, options, suffix, megabytes
):
    path, out = tmp_path / "a.jsonl", tmp_path / f"out.{suffix}"
    path.write_text(json.dumps({"text": "He came. " * 300_000}) + "\n")
    command = ["identify", path, "-o", out, "--task", "sentences", *options]
    code, peak, said = run_limited(light_env, *command, n_bytes=2_500_000_000)
    assert code == 0, said
    assert peak < megabytes * 1_000_000
