"""Trainings of a study: each in a process of its own, several at a time.

`spacy train` with a log beside the model. When the study ends, in whatever way, its trainings end.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from thinc.api import Config

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
Job = TypeVar("Job")


def run_jobs(run: Callable[[Job], object], todo: Sequence[Job], *, jobs: int) -> Iterator[Job]:
    """Run something on each job, in a new process each; yields each when it is done.

    run: A function that can be pickled. What it raises is raised here, and the other processes are
        stopped with all that they started, as they are at an interrupt, or if this process dies.
    jobs: Runs at a time.
    """
    context = get_context("spawn")
    waiting = list(reversed(todo))
    running: dict[Any, tuple[Any, Job]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(run, waiting[-1], there))
                process.start()
                there.close()
                running[here] = process, waiting.pop()
            ready: list[Any] = connection.wait(list(running))
            for here in ready:
                process, job = running[here]
                try:
                    error = here.recv()
                except EOFError:
                    process.join()
                    error = ValueError(
                        f"A run ended with exit code {process.exitcode}, expected its result. It "
                        "may have been killed for its memory; try fewer --jobs."
                    )
                if error is not None:
                    raise error
                process.join()
                del running[here]
                yield job
    finally:
        for process, _ in running.values():
            _kill(process)


def _work(run: Callable[[Job], object], job: Job, parent: Connection) -> None:
    """Run one job in a process that leads a group, and tell the parent how it ended."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    error: BaseException | None = None
    try:
        run(job)
    except Exception as found:
        # Not every exception survives being sent.
        error = found if isinstance(found, (ValueError, OSError)) else ValueError(repr(found))
    parent.send(error)


def _end_with_parent(parent: Connection) -> None:
    """Wait for a parent that never sends anything: when it is gone, so is the group."""
    with suppress(EOFError, OSError):
        parent.recv()
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def _kill(process: Any) -> None:
    """Stop a process and what it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # it may not lead its group yet
    process.join()


def list_step_overrides(config: Config, max_steps: int | None = None) -> dict[str, Any]:
    """List the settings of a training that ends after some updates.

    Without a score on the way, the model kept would be that of the first step; and a rate that
    falls is to fall over all of them.

    config: Filled, with [training].
    max_steps: None = as the config says; 0 = as long as its patience lasts.
    Raises ValueError for a training that never ends.
    """
    block = config["training"]
    if max_steps is None:
        max_steps = block["max_steps"]
    if not max_steps:
        if not block["patience"]:
            raise ValueError(
                "Found a config with max_steps = 0 and patience = 0, with which a training never "
                "ends. Set one of them, or give --max-steps."
            )
        return {"training.max_steps": 0}
    overrides = {
        "training.max_steps": max_steps,
        "training.eval_frequency": min(block["eval_frequency"], max(max_steps // 3, 1)),
    }
    rates = block["optimizer"].get("learn_rate")
    if isinstance(rates, Mapping) and "total_steps" in rates:
        overrides["training.optimizer.learn_rate.total_steps"] = max_steps
    return overrides


def train_pipeline(
    config: Path,
    folder: Path,
    overrides: Mapping[str, Any],
    *,
    gpu_id: int = -1,
    threads: int | None = None,
) -> None:
    """Run `spacy train` with settings that differ from a filled config; train.log says how it went.

    threads: None = as the libraries choose.
    """
    command: list[Any] = ["train", config, "--output", folder, "--gpu-id", gpu_id]
    command += [
        f"--{name}={value if isinstance(value, (str, Path)) else json.dumps(value)}"
        for name, value in overrides.items()
    ]
    run_spacy(command, folder / "train.log", threads=threads)


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
