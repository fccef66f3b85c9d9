"""List the files that an input stands for: a file, a folder, or a glob, local or a URL."""

import errno
import glob
import os
import re
import stat
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ..files.store import import_extra, is_url, resolve_url

URL = re.compile(r"(?s)([^/?]*://[^/?]*)([^?]*)(\?.*)?")
# "?" begins the options of a URL, so that it is none of these.
URL_MAGIC = re.compile(r"[*\[]")
SEPARATORS = re.compile(f"[{re.escape(os.sep + (os.altsep or ''))}]+")
TEXT, LINES, JSONL, CSV, PARQUET, PARALLEL = (
    "text", "lines", "jsonl", "csv", "parquet", "parallel"
)  # fmt: skip
FORMATS = (TEXT, LINES, JSONL, CSV, PARQUET)
SUFFIXES = {
    ".txt": TEXT,
    ".text": TEXT,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".csv": CSV,
    ".parquet": PARQUET,
}
COMPRESSIONS = {".gz": "gz", ".zst": "zst"}


class FoundFile(NamedTuple):
    """A file that an input stands for."""

    path: str
    key: str  # the same for two names of a file
    size: int
    modified: int  # nanoseconds since 1970; 0 unknown
    named: bool  # by name or a glob; else it is in a folder that was searched


def find_format(path: str) -> tuple[str | None, str]:
    """Find (format, compression) by the name of a file; None if it has no known suffix.

    >>> find_format("mail.JSONL.gz"), find_format("mail.txt"), find_format("README.zst")
    (('jsonl', 'gz'), ('text', ''), (None, 'zst'))
    """
    name = path.casefold()
    compression = ""
    for suffix, found in COMPRESSIONS.items():
        if name.endswith(suffix):
            name, compression = name.removesuffix(suffix), found
            break
    for suffix, format_ in SUFFIXES.items():
        if name.endswith(suffix) and not (format_ == PARQUET and compression):
            return format_, compression
    return None, compression


def is_hidden(name: str) -> bool:
    """Tell whether a file or folder is skipped when the folder around it is searched.

    >>> is_hidden(".git"), is_hidden("_SUCCESS"), is_hidden("mail.txt")
    (True, True, False)
    """
    return name.startswith((".", "_"))


def list_files(path: str) -> Iterator[FoundFile]:
    """List the files of an input, in order.

    Raises FileNotFoundError, PermissionError, and what pyarrow raises for a URL that it cannot
    reach.
    """
    if is_url(path):
        yield from _list_remote(path)
    elif os.path.isdir(path):
        yield from _search(path, None)
    elif glob.has_magic(path) and not os.path.lexists(path):
        parts = SEPARATORS.split(path)
        n_fixed = next(n for n, part in enumerate(parts) if glob.has_magic(part))
        folder = os.sep.join(parts[:n_fixed]) or (os.sep if os.path.isabs(path) else "")
        yield from _search(folder, _complete(parts[n_fixed:]))
    else:
        yield _describe(path, os.path.realpath(path), named=True)


def _complete(pattern: Sequence[str]) -> list[str]:
    """Take "**" at the end as all files below."""
    parts = [part for part in pattern if part]
    return [*parts, "*"] if parts[-1] == "**" else parts


def _describe(path: str, key: str, *, named: bool) -> FoundFile:
    found = os.stat(path)
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    # The time of a pipe or a device changes by itself.
    modified = found.st_mtime_ns if stat.S_ISREG(found.st_mode) else 0
    return FoundFile(path, key, found.st_size, modified, named)


def _search(folder: str, pattern: Sequence[str] | None) -> Iterator[FoundFile]:
    """List the files below a local folder, in order: of known formats, or that match."""
    found = {}
    for parts, key in _walk(folder, pattern):
        named = pattern is not None and _matches(parts, pattern, ".")
        if named or _is_searched(parts, pattern, "."):
            found[os.path.join(folder, *parts)] = key, named
    for path in sorted(found):
        key, named = found[path]
        yield _describe(path, key, named=named)


