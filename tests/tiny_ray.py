"""Start a Ray cluster of several nodes on this machine, without affecting other Rays on it."""

import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import psutil

ACTOR = "ray::RayWorker"


class TinyCluster:
    """Nodes with one core each, as a context manager that ends all their processes.

    folder: Folder for Ray's files, with a short name, as it contains sockets.
    The attribute `env` is for processes that connect; Ray reads it when it is imported.
    """

    def __init__(self, folder: Path) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{found.getsockname()[1]}"
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex}
        self.env = {**os.environ, **token, "RAY_USAGE_STATS_ENABLED": "0"}
        self.folder = folder
        self.nodes: list[subprocess.Popen] = []

    def __enter__(self) -> "TinyCluster":
        port = self.address.rsplit(":", 1)[1]
        self._start(
            "--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self.folder}"
        )
        return self

    def add_node(self) -> subprocess.Popen:
        """Start another node."""
        return self._start(f"--address={self.address}")

    def _start(self, *options: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--num-cpus=1"]
        command += ["--object-store-memory=100000000", "--node-ip-address=127.0.0.1"]
        with (self.folder / f"node{len(self.nodes)}.log").open("wb") as log:
            node = subprocess.Popen(
                [*command, *options],
                stdout=log,
                stderr=log,
                env=self.env,
                cwd=self.folder,  # not the folder of the job
                start_new_session=True,
            )
        self.nodes.append(node)
        return node

    def wait(self) -> None:
        """Wait until all nodes belong to the cluster."""
        code = (
            "import ray, sys, time\n"
            "deadline = time.monotonic() + 60\n"
            "ray.init(sys.argv[1], logging_level='ERROR', log_to_driver=False)\n"
            "while sum(node['Alive'] for node in ray.nodes()) < int(sys.argv[2]):\n"
            "    assert time.monotonic() < deadline\n"
            "    time.sleep(0.2)\n"
        )
        command = [sys.executable, "-c", code, self.address, str(len(self.nodes))]
        subprocess.run(command, env=self.env, check=True, timeout=120)

    def find_processes(self, node: subprocess.Popen) -> list[psutil.Process]:
        """Find the processes of a node."""
        try:
            return psutil.Process(node.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def find_actors(self) -> list[psutil.Process]:
        """Find the processes of the actors, on all nodes."""
        found = [process for node in self.nodes for process in self.find_processes(node)]
        return [process for process in found if _command(process).startswith(ACTOR)]

    def kill_node(self, node: subprocess.Popen) -> None:
        """Kill a node, as if its machine failed."""
        found = self.find_processes(node)
        node.kill()
        for process in found:
            _kill(process)
        node.wait()
        psutil.wait_procs(found, timeout=5)

    def __exit__(self, *_: object) -> None:
        for node in reversed(self.nodes):
            self.kill_node(node)


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # the process has ended
        return ""


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.kill()
