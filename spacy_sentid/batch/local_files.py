"""Find input files on this machine: by name, in folders, by globs."""

import errno
import glob
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .formats import find_format, is_hidden

SEPARATORS = re.escape(os.sep + (os.altsep or ""))
ANY_FOLDERS = re.compile(rf"(?:^|(?<=[{SEPARATORS}]))\*\*[{SEPARATORS}]")
ALL_BELOW = re.compile(rf"(?:^|(?<=[{SEPARATORS}]))\*\*$")


class FoundFile(NamedTuple):
    """A file that an input stands for."""

    path: str
    key: str  # the same for two names of a file
    size: int
    modified: int
    named: bool  # by name or a glob; else it is in a folder that was searched


def find_files(path: str) -> Iterator[FoundFile]:
    """Find the files that a local input stands for, in order.

    Raises FileNotFoundError, PermissionError.
    """
    if os.path.isdir(path):
        yield from _search_folder(path)
    elif glob.has_magic(path) and not os.path.lexists(path):
        for match in sorted(set(_match(path))):
            if os.path.isdir(match):
                yield from _search_folder(match)
            else:
                yield _describe(match, os.path.realpath(match), named=True)
    else:
        yield _describe(path, os.path.realpath(path), named=True)


def _describe(path: str, key: str, *, named: bool) -> FoundFile:
    found = os.stat(path)
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    # The time of a pipe or a device changes by itself.
    modified = found.st_mtime_ns if stat.S_ISREG(found.st_mode) else 0
    return FoundFile(path, key, found.st_size, modified, named)


def _search_folder(folder: str) -> Iterator[FoundFile]:
    keys = {}
    for below, real in _walk(folder):
        with os.scandir(below) as entries:
            for entry in entries:
                if is_hidden(entry.name) or find_format(entry.name)[0] is None:
                    continue
                if entry.is_file(follow_symlinks=False):
                    keys[entry.path] = os.path.join(real, entry.name)
                elif entry.is_symlink() and not os.path.isdir(entry.path):
                    keys[entry.path] = os.path.realpath(entry.path)
    for path in sorted(keys):
        yield _describe(path, keys[path], named=False)


def _walk(folder: str) -> Iterator[tuple[str, str]]:
    """Yield a folder and the folders below it, each once, also where links go round in circles.

    YIELDS: (the folder, its path without links).
    """
    seen = {str(parent) for parent in Path(os.path.realpath(folder)).parents}
    rest = [folder]
    while rest:
        path = rest.pop()
        key = os.path.realpath(path)
        if key in seen:
            continue
        seen.add(key)
        yield path, key
        with os.scandir(path) as entries:
            below = sorted(
                entry.path for entry in entries if not is_hidden(entry.name) and _is_folder(entry)
            )
        rest += reversed(below)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    if entry.is_symlink():
        return os.path.isdir(entry.path)
    return entry.is_dir()


def _match(pattern: str) -> Iterator[str]:
    """Yield what a glob matches; `glob.glob` gets no `**`, which follows links round in circles."""
    pattern = ALL_BELOW.sub(lambda _: os.path.join("**", "*"), pattern)
    found = ANY_FOLDERS.search(pattern)
    if found is None:
        yield from glob.iglob(pattern)
        return
    head, tail = pattern[: found.start()], pattern[found.end() :]
    for folder in glob.glob(head) if head else [os.curdir]:
        for below, _ in _walk(folder):
            start = glob.escape(os.path.join(below, "")) if head else _start(below)
            yield from _match(start + tail)


def _start(folder: str) -> str:
    """Write a folder below the current one without "./", as globs do."""
    return "" if folder == os.curdir else glob.escape(os.path.join(os.path.relpath(folder), ""))