def _walk(folder: str, pattern: Sequence[str] | None) -> Iterator[tuple[list[str], str]]:
    """Walk through a folder; each folder below it once, also where links form circles.

    YIELDS: (parts of the path below the folder, path without links) of each file.
    """
    seen = {str(parent) for parent in Path(os.path.realpath(folder)).parents}
    waiting: list[list[str]] = [[]]
    while waiting:
        parts = waiting.pop()
        path = os.path.join(folder, *parts) or os.curdir
        real = os.path.realpath(path)
        if real in seen or not os.path.isdir(path):
            continue
        seen.add(real)
        with os.scandir(path) as entries:
            below = sorted(entries, key=lambda entry: entry.name, reverse=True)
        for entry in below:
            names = [*parts, entry.name]
            if entry.is_dir() if not entry.is_symlink() else os.path.isdir(entry.path):
                if _leads(names, pattern):
                    waiting.append(names)
            elif entry.is_symlink():
                yield names, os.path.realpath(entry.path)
            elif entry.is_file():
                yield names, os.path.join(real, entry.name)


def _leads(parts: Sequence[str], pattern: Sequence[str] | None) -> bool:
    """Tell whether files below a folder may be asked for."""
    if pattern is None:
        return not is_hidden(parts[-1])
    if not parts or not pattern:  # all below a folder that matches
        return not any(map(is_hidden, parts))
    if pattern[0] == "**":
        return not is_hidden(parts[0]) or _leads(parts, pattern[1:])
    return fnmatch(parts[0], pattern[0]) and _leads(parts[1:], pattern[1:])


def _is_searched(parts: Sequence[str], pattern: Sequence[str] | None, hidden: str) -> bool:
    """Tell whether a file is below the folder, or one that the pattern matches, by its name."""
    if find_format(parts[-1])[0] is None:
        return False
    starts = range(len(parts)) if pattern is not None else range(1)
    return any(
        (pattern is None or _matches(parts[:n], pattern, hidden))
        and not any(is_hidden(part) for part in parts[n:])
        for n in starts
    )


def _matches(parts: Sequence[str], pattern: Sequence[str], hidden: str) -> bool:
    """Match the parts of a path; "**" stands for any number of folders.

    hidden: First characters of names that a pattern matches only if it begins in the same way.

    >>> _matches(["a", "b", "c.txt"], ["**", "*.txt"], "."), _matches(["a", "c"], ["*"], ".")
    (True, False)
    """
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return _matches(parts, pattern[1:], hidden) or (
            bool(parts) and not is_hidden(parts[0]) and _matches(parts[1:], pattern, hidden)
        )
    if not parts or (parts[0][0] in hidden and pattern[0][0] not in hidden):
        return False
    return fnmatch(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:], hidden)


def _list_remote(url: str) -> Iterator[FoundFile]:
    found = URL.fullmatch(url)
    if found is None:
        raise ValueError(f"A URL must be one such as s3://bucket/folder, got {url!r}.")
    head, path, options = found[1], found[2], found[3] or ""
    if URL_MAGIC.search(path):
        parts = path.split("/")
        n_fixed = next(i for i, part in enumerate(parts) if URL_MAGIC.search(part))
        base = "/".join(parts[:n_fixed]) + "/"
        yield from _search_remote(head, base, options, _complete(parts[n_fixed:]))
        return
    files, inner = resolve_url(url)
    info = files.get_file_info(inner)
    if info.is_file:
        yield FoundFile(url, _key(files, inner), info.size or 0, info.mtime_ns or 0, True)
    elif info.type.name == "Directory":
        yield from _search_remote(head, path.rstrip("/") + "/", options, None)
    else:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url)


def _search_remote(
    head: str, base: str, options: str, pattern: Sequence[str] | None
) -> Iterator[FoundFile]:
    files, root = resolve_url(f"{head}{base}{options}")
    root = root.rstrip("/")
    selector = import_extra("pyarrow.fs").FileSelector(root, recursive=True)
    infos = [info for info in files.get_file_info(selector) if info.is_file]
    for info in sorted(infos, key=lambda info: info.path):
        below = info.path[len(root) :].lstrip("/")
        parts = below.split("/")
        named = pattern is not None and _matches(parts, pattern, "._")
        if named or _is_searched(parts, pattern, "._"):
            path = f"{head}{base}{quote(below)}{options}"
            key, modified = _key(files, info.path), info.mtime_ns or 0
            yield FoundFile(path, key, info.size or 0, modified, named)


def _key(files: Any, path: str) -> str:
    return os.path.realpath(path) if files.type_name == "local" else f"{files.type_name}:{path}"


def file_key(path: str) -> str:
    """Name a file or URL as `FoundFile.key` does."""
    return _key(*resolve_url(path)) if is_url(path) else os.path.realpath(path)
