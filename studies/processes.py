"""Functions run in processes of their own, several at a time, that end when the study ends."""

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
    """Run a function on each task, in a new process each; yield each task when it is done.

    run: A function that can be pickled. What it raises is raised here, and the other processes are
        stopped with all that they started. So they are at an interrupt, or if this process dies.
    processes: Tasks at a time.
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
                        f"A run must end with a result, got exit code {process.exitcode}. If it "
                        "was killed for its memory, use fewer --jobs."
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
    """Run one task in a process that leads a group, and send the parent its error or None."""
    if hasattr(os, "setpgrp"):
        os.setpgrp()
    Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    error: BaseException | None = None
    try:
        run(task)
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
