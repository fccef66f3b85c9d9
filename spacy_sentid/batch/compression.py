"""Read compressed files as a stream, so that a broken one is an error with its name."""

import gzip
import io
import zlib
from typing import Any, BinaryIO, cast

from .extras import import_extra

BUFFER_BYTES = 1 << 20
# Zeros shrink to a 30,000th part: what one step gives is held in memory.
ZST_STEP_BYTES = 2048
# As zstd --long=31 has, which large dumps are made with; memory is taken only for such files.
ZST_WINDOW_BYTES = 1 << 31


class DecompressedFile(io.BufferedReader):
    """The bytes of a file that is stored compressed; closes it with itself."""

    def __init__(self, stored: BinaryIO, compression: str, path: str) -> None:
        self._counted = _Counted(stored)
        super().__init__(_Checked(self._counted, compression, path), BUFFER_BYTES)

    @property
    def n_stored(self) -> int:
        """Bytes as stored that were read so far."""
        return self._counted.n_bytes


class _Counted:
    """A file that may be a pipe, which does not tell where it is."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.n_bytes = 0

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.n_bytes += len(data)
        return data


class _Checked(io.RawIOBase):
    """Turns the errors of the formats into ValueErrors that name the file."""

    def __init__(self, stored: _Counted, compression: str, path: str) -> None:
        self.path = path
        self._stored = stored
        self._inner: Any
        self._faults: tuple[type[Exception], ...] = (EOFError, gzip.BadGzipFile, zlib.error)
        if compression == "gz":
            self._inner = gzip.GzipFile(fileobj=cast(BinaryIO, stored), mode="rb")
        else:
            zstandard = import_extra("zstandard")
            self._inner = _ZstReader(stored, zstandard)
            self._faults = (EOFError, zstandard.ZstdError)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            n_bytes: int = self._inner.readinto(buffer)
            if not n_bytes and not self._stored.n_bytes:
                raise EOFError("0 bytes")
        except self._faults as error:
            raise ValueError(
                f"{self.path}: found a broken or truncated compressed file ({error}), expected a "
                "whole one. Copy or make it again."
            ) from error
        return n_bytes

    def close(self) -> None:
        if not self.closed:
            self._inner.close()
            self._stored.file.close()
        super().close()


class _ZstReader(io.RawIOBase):
    """Reads all frames of a file; EOFError if the last one has no end."""

    def __init__(self, stored: _Counted, zstandard: Any) -> None:
        self._stored = stored
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=ZST_WINDOW_BYTES)
        self._frame: Any = None
        self._input = b""
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._output and self._fill():
            pass
        n_bytes = min(len(buffer), len(self._output))
        buffer[:n_bytes] = self._output[:n_bytes]
        self._output = self._output[n_bytes:]
        return n_bytes

    def _fill(self) -> bool:
        data = self._input or self._stored.read(ZST_STEP_BYTES)
        if not data:
            if self._frame is not None:
                raise EOFError("the file ends within a frame")
            return False
        if self._frame is None:
            self._frame = self._decompressor.decompressobj()
        self._output = memoryview(self._frame.decompress(data))
        self._input = b""
        if self._frame.eof:
            self._input, self._frame = self._frame.unused_data, None
        return True
