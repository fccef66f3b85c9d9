"""Folders of files that are there whole or not at all: local paths, s3://, gs://, abfs://, hdfs://.

name, bytes -> a file that is renamed to its name when it is complete
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import quote
from uuid import uuid4

PARTIAL = ".partial"


def is_url(path: str) -> bool:
    """Tell a URL from a local path.

    >>> is_url("s3://bucket/mail"), is_url("C:/mail")
    (True, False)
    """
    return "://" in path


def import_extra(name: str) -> Any:
    """Import a module of the extra `batch`: pyarrow, zstandard; ValueError if it is missing."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(
            f"The package {name.split('.')[0]!r} must be installed for this input or output "
            f"({error}). Install it with: pip install 'spacy-sentid[batch]'"
        ) from error


def resolve_url(url: str) -> tuple[Any, str]:
    """Return the pyarrow file system of a URL, and the path in it.

    Raises ValueError for a URL that pyarrow does not open.
    """
    fs = import_extra("pyarrow.fs")
    readable = quote(url, safe="%/:?=&@+,;~!$'()*[]")
    try:
        files, path = fs.FileSystem.from_uri(readable)
    except (ValueError, NotImplementedError) as error:
        raise ValueError(
            f"A URL must be one that pyarrow opens (s3://, gs://, abfs://, hdfs://, file://), got "
            f"{url!r} ({error})."
        ) from error
    return files, path


@contextlib.contextmanager
def name_file(path: Path) -> Iterator[None]:
    """Name the file that was being written in the error of a full disk."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


class Store(Protocol):
    """A folder. Names are those of files right in it."""

    path: str

    def names(self, *, partial: bool = False) -> list[str]:
        """List the files, in order; none if there is no folder.

        partial: Also those that were not written to their end.
        """

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file."""

    def read(self, name: str) -> bytes | None:
        """Read a file; None if there is none."""

    def open(self, name: str) -> IO[bytes]:
        """Open a file to read."""

    def write(self, name: str, data: bytes | Iterable[bytes]) -> None:
        """Write a file in one step; it stays if the machine stops right after."""

    def delete(self, name: str) -> None:
        """Delete a file, if it is there."""

    def clear(self) -> None:
        """Delete the folder."""


def open_store(path: str) -> Store:
    """Open a folder, which need not be there yet."""
    return ArrowStore(path) if is_url(path) else LocalStore(path)


class LocalStore:
    """A folder of this machine, or one that all machines see under the same path."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._folder = Path(path)

    def names(self, *, partial: bool = False) -> list[str]:
        """List the files."""
        found = sorted(os.listdir(self._folder)) if self._folder.is_dir() else []
        return [name for name in found if partial or not name.endswith(PARTIAL)]

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file."""
        return {name: (self._folder / name).stat().st_size for name in self.names()}

    def read(self, name: str) -> bytes | None:
        """Read a file."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def open(self, name: str) -> IO[bytes]:
        """Open a file to read."""
        return (self._folder / name).open("rb")

    def write(self, name: str, data: bytes | Iterable[bytes]) -> None:
        """Write another file next to it, then rename."""
        self._folder.mkdir(parents=True, exist_ok=True)
        # Two workers may write the same file, when one of them was taken for dead.
        partial = self._folder / f"{name}.{uuid4().hex}{PARTIAL}"
        try:
            with name_file(partial), partial.open("wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self._folder / name)
        finally:
            partial.unlink(missing_ok=True)

    def delete(self, name: str) -> None:
        """Delete a file."""
        (self._folder / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete the folder with all that is in it."""
        shutil.rmtree(self._folder, ignore_errors=True)


class ArrowStore:
    """A folder that pyarrow reaches by its URL; objects appear there when they are complete."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._files: Any
        self._files, self._folder = resolve_url(path)

    def _at(self, name: str) -> str:
        return f"{self._folder.rstrip('/')}/{name}"

    def names(self, *, partial: bool = False) -> list[str]:
        """List the files."""
        return [name for name in sorted(self.sizes()) if partial or not name.endswith(PARTIAL)]

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each file."""
        from pyarrow.fs import FileSelector

        selector = FileSelector(self._folder, allow_not_found=True)
        found = [info for info in self._files.get_file_info(selector) if info.is_file]
        return {info.base_name: info.size for info in found}

    def read(self, name: str) -> bytes | None:
        """Read a file."""
        try:
            with self.open(name) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def open(self, name: str) -> IO[bytes]:
        """Open a file to read."""
        file: IO[bytes] = self._files.open_input_stream(self._at(name), compression=None)
        return file

    def write(self, name: str, data: bytes | Iterable[bytes]) -> None:
        """Write another file next to it, then move it, which object stores do by a copy."""
        self._files.create_dir(self._folder, recursive=True)
        partial = f"{self._at(name)}.{uuid4().hex}{PARTIAL}"
        with self._files.open_output_stream(partial, compression=None) as file:
            for part in [data] if isinstance(data, bytes) else data:
                file.write(part)
        self._files.move(partial, self._at(name))

    def delete(self, name: str) -> None:
        """Delete a file."""
        with contextlib.suppress(FileNotFoundError):
            self._files.delete_file(self._at(name))

    def clear(self) -> None:
        """Delete the folder with all that is in it."""
        with contextlib.suppress(FileNotFoundError):
            self._files.delete_dir(self._folder)
