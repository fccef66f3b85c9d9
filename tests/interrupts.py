"""Interrupt processes in several ways, and check that they have ended."""

import os
import signal
import subprocess
from collections.abc import Sequence
from signal import Signals
from typing import NamedTuple

import pytest

psutil = pytest.importorskip("psutil")


class Kill(NamedTuple):
    """A signal for only a process, or also for all processes that it started."""

    signal: Signals
    group: bool

    def send(self, process: subprocess.Popen) -> None:
        """Send the signal; for a group, the process must have been started in a new session."""
        if self.group:
            os.killpg(process.pid, self.signal)
        else:
            process.send_signal(self.signal)


# All ways to interrupt a job. Ctrl-C in a terminal is sent to the group.
KILLS = {
    "kill -9": Kill(Signals.SIGKILL, False),
    "kill -9 of the group": Kill(Signals.SIGKILL, True),
    "SIGTERM": Kill(Signals.SIGTERM, False),
    "SIGTERM of the group": Kill(Signals.SIGTERM, True),
    "SIGINT": Kill(Signals.SIGINT, False),
    "Ctrl-C": Kill(Signals.SIGINT, True),
}


def heed_ctrl_c() -> None:
    """Restore Ctrl-C, which shells disable for background processes. Used as a preexec_fn."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def find_alive(processes: Sequence, *, seconds: float = 30) -> list:
    """List the processes that do not end. Zombies count as ended."""
    alive = list(processes)
    for _ in range(round(seconds / 0.5)):
        alive = [one for one in psutil.wait_procs(alive, timeout=0.5)[1] if not is_zombie(one)]
        if not alive:
            break
    return alive


def is_zombie(process) -> bool:
    """Check if a process has ended."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
