"""A pool of processes that neither hangs nor prints anything when some of them are killed.

documents -> a thread -> pipe -> its process -> pipe -> result, or the error of its documents

`ProcessPoolExecutor` has one pipe for the results of all processes, and each process can write to
it. If one is killed while it sends a result, the reader waits forever for the rest. Here each
process has its own pipe, which is closed when it dies.
"""

import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TypeAlias

from ..input.documents import Document, format_places
from .worker import Result

Work: TypeAlias = Callable[[Sequence[Document]], Result]

DEATHS = (
    "{}, most often for lack of memory. Finished shards are kept. Run the same command again with "
    "fewer processes (--n-process), or with more memory for each."
)


class ProcessPool:
    """Processes that work on documents, each with a thread of this process that serves it.

    A thread sends documents only to a process that waits for them, so neither can block the other.
    Only threads start processes, because Ctrl-C interrupts only the main thread.

    n: Number of processes. They are started when there is work for them.
    load: Makes the function that each process calls with documents.
    """

    def __init__(self, n: int, load: Callable[[], Work]) -> None:
        self._load = load
        self._threads = ThreadPoolExecutor(n, initializer=_block_ctrl_c)
        self._own = threading.local()
        self._processes: list[BaseProcess] = []
        self._is_closed = False
        self._woken, self._wake = socket.socketpair()
        self._wake.setblocking(False)
        self._is_main = threading.current_thread() is threading.main_thread()
        if self._is_main:
            self._fd_before = signal.set_wakeup_fd(self._wake.fileno())

    def submit(self, documents: Sequence[Document]) -> Future[Result]:
        """Let a process work on documents."""
        return self._threads.submit(self._work, documents)

    def wait_for(self, future: Future[Result]) -> Result:
        """Return a result, or raise the error of its documents. Ctrl-C ends the wait at once.

        `Future.result` would not always notice Ctrl-C: not on Windows, and not if the system
        chooses another thread to receive the signal.
        """
        future.add_done_callback(lambda _: self._wake.send(b"\0"))
        while self._woken.recv(4096) and not future.done():
            pass  # a byte of a signal, or of an earlier future
        return future.result()

    def close(self) -> None:
        """End all processes at once, also those that work or start."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            process.join()
        if self._is_main:
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
    """Block SIGINT in a thread, and thereby in the processes that it starts.

    A process that gets it before it can ignore it would print a traceback.
    """
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # it would unblock the signal when it is started later
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _work_for_parent(pipe: Connection, load: Callable[[], Work]) -> None:
    """Work on documents until the parent process ends this process, or has ended itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    threading.Thread(target=_die_with_parent, daemon=True).start()
    work: Work | None = None
    with suppress(EOFError, OSError):  # the parent process has ended
        pipe.send(None)
        while True:
            documents = pipe.recv()
            try:
                work = work or load()
                result: Result | Exception = work(documents)
            except MemoryError as error:
                result = MemoryError(str(error))
            except Exception as error:  # some errors cannot be sent to another process
                is_plain = type(error) is ValueError
                result = error if is_plain else ValueError(f"{type(error).__name__}: {error}")
            pipe.send(result)


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
