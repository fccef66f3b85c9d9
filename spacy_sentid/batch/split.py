"""Split the inputs into what is read together.

sources -> input ranges -> input splits, by the sources and the size alone
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .inputs import STDIN, Source
from .listing import JSONL, LINES, PARQUET
from .tables import list_row_groups


class InputRange(NamedTuple):
    """A part of a source that is read by itself."""

    source: Source
    # Bytes [start, end) of lines and jsonl: the lines that begin there. Row groups [start, end) of
    # parquet. None = to the end.
    start: int = 0
    end: int | None = None
    size: int = 0  # bytes as stored; 0 = not known


class InputSplit(NamedTuple):
    """Ranges that are read by one reader, one after the other."""

    number: int
    ranges: tuple[InputRange, ...]

    @property
    def size(self) -> int:
        """Bytes as stored; 0 if that is not known."""
        return sum(each.size for each in self.ranges)


def plan_splits(sources: Iterable[Source], *, size: int) -> list[InputSplit]:
    """Cut sources into splits of at most about `size` bytes, as stored, in their order.

    Small sources go together. Lines, jsonl and parquet that are larger are cut; what cannot be
    cut, such as compressed files and csv, is a split of its own if it is larger.
    """
    if size < 1:
        raise ValueError(f"The size of a split must be at least 1 byte, got {size}.")
    groups: list[list[InputRange]] = []
    room = 0
    for source in sources:
        for each in _cut_source(source, size):
            n_bytes = size if source.path == STDIN else each.size
            if not groups or n_bytes > room:
                groups.append([])
                room = size
            groups[-1].append(each)
            room -= n_bytes
    return [InputSplit(number, tuple(ranges)) for number, ranges in enumerate(groups)]


def _cut_source(source: Source, size: int) -> Iterator[InputRange]:
    if source.size <= size or source.compression or source.format not in (LINES, JSONL, PARQUET):
        yield InputRange(source, size=source.size)
    elif source.format == PARQUET:
        start = n_bytes = 0
        for number, group_bytes in enumerate(list_row_groups(source)):
            if number > start and n_bytes + group_bytes > size:
                yield InputRange(source, start, number, n_bytes)
                start, n_bytes = number, 0
            n_bytes += group_bytes
        yield InputRange(source, start, None, n_bytes)
    else:
        for start in range(0, source.size, size):
            end = start + size if start + size < source.size else None
            yield InputRange(source, start, end, min(size, source.size - start))
