"""Workers on a Ray cluster, or on a local Ray: actors of Ray Data that each load the pipeline.

splits -> a row each -> actors -> shards in the folder of the job -> their ShardInfos

Actors read splits and write shards by themselves; the texts do not go through Ray. When an actor
or its machine dies, Ray gives the row to another, which goes on behind the finished shards. Ray
keeps what the first one had told and leaves out as many rows of the second, so both tell of all.
"""

import os
import pickle
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from .local import one_thread
from .parcels import Start, make_parcels
from .plan import Piece, Split, count_piece_lines, list_uncounted, number_lines
from .ray_running import (
    ACTOR_ENV,
    actor_resources,
    enter_folder,
    find_node,
    name_node,
    take_found,
    use_ray,
)
from .reading import Position, ReadSettings
from .shards import ShardFolder, ShardInfo, write_shards
from .work import Worker, WorkSettings

# Each row costs Ray some milliseconds; with more splits than this a row has several.
MAX_ROWS = 10_000
# How often workers may die at the same shard before it is taken for the cause.
MAX_ATTEMPTS = 4
# In the folder of the job, while it runs: a machine where it is not there sees another folder.
MARKER = "ray.run"


def do_splits(
    splits: Sequence[Split],
    work: WorkSettings,
    read: ReadSettings,
    folder: ShardFolder,
    *,
    starts: Mapping[int, Start] | None = None,
    shard_size: int,
    address: str | None = None,
    n_actors: int | None = None,
    num_gpus: float = 0,
) -> Generator[ShardInfo, None, None]:
    """Work on splits with Ray, and tell of their shards as they are finished, in any order.

    starts: By the number of a split: where to go on in it. folder: All machines must see it, and
        the sources, under the same path. address: As in `ray.init`; None = the Ray that runs in
        this process, that of the variable RAY_ADDRESS, or one of this machine, started for the
        job. n_actors: None = as many as the cluster has cores, or GPUs. num_gpus: Of each actor.

    Actors end with the iteration; shards that are finished stay.

    Raises ValueError and OSError as the local engine does, also if workers keep dying at a shard.
    """
    if not splits:
        return
    starts = starts or {}
    rows = _pack([(split, starts.get(split.number)) for split in splits])
    with use_ray(address, n_cpus=n_actors) as ray, _mark(folder) as run:
        size = _count_actors(ray, n_actors, num_gpus, len(rows))
        counter = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(AttemptCounter)
        dataset = ray.data.from_items(rows, override_num_blocks=len(rows)).flat_map(
            SplitActor,
            fn_constructor_kwargs={
                "work": work if num_gpus == 0 else _on_gpu(work),
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


def number_lines_with_ray(splits: Sequence[Split], *, address: str | None = None) -> list[Split]:
    """Fill in how many lines of its source are before each piece; Ray's workers count them."""
    pieces = list_uncounted(splits)
    if not pieces:
        return number_lines(splits)
    with use_ray(address) as ray:
        rows = [{"n": n, "piece": pickle.dumps(piece)} for n, piece in enumerate(pieces)]
        dataset = ray.data.from_items(rows).map(_count_row, fn_kwargs={"cwd": os.getcwd()})
        counts = dict(take_found(dataset))
    return number_lines(splits, [counts[n] for n in range(len(pieces))])


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
        self._worker: Worker | None = None

    def __call__(self, row: Mapping[str, Any]) -> Iterator[dict[str, bytes]]:
        """Tell of the shards of a row, also of those that were finished before."""
        try:
            enter_folder(self.cwd)
            for split, start in pickle.loads(row["splits"]):
                for info in self._do_split(split, start):
                    yield {"found": pickle.dumps(info)}
        except (ValueError, OSError) as error:
            yield {"found": pickle.dumps(name_node(error))}

    def _do_split(self, split: Split, start: Start | None) -> Iterator[ShardInfo]:
        if self.folder.job.read(MARKER) != self.run.encode("ascii"):
            raise ValueError(
                f"Found the folder {self.folder.job.path!r} of the job not on the Ray node "
                f"{find_node()}, expected one that all nodes see under the same path. Name an "
                "output on a shared file system, or a URL such as s3://bucket/folder/."
            )
        shard = 0 if start is None else start.shard
        for info in _read_finished(self.folder, split.number, shard):
            yield info
            if info.ends_split:
                return
            start = Start(info.after, info.shard + 1)
        self._count_attempt(split, start)
        # Not when the actor is made: Ray would tell of an error in many lines.
        with one_thread():
            if self._worker is None:
                self._worker = Worker(self.work)
            worker = self._worker
            with one_thread():  # once more: the pipeline may have brought torch
                parcels = make_parcels(split, self.read, shard_size=self.shard_size, start=start)
                finished = ((parcel, worker(parcel.documents)) for parcel in parcels)
                yield from write_shards(finished, self.folder)

    def _count_attempt(self, split: Split, start: Start | None) -> None:
        import ray

        position, shard = start if start is not None else Start(Position(), 0)
        before = ray.get(self.counter.add.remote(split.number, shard))
        if before >= MAX_ATTEMPTS:
            path = split.pieces[position.piece].source.path
            raise ValueError(
                f"Found that {before} workers died one after the other at {path} (split "
                f"{split.number}, shard {shard}), most often for lack of memory. Finished shards "
                "are kept: run the same command again, with fewer workers (--n-process) or more "
                "memory for each."
            )


class AttemptCounter:
    """Counts, for all actors, how often work on a shard was begun."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, int]] = Counter()

    def add(self, split: int, shard: int) -> int:
        """Count an attempt; gives how many were before it."""
        self.counts[split, shard] += 1
        return self.counts[split, shard] - 1


@contextmanager
def _mark(folder: ShardFolder) -> Iterator[str]:
    run = uuid4().hex
    folder.job.write(MARKER, run.encode("ascii"))
    try:
        yield run
    finally:
        folder.job.delete(MARKER)


def _pack(items: Sequence[tuple[Split, Start | None]]) -> list[dict[str, bytes]]:
    size = max(-(-len(items) // MAX_ROWS), 1)
    return [
        {"splits": pickle.dumps(items[first : first + size])}
        for first in range(0, len(items), size)
    ]


def _on_gpu(work: WorkSettings) -> WorkSettings:
    from dataclasses import replace

    return replace(work, gpu_id=0)  # the first of those that Ray lets the actor see


def _count_actors(ray: Any, n_actors: int | None, num_gpus: float, n_rows: int) -> int:
    if n_actors is None:
        found = ray.cluster_resources()
        if num_gpus and not found.get("GPU"):
            raise ValueError(
                f"Found no GPU in the Ray cluster, expected {num_gpus:g} for each worker. Leave "
                "--ray-gpus out, or say how many workers a cluster that grows is to have."
            )
        n_actors = int(found["GPU"] / num_gpus if num_gpus else found.get("CPU", 1))
    return max(min(n_actors, n_rows), 1)


def _count_row(row: Mapping[str, Any], *, cwd: str) -> dict[str, bytes]:
    enter_folder(cwd)
    piece: Piece = pickle.loads(row["piece"])
    try:
        return {"found": pickle.dumps((row["n"], count_piece_lines(piece)))}
    except (ValueError, OSError) as error:
        return {"found": pickle.dumps(name_node(error))}


def _read_finished(folder: ShardFolder, split: int, shard: int) -> Iterator[ShardInfo]:
    """Read the manifests of a split's shards, from one on, as far as they are finished."""
    while (info := folder.read_manifest(split, shard)) is not None:
        yield info
        shard += 1
