"""Run workers on a Ray cluster, or on a local Ray, as actors that each load the pipeline.

batches -> actors -> (batch, result), in the order of the batches

The job reads and writes in its own process, as it does with local workers. When an actor or its
machine dies, another actor processes its batch.
"""

import logging
import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from ...extras import require_extra
from ..input.documents import format_places
from ..input.readers import DocumentBatch
from .local import IN_FLIGHT, THREAD_VARIABLES, load_worker
from .processes import DEATHS
from .work_settings import WorkSettings
from .worker import Result

# The job ends when this many workers have died at the same batch, or while loading the pipeline.
MAX_ATTEMPTS = 4
LOADING = -1
LOCAL = "local"  # the address that starts Ray on this machine
# Small, because the object store holds only the batches in flight.
OBJECT_STORE_BYTES = 150_000_000


def list_options(num_gpus: float) -> dict[str, Any]:
    """List the options of an actor: one thread, as in the local engine, and one core or GPUs."""
    threads = {"env_vars": dict.fromkeys(THREAD_VARIABLES, "1")}
    return {"runtime_env": threads, **({"num_gpus": num_gpus} if num_gpus else {"num_cpus": 1})}


class RayWorker:
    """A worker in a Ray actor."""

    def load(self, settings: WorkSettings, cwd: str) -> None:
        """Load the pipeline. Ray would not report errors of the actor's constructor.

        cwd: The folder that paths are relative to, if the machine has it.
        """
        try:
            self.worker = load_worker(settings, cwd)
        except (ValueError, OSError) as error:
            import ray

            node = ray.util.get_node_ip_address()
            raise ValueError(f"{error} (on the Ray node {node})") from error

    def work(self, batch: DocumentBatch) -> Result:
        """Process a batch."""
        return self.worker(batch.documents)


def work_on_ray(
    batches: Iterable[DocumentBatch],
    settings: WorkSettings,
    *,
    n_actors: int | None = None,
    num_gpus: float = 0,
    on_ready: Callable[[], object] = lambda: None,
) -> Generator[tuple[DocumentBatch, Result], None, None]:
    """Process batches with Ray, as `work_on_batches` does locally.

    Ray is the one that runs in this process, that of the variable RAY_ADDRESS, or one that is
    started on this machine for the job.

    n_actors: None = as many as the cluster has cores, or GPUs. num_gpus: GPUs of each actor.
    on_ready: Called when the first worker has loaded the pipeline.

    Raises ValueError if the pipeline cannot be loaded, or workers keep dying at a batch.
    """
    with use_ray(n_cpus=n_actors) as ray:
        n_actors = _count_actors(ray, n_actors, num_gpus)
        make = ray.remote(**list_options(num_gpus))(RayWorker)
        idle: list[Any] = []
        busy: dict[Any, tuple[Any, int]] = {}  # actor and number of its batch, or LOADING
        is_ready = False
        try:
            # Ray's own pools and retries give a batch to an actor that does not run yet, and wait
            # for it. A machine that is lost, or never starts, would then block the job.
            under_way: dict[int, DocumentBatch] = {}
            results: dict[int, Result] = {}
            attempts: Counter[int] = Counter()
            todo: deque[int] = deque()
            numbered = enumerate(batches)
            while True:
                for number, batch in islice(numbered, IN_FLIGHT * n_actors - len(under_way)):
                    under_way[number] = batch
                    todo.append(number)
                if not under_way:
                    return
                while todo and idle:
                    actor, number = idle.pop(), todo.popleft()
                    busy[actor.work.remote(under_way[number])] = actor, number
                n_loading = sum(number == LOADING for _, number in busy.values())
                for _ in range(min(len(todo) - n_loading, n_actors - len(busy))):
                    actor = make.remote()
                    busy[actor.load.remote(settings, os.getcwd())] = actor, LOADING
                (done,), _ = ray.wait(list(busy), num_returns=1)
                actor, number = busy.pop(done)
                try:
                    result = ray.get(done)
                except ray.exceptions.RayTaskError as error:
                    raise error.cause from error
                except ray.exceptions.RayError as error:  # the actor has died
                    attempts[number] += 1
                    if attempts[number] == MAX_ATTEMPTS:
                        where = "while they loaded the pipeline"
                        if number != LOADING:
                            where = f"at {format_places(under_way[number].documents)}"
                        deaths = f"{MAX_ATTEMPTS} workers died {where}"
                        raise ValueError(DEATHS.format(deaths)) from error
                    if number != LOADING:
                        todo.appendleft(number)
                    continue
                if not is_ready:
                    on_ready()
                    is_ready = True
                idle.append(actor)
                attempts.pop(number, None)
                if number != LOADING:
                    results[number] = result
                while (number := next(iter(under_way), LOADING)) in results:
                    yield under_way.pop(number), results.pop(number)
        finally:
            for actor in [*idle, *(actor for actor, _ in busy.values())]:
                ray.kill(actor)


def _count_actors(ray: Any, n_actors: int | None, num_gpus: float) -> int:
    if n_actors is None:
        found = ray.cluster_resources()
        if num_gpus and not found.get("GPU"):
            raise ValueError(
                f"The Ray cluster must have a GPU for --ray-gpus {num_gpus:g}, got none. Leave the "
                "option out, or give the number of workers if the cluster scales automatically."
            )
        n_actors = int(found["GPU"] / num_gpus if num_gpus else found.get("CPU", 1))
    return max(n_actors, 1)


def import_ray() -> Any:
    """Import Ray and Ray Data; raise ValueError if they are missing."""
    with require_extra("the engine Ray", extra="ray"):
        import ray
        import ray.data
    return ray


@contextmanager
def use_ray(*, n_cpus: int | None = None) -> Iterator[Any]:
    """Connect to Ray, and yield it. If it already runs in this process, it is left as it is.

    n_cpus: Number of cores for a Ray that is started here; None = all.
    """
    ray = import_ray()
    if ray.is_initialized():
        yield ray
        return
    address = os.environ.get("RAY_ADDRESS") or LOCAL
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        settings |= {"num_cpus": n_cpus, "include_dashboard": False}
        settings["object_store_memory"] = OBJECT_STORE_BYTES
    # No usage statistics are sent, and Ray does not warn about each actor that ends.
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
    added = {name: value for name, value in quiet.items() if name not in os.environ}
    os.environ.update(added)
    try:
        ray.init(address, **settings)
    except ConnectionError as error:
        raise ConnectionError(
            f"There is no Ray cluster at {address} ({error}). Set RAY_ADDRESS to the address of "
            "its head node, and RAY_AUTH_MODE=token if the cluster asks for a token."
        ) from error
    finally:
        for name in added:
            os.environ.pop(name, None)
    try:
        yield ray
    finally:
        ray.shutdown()
