"""What the readers of all formats need: a piece to be read, and ways in its file."""

from typing import BinaryIO, NamedTuple

from .compression import DecompressedFile
from .documents import Position, ReadSettings, tell_changed
from .plan import Piece
from .sources import STDIN, Source

CHUNK_BYTES = 1 << 20


class PieceRead(NamedTuple):
    """A piece that is to be read."""

    piece: Piece
    settings: ReadSettings
    start: Position  # where to begin; its piece is the index of this one
    stored: int  # bytes of the pieces before it

    @property
    def is_new(self) -> bool:
        """Whether it is read from its beginning."""
        return self.start[1:] == (0, 0, 0, 0)


def skip_bytes(file: BinaryIO, source: Source, start: int, now: int = 0) -> None:
    """Go on to a byte of a source, which is at byte `now`; ValueError if the file ends before."""
    if source.path != STDIN and file.seekable():
        end = file.seek(0, 2)
        file.seek(min(start, end))
    else:
        end = now
        while end < start and (data := file.read(min(start - end, CHUNK_BYTES))):
            end += len(data)
    if end < start:
        raise ValueError(tell_changed(source.path, f"byte {start:,}"))


def count_stored(file: BinaryIO, byte: int) -> int:
    """Count the bytes as stored that byte `byte` of the decompressed file is at, about."""
    return file.n_stored if isinstance(file, DecompressedFile) else byte
