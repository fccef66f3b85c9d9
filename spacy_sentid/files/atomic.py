"""Write results atomically: the final name has either the complete output or nothing.

Everything is first written next to the target, and then renamed.
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
    """Open a UTF-8 text file that gets its name when the block ends without an error.

    Missing folders are created. Pipes, devices and other special files are written directly.
    """
    with open_binary_output(path) as raw:
        file = TextIOWrapper(raw, encoding="utf8", newline="\n")
        yield file
        file.flush()
        file.detach()


@contextmanager
def open_binary_output(path: Path) -> Iterator[BinaryIO]:
    """Open a binary file that gets its name when the block ends without an error.

    It is flushed to disk, so it survives a crash.
    """
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
        if error.errno is not None and error.filename is None:  # for example when the disk is full
            error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def open_output_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder to fill, which replaces `path` when the block ends.

    An existing folder is deleted only after the new one is complete. If the block ends with an
    error, the existing folder is kept.
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
