"""Output of commands: warnings, progress bars, tables, results as JSON."""

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tqdm import tqdm


TABLE_WIDTH = 80


def warn(message: str) -> None:
    """Print a warning on stderr."""
    typer.secho(f"Warning: {escape(message)}", fg=typer.colors.YELLOW, err=True)


def escape(message: str) -> str:
    r"""Escape characters that could disturb a terminal, for example in names of files.

    >>> escape("a\x1b[31m.txt")
    'a\\x1b[31m.txt'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)


def format_error(error: Exception) -> str:
    """Format an error in one line. For a file error, it has the file and the system's message.

    >>> format_error(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'a.txt: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return escape(f"{error.filename}: {error.strerror}")
    return escape(" ".join(str(error).split()))


def progress(*args: Any, **settings: Any) -> "tqdm":
    """Show a progress bar, but only on a terminal. The arguments are those of tqdm."""
    from tqdm import tqdm

    return tqdm(*args, disable=None, **settings)


def format_table(
    rows: Sequence[Sequence[str]], *, n_left: int = 1, n_keys: int | None = None
) -> str:
    """Align columns: the first `n_left` to the left, the others to the right.

    A table that is wider than a terminal continues below with its other columns. Columns whose
    headings begin with the same word stay together.

    n_keys: The number of columns that are repeated there. Default: `n_left`.

    >>> print(format_table([["file", "units"], ["dev.conllu", "2,001"]]))
    file        units
    dev.conllu  2,001
    """
    columns = []
    for i, column in enumerate(zip(*rows, strict=True)):
        width = max(map(len, column))
        columns.append([cell.ljust(width) if i < n_left else cell.rjust(width) for cell in column])
    keys = columns[: n_left if n_keys is None else n_keys]
    groups = [keys]
    for _, own in groupby(columns[len(keys) :], key=lambda column: column[0].split()[:1]):
        wider = [*groups[-1], *own]
        is_full = sum(len(cells[0]) + 2 for cells in wider) - 2 > TABLE_WIDTH
        if is_full and len(groups[-1]) > len(keys):
            wider = [*keys, *wider[len(groups[-1]) :]]
            groups.append(wider)
        groups[-1] = wider
    tables = [["  ".join(row).rstrip() for row in zip(*group, strict=True)] for group in groups]
    return "\n\n".join("\n".join(lines) for lines in tables)


def write_json(path: Path | None, report: Any) -> None:
    """Write results as JSON, if a path is given."""
    from ...files.atomic import open_output

    if path is not None:
        with open_output(path) as file:
            json.dump(report, file, indent=2, ensure_ascii=False)
            file.write("\n")
