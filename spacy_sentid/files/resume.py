"""Resume long jobs after an interruption: finished parts are kept in a folder next to the output.

items -> OUT.job/, one entry for each part of the job -> the output, when all parts are done

OUT.job/job.json has the fingerprint of the job: its settings and inputs. A resumed job skips the
parts that have an entry. The folder is deleted at the end.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from .records import write_errors, write_records
from .store import Store, is_url, open_store

Item = TypeVar("Item")
JOB = "job.json"
DUPLICATE = "duplicate"  # reason to drop a record


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


def entry_name(number: int) -> str:
    """Name the entry of a part, so that names sort in the order of the parts."""
    return f"{number:08}"


class JobReport(NamedTuple):
    """Counts of kept and dropped records, and of invalid items."""

    n_kept: int
    dropped: Counter[str]  # number of dropped records by reason
    n_errors: int


def write_job(
    output: Path,
    settings: Mapping[str, Any],
    items: Iterable[Item],
    work: Callable[[list[Item]], dict[str, Any]],
    *,
    size: int,
    key: Callable[[dict[str, Any]], Hashable] | None = None,
    on_items: Callable[[int], object] | None = None,
) -> JobReport:
    """Write records that are made of items, and the errors. An interrupted job is resumed.

    settings: See `open_job`.
    work, size, on_items: See `do_parts`. An entry has "records"; "n_kept" of them count. It may
        have "dropped", the number of dropped records by reason, and "errors", (place, reason) each.
    key: A record with the same key as an earlier one is dropped.
    """
    seen: set[Hashable] = set()
    n_kept = 0
    dropped: Counter[str] = Counter()
    errors: list[list[str]] = []

    def list_records(entries: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        nonlocal n_kept
        for entry in entries:
            n_kept += entry["n_kept"]
            dropped.update(entry.get("dropped", {}))
            errors.extend(entry.get("errors", []))
            for record in entry["records"]:
                found = key(record) if key else None
                if found is not None and found in seen:
                    n_kept -= 1
                    dropped[DUPLICATE] += 1
                else:
                    seen.add(found)
                    yield record

    with open_job(output, settings) as job:
        write_records(
            output, list_records(do_parts(job, items, work, size=size, on_items=on_items))
        )
        return JobReport(n_kept, dropped, write_errors(output, errors))


@contextmanager
def open_job(output: Path, settings: Mapping[str, Any]) -> Iterator[JobFolder]:
    """Open the folder of a new or interrupted job, for `do_parts`.

    output: The file that the job writes in the block. The folder is deleted when the block ends. If
        it ends with an error, or the process dies, the folder is kept, unless it has no entries.
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
        try:
            yield folder
        except BaseException:
            if not folder.entry_names():
                folder.store.clear()
            raise
        folder.store.clear()


def do_parts(
    folder: JobFolder,
    items: Iterable[Item],
    work: Callable[[list[Item]], dict[str, Any]],
    *,
    size: int,
    on_items: Callable[[int], object] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the entry of each part of a job, in order; that of an earlier run if there is one.

    work: Returns the entry of a part, as JSON data; called with its items.
    size: Number of items of a part.
    on_items: Called after each part with its number of items, for a progress bar.
    """
    rest = iter(items)
    number = 0
    while part := list(islice(rest, size)):
        name = entry_name(number)
        entry = folder.read(name)
        if entry is None:
            entry = work(part)
            folder.write(name, entry)
        yield entry
        if on_items is not None:
            on_items(len(part))
        number += 1


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
