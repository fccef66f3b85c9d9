"""Long jobs that can be interrupted: what is done is kept in a folder next to the output.

blocks of items -> OUT.job/, an entry each -> when all is done: the output; the folder is deleted

OUT.job/job.json has the fingerprint of the job: its settings and what it reads. A job that is
started again skips the blocks that have an entry. Whatever is drawn in a block comes from a seed
of its own, so that an interrupted job ends in the same bytes as an uninterrupted one.
"""

import json
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from .store import Store, is_url, open_store

Item = TypeVar("Item")
JOB = "job.json"


class JobFolder:
    """The folder OUT.job/ of an unfinished job: its fingerprint, and an entry for each done part.

    Entries are JSON objects in files of their own, each written in one step.
    """

    def __init__(self, output: str) -> None:
        self.path = f"{output.rstrip('/')}.job"
        self.store = open_store(self.path)

    def read_key(self) -> dict[str, Any] | None:
        """Read the fingerprint; None if no job was begun. Raises ValueError if it is damaged."""
        return read_object(self.store, JOB)

    def begin(self, key: Mapping[str, Any]) -> None:
        """Delete what an earlier job left, and write the fingerprint of a new one."""
        self.store.clear()
        self.store.write(JOB, [json.dumps(key).encode("ascii")])

    def write(self, name: str, entry: Mapping[str, Any]) -> None:
        """Write an entry; it is there if the process dies right after."""
        self.store.write(f"{name}.json", [json.dumps(entry).encode("ascii")])

    def read(self, name: str) -> dict[str, Any] | None:
        """Read an entry; None if it is missing or damaged."""
        try:
            found: dict[str, Any] = json.loads(self.store.read(f"{name}.json") or b"")
        except ValueError:
            return None
        return found

    def entry_names(self) -> list[str]:
        """List the names of the entries, in order: they begin with a digit."""
        names = [name for name in self.store.names() if name[0].isdigit()]
        # OUT.job/ also holds files of records: 0.jsonl, 0.errors.jsonl.
        return [name.removesuffix(".json") for name in names if name.endswith(".json")]


class BlockJob:
    """The entries of a job over blocks of items; made by `open_job`."""

    def __init__(self, folder: JobFolder) -> None:
        self.folder = folder
        names = folder.entry_names()
        self.n_done = next((n for n in range(len(names)) if names[n] != entry_name(n)), len(names))

    def add(self, entry: dict[str, Any]) -> None:
        """Write the entry of the next block."""
        self.folder.write(entry_name(self.n_done), entry)
        self.n_done += 1

    def entries(self) -> Iterator[dict[str, Any]]:
        """Read all entries, those of earlier starts first."""
        for number in range(self.n_done):
            entry = self.folder.read(entry_name(number))
            if entry is None:
                raise ValueError(
                    f"{self.folder.path}/{entry_name(number)}.json is damaged. Delete it and all "
                    "later ones, and run the same command again."
                )
            yield entry

    def values(self, key: str) -> Iterator[Any]:
        """Read what the lists of a key have, of one entry after another."""
        return (value for entry in self.entries() for value in entry[key])


def entry_name(number: int) -> str:
    """Name the entry of a block; names are in their order."""
    return f"{number:08}"


@contextmanager
def open_job(output: Path, settings: Mapping[str, Any]) -> Iterator[BlockJob]:
    """Open the entries of a job: a new one, or one that was interrupted.

    output: What the job will write, in the block. The entries are deleted when the block ends; if
        it ends with an error, or the process dies, they stay, unless there are none.
    settings: What the entries depend on, for JSON.

    Raises ValueError if a job was begun with other settings, or another process is at it.
    """
    key = json.loads(json.dumps(dict(settings)))
    folder = JobFolder(str(output))
    with lock_output(str(output)):
        found = folder.read_key()
        if found is None:
            folder.begin(key)
        else:
            check_settings(found, key, folder.path)
        job = BlockJob(folder)
        try:
            yield job
        except BaseException:
            if not job.n_done:
                folder.store.clear()
            raise
        folder.store.clear()


def check_settings(found: Mapping[str, Any], expected: Mapping[str, Any], path: object) -> None:
    """Raise ValueError if a job was begun with other settings than it is to resume with.

    Both as JSON reads them.
    """
    if found != expected:
        before, now = format_difference(found, expected)
        raise ValueError(
            f"The interrupted job {path} must be resumed with {before}, got {now}. Use the "
            "settings and files that it was begun with, or delete it to begin again."
        )


def format_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str]:
    """List the settings that differ, as they were and as they are.

    >>> format_difference({"seed": 0, "n": 1}, {"seed": 1, "n": 1})
    ('seed 0', 'seed 1')
    """
    names = [name for name in {**now, **before} if before.get(name) != now.get(name)]
    first, second = (
        ", ".join(f"{name} {key.get(name)!r}" for name in names) for key in (before, now)
    )
    return first, second


def read_object(store: Store, name: str) -> dict[str, Any] | None:
    """Read a JSON object of a job; None if there is no file. Raises ValueError if it is damaged."""
    data = store.read(name)
    if data is None:
        return None
    try:
        found: dict[str, Any] = json.loads(data)
    except ValueError as error:
        raise ValueError(
            f"{store.path}/{name} is damaged. Give --overwrite, or delete it, to begin again."
        ) from error
    return found


@contextmanager
def lock_output(output: str) -> Iterator[None]:
    """Keep a second process away from an output; ValueError if there is one.

    The system frees the lock when a process dies. Nothing is locked on remote file systems, and
    where the system has no such locks.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    if is_url(output):
        yield
        return
    path = Path(f"{output.rstrip('/')}.job.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    except OSError as error:  # of a folder that cannot be written, for instance
        error.filename = output
        raise
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno()))
        except BlockingIOError:
            free = False
        if not free:
            raise ValueError(
                f"{output} is being written by another process. Wait for it, or name another "
                "output."
            )
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def do_blocks(
    job: BlockJob,
    items: Iterable[Item],
    work: Callable[[list[Item], int], dict[str, Any]],
    *,
    size: int,
    on_items: Callable[[int], object] | None = None,
) -> None:
    """Work on blocks of items, except those that are done, and write an entry for each.

    work: Makes the entry of a block; called with its items and its number, from 0.
    on_items: Called with the number of items after each block, for a progress bar.
    """
    rest = iter(items)
    n_before = job.n_done
    number = 0
    while block := list(islice(rest, size)):
        if number >= n_before:
            job.add(work(block, number))
        if on_items is not None:
            on_items(len(block))
        number += 1


def block_seed(seed: int, number: int) -> int:
    """Make the seed of a block, in [0, 2 ** 63).

    >>> block_seed(0, 1) == block_seed(0, 1) != block_seed(1, 0)
    True
    """
    return random.Random(f"{seed}/{number}").getrandbits(63)
