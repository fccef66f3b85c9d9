"""Workers on this machine: this process, or processes that each load the pipeline.

batches -> workers -> (batch, result), in the order of the batches

Processes are spawned, not forked, because a torch model hangs if its threads were forked. Each
process uses one thread, so n processes take n cores, and the output does not depend on n.
"""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing.connection import wait

from ..input.documents import Document, format_places
from ..input.readers import DocumentBatch
from .work_settings import WorkSettings
from .worker import Result, Worker

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
# Batches in flight per process: one that it processes, one that is queued, and one that is read.
IN_FLIGHT = 3
DEATHS = (
    "{}, most often for lack of memory. Finished shards are kept. Run the same command again with "
    "fewer processes (--n-process), or with more memory for each."
)

# Set in each pool process: its worker, or the error that prevented one.
_worker: Worker | Exception | None = None


def work_on_batches(
    batches: Iterable[DocumentBatch],
    settings: WorkSettings,
    *,
    n_process: int = 1,
    on_ready: Callable[[], object] = lambda: None,
) -> Generator[tuple[DocumentBatch, Result], None, None]:
    """Process batches on this machine, and yield the results in the order of the batches.

    n_process: 1 = this process. Only a few batches are in flight at any time, so memory does not
        grow with the input. The processes end with the iteration, or when this process dies.
    on_ready: Called when the first worker has loaded the pipeline.

    Raises ValueError if the pipeline cannot be loaded, or a process was killed.
    """
    if n_process == 1:
        with one_thread():
            worker = load_worker(settings)
            on_ready()
            for batch in batches:
                yield batch, worker(batch.documents)
        return
    pool = ProcessPoolExecutor(
        n_process,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start_worker,
        initargs=(settings,),
    )
    waiting: deque[tuple[DocumentBatch, Future[Result]]] = deque()
    loaded: Future[None] | None = None
    is_ready = False
    try:
        todo = iter(batches)
        while True:
            for batch in islice(todo, IN_FLIGHT * n_process - len(waiting)):
                with one_thread():  # processes are started when there is work for them
                    loaded = loaded or pool.submit(_check_worker)
                    waiting.append((batch, pool.submit(_work, batch.documents)))
            if not waiting:
                return
            if not is_ready:
                assert loaded is not None
                loaded.result()
                on_ready()
                is_ready = True
            batch, future = waiting[0]
            result = future.result()
            waiting.popleft()
            yield batch, result
    except BrokenProcessPool as error:
        places = format_places([one for batch, _ in waiting for one in batch.documents])
        at = f" at {places}" if places else ""
        raise ValueError(
            DEATHS.format(f"A process of the job was killed from outside{at}")
        ) from error
    finally:
        if waiting:  # interrupted, so nobody waits for these results
            for process in list((pool._processes or {}).values()):
                process.terminate()
            # Otherwise some versions of Python (3.11.2, not 3.11.7) hang if they are sending dead
            # processes a batch that does not fit into the pipe (python/cpython#94777).
            calls = getattr(pool, "_call_queue", None)
            if calls is not None:
                calls._reader.close()
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread, in this process and in those that are started in this block.

    Libraries that were loaded earlier and read their number of threads only once, as numpy does,
    are not affected.
    """
    before = {name: os.environ[name] for name in THREAD_VARIABLES if name in os.environ}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    torch = sys.modules.get("torch")
    n_threads = torch.get_num_threads() if torch is not None else 1
    if torch is not None:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        for name in THREAD_VARIABLES:
            os.environ.pop(name, None)
        os.environ.update(before)
        if torch is not None:
            torch.set_num_threads(n_threads)


def load_worker(settings: WorkSettings, folder: str = "") -> Worker:
    """Load a worker in a process that was started for it.

    folder: The folder that paths are relative to, if the machine has it.
    """
    if os.path.isdir(folder):
        os.chdir(folder)
    worker = Worker(settings)
    if "torch" in sys.modules:  # torch may ignore the environment variables
        sys.modules["torch"].set_num_threads(1)
    return worker


def _start_worker(settings: WorkSettings) -> None:
    """Prepare a process of the pool. An error is raised with the first result."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    threading.Thread(target=_die_with_parent, daemon=True).start()
    try:
        _worker = load_worker(settings)
    except Exception as error:  # some errors cannot be sent to another process
        is_plain = type(error) is ValueError
        _worker = error if is_plain else ValueError(f"{type(error).__name__}: {error}")


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _check_worker() -> None:
    if isinstance(_worker, Exception):
        raise _worker


def _work(documents: Sequence[Document]) -> Result:
    _check_worker()
    assert isinstance(_worker, Worker)
    return _worker(documents)
