"""Find and open the sources of a batch job.

files, folders, globs, URLs, standard input -> sources, in order, each once -> their bytes
"""

import io
import sys
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ...extras import require_extra
from ...files.records import SKIP_BYTES, read_raw_lines
from ...files.store import is_url, resolve_url
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

SourceFile: TypeAlias = io.BufferedReader
STDIN = "-"
BUFFER_BYTES = 1 << 20
# Small, because zeros decompress to 30,000 times their size and each step's output is in memory.
STEP_BYTES = 2048
# The window of zstd --long=31, which large dumps use. Only such files take that much memory.
ZST_WINDOW_BYTES = 1 << 31


class Source(NamedTuple):
    """An input file, or standard input."""

    path: str  # path or URL, as given or as found in a folder; "-" = standard input
    format: str  # one of FORMATS, or "parallel"
    compression: str  # "", "gz", "zst"
    size: int  # bytes as stored; 0 for standard input
    modified: int  # nanoseconds since 1970; 0 = unknown
    refs: tuple["Source", ...] = ()  # references of "parallel" texts, line by line


def find_sources(
    inputs: Sequence[str],
    *,
    format: str | None = None,
    default: str = TEXT,
    refs: Sequence[str] = (),
    exclude: Collection[str] = (),
) -> list[Source]:
    """Find the files to read, each once, in the order of the inputs.

    inputs: Files, folders, globs or URLs; "-" is standard input. Folders are searched recursively,
        in the order of the names, for files with known suffixes; names that begin with "." or "_"
        are skipped. Files that are named, or match a glob, have the format `default` if their
        suffix is unknown.
    format: Format of named files, matches of globs and standard input, which overrides their
        suffixes; "lines" applies to texts in folders too.
    refs: Files with the references of the texts, line by line. The only input has a text per line.
    exclude: Files and folders that are not inputs: the output, and the files next to it.

    Raises ValueError if an input is excluded or has nothing to read, or if texts and references
    have different numbers of lines, which is checked first. Raises FileNotFoundError and
    PermissionError.
    """
    if refs:
        return [_find_parallel([*inputs, *refs], exclude)]
    if format is not None and format not in FORMATS:
        raise ValueError(f"The format must be one of {', '.join(FORMATS)}, got {format!r}.")
    excluded = {file_key(str(path)) for path in exclude}
    sources: dict[str, Source] = {}
    for path in map(str, inputs):
        n_found = 0
        files = [FoundFile(path, path, 0, 0, True)] if path == STDIN else list_files(path)
        for found in files:
            if found.key in excluded or not excluded.isdisjoint(map(str, Path(found.key).parents)):
                if found.path == path:
                    raise ValueError(
                        f"The output must not be one of the inputs, got {path!r} for both. Name "
                        "another output."
                    )
                continue
            n_found += 1
            if found.key not in sources:
                sources[found.key] = _make_source(found, format, default)
        if not n_found:
            raise ValueError(
                f"There is nothing to read in {path!r}. Inputs must be files such as .txt, .md, "
                ".html, .eml, .jsonl, .csv or .parquet. Name files with other suffixes one by one "
                "or with a glob."
            )
    return list(sources.values())


def _find_parallel(paths: Sequence[str], exclude: Collection[str]) -> Source:
    sources = [find_sources([path], format=LINES, exclude=exclude)[0] for path in paths]
    counts = []
    for source in sources:
        with open_source(source) as file:
            counts.append(sum(1 for _ in read_raw_lines(file, SKIP_BYTES)))
        if counts[-1] != counts[0]:
            raise ValueError(
                f"Texts and references must have the same number of lines, got {counts[0]:,} in "
                f"{paths[0]} and {counts[-1]:,} in {source.path}. Check for missing lines."
            )
    return sources[0]._replace(format=PARALLEL, refs=tuple(sources[1:]))


def _make_source(found: FoundFile, format: str | None, default: str) -> Source:
    name = found.path.split("?")[0] if is_url(found.path) else found.path
    by_name, compression = find_format(name)
    chosen = by_name or default
    if format is not None and (found.named or (chosen == TEXT and format == LINES)):
        chosen = format
    if chosen == PARQUET:
        if compression or found.path == STDIN:
            raise ValueError(
                f"Parquet must be read from a file that is not compressed as a whole, got "
                f"{found.path!r}. Decompress it, or write standard input to a file."
            )
        with require_extra(found.path, extra="batch"):
            import pyarrow  # noqa: F401
    if compression == "zst":
        with require_extra(found.path, extra="batch"):
            import zstandard  # noqa: F401
    return Source(found.path, chosen, compression, found.size, found.modified)


def open_source(source: Source, *, start: int = 0) -> SourceFile:
    """Open a source to read its decompressed bytes.

    start: First byte to read; only for files that are not compressed.

    Reading raises ValueError if a compressed file is broken or truncated.
    """
    raw: Any
    if source.path == STDIN:
        raw = _StandardInput()
    elif is_url(source.path):
        files, path = resolve_url(source.path)
        raw = files.open_input_file(path)
    else:
        raw = io.FileIO(source.path)
    if start:
        raw.seek(start)
    if source.compression:
        raw = _Decompressed(io.BufferedReader(raw) if is_url(source.path) else raw, source)
    return SourceFile(raw, BUFFER_BYTES)


def count_stored(file: SourceFile) -> int:
    """Count the stored bytes that were read from a source; 0 if that is unknown."""
    stored = getattr(file.raw, "stored", file.raw)
    return int(stored.tell()) if stored.seekable() else 0


class _StandardInput(io.RawIOBase):
    """Standard input, which stays open when this object is closed."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        stdin: Any = sys.stdin.buffer
        return int(stdin.readinto1(buffer))


class _Decompressed(io.RawIOBase):
    """A reader of all frames of a compressed file.

    Raises ValueError with the name of the file if the last frame is truncated. smart_open and the
    reader of zstandard silently stop there, and may read only one frame.
    """

    def __init__(self, stored: Any, source: Source) -> None:
        self.stored = stored
        self.source = source
        self._parts = self._decompress()
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.stored.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        self._left = self._left or memoryview(next(filter(None, self._parts), b""))
        n_bytes = min(len(buffer), len(self._left))
        buffer[:n_bytes] = self._left[:n_bytes]
        self._left = self._left[n_bytes:]
        return n_bytes

    def _decompress(self) -> Iterator[bytes]:
        error: type[Exception] = zlib.error
        make_frame: Callable[[], Any] = partial(zlib.decompressobj, wbits=31)
        if self.source.compression == "zst":
            import zstandard

            error = zstandard.ZstdError
            reader = zstandard.ZstdDecompressor(max_window_size=ZST_WINDOW_BYTES)
            make_frame = reader.decompressobj
        try:
            frame = make_frame()
            while data := self.stored.read(STEP_BYTES):
                while data:
                    if not frame.eof:
                        yield frame.decompress(data)
                        data = frame.unused_data
                    elif data := data.lstrip(b"\0"):  # gzip allows zeros after a frame
                        frame = make_frame()
            if not frame.eof:
                raise EOFError("the file ends within a frame")
        except (EOFError, error) as found:
            raise ValueError(
                f"{self.source.path}: the compressed file is broken or truncated ({found}). Copy "
                "or write it again."
            ) from found
