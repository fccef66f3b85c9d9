"""Workers on a Ray cluster, or on a local Ray: actors of Ray Data that each load the pipeline.

splits -> a row each -> actors -> shards in the folder of the job -> their ShardInfos

Actors read splits and write shards by themselves; the texts do not go through Ray. When an actor
or its machine dies, Ray gives the row to another, which resumes after the finished shards. Ray
keeps what the first one had reported and leaves out as many rows of the second, so both report all.
"""

import logging
import os
import pickle
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

from .batches import make_batches
from .documents import LineCounts, ReadSettings
from .local import THREAD_VARIABLES, one_thread
from .output import ShardFolder, ShardInfo, write_shards
from .split import InputSplit
from .worker import Worker, WorkSettings

# Each row costs Ray some milliseconds; with more splits than this a row has several.
MAX_ROWS = 10_000
# How often workers may die at the same shard before it is taken for the cause.
MAX_ATTEMPTS = 4
# In the folder of the job, while it runs: a machine where it is not there sees another folder.
MARKER = "ray.run"
# Of a Ray that is started here; only names of files and counts go through it.
OBJECT_STORE_BYTES = 150_000_000
# Actors compute with one thread each, as the processes of the local engine do.
ACTOR_ENV = {"env_vars": dict.fromkeys(THREAD_VARIABLES, "1")}


def do_splits(
    todo: Sequence[tuple[InputSplit, int]],
    work: WorkSettings,
    read: ReadSettings,
    folder: ShardFolder,
    *,
    shard_size: int,
    address: str | None = None,
    n_actors: int | None = None,
    num_gpus: float = 0,
) -> Generator[ShardInfo, None, None]:
    """Work on splits with Ray, and yield their shards as they are finished, in any order.

    todo: (split, first shard that is not done). folder: All machines must see it, and the sources,
        under the same path. address: As in `ray.init`; None = the Ray that runs in this process,
        that of the variable RAY_ADDRESS, or one of this machine, started for the job. n_actors:
        None = as many as the cluster has cores, or GPUs. num_gpus: Of each actor.

    Actors end with the iteration; shards that are finished stay.

    Raises ValueError and OSError as the local engine does, also if workers keep dying at a shard.
    """
    if not todo:
        return
    rows = _pack(todo)
    with use_ray(address, n_cpus=n_actors) as ray, _mark(folder) as run:
        size = _count_actors(ray, n_actors, num_gpus, len(rows))
        counter = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(AttemptCounter)
        dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).flat_map(
            SplitActor,
            fn_constructor_kwargs={
                # The first of the GPUs that Ray lets the actor see.
                "work": replace(work, gpu_id=0) if num_gpus else work,
                "read": read,
                "folder": folder,
                "shard_size": shard_size,
                "run": run,
                "cwd": os.getcwd(),
                "counter": counter.remote(),
            },
            # A split takes long: none waits for one actor while another has nothing to do.
            compute=ray.data.ActorPoolStrategy(size=size, max_tasks_in_flight_per_actor=1),
            runtime_env=ACTOR_ENV,
            **actor_resources(num_gpus),
        )
        yield from take_found(dataset)


class SplitActor:
    """Works on splits in an actor of Ray Data: a row of splits in, a row for each shard out.

    run: What the marker of the job's folder says. cwd: Folder that paths are relative to.
    counter: Handle of an AttemptCounter.
    """

    def __init__(
        self,
        work: WorkSettings,
        read: ReadSettings,
        folder: ShardFolder,
        *,
        shard_size: int,
        run: str,
        cwd: str,
        counter: Any,
    ) -> None:
        self.work = work
        self.read = read
        self.folder = folder
        self.shard_size = shard_size
        self.run = run
        self.cwd = cwd
        self.counter = counter
        self.counts = LineCounts()
        self._worker: Worker | None = None

    def __call__(self, row: Mapping[str, Any]) -> Iterator[dict[str, bytes]]:
        """Yield the shards of this row, including finished ones."""
        try:
            enter_folder(self.cwd)
            for split, first_shard in pickle.loads(row["splits"]):
                for info in self._do_split(split, first_shard):
                    yield {"found": pickle.dumps(info)}
        except (ValueError, OSError) as error:
            yield {"found": pickle.dumps(name_node(error))}

    def _do_split(self, split: InputSplit, shard: int) -> Iterator[ShardInfo]:
        store = self.folder.job.store
        if store.read(MARKER) != self.run.encode("ascii"):
            raise ValueError(
                f"The folder {store.path!r} of the job must be one that all nodes see under the "
                f"same path; it is not on the Ray node {find_node()}. Name an output on a shared "
                "file system, or a URL such as s3://bucket/folder/."
            )
        for info in self.folder.read_finished(split.number, shard):
            yield info
            if info.ends_split:
                return
            shard = info.shard + 1
        self._count_attempt(split, shard)
        # Not when the actor is made: Ray would report an error in many lines.
        with one_thread():
            if self._worker is None:
                self._worker = Worker(self.work)
            worker = self._worker
            with one_thread():  # once more: the pipeline may have brought torch
                batches = make_batches(
                    split,
                    self.read,
                    shard_size=self.shard_size,
                    counts=self.counts,
                    first_shard=shard,
                )
                finished = ((batch, worker(batch.documents)) for batch in batches)
                yield from write_shards(finished, self.folder)

    def _count_attempt(self, split: InputSplit, shard: int) -> None:
        import ray

        before = ray.get(self.counter.add.remote(split.number, shard))
        if before >= MAX_ATTEMPTS:
            path = split.ranges[0].source.path
            raise ValueError(
                f"{before} workers died one after the other at {path} (split {split.number}, shard "
                f"{shard}), most often for lack of memory. Finished shards are kept: run the same "
                "command again, with fewer workers (--n-process) or more memory for each."
            )


