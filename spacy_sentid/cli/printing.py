"""What commands print: warnings, progress bars, tables, results as JSON."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tqdm import tqdm


def warn(message: str) -> None:
    """Print a warning on stderr."""
    typer.secho(f"Warning: {escape(message)}", fg=typer.colors.YELLOW, err=True)


def escape(message: str) -> str:
    r"""Escape what could disturb a terminal, as in the name of a file.

    >>> escape("a\x1b[31m.txt")
    'a\\x1b[31m.txt'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)


def format_error(error: Exception) -> str:
    """Say what is wrong in a line; of a file error, the file and what the system says.

    >>> format_error(FileNotFoundError(2, "No such file or directory", "a.txt"))
    'a.txt: No such file or directory'
    """
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return escape(f"{error.filename}: {error.strerror}")
    return escape(" ".join(str(error).split()))


def progress(*args: Any, **settings: Any) -> "tqdm":
    """Show a progress bar, on a terminal only; the arguments are those of tqdm."""
    from tqdm import tqdm

    return tqdm(*args, disable=None, **settings)


def format_table(rows: Sequence[Sequence[str]], *, n_left: int = 1) -> str:
    """Align columns: the first `n_left` to the left, the others to the right.

    >>> print(format_table([["file", "units"], ["dev.conllu", "2,001"]]))
    file        units
    dev.conllu  2,001
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i < n_left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def name_files(paths: Sequence[Path]) -> list[str]:
    """Name files by the last parts of their paths: as few as distinguish all of them.

    >>> name_files([Path("a/x.json"), Path("b/x.json")]), name_files([Path("metrics/y.json")])
    (['a/x', 'b/x'], ['y'])
    """
    longest = max((len(path.parts) for path in paths), default=1)
    names: list[str] = []
    for n_parts in range(1, longest + 1):
        names = ["/".join(path.with_suffix("").parts[-n_parts:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def write_json(path: Path | None, report: Any) -> None:
    """Write results as JSON, if a path is given."""
    from ..files.atomic import open_output

    if path is not None:
        with open_output(path) as file:
            json.dump(report, file, indent=2, ensure_ascii=False)
            file.write("\n")
