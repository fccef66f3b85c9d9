"""Keep the rows of a long document, and the bytes of its record, compressed in memory.

blocks of rows -> Rows, a list or a RowSpool -> encoded -> ByteSpool -> file

Rows of dicts take twenty times the memory of their text. Short lists are not compressed. Unlike a
file, a spool can be sent to another process or machine.
"""

import marshal
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

# The fastest level; higher ones save hardly any space.
LEVEL = 1
BLOCK_BYTES = 4_000_000


class RowSpool:
    """Compressed rows, such as dicts with JSON values. Can be iterated over more than once."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._n_rows = 0

    def add(self, rows: list[Any]) -> None:
        """Add some rows."""
        self._blocks.append(zlib.compress(marshal.dumps(rows), LEVEL))
        self._n_rows += len(rows)

    def blocks(self) -> Iterator[list[Any]]:
        """Iterate over the lists of rows, as they were added."""
        return (marshal.loads(zlib.decompress(block)) for block in self._blocks)

    def __iter__(self) -> Iterator[Any]:
        return (row for block in self.blocks() for row in block)

    def __len__(self) -> int:
        return self._n_rows


def spool_rows(blocks: Iterable[list[Any]]) -> list[Any] | RowSpool:
    """Collect blocks of rows: a single block as it is, several blocks as a spool.

    >>> spool_rows([[1, 2]]), list(spool_rows([[1], [2], []]))
    ([1, 2], [1, 2])
    """
    rest = iter(blocks)
    first: list[Any] = next(rest, [])
    spool = RowSpool()
    for block in rest:
        if first:
            spool.add(first)
            first = []
        spool.add(block)
    return first if first or not len(spool) else spool


class ByteSpool:
    """Compressed bytes, which are written and read in pieces.

    >>> spool = ByteSpool([b"I ", b"sleep."])
    >>> list(spool), spool.n_bytes
    ([b'I sleep.'], 8)
    """

    def __init__(self, pieces: Iterable[bytes] = ()) -> None:
        self.n_bytes = 0
        self._blocks: list[bytes] = []
        last: list[bytes] = []  # pieces that are not compressed yet
        n_last = 0
        for piece in pieces:
            last.append(piece)
            n_last += len(piece)
            self.n_bytes += len(piece)
            if n_last >= BLOCK_BYTES:
                self._blocks.append(zlib.compress(b"".join(last), LEVEL))
                last, n_last = [], 0
        self._last = b"".join(last)

    def __iter__(self) -> Iterator[bytes]:
        yield from map(zlib.decompress, self._blocks)
        yield self._last
