"""Read the documents of a split, streaming, from its beginning or from where a job was interrupted.

split -> pieces -> documents, each with the position behind it

Offsets count code points of the text as it stands in the file: line ends are not translated.
"""

from collections.abc import Iterator
from contextlib import ExitStack

from .csv_rows import read_csv
from .documents import Document, Entry, Position, ReadSettings
from .formats import CSV, LINES, PARQUET, TEXT
from .line_records import read_lines
from .parquet_rows import read_parquet
from .pieces import PieceRead
from .plan import Split, piece_size
from .sources import STDIN, open_source
from .text_parts import read_text

__all__ = ["Document", "Entry", "Position", "ReadSettings", "read_split"]


def read_split(
    split: Split, settings: ReadSettings, start: Position | None = None
) -> Iterator[Entry]:
    """Read the documents of a split in order; a fault of one is a BadLine, and the rest goes on.

    start: `after` of the last entry that was read before; None = the beginning.

    Raises ValueError for a fault of a file: broken or truncated compression, no such column, a
    quote that is not closed, a file that ends before `start`; OSError.
    """
    start = start if start is not None else Position()
    stored = sum(map(piece_size, split.pieces[: start.piece]))
    for index, piece in enumerate(split.pieces[start.piece :], start=start.piece):
        begin = start if index == start.piece else Position(index)
        yield from _read_piece(PieceRead(piece, settings, begin, stored))
        stored += piece_size(piece)


def _read_piece(read: PieceRead) -> Iterator[Entry]:
    source = read.piece.source
    if read.settings.pairs and source.format in (TEXT, LINES):
        raise ValueError(
            f"{source.path}: found a text, expected pairs, each with a text and its references. "
            "Write them as .jsonl, .csv or .parquet with 'hyp' and 'ref'."
        )
    if source.format == PARQUET:
        yield from read_parquet(read)
        return
    with ExitStack() as stack:
        file = open_source(source)
        if source.path != STDIN:
            stack.callback(file.close)
        if source.format == CSV:
            yield from read_csv(read, file)
        elif source.format == TEXT:
            yield from read_text(read, file)
        else:
            yield from read_lines(read, file)
