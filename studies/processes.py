"""Run tasks in parallel, each in a new process that ends when the study ends."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, TypeVar

Task = TypeVar("Task")


def run_parallel(
    run: Callable[[Task], object], tasks: Sequence[Task], *, processes: int
) -> Iterator[Task]:
    """Run a function on each task in a new process, and yield each task when it is done.

    If a task raises an error, it is raised here, and the other processes are stopped with all their
    child processes. They are also stopped at an interrupt, or if this process dies.

    run: A function that can be pickled.
    processes: Number of processes at a time.
    """
    context = get_context("spawn")
    waiting = list(reversed(tasks))
    running: dict[Any, tuple[Any, Task]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                here, there = context.Pipe()
                process = context.Process(target=_work, args=(run, waiting[-1], there))
                process.start()
                there.close()
                running[here] = process, waiting.pop()
            ready: list[Any] = connection.wait(list(running))
            for here in ready:
                process, task = running[here]
                try:
                    error = here.recv()
                except EOFError:
                    process.join()
                    error = ValueError(
                        f"A run ended with exit code {process.exitcode} and without a result. If "
                        "it ran out of memory, use fewer --jobs."
                    )
                if error is not None:
                    raise error
                process.join()
                del running[here]
                yield task
    finally:
        for process, _ in running.values():
            _kill(process)


def _work(run: Callable[[Task], object], task: Task, parent: Connection) -> None:
    """Run one task in a process that leads a group; send its error, or None, to the parent."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    error: BaseException | None = None
    try:
        run(task)
    except Exception as found:
        # Not every exception can be pickled.
        error = found if isinstance(found, (ValueError, OSError)) else ValueError(repr(found))
    parent.send(error)


def _end_with_parent(parent: Connection) -> None:
    """Kill the process group when the parent dies. The parent sends nothing before that."""
    with suppress(EOFError, OSError):
        parent.recv()
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def _kill(process: Any) -> None:
    """Stop a process and its child processes."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()  # in case it does not lead its group yet
    process.join()
