"""Find and open the inputs of a batch job.

files, folders, globs, URLs, standard input -> sources, in order, each once
"""

import io
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..files.store import import_extra, is_url, resolve_url
from .listing import (
    FORMATS,
    LINES,
    PARALLEL,
    PARQUET,
    TEXT,
    FoundFile,
    file_key,
    find_format,
    list_files,
)

STDIN = "-"
BUFFER_BYTES = 1 << 20
# What is read at once behind the end of a range, to finish its last line.
TAIL_BYTES = 1 << 13
# Zeros shrink to a 30,000th part: what one step gives is held in memory.
STEP_BYTES = 2048
# As zstd --long=31 has, which large dumps are made with; memory is taken only for such files.
ZST_WINDOW_BYTES = 1 << 31


class Source(NamedTuple):
    """A file that is read, or standard input."""

    path: str  # as given, or as found in a folder; "-" is standard input; may be a URL
    format: str  # "text", a document; "lines", each a document; "jsonl", "csv", "parquet"
    compression: str  # "", "gz", "zst"
    size: int  # bytes as stored; 0 for standard input
    modified: int  # nanoseconds since 1970; 0 unknown
    refs: tuple["Source", ...] = ()  # of "parallel" texts: their references, line by line


def find_sources(
    inputs: Sequence[str],
    *,
    format: str | None = None,
    lines: bool = False,
    default: str = TEXT,
    refs: Sequence[str] = (),
    exclude: Collection[str] = (),
) -> list[Source]:
    """Find what is to be read; each file once, in the order of the inputs.

    inputs: Files, folders, globs, URLs of such; "-" is standard input. Folders are searched with
        all below them, in the order of the names, for .txt, .text, .jsonl, .ndjson, .csv, also with
        .gz or .zst behind, and .parquet; names that begin with "." or "_" are skipped. A file
        that is named, or matches a glob, and standard input have the format `default` if they have
        no known suffix.
    format: Of named files, matches of globs and standard input, whatever their names; "text" and
        "lines" hold for texts in folders too.
    lines: Each line of a text is a document.
    refs: The one input has a text on each line, and these files their references, line by line.
    exclude: Files and folders that are not inputs: the output, and what is next to it.

    Raises ValueError if an input is excluded, or there is nothing in it, or if texts and references
    have different numbers of lines, which is found before the work; FileNotFoundError,
    PermissionError.
    """
    if refs:
        return [_find_parallel(inputs, refs, exclude)]
    if format is not None and format not in FORMATS:
        raise ValueError(f"The format must be one of {', '.join(FORMATS)}, got {format!r}.")
    excluded = {file_key(str(path)) for path in exclude}
    sources: dict[str, Source] = {}
    for path in map(str, inputs):
        n_found = 0
        files = [FoundFile(path, path, 0, 0, True)] if path == STDIN else list_files(path)
        for found in files:
            if _is_excluded(found.key, excluded):
                if found.path == path:
                    raise ValueError(
                        f"{path!r} is among the inputs, and is where the output is to be written. "
                        "Name another output."
                    )
                continue
            n_found += 1
            if found.key not in sources:
                sources[found.key] = _make_source(found, format, default, lines=lines)
        if not n_found:
            raise ValueError(
                f"There is nothing to read in {path!r}. Inputs must be files such as .txt, .jsonl, "
                ".csv or .parquet; name files with other suffixes one by one or by a glob."
            )
    for source in sources.values():
        _check_source(source)
    return list(sources.values())


def _find_parallel(hyps: Sequence[str], refs: Sequence[str], exclude: Collection[str]) -> Source:
    first, *others = (
        find_sources([path], format=LINES, exclude=exclude)[0] for path in (*hyps, *refs)
    )
    n_lines = _count_lines(first)
    for source in others:
        if _count_lines(source) != n_lines:
            raise ValueError(
                f"Texts and references must have the same number of lines, got {n_lines:,} in "
                f"{first.path} and {_count_lines(source):,} in {source.path}. Check for missing "
                "lines."
            )
    return first._replace(format=PARALLEL, refs=tuple(others))


def _count_lines(source: Source) -> int:
    with open_source(source) as file:
        return sum(1 for _ in file)


def _is_excluded(key: str, excluded: Collection[str]) -> bool:
    return bool(excluded) and (
        key in excluded or any(str(above) in excluded for above in Path(key).parents)
    )


