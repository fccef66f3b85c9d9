"""List the files of an input: a file, a folder, or a glob, as a local path or a URL.

input -> folder, pattern of the paths below it -> files, in the order of their names
"""

import errno
import glob
import os
import re
import stat
import warnings
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ...files.store import import_extra, is_url, resolve_url

URL = re.compile(r"(?s)([^/?]*://[^/?]*)([^?]*)(\?.*)?")
# "?" begins the options of a URL, so it is not a wildcard here.
URL_MAGIC = re.compile(r"[*\[]")
SEPARATORS = re.compile(f"[{re.escape(os.sep + (os.altsep or ''))}]+")
TEXT, LINES, JSONL, CSV, PARQUET, HTML, MAIL, PARALLEL = (
    "text", "lines", "jsonl", "csv", "parquet", "html", "eml", "parallel"
)  # fmt: skip
FORMATS = (TEXT, LINES, JSONL, CSV, PARQUET, HTML, MAIL)
SUFFIXES = {
    ".txt": TEXT, ".text": TEXT, ".md": TEXT, ".markdown": TEXT, ".srt": TEXT, ".vtt": TEXT,
    ".jsonl": JSONL, ".ndjson": JSONL, ".csv": CSV, ".parquet": PARQUET,
    ".html": HTML, ".htm": HTML, ".xhtml": HTML, ".eml": MAIL,
}  # fmt: skip
HIDDEN = (".", "_")  # a search skips names that begin with these
COMPRESSIONS = {".gz": "gz", ".zst": "zst"}


class FoundFile(NamedTuple):
    """A file that an input refers to."""

    path: str
    key: str  # equal for two names of the same file
    size: int
    modified: int  # nanoseconds since 1970; 0 = unknown
    named: bool  # given by name or matched by a glob; False if a search of a folder found it


def find_format(path: str) -> tuple[str | None, str]:
    """Find (format, compression) by the name of a file. The format of unknown suffixes is None.

    >>> find_format("mail.JSONL.gz"), find_format("mail.txt"), find_format("README.zst")
    (('jsonl', 'gz'), ('text', ''), (None, 'zst'))
    """
    name, *suffix = path.casefold().rpartition(".")
    compression = COMPRESSIONS.get("".join(suffix), "")
    if compression:
        _, *suffix = name.rpartition(".")
    found = SUFFIXES.get("".join(suffix))
    return None if found == PARQUET and compression else found, compression


def list_files(path: str) -> Iterator[FoundFile]:
    """List the files of an input, in order.

    Raises FileNotFoundError, PermissionError, and any error of pyarrow for a URL that it cannot
    reach.
    """
    if is_url(path):
        yield from _list_remote(path)
    elif os.path.isdir(path):
        yield from _search(_LocalFolder(path), [])
    elif glob.has_magic(path) and not os.path.lexists(path):
        parts = SEPARATORS.split(path)
        n_fixed = next(n for n, part in enumerate(parts) if glob.has_magic(part))
        folder = os.sep.join(parts[:n_fixed]) or (os.sep if os.path.isabs(path) else "")
        if os.path.isdir(folder or os.curdir):
            yield from _search(_LocalFolder(folder), parts[n_fixed:])
    else:
        yield _describe(path, os.path.realpath(path), named=True)


def _list_remote(url: str) -> Iterator[FoundFile]:
    found = URL.fullmatch(url)
    if found is None:
        raise ValueError(f"A URL must have the form s3://bucket/folder, got {url!r}.")
    head, path, options = found[1], found[2], found[3] or ""
    parts = path.rstrip("/").split("/")
    n_fixed = next((n for n, part in enumerate(parts) if URL_MAGIC.search(part)), len(parts))
    if n_fixed == len(parts):
        files, inner = resolve_url(url)
        info = files.get_file_info(inner)
        if info.is_file:
            yield FoundFile(url, _key(files, inner), info.size or 0, info.mtime_ns or 0, True)
            return
        if info.type.name != "Directory":
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url)
    folder = _RemoteFolder(f"{head}{'/'.join(parts[:n_fixed])}/", options)
    yield from _search(folder, parts[n_fixed:])


