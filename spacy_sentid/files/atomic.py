"""Write results in one step: under the final name there is all of it or nothing.

Everything is written next to the target first, then renamed.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

PARTIAL = ".partial"


@contextmanager
def open_output(path: Path) -> Iterator[TextIO]:
    """Open a text file (UTF-8) that takes its name when the block ends without an error.

    Folders are made. What is no regular file (a pipe, a device) is written to directly.
    """
    with open_binary_output(path) as raw:
        file = TextIOWrapper(raw, encoding="utf8", newline="\n")
        yield file
        file.flush()
        file.detach()


@contextmanager
def open_binary_output(path: Path) -> Iterator[BinaryIO]:
    """Open a file of bytes in the same way; it stays if the machine stops right after."""
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        if error.errno is not None and error.filename is None:  # of a full disk
            error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def open_output_folder(path: Path) -> Iterator[Path]:
    """Give a new folder to fill, which takes the place of `path` when the block ends.

    A folder that stands there goes away only after the new one is complete; if the block ends with
    an error it stays as it is.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as holder:
        new, old = Path(holder, "new"), Path(holder, "old")
        new.mkdir()
        yield new
        if path.exists():
            path.rename(old)
        try:
            shutil.move(new, path)
        except OSError:
            if old.exists():
                old.rename(path)
            raise