def _make_source(found: FoundFile, format: str | None, default: str, *, lines: bool) -> Source:
    name = found.path.split("?")[0] if is_url(found.path) else found.path
    by_name, compression = find_format(name)
    chosen = by_name or default
    if format is not None and (found.named or (chosen == TEXT and format == LINES)):
        chosen = format
    if lines and chosen == TEXT:
        chosen = LINES
    return Source(found.path, chosen, compression, found.size, found.modified)


def _check_source(source: Source) -> None:
    if source.format == PARQUET and (source.compression or source.path == STDIN):
        raise ValueError(
            f"Parquet must be a file that is not compressed as a whole, as it is read from its "
            f"end, got {source.path!r}. Write it to a file of its own."
        )
    if source.compression == "zst":
        import_extra("zstandard")
    if source.format == PARQUET:
        import_extra("pyarrow")


def open_source(source: Source, *, start: int = 0, end: int | None = None) -> "SourceFile":
    """Open a source to read its bytes, decompressed, from byte `start` on.

    end: Where reading will end, about: not much more than that is read from the disk.

    Reading raises ValueError if the compressed file is broken or truncated.
    """
    raw: Any
    if source.path == STDIN:
        raw = sys.stdin.buffer
    elif is_url(source.path):
        files, path = resolve_url(source.path)
        if source.compression:
            raw = files.open_input_stream(path, compression=None)
        else:
            raw = files.open_input_file(path)
    else:
        raw = io.FileIO(source.path)
    if start:
        raw.seek(start)
    stored = _Stored(raw, start, end, keep_open=source.path == STDIN)
    inner: io.RawIOBase = stored
    if source.compression:
        inner = _Decompressed(stored, source)
    return SourceFile(inner, stored)


class SourceFile(io.BufferedReader):
    """The bytes of a source; standard input stays open when it is closed."""

    def __init__(self, inner: io.RawIOBase, stored: "_Stored") -> None:
        self._stored = stored
        super().__init__(inner, BUFFER_BYTES)

    @property
    def n_stored(self) -> int:
        """Bytes as stored that were read so far."""
        return self._stored.n_bytes


class _Stored(io.RawIOBase):
    """A file as stored, which counts what is read of it; it may be a pipe."""

    def __init__(self, raw: Any, start: int, end: int | None, *, keep_open: bool) -> None:
        self.raw = raw
        self.n_bytes = 0
        self._position = start
        self._end = end
        self._keep_open = keep_open

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self.raw.seekable())

    def seek(self, offset: int, whence: int = 0) -> int:
        self._position = self.raw.seek(offset, whence)
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        if self._end is not None:
            left = self._end - self._position
            size = min(size, left if left > 0 else TAIL_BYTES)
        data = self.raw.read(size)
        buffer[: len(data)] = data
        self.n_bytes += len(data)
        self._position += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed and not self._keep_open:
            self.raw.close()
        super().close()


class _Decompressed(io.RawIOBase):
    """Reads all frames of a compressed file; ValueError with its name if the last has no end.

    smart_open and the reader of zstandard end silently there, and may read one frame only.
    """

    def __init__(self, stored: _Stored, source: Source) -> None:
        self._path = source.path
        self._stored = stored
        self._errors: tuple[type[Exception], ...] = (EOFError, zlib.error)
        if source.compression == "gz":
            self._chunks = _read_frames(stored, partial(zlib.decompressobj, wbits=31))
        else:
            zstandard = import_extra("zstandard")
            self._errors = (EOFError, zstandard.ZstdError)
            decompressor = zstandard.ZstdDecompressor(max_window_size=ZST_WINDOW_BYTES)
            self._chunks = _read_frames(stored, decompressor.decompressobj)
        self._output = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            while not self._output:
                self._output = memoryview(next(self._chunks))
        except StopIteration:
            return 0
        except self._errors as error:
            raise ValueError(
                f"{self._path}: the compressed file is broken or truncated ({error}). Copy or make "
                "it again."
            ) from error
        n_bytes = min(len(buffer), len(self._output))
        buffer[:n_bytes] = self._output[:n_bytes]
        self._output = self._output[n_bytes:]
        return n_bytes

    def close(self) -> None:
        self._stored.close()
        super().close()


def _read_frames(stored: _Stored, make_decompressor: Callable[[], Any]) -> Iterator[bytes]:
    frame: Any = make_decompressor()
    rest, at_start = b"", False
    while data := rest or stored.read(STEP_BYTES):
        rest = b""
        if at_start:
            data = data.lstrip(b"\0")  # gzip allows zeros after a frame
            if not data:
                continue
            frame, at_start = make_decompressor(), False
        yield frame.decompress(data)
        if frame.eof:
            rest, at_start = frame.unused_data, True
    if not at_start:
        raise EOFError("the file ends within a frame")