class _LocalFolder:
    """The files below a local folder. Keys are paths with links resolved."""

    hidden = "."  # "*" does not match names that begin with these characters

    def __init__(self, path: str) -> None:
        self.path = path
        self.key = os.path.realpath(path)

    def entries(self, parts: Sequence[str], key: str) -> Iterator[tuple[str, bool, str]]:
        """List (name, whether it is a folder, key) for the direct children of a folder."""
        with os.scandir(os.path.join(self.path, *parts) or os.curdir) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                is_link = entry.is_symlink()
                below = os.path.realpath(entry.path) if is_link else os.path.join(key, entry.name)
                is_folder = os.path.isdir(below) if is_link else entry.is_dir()
                if is_folder or is_link or entry.is_file():
                    yield entry.name, is_folder, below

    def describe(self, parts: Sequence[str], key: str, *, named: bool) -> FoundFile:
        return _describe(os.path.join(self.path, *parts), key, named=named)


def _describe(path: str, key: str, *, named: bool) -> FoundFile:
    found = os.stat(path)
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    # The modification time of a pipe or a device changes on its own.
    modified = found.st_mtime_ns if stat.S_ISREG(found.st_mode) else 0
    return FoundFile(path, key, found.st_size, modified, named)


class _RemoteFolder:
    """The files below a URL, with the interface of _LocalFolder. All are listed at once."""

    hidden = "._"

    def __init__(self, url: str, options: str) -> None:
        self.url, self.options = url, options
        self.files, root = resolve_url(url + options)
        self.key = root.rstrip("/")
        self.infos: dict[str, Any] = {}
        self.below: dict[str, dict[str, bool]] = {}
        selector = import_extra("pyarrow.fs").FileSelector(self.key, recursive=True)
        for info in self.files.get_file_info(selector):
            if info.is_file:  # folders come from the paths, as object stores may list none
                self.infos[info.path] = info
                parts = info.path[len(self.key) :].lstrip("/").split("/")
                for n, name in enumerate(parts):
                    folder = "/".join([self.key, *parts[:n]])
                    self.below.setdefault(folder, {})[name] = n + 1 < len(parts)

    def entries(self, parts: Sequence[str], key: str) -> Iterator[tuple[str, bool, str]]:
        for name, is_folder in self.below.get(key, {}).items():
            yield name, is_folder, f"{key}/{name}"

    def describe(self, parts: Sequence[str], key: str, *, named: bool) -> FoundFile:
        info = self.infos[key]
        path = f"{self.url}{quote('/'.join(parts))}{self.options}"
        file = _key(self.files, key)
        return FoundFile(path, file, info.size or 0, info.mtime_ns or 0, named)


def _search(folder: "_LocalFolder | _RemoteFolder", pattern: Sequence[str]) -> Iterator[FoundFile]:
    """List the files below a folder that match a pattern, or are in a folder that matches it.

    pattern: One part for each level below the folder; "**" matches any number of levels.
    """
    parts = tuple(part for part in pattern if part)
    if parts[-1:] == ("**",):
        parts += ("*",)
    found: dict[tuple[str, ...], tuple[str, bool]] = {}
    above = {str(path) for path in Path(folder.key).parents}
    seen: set[tuple[str, tuple[str, ...]]] = set()
    waiting: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = [((), folder.key, parts)]
    while waiting:
        here, key, rest = waiting.pop()
        if key in above or (key, rest) in seen:  # links may form circles
            continue
        seen.add((key, rest))
        if rest[:1] == ("**",):
            waiting.append((here, key, rest[1:]))
        is_search = not rest or rest[0] == "**"
        for name, is_folder, key_below in folder.entries(here, key):
            if is_search:
                is_skipped = name.startswith(HIDDEN)
            else:
                is_named = name[0] not in folder.hidden or rest[0][0] in folder.hidden
                is_skipped = not is_named or not fnmatch(name, rest[0])
            if is_skipped:
                continue
            below = (*here, name)
            if is_folder:
                waiting.append((below, key_below, rest if is_search else rest[1:]))
            elif len(rest) == 1 and not is_search:
                found[below] = key_below, True
            elif not rest and find_format(name)[0] is not None:
                found.setdefault(below, (key_below, False))
    for below in sorted(found, key="/".join):
        key, named = found[below]
        try:
            yield folder.describe(below, key, named=named)
        except OSError as error:
            # Nobody can read such a link. A link to a missing disk is an error.
            if error.errno != errno.ELOOP:
                raise
            message = f"skipped {error.filename}, a symbolic link that leads back to itself."
            warnings.warn(message, stacklevel=2)


def _key(files: Any, path: str) -> str:
    return os.path.realpath(path) if files.type_name == "local" else f"{files.type_name}:{path}"


def file_key(path: str) -> str:
    """Return the `FoundFile.key` of a file or URL."""
    return _key(*resolve_url(path)) if is_url(path) else os.path.realpath(path)
