"""Read and write folders of files atomically: local paths, s3://, gs://, abfs://, hdfs://.

name, bytes -> a file that gets its name when it is complete
"""

import contextlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from ..extras import require_extra
from .atomic import PARTIAL, open_binary_output


def is_url(path: str) -> bool:
    """Check if a path is a URL, and not a local path.

    >>> is_url("s3://bucket/mail"), is_url("C:/mail")
    (True, False)
    """
    return "://" in path


def resolve_url(url: str) -> tuple[Any, str]:
    """Return the pyarrow file system of a URL, and the path in it.

    Raises ValueError for a URL that pyarrow cannot open.
    """
    with require_extra(f"the URL {url!r}", extra="batch"):
        from pyarrow.fs import FileSystem
    readable = quote(url, safe="%/:?=&@+,;~!$'()*[]")
    try:
        files, path = FileSystem.from_uri(readable)
    except (ValueError, NotImplementedError) as error:
        raise ValueError(
            f"A URL must be one that pyarrow opens (s3://, gs://, abfs://, hdfs://, file://), got "
            f"{url!r} ({error})."
        ) from error
    return files, path


def open_store(path: str) -> "Store":
    """Open a folder, which need not exist yet."""
    return RemoteStore(path) if is_url(path) else Store(path)


class Store:
    """A local folder. Names are those of files directly in it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def names(self, *, partial: bool = False) -> list[str]:
        """List the names of the files, in order; [] if there is no folder.

        partial: Include files that were not completely written.
        """
        return [name for name in sorted(self.sizes()) if partial or not name.endswith(PARTIAL)]

    def sizes(self) -> dict[str, int]:
        """Return the size of each file in bytes."""
        folder = Path(self.path)
        files = folder.iterdir() if folder.is_dir() else ()
        return {file.name: file.stat().st_size for file in files}

    def read(self, name: str) -> bytes | None:
        """Read a file; return None if it does not exist."""
        try:
            with self.open(name) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def open(self, name: str) -> IO[bytes]:
        """Open a file to read."""
        return Path(self.path, name).open("rb")

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a file atomically. It is flushed to disk, so it survives a crash."""
        with open_binary_output(Path(self.path, name)) as file:
            file.writelines(parts)

    def delete(self, name: str) -> None:
        """Delete a file if it exists."""
        Path(self.path, name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Delete the folder and everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)


class RemoteStore(Store):
    """A folder that pyarrow opens by its URL. Objects appear in it when they are complete."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._files, self._folder = resolve_url(path)

    def _at(self, name: str) -> str:
        return f"{self._folder.rstrip('/')}/{name}"

    def sizes(self) -> dict[str, int]:
        from pyarrow.fs import FileSelector

        selector = FileSelector(self._folder, allow_not_found=True)
        found = self._files.get_file_info(selector)
        return {info.base_name: info.size for info in found if info.is_file}

    def open(self, name: str) -> IO[bytes]:
        file: IO[bytes] = self._files.open_input_stream(self._at(name), compression=None)
        return file

    def write(self, name: str, parts: Iterable[bytes]) -> None:
        """Write a partial file, and then move it. Object stores copy the file to move it."""
        self._files.create_dir(self._folder, recursive=True)
        partial = self._at(name) + PARTIAL
        with self._files.open_output_stream(partial, compression=None) as file:
            for part in parts:
                file.write(part)
        self._files.move(partial, self._at(name))

    def delete(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._files.delete_file(self._at(name))

    def clear(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._files.delete_dir(self._folder)
