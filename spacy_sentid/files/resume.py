"""Resume long jobs after an interruption: finished blocks are kept in a folder next to the output.

blocks of items -> OUT.job/, one entry for each -> the output, when all are done

OUT.job/job.json has the fingerprint of the job: its settings and inputs. A resumed job skips the
blocks that have an entry. Each block has its own random seed, so the output of a resumed job is
identical to that of an uninterrupted one. The folder is deleted at the end.
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
    """The folder OUT.job/ of an unfinished job: its fingerprint, and one entry per finished part.

    Each entry is a JSON object in its own file, which is written atomically.
    """

    def __init__(self, output: str) -> None:
        self.path = f"{output.rstrip('/')}.job"
        self.store = open_store(self.path)

    def read_key(self) -> dict[str, Any] | None:
        """Read the fingerprint; None if no job was begun. Raise ValueError if it is damaged."""
        return read_object(self.store, JOB)

    def begin(self, key: Mapping[str, Any]) -> None:
        """Delete the files of an earlier job, and write the fingerprint of a new one."""
        self.store.clear()
        self.store.write(JOB, [json.dumps(key).encode("ascii")])

    def write(self, name: str, entry: Mapping[str, Any]) -> None:
        """Write an entry, which survives even if the process dies right after."""
        self.store.write(f"{name}.json", [json.dumps(entry).encode("ascii")])

    def read(self, name: str) -> dict[str, Any] | None:
        """Read an entry; None if it is missing or damaged."""
        try:
            found: dict[str, Any] = json.loads(self.store.read(f"{name}.json") or b"")
        except ValueError:
            return None
        return found

    def entry_names(self) -> list[str]:
        """List the names of the entries, which begin with a digit, in order."""
        names = [name for name in self.store.names() if name[0].isdigit()]
        # OUT.job/ also holds files of records: 0.jsonl, 0.errors.jsonl.
        return [name.removesuffix(".json") for name in names if name.endswith(".json")]


class BlockJob:
    """The entries of a job over blocks of items. Use `open_job` to create one."""

    def __init__(self, folder: JobFolder) -> None:
        self.folder = folder
        names = folder.entry_names()
        self.n_done = next((n for n in range(len(names)) if names[n] != entry_name(n)), len(names))

    def add(self, entry: dict[str, Any]) -> None:
        """Write the entry of the next block."""
        self.folder.write(entry_name(self.n_done), entry)
        self.n_done += 1

    def entries(self) -> Iterator[dict[str, Any]]:
        """Read all entries in order, those of earlier runs first."""
        for number in range(self.n_done):
            entry = self.folder.read(entry_name(number))
            if entry is None:
                raise ValueError(
                    f"{self.folder.path}/{entry_name(number)}.json is damaged. Delete it and all "
                    "later ones, and run the same command again."
                )
            yield entry

    def values(self, key: str) -> Iterator[Any]:
        """Iterate over the values of a key, whose value is a list in each entry."""
        return (value for entry in self.entries() for value in entry[key])


def entry_name(number: int) -> str:
    """Name the entry of a block, so that names sort in the order of the blocks."""
    return f"{number:08}"


@contextmanager
def open_job(output: Path, settings: Mapping[str, Any]) -> Iterator[BlockJob]:
    """Open the entries of a new or interrupted job.

    output: The file that the job writes in the block. The entries are deleted when the block ends.
        If it ends with an error, or the process dies, they are kept, unless there are no entries.
    settings: Everything that the entries depend on, as JSON data.

    Raises ValueError if a job was begun with other settings, or another process is running it.
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
    """Raise ValueError if a job was begun with other settings than those to resume it with.

    found, expected: Settings as parsed from JSON.
    """
    if found != expected:
        before, now = format_difference(found, expected)
        raise ValueError(
            f"The interrupted job {path} must be resumed with {before}, got {now}. Use the same "
            "settings and files as before, or delete the folder to begin again."
        )


def format_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str]:
    """Format the settings that differ, with their values before and now.

    >>> format_difference({"seed": 0, "n": 1}, {"seed": 1, "n": 1})
    ('seed 0', 'seed 1')
    """
    names = [name for name in {**now, **before} if before.get(name) != now.get(name)]
    first, second = (
        ", ".join(f"{name} {key.get(name)!r}" for name in names) for key in (before, now)
    )
    return first, second


def read_object(store: Store, name: str) -> dict[str, Any] | None:
    """Read a JSON object of a job; None if there is no file. Raise ValueError if it is damaged."""
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
    """Keep other processes away from an output; raise ValueError if one is already writing it.

    The system frees the lock when the process dies. Outputs on remote file systems, or on systems
    without such locks, are not locked.
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
    except OSError as error:  # for example a folder without write permission
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
    """Process blocks of items, skipping finished ones, and write an entry for each.

    work: Returns the entry of a block; called with its items and its number, from 0.
    on_items: Called after each block with its number of items, for a progress bar.
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
    """Return the random seed of a block, in [0, 2 ** 63).

    >>> block_seed(0, 1) == block_seed(0, 1) != block_seed(1, 0)
    True
    """
    return random.Random(f"{seed}/{number}").getrandbits(63)
