"""What commands print: warnings, progress bars, results as JSON."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from tqdm import tqdm


def warn(message: str) -> None:
    """Print a warning on stderr."""
    typer.secho(f"Warning: {message}", fg=typer.colors.YELLOW, err=True)


def progress(*args: Any, **settings: Any) -> "tqdm":
    """Show a progress bar, on a terminal only; the arguments are those of tqdm."""
    from tqdm import tqdm

    return tqdm(*args, disable=None, **settings)


def write_json(path: Path | None, report: Any) -> None:
    """Write results as JSON, if a path is given."""
    from ..files.atomic import open_output

    if path is not None:
        with open_output(path) as file:
            json.dump(report, file, indent=2, ensure_ascii=False)
            file.write("\n")
