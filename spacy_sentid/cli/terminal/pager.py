"""A pager for output that is longer than the screen, as git has one.

lines -> held back until the screen is full -> less, or another pager, while they arrive
"""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress

import typer

VARIABLES = ("SPACY_SENTID_PAGER", "PAGER")
DEFAULT = "less"
# What git sets for its pager. less: quit if all fits on the screen, show colours, do not clear the
# screen. lv: show colours.
SETTINGS = {"LESS": "FRX", "LV": "-c"}


def find_pager(environ: Mapping[str, str]) -> list[str]:
    """Find the command of the pager: $SPACY_SENTID_PAGER, $PAGER or less.

    RETURNS: Its words; [] if it is "cat" or empty, or not installed.

    >>> find_pager({"PAGER": "cat"}), find_pager({"PAGER": "no-such-program -x"})
    ([], [])
    """
    wanted = next((environ[name] for name in VARIABLES if name in environ), DEFAULT)
    try:
        words = shlex.split(wanted, posix=os.name != "nt")
    except ValueError:  # a quotation mark is missing
        return []
    if not words or words == ["cat"] or environ.get("TERM") == "dumb":
        return []
    return words if shutil.which(words[0]) else []


@contextmanager
def open_pager(
    command: list[str], *, n_rows: int, environ: Mapping[str, str]
) -> Iterator[Callable[[str], None]]:
    """Print lines through a pager, which starts when they do not fit on the screen.

    While it runs, messages for the terminal appear in it, too. If it is quit early, the program
    ends with exit code 0.

    command: See `find_pager`; [] prints each line at once. n_rows: Height of the screen.
    YIELDS: Function that prints a line. It keeps codes of colours.
    """
    pager = _Pager(command, n_rows, environ)
    try:
        yield pager.write
    except BrokenPipeError:
        if pager.process is None:
            raise
        raise typer.Exit(0) from None
    finally:
        pager.close()


class _Pager:
    """A pager that starts when the screen is full."""

    def __init__(self, command: list[str], n_rows: int, environ: Mapping[str, str]) -> None:
        self.command = command
        self.n_rows = n_rows
        self.environ = environ
        self.held: list[str] = []
        self.process: subprocess.Popen[str] | None = None
        self.stack = ExitStack()

    def write(self, line: str) -> None:
        """Print a line, or hold it back."""
        if self.process is not None:
            self._feed(line)
        elif not self.command:
            typer.echo(line, color=True)
        else:
            self.held.append(line)
            # One row is for the prompt of the shell.
            if len(self.held) >= self.n_rows:
                self._start()

    def _start(self) -> None:
        sys.stdout.flush()
        try:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=sys.stdout,
                env={**SETTINGS, **self.environ},
                encoding=sys.stdout.encoding,
                errors="backslashreplace",
                bufsize=1,
            )
        except OSError:  # it cannot be run
            self.command = []
            self._release()
            return
        if sys.stderr.isatty():
            self.stack.enter_context(redirect_stderr(self.process.stdin))
        self._release()

    def _release(self) -> None:
        held, self.held = self.held, []
        for line in held:
            self.write(line)

    def _feed(self, line: str) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{line}\n")
        except OSError as error:  # on Windows it is not a BrokenPipeError
            raise BrokenPipeError from error

    def close(self) -> None:
        """Print what was held back, or wait until the reader quits the pager."""
        self.stack.close()
        if self.process is None:
            self.command = []
            self._release()
            return
        assert self.process.stdin is not None
        # Ctrl-C is a command of the pager.
        with suppress(OSError, KeyboardInterrupt):
            self.process.stdin.close()
        while self.process.poll() is None:
            with suppress(KeyboardInterrupt):
                self.process.wait()
