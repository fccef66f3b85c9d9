"""Workers on this machine: this process, or processes that each load the pipeline.

batches -> workers -> (batch, result), in the order of the batches

Processes are spawned, not forked, because a torch model hangs if its threads were forked. Each
process uses one thread, so n processes take n cores, and the output does not depend on n.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import islice

from ..input.readers import DocumentBatch
from .processes import ProcessPool
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
    with one_thread():
        if n_process == 1:
            worker = load_worker(settings)
            on_ready()
            for batch in batches:
                yield batch, worker(batch.documents)
            return
        with closing(ProcessPool(n_process, partial(load_worker, settings))) as pool:
            todo = ((batch, pool.submit(batch.documents)) for batch in batches)
            loaded = pool.submit([])
            waiting = deque(islice(todo, IN_FLIGHT * n_process))
            pool.wait_for(loaded)
            on_ready()
            while waiting:
                batch, future = waiting.popleft()
                yield batch, pool.wait_for(future)
                waiting.extend(islice(todo, 1))


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
