"""Trainings of a study: each in a process of its own, several at a time.

`spacy train` with a log beside the model; what was done is not done again.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Job = TypeVar("Job")


def run_jobs(run: Callable[[Job], object], todo: Sequence[Job], *, jobs: int) -> Iterator[Job]:
    """Run something on each job; yields each when it is done.

    run: A function that can be pickled.
    jobs: Runs at a time.
    """
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(run, job): job for job in todo}
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future]
        finally:
            pool.shutdown(cancel_futures=True)


def run_spacy(command: Sequence[Any], log: Path, *, threads: int | None) -> None:
    """Run a command of spaCy; what it says goes to a log.

    threads: None = as the libraries choose.
    Raises ValueError with the end of the log if it fails.
    """
    environment = dict(os.environ)
    if threads is not None:
        environment |= {name: str(threads) for name in THREAD_VARIABLES}
    words = [sys.executable, "-m", "spacy", *map(str, command)]
    with log.open("w", encoding="utf8") as file:
        done = subprocess.run(words, stdout=file, stderr=file, env=environment)
    if done.returncode:
        end = log.read_text(encoding="utf8")[-1500:]
        raise ValueError(f"'spacy {command[0]}' failed; {log} ends with:\n{end}")
