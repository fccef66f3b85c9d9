"""Plan which parts of the sources are read together.

sources -> pieces -> splits of about the same size, by the sources and the size alone
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .formats import LINE_FORMATS, PARQUET
from .parquet_files import list_row_groups
from .sources import STDIN, Source, open_source

CHUNK_BYTES = 1 << 20


class Piece(NamedTuple):
    """A part of a source that is read by itself."""

    source: Source
    # Bytes [start, end) of lines and jsonl: the lines that begin there. Row groups [start, end) of
    # parquet. None = to the end.
    start: int = 0
    end: int | None = None
    first_line: int | None = 0  # line ends (rows) before `start`; None = not counted yet
    size: int | None = None  # bytes as stored, where start and end do not tell


class Split(NamedTuple):
    """Pieces that are read by one reader, one after the other."""

    number: int
    pieces: tuple[Piece, ...]


def plan_splits(sources: Iterable[Source], *, size: int) -> list[Split]:
    """Cut sources into splits of at most about `size` bytes, as stored, in their order.

    Small sources go together. Lines, jsonl and parquet that are larger are cut; what cannot be
    cut, such as compressed files and csv, is a split of its own if it is larger.
    """
    if size < 1:
        raise ValueError(f"Found a size of {size}, expected at least 1 byte.")
    groups: list[list[Piece]] = []
    room = 0
    for source in sources:
        for piece in _cut_source(source, size):
            n_bytes = size if source.path == STDIN else piece_size(piece)
            if not groups or n_bytes > room:
                groups.append([])
                room = size
            groups[-1].append(piece)
            room -= n_bytes
    return [Split(number, tuple(pieces)) for number, pieces in enumerate(groups)]


def _cut_source(source: Source, size: int) -> Iterator[Piece]:
    if source.size <= size or source.compression:
        yield Piece(source)
    elif source.format in LINE_FORMATS:
        for start in range(0, source.size, size):
            end = start + size if start + size < source.size else None
            yield Piece(source, start, end, None if start else 0)
    elif source.format == PARQUET:
        yield from _cut_row_groups(source, size)
    else:
        yield Piece(source)


def _cut_row_groups(source: Source, size: int) -> Iterator[Piece]:
    start = row = n_rows = n_bytes = 0
    for number, (group_rows, group_bytes) in enumerate(list_row_groups(source)):
        if number > start and n_bytes + group_bytes > size:
            yield Piece(source, start, number, row, n_bytes)
            start, row, n_rows, n_bytes = number, row + n_rows, 0, 0
        n_rows, n_bytes = n_rows + group_rows, n_bytes + group_bytes
    yield Piece(source, start, None, row, n_bytes)


def piece_size(piece: Piece) -> int:
    """Give the bytes of a piece, as stored; 0 if that is not known."""
    if piece.size is not None:
        return piece.size
    if piece.source.format not in LINE_FORMATS:
        return piece.source.size
    return (piece.source.size if piece.end is None else piece.end) - piece.start


def split_size(split: Split) -> int:
    """Give the bytes of a split, as stored; 0 if that is not known."""
    return sum(map(piece_size, split.pieces))


def count_piece_lines(piece: Piece) -> int:
    """Count the line ends in the byte range of a piece of lines or jsonl."""
    n_lines = 0
    with open_source(piece.source) as file:
        file.seek(piece.start)
        rest = piece_size(piece)
        while rest and (data := file.read(min(rest, CHUNK_BYTES))):
            n_lines += data.count(b"\n")
            rest -= len(data)
    return n_lines


def list_uncounted(splits: Iterable[Split]) -> list[Piece]:
    """List the pieces whose lines are to be counted: those that another of the source follows."""
    pieces = [piece for split in splits for piece in split.pieces]
    return [
        piece
        for piece, after in pairwise(pieces)
        if after.first_line is None and after.source == piece.source
    ]


def number_lines(splits: Sequence[Split], counts: Iterable[int] | None = None) -> list[Split]:
    """Fill in how many lines of its source are before each piece.

    counts: The line ends of each of `list_uncounted(splits)`, where something else counted them.
    """
    if counts is None:
        counts = map(count_piece_lines, list_uncounted(splits))
    rest = iter(counts)
    numbered = []
    line = 0
    for split in splits:
        pieces = []
        for piece in split.pieces:
            if piece.first_line is None:
                line += next(rest)
                piece = piece._replace(first_line=line)
            else:
                line = piece.first_line
            pieces.append(piece)
        numbered.append(split._replace(pieces=tuple(pieces)))
    return numbered
