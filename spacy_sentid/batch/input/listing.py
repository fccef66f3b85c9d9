"""List the files of an input: a file, a folder, or a glob, as a local path or a URL.

input -> folder, pattern of the paths below it -> files, in the order of their names
"""

import errno
import glob
import os
import re
import stat
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ...files.store import is_url, resolve_url

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
    """List the files of an input, in the order of their names.

    Raises FileNotFoundError, PermissionError, and any error of pyarrow for a URL that it cannot
    reach.
    """
    if is_url(path):
        yield from _list_remote(path)
        return
    is_named = {path: True}
    if os.path.isdir(path):
        is_named = dict.fromkeys(_search(path), False)
    elif glob.has_magic(path) and not os.path.lexists(path):
        is_named = {}
        for found in _match(path):
            found = found.removeprefix(os.path.join(os.curdir, ""))
            if os.path.isdir(found):
                is_named = dict.fromkeys(_search(found), False) | is_named
            else:
                is_named[found] = True
    for name in sorted(is_named):
        status = os.stat(name)
        if not os.access(name, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
        # The modification time of a pipe or a device changes on its own.
        modified = status.st_mtime_ns if stat.S_ISREG(status.st_mode) else 0
        yield FoundFile(name, os.path.realpath(name), status.st_size, modified, is_named[name])


def _walk(path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and the folders below it, each once, with the names of their files."""
    seen = {str(above) for above in Path(os.path.realpath(path)).parents}
    for folder, folders, files in os.walk(path, onerror=_raise, followlinks=True):
        key = os.path.realpath(folder)
        if key in seen:  # links may form circles
            folders.clear()
            continue
        seen.add(key)
        folders[:] = sorted(name for name in folders if not name.startswith(HIDDEN))
        yield folder, files


def _raise(error: OSError) -> None:
    raise error


def _search(path: str) -> list[str]:
    """List the files below a folder whose suffixes are known."""
    return [
        os.path.join(folder, name)
        for folder, names in _walk(path)
        for name in names
        if not name.startswith(HIDDEN) and find_format(name)[0] is not None
    ]


def _match(pattern: str) -> Iterator[str]:
    """Yield the files and folders that match a glob; "**" matches any number of folders."""
    parts = SEPARATORS.split(pattern)
    if "**" not in parts:
        yield from glob.iglob(pattern)
        return
    n = parts.index("**")
    head = os.sep.join(parts[:n]) or (os.sep if os.path.isabs(pattern) else os.curdir)
    for top in glob.glob(os.path.join(head, "")):
        for folder, _ in _walk(top):  # unlike glob, this is quick if links form circles
            yield from _match(os.path.join(glob.escape(folder), *(parts[n + 1 :] or ["*"])))


def _list_remote(url: str) -> Iterator[FoundFile]:
    parts = URL.fullmatch(url)
    if parts is None:
        raise ValueError(f"A URL must have the form s3://bucket/folder, got {url!r}.")
    head, path, options = parts[1], parts[2].rstrip("/").split("/"), parts[3] or ""
    n_fixed = next((n for n, name in enumerate(path) if URL_MAGIC.search(name)), len(path))
    folder, pattern = head + "/".join(path[:n_fixed]), path[n_fixed:]
    files, root = resolve_url(f"{folder}/{options}" if pattern else url)

    def describe(url: str, info: Any, *, named: bool) -> FoundFile:
        key = _key(files, info.path)
        return FoundFile(url, key, info.size or 0, info.mtime_ns or 0, named)

    from pyarrow.fs import FileSelector

    if not pattern:
        info = files.get_file_info(root)
        if info.is_file:
            yield describe(url, info, named=True)
            return
        if info.type.name != "Directory":
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url)
    root = root.rstrip("/")
    infos = files.get_file_info(FileSelector(root, recursive=True))
    for info in sorted(infos, key=lambda info: info.path):
        names = info.path[len(root) :].strip("/").split("/")
        named = _fits(names, pattern)
        is_found = find_format(names[-1])[0] is not None and any(
            _fits(names[:n], pattern) and _fits(names[n:], ["**"]) for n in range(len(names))
        )
        if info.is_file and (named or is_found):  # object stores may list no folders
            path_below = quote("/".join(names))
            yield describe(f"{folder}/{path_below}{options}", info, named=named)


def _fits(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Check if the names of folders, and of a file, fit a glob, except for hidden ones.

    >>> _fits(["2024", "mail", "a.txt"], ["**", "*.txt"]), _fits(["2024", "a.txt"], ["*"])
    (True, False)
    """
    if not names or not pattern:
        return not names and pattern in ([], ["**"])
    is_hidden = names[0].startswith(HIDDEN) and not pattern[0].startswith(HIDDEN)
    if pattern[0] == "**":
        return _fits(names, pattern[1:]) or (not is_hidden and _fits(names[1:], pattern))
    return not is_hidden and fnmatchcase(names[0], pattern[0]) and _fits(names[1:], pattern[1:])


def _key(files: Any, path: str) -> str:
    return os.path.realpath(path) if files.type_name == "local" else f"{files.type_name}:{path}"


def file_key(path: str) -> str:
    """Return the `FoundFile.key` of a file or URL."""
    return _key(*resolve_url(path)) if is_url(path) else os.path.realpath(path)
