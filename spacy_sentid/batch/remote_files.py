"""Find and open input files elsewhere: s3://, gs://, abfs://, hdfs://, file://, with pyarrow."""

import errno
import io
import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, BinaryIO, NamedTuple, cast
from urllib.parse import quote

from .extras import import_extra
from .formats import find_format, is_hidden
from .local_files import FoundFile

URL = re.compile(r"(?s)([^/?]*://[^/?]*)([^?]*)(\?.*)?")
# "?" begins the options of a URL, so that it is none of these.
MAGIC = re.compile(r"[*\[]")
BUFFER_BYTES = 1 << 20


class _Url(NamedTuple):
    head: str  # such as "s3://bucket"
    path: str
    options: str  # such as "?region=eu-west-1"


def _split_url(url: str) -> _Url:
    found = URL.fullmatch(url)
    if found is None:
        raise ValueError(f"Found URL {url!r}, expected one such as s3://bucket/folder.")
    return _Url(found[1], found[2], found[3] or "")


def resolve_url(url: str) -> tuple[Any, str]:
    """Give the pyarrow file system of a URL, and the path in it.

    Raises ValueError for a URL that pyarrow does not know.
    """
    fs = import_extra("pyarrow.fs")
    readable = quote(url, safe="%/:?=&@+,;~!$'()*[]")
    try:
        files, path = fs.FileSystem.from_uri(readable)
    except (ValueError, NotImplementedError) as error:
        raise ValueError(
            f"Found URL {url!r} ({error}), expected one that pyarrow opens: s3://, gs://, abfs://, "
            "hdfs:// or file://. Copy the files to such a place."
        ) from error
    return files, path


def find_remote_files(url: str) -> Iterator[FoundFile]:
    """Find the files that a URL stands for: a file, a folder, or a glob (`*`, `**`, `[...]`).

    Raises FileNotFoundError, and what pyarrow raises when a place cannot be reached.
    """
    head, path, options = _split_url(url)
    if MAGIC.search(path):
        parts = path.split("/")
        n_fixed = next(i for i, part in enumerate(parts) if MAGIC.search(part))
        base = _Url(head, "/".join(parts[:n_fixed]) + "/", options)
        # "**" at the end is all below.
        yield from _list_files(base, parts[n_fixed:] + ["*"] * (parts[-1] == "**"))
        return
    files, inner = resolve_url(url)
    info = files.get_file_info(inner)
    if info.is_file:
        yield FoundFile(url, _key(files, inner), info.size or 0, info.mtime_ns or 0, True)
    elif info.type.name == "Directory":
        yield from _list_files(_Url(head, path.rstrip("/") + "/", options), None)
    else:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url)


def _list_files(base: _Url, pattern: Sequence[str] | None) -> Iterator[FoundFile]:
    """List the files below a folder, in order: those of a known format, or those that match."""
    files, root = resolve_url("".join(base))
    root = root.rstrip("/")
    selector = import_extra("pyarrow.fs").FileSelector(root, recursive=True)
    infos = [info for info in files.get_file_info(selector) if info.is_file]
    for info in sorted(infos, key=lambda info: info.path):
        below = info.path[len(root) :].lstrip("/")
        parts = below.split("/")
        named = pattern is not None and _matches(parts, pattern)
        if named or _is_searched(parts, pattern):
            path = f"{base.head}{base.path}{quote(below)}{base.options}"
            key, modified = _key(files, info.path), info.mtime_ns or 0
            yield FoundFile(path, key, info.size or 0, modified, named)


def _is_searched(parts: Sequence[str], pattern: Sequence[str] | None) -> bool:
    """Tell whether a file is below the folder, or one that the pattern matches, by its name."""
    if find_format(parts[-1])[0] is None:
        return False
    starts = range(len(parts)) if pattern is not None else range(1)
    return any(
        (pattern is None or _matches(parts[:n], pattern))
        and not any(is_hidden(part) for part in parts[n:])
        for n in starts
    )


def _matches(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Match the parts of a path; "**" stands for any number of folders.

    >>> _matches(["a", "b", "c.txt"], ["**", "*.txt"]), _matches(["a", "c.txt"], ["*.txt"])
    (True, False)
    """
    if not pattern:
        return not parts
    if pattern[0] == "**" and _matches(parts, pattern[1:]):
        return True
    if not parts or (is_hidden(parts[0]) and not is_hidden(pattern[0])):
        return False
    if pattern[0] == "**":
        return _matches(parts[1:], pattern)
    return fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _key(files: Any, path: str) -> str:
    return os.path.realpath(path) if files.type_name == "local" else f"{files.type_name}:{path}"


def key_of_url(url: str) -> str:
    """Name the file of a URL as `FoundFile.key` does."""
    return _key(*resolve_url(url))


def open_remote_file(url: str, *, seekable: bool) -> BinaryIO:
    """Open a file to read; `seekable` for parts of it, else it is read ahead."""
    files, path = resolve_url(url)
    if seekable:
        file = files.open_input_file(path)
    else:
        file = files.open_input_stream(path, compression=None)
    return cast(BinaryIO, io.BufferedReader(file, BUFFER_BYTES))
