"""Processes that are started to be interrupted, and whether they are gone."""

import signal
from collections.abc import Sequence

import pytest

psutil = pytest.importorskip("psutil")


def heed_ctrl_c() -> None:
    """Take back that a shell lets what it starts in the background ignore Ctrl-C: a preexec_fn."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def find_alive(processes: Sequence, *, seconds: float = 30) -> list:
    """List the processes that do not end; a dead one may wait for the system to bury it."""
    alive = list(processes)
    for _ in range(round(seconds / 0.5)):
        alive = [one for one in psutil.wait_procs(alive, timeout=0.5)[1] if not is_zombie(one)]
        if not alive:
            break
    return alive


def is_zombie(process) -> bool:
    """Check whether a process is dead already."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
