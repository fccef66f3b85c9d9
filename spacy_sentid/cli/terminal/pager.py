"""A pager for what commands print on a terminal: less, which ends at once if all fits on it."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO, cast

import typer

# less quits if all fits on the screen, shows colours, and does not clear the screen, as in git.
SETTINGS = {"LESS": "FRX"}


@contextmanager
def open_pager(*, is_wanted: bool) -> Iterator[TextIO]:
    """Yield a file to print to: the pager $PAGER or less, or else standard output.

    If the pager is quit early, the program ends with exit code 0.
    """
    words = shlex.split(os.environ.get("PAGER", "less")) if is_wanted else []
    try:
        pager = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=sys.stdout,
            env=SETTINGS | dict(os.environ),
            encoding=sys.stdout.encoding,
            errors="backslashreplace",
        )
    except (OSError, IndexError):  # there is none
        yield sys.stdout
        return
    assert pager.stdin is not None
    try:
        yield cast(TextIO, pager.stdin)
    except BrokenPipeError:
        raise typer.Exit(0) from None
    finally:
        with suppress(OSError):
            pager.stdin.close()
        while pager.poll() is None:
            with suppress(KeyboardInterrupt):  # Ctrl-C is a command of the pager
                pager.wait()
