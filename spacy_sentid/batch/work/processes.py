"""A pool of processes that neither hangs nor prints anything when some of them are killed.

documents -> thread -> pipe -> process -> pipe -> thread -> result

All processes of a `ProcessPoolExecutor` send results through one pipe. If one of them is killed
while it sends, the reader waits forever. Here each process has its own pipe, which closes with it.
"""

import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from ..input.documents import Document, format_places
from .worker import Result, Worker

DEATHS = (
    "{}, most often for lack of memory. Finished shards are kept. Run the same command again with "
    "fewer processes (--n-process), or with more memory for each."
)


class ProcessPool:
    """Processes that work on documents, each with a thread of this process that serves it.

    A thread sends documents only to a process that waits for them, so neither can block the other.
    Only threads start processes, because Ctrl-C interrupts only the main thread.

    n: Number of processes. They are started when there is work for them.
    load: Loads the worker of a process.
    """

    def __init__(self, n: int, load: Callable[[], Worker]) -> None:
        self._load = load
        self._threads = ThreadPoolExecutor(n, initializer=_block_ctrl_c)
        self._own = threading.local()
        self._processes: list[BaseProcess] = []
        self._is_closed = False
        self._woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        is_main = threading.current_thread() is threading.main_thread()
        self._fd_before = signal.set_wakeup_fd(self._wake.fileno()) if is_main else None

    def submit(self, documents: Sequence[Document]) -> Future[Result]:
        """Let a process work on documents."""
        return self._threads.submit(self._work, documents)

    def wait_for(self, future: Future[Result]) -> Result:
        """Return a result, or raise its error. Ctrl-C ends the wait, as `result()` may not."""
        future.add_done_callback(lambda _: self._wake.send(b"\0"))
        while self._woken.recv(4096) and not future.done():
            pass  # the byte of a signal, which any thread may receive, or of an earlier future
        return future.result()

    def close(self) -> None:
        """End all processes at once, also those that work or start."""
        self._is_closed = True
        for process in self._processes:
            process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.join()
        if self._fd_before is not None:
            signal.set_wakeup_fd(self._fd_before)
        self._woken.close()
        self._wake.close()

    def _work(self, documents: Sequence[Document]) -> Result:
        try:
            if not hasattr(self._own, "pipe"):
                self._own.pipe = self._start()
            self._own.pipe.send(documents)
            result = self._own.pipe.recv()
        except (EOFError, OSError) as error:
            places = format_places(documents)
            died = f"A process of the job died{f' at {places}' if places else ''}"
            raise ValueError(DEATHS.format(died)) from error
        if isinstance(result, Exception):
            raise result
        return result

    def _start(self) -> Connection:
        """Start a process, and return the pipe to it."""
        spawn = multiprocessing.get_context("spawn")
        pipe, its_pipe = spawn.Pipe()
        process = spawn.Process(target=_work_for_parent, args=(its_pipe, self._load), daemon=True)
        process.start()
        self._processes.append(process)
        if self._is_closed:
            process.kill()
        its_pipe.close()  # or this process would hold it open when the other one has died
        # On Windows, it is only closed when the process has received it.
        if pipe not in wait([pipe, process.sentinel]):
            raise EOFError
        pipe.recv()
        return pipe


def _block_ctrl_c() -> None:
    """Keep SIGINT from a thread, and from its processes before they can ignore it themselves."""
    if os.name == "posix":
        resource_tracker.ensure_running()  # it would unblock the signal when it is started later
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _work_for_parent(pipe: Connection, load: Callable[[], Worker]) -> None:
    """Process documents until the parent process kills this process, or has ended itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    parent = multiprocessing.parent_process()
    threading.Thread(target=_die_with, args=[parent], daemon=True).start()
    worker: Worker | None = None
    with suppress(EOFError, OSError):  # the parent process has ended
        pipe.send(None)
        while True:
            documents = pipe.recv()
            try:
                worker = worker or load()
                result: Result | Exception = worker(documents)
            except Exception as error:  # some errors cannot be sent to another process
                kind = MemoryError if isinstance(error, MemoryError) else ValueError
                name = "" if type(error) is kind else f"{type(error).__name__}: "
                result = kind(f"{name}{error}")
            pipe.send(result)


def _die_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
