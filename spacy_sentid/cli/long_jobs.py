"""What the commands of long jobs share: the device, and what they say at the end."""

from pathlib import Path
from typing import Annotated

import typer

GpuId = Annotated[int, typer.Option(help="-1: no GPU.")]


def device_name(gpu_id: int) -> str:
    """Name a device as torch does.

    >>> device_name(-1), device_name(0)
    ('cpu', 'cuda:0')
    """
    return "cpu" if gpu_id < 0 else f"cuda:{gpu_id}"


def echo_errors(output: Path, n: int) -> None:
    """Say on stderr how much was left out, and where it stands; nothing if all was well."""
    from ..files.records import errors_path

    if n:
        typer.secho(
            f"Warning: left out {n:,} bad lines; each is in {errors_path(output)} with its reason.",
            fg=typer.colors.YELLOW,
            err=True,
        )
