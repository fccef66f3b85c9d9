"""Workers on this machine: this process, or processes that each load the pipeline.

batches -> workers -> (batch, result), in the order of the batches

Processes are started afresh, not forked: a torch model whose threads were forked hangs. Each
computes with one thread, so that n processes take n cores, and n does not change what is written.
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

from .documents import Document, format_places
from .readers import DocumentBatch
from .worker import Result, Worker, WorkSettings

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
# Batches under way for each process: one that it works on, one that waits for it, one read.
IN_FLIGHT = 3
DEATHS = (
    "{}, most often for lack of memory. Finished shards are kept: run the same command again, with "
    "fewer processes (--n-process), or more memory for each."
)

# In a process of the pool: its worker, or why there is none.
_worker: Worker | Exception | None = None


def work_on_batches(
    batches: Iterable[DocumentBatch],
    settings: WorkSettings,
    *,
    n_process: int = 1,
    on_ready: Callable[[], object] = lambda: None,
) -> Generator[tuple[DocumentBatch, Result], None, None]:
    """Work on batches; results come in the order of the batches.

    n_process: 1 = in this process. Few batches are under way at any time, so that memory does not
        grow with the input. Processes end with the iteration, and when this process dies.
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
        if waiting:  # interrupted: nobody waits for what they are at
            for process in list((pool._processes or {}).values()):
                process.terminate()
            # Else some Pythons (3.11.2, not 3.11.7) wait for ever to send a batch that is more than
            # a pipe holds to processes that are dead (python/cpython#94777).
            calls = getattr(pool, "_call_queue", None)
            if calls is not None:
                calls._reader.close()
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread: in processes that are started in this block, and here.

    What was loaded before and reads its number of threads only once, as numpy does, is not changed.
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
    """Load a worker in a process that is started for it.

    folder: Relative paths are of this one, where the machine has it.
    """
    if os.path.isdir(folder):
        os.chdir(folder)
    worker = Worker(settings)
    if "torch" in sys.modules:  # it may ignore the variables
        sys.modules["torch"].set_num_threads(1)
    return worker


def _start_worker(settings: WorkSettings) -> None:
    """Prepare a process of the pool; an error is raised with the first result."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this
    threading.Thread(target=_die_with_parent, daemon=True).start()
    try:
        _worker = load_worker(settings)
    except Exception as error:  # some errors are lost on the way to another process
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