class AttemptCounter:
    """Counts, for all actors, how often work on a shard was begun."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, int]] = Counter()

    def add(self, split: int, shard: int) -> int:
        """Count an attempt; returns how many were before it."""
        self.counts[split, shard] += 1
        return self.counts[split, shard] - 1


@contextmanager
def _mark(folder: ShardFolder) -> Iterator[str]:
    run = uuid4().hex
    folder.job.store.write(MARKER, run.encode("ascii"))
    try:
        yield run
    finally:
        folder.job.store.delete(MARKER)


def _pack(items: Sequence[tuple[InputSplit, int]]) -> list[dict[str, bytes]]:
    size = max(-(-len(items) // MAX_ROWS), 1)
    return [
        {"splits": pickle.dumps(items[first : first + size])}
        for first in range(0, len(items), size)
    ]


def _count_actors(ray: Any, n_actors: int | None, num_gpus: float, n_rows: int) -> int:
    if n_actors is None:
        found = ray.cluster_resources()
        if num_gpus and not found.get("GPU"):
            raise ValueError(
                f"The Ray cluster must have a GPU for --ray-gpus {num_gpus:g}, got none. Leave it "
                "out, or say how many workers a cluster that grows is to have."
            )
        n_actors = int(found["GPU"] / num_gpus if num_gpus else found.get("CPU", 1))
    return max(min(n_actors, n_rows), 1)


def import_ray() -> Any:
    """Import Ray and Ray Data; ValueError if they are missing."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ValueError(
            f"The engine Ray needs Ray Data ({error}). Install it with: pip install "
            "'spacy-sentid[ray]'"
        ) from error
    return ray


@contextmanager
def use_ray(address: str | None = None, *, n_cpus: int | None = None) -> Iterator[Any]:
    """Yield Ray, connected; the one that runs in this process already stays as it is.

    n_cpus: Of a Ray that is started here; None = all.
    """
    ray = import_ray()
    with _quiet():
        if ray.is_initialized():
            yield ray
            return
        address = address or os.environ.get("RAY_ADDRESS")
        if address:
            _connect(ray, address=address)
        else:
            _connect(
                ray,
                address="local",
                num_cpus=n_cpus,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE_BYTES,
            )
        try:
            yield ray
        finally:
            ray.shutdown()


def _connect(ray: Any, *, address: str, **settings: Any) -> None:
    # Nothing is reported to Ray's makers. Its core would warn of each pool of actors.
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
    added = {name: value for name, value in quiet.items() if name not in os.environ}
    os.environ.update(added)
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **settings)
    except ConnectionError as error:
        raise ConnectionError(
            f"There is no Ray cluster at {address} ({error}); name the address of its head node. "
            "Check --ray-address, and set RAY_AUTH_MODE=token if the cluster asks for a token."
        ) from error
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let Ray Data report errors only."""
    logger = logging.getLogger("ray.data")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def actor_resources(num_gpus: float) -> dict[str, float]:
    """Name what Ray reserves for an actor."""
    return {"num_gpus": num_gpus} if num_gpus else {"num_cpus": 1}


def take_found(dataset: Any) -> Iterator[Any]:
    """Run a dataset and yield what its rows hold as they come; raises the errors among it."""
    context = dataset.context
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.target_max_block_size = 1  # each row is reported at once, not with the last of its task
    context.execution_no_progress_timeout_s = -1  # a shard may take long
    batches = dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
    for batch in batches:
        for data in batch.column("found").to_pylist():
            found = pickle.loads(data)
            if isinstance(found, Exception):
                raise found
            yield found


def enter_folder(folder: str) -> None:
    """Let relative paths mean what they mean where the job was started."""
    if os.path.isdir(folder):
        os.chdir(folder)


def find_node() -> str:
    import ray

    return str(ray.util.get_node_ip_address())


def name_node(error: ValueError | OSError) -> ValueError | OSError:
    """Tell on which machine a file is missing: it may be there on others."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        reason = f"{error.strerror} on the Ray node {find_node()}, expected it on all nodes"
        return FileNotFoundError(error.errno, reason, error.filename)
    return error
