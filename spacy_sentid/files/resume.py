"""Long jobs that can be interrupted: what is done stands in a journal beside the output.

blocks of items -> OUT.journal, an entry each -> when all is done: the output; the journal goes

The first line holds the settings of the job and what it reads. A job that is started again skips
the blocks that have an entry. Whatever is drawn in a block comes from a seed of its own, so that
an interrupted job ends in the same bytes as another.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TextIO, TypeVar

Item = TypeVar("Item")


class Journal:
    """The entries of a job; made by `open_journal`."""

    def __init__(self, path: Path, file: TextIO, n_done: int) -> None:
        self.path = path
        self.file = file
        self.n_done = n_done

    def add(self, entry: dict[str, Any]) -> None:
        """Write an entry; it is there if the process dies right after."""
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()
        self.n_done += 1

    def entries(self) -> Iterator[dict[str, Any]]:
        """Read all entries, those of earlier starts first."""
        with self.path.open(encoding="utf8") as file:
            for line in islice(file, 1, None):
                yield json.loads(line)


@contextmanager
def open_journal(output: Path, settings: Mapping[str, Any]) -> Iterator[Journal]:
    """Open the journal of a job: a new one, or the one of a job that was interrupted.

    output: What the job will write, in the block. The journal goes when the block ends; if it ends
        with an error, or the process dies, it stays, unless it has no entry.
    settings: What the entries depend on, for JSON.

    Raises ValueError if a journal stands there that was begun with other settings.
    """
    path = output.with_name(f"{output.name}.journal")
    path.parent.mkdir(parents=True, exist_ok=True)
    head = json.dumps(dict(settings), sort_keys=True)
    n_done = _mend(path, head)
    with path.open("a", encoding="utf8", newline="\n") as file:
        if not file.tell():
            file.write(head + "\n")
            file.flush()
        journal = Journal(path, file, n_done)
        try:
            yield journal
        except BaseException:
            if not journal.n_done:
                file.close()
                path.unlink()
            raise
    path.unlink()


def _mend(path: Path, head: str) -> int:
    """Cut off a line that was not written to its end; gives the number of entries."""
    if not path.exists():
        return 0
    n_lines, size = 0, 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            if not n_lines:
                check_settings(json.loads(line), json.loads(head), path)
            n_lines, size = n_lines + 1, size + len(line)
    with path.open("r+b") as file:
        file.truncate(size)
    return max(n_lines - 1, 0)


def check_settings(found: Mapping[str, Any], expected: Mapping[str, Any], path: Path) -> None:
    """Raise ValueError if a job was begun with other settings than it is to go on with.

    Both as JSON gives them back.
    """
    names = [name for name in {**expected, **found} if found.get(name) != expected.get(name)]
    if names:
        before = ", ".join(f"{name} {found.get(name)!r}" for name in names)
        now = ", ".join(f"{name} {expected.get(name)!r}" for name in names)
        raise ValueError(
            f"Found {path} of an interrupted job with {before}, expected {now}. Go on with the "
            "settings and files that it was begun with, or delete it to begin anew."
        )


def do_blocks(
    journal: Journal,
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
    n_before = journal.n_done
    number = 0
    while block := list(islice(rest, size)):
        if number >= n_before:
            journal.add(work(block, number))
        if on_items is not None:
            on_items(len(block))
        number += 1


def block_seed(seed: int, number: int) -> int:
    """Make the seed of a block, in [0, 2 ** 63).

    >>> block_seed(0, 1) == block_seed(0, 1) != block_seed(1, 0)
    True
    """
    return random.Random(f"{seed}/{number}").getrandbits(63)
