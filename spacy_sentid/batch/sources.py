"""Find and open the inputs of a batch job.

files, folders, globs, URLs, standard input -> sources, in order, each once
"""

import io
import os
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from .compression import BUFFER_BYTES, DecompressedFile
from .extras import import_extra
from .formats import FORMATS, LINES, PARQUET, TEXT, find_format
from .local_files import FoundFile, find_files
from .remote_files import find_remote_files, key_of_url, open_remote_file, resolve_url
from .store import is_url

__all__ = ["STDIN", "Source", "find_sources", "import_extra", "open_source", "resolve_url"]

STDIN = "-"


class Source(NamedTuple):
    """A file that is read, or standard input."""

    path: str  # as given, or as found in a folder; "-" is standard input; may be a URL
    format: str  # "text", a document; "lines", each a document; "jsonl", "csv", "parquet"
    compression: str  # "", "gz", "zst"
    size: int  # bytes as stored; 0 for standard input
    modified: int  # nanoseconds since 1970; 0 unknown


def find_sources(
    inputs: Sequence[str],
    *,
    format: str | None = None,
    lines: bool = False,
    leave_out: Collection[str] = (),
) -> list[Source]:
    """Find what is to be read; each file once, in the order of the inputs.

    inputs: Files, folders, globs, URLs of such; "-" is standard input. Folders are searched with
        all below them, in the order of the names, for .txt, .text, .jsonl, .ndjson, .csv, also with
        .gz or .zst behind, and .parquet; names that begin with "." or "_" are left out. A file
        that is named, or matches a glob, is a text if its name tells no format.
    format: Of named files, matches of globs and standard input, whatever their names; "text" and
        "lines" hold for texts in folders too.
    lines: Each line of a text is a document.
    leave_out: Files and folders that are no inputs: the output, and what stands beside it.

    Raises ValueError if an input is left out, or there is nothing in it; FileNotFoundError,
    PermissionError.
    """
    if format is not None and format not in FORMATS:
        raise ValueError(f"Found format {format!r}, expected one of {', '.join(FORMATS)}.")
    left = {_find_key(str(path)) for path in leave_out}
    sources: dict[str, Source] = {}
    for path in map(str, inputs):
        n_found = 0
        for found in _list_files(path):
            if _is_left_out(found.key, left):
                if found.path == path:
                    raise ValueError(
                        f"Found {path!r} among the inputs, where the output is to go, expected "
                        "other files. Name another output."
                    )
                continue
            n_found += 1
            if found.key not in sources:
                sources[found.key] = _make_source(found, format, lines=lines)
        if not n_found:
            raise ValueError(
                f"Found nothing to read in {path!r}, expected files such as .txt, .jsonl, .csv or "
                ".parquet. Name other files; those with other suffixes by themselves or by a glob."
            )
    for source in sources.values():
        _check_source(source)
    return list(sources.values())


def _list_files(path: str) -> Iterator[FoundFile]:
    if path == STDIN:
        return iter([FoundFile(path, path, 0, 0, True)])
    return find_remote_files(path) if is_url(path) else find_files(path)


def _find_key(path: str) -> str:
    return key_of_url(path) if is_url(path) else os.path.realpath(path)


def _is_left_out(key: str, left: Collection[str]) -> bool:
    return bool(left) and (key in left or any(str(above) in left for above in Path(key).parents))


def _make_source(found: FoundFile, format: str | None, *, lines: bool) -> Source:
    by_name, compression = find_format(
        found.path.split("?")[0] if is_url(found.path) else found.path
    )
    chosen = by_name or TEXT
    if format is not None and (found.named or (chosen == TEXT and format == LINES)):
        chosen = format
    if lines and chosen == TEXT:
        chosen = LINES
    return Source(found.path, chosen, compression, found.size, found.modified)


def _check_source(source: Source) -> None:
    if source.format == PARQUET and (source.compression or source.path == STDIN):
        raise ValueError(
            f"Found Parquet in {source.path!r}, expected a file that is read from its end: neither "
            "compressed as a whole nor standard input. Write it to a file of its own."
        )
    if source.compression == "zst":
        import_extra("zstandard")
    if source.format == PARQUET:
        import_extra("pyarrow")


def open_source(source: Source) -> BinaryIO:
    """Open a source to read its bytes, decompressed; standard input is not to be closed.

    Reading raises ValueError if the compressed file is broken or truncated.
    """
    if source.path == STDIN:
        return sys.stdin.buffer
    if is_url(source.path):
        file = open_remote_file(source.path, seekable=not source.compression)
    else:
        file = cast(BinaryIO, io.BufferedReader(io.FileIO(source.path), BUFFER_BYTES))
    if source.compression:
        return cast(BinaryIO, DecompressedFile(file, source.compression, source.path))
    return file
