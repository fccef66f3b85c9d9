"""Options that the commands of several studies share."""

import glob
from collections.abc import Iterable
from typing import Annotated

import typer

Corpus = Annotated[
    str, typer.Argument(help="Folder with train, dev and test, here or in $SENTID_DATA.")
]
Seeds = Annotated[int, typer.Option(min=1, help="Number of runs of each system.")]
MaxSteps = Annotated[
    int | None,
    typer.Option(min=0, help="Updates of each training. Default: as in its config."),
]
GpuId = Annotated[int, typer.Option(help="GPU number; -1 for the CPU.")]
NamedModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME=PATH",
        help="Pipeline to evaluate. If a NAME has several PATHs (repeat the option or quote a "
        "pattern), they are seeds of the same system. Default: the bundled weights.",
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of parallel runs.")]
OnlyTables = Annotated[
    bool, typer.Option("--only-tables", help="Only show the results of finished runs.")
]


def find_models(arguments: Iterable[str]) -> dict[str, list[str]]:
    """Read arguments like NAME=PATH, and return the paths of each name, with patterns expanded.

    >>> find_models(["bundled=zh"])
    {'bundled': ['zh']}
    """
    models: dict[str, list[str]] = {}
    for argument in arguments:
        name, _, pattern = argument.partition("=")
        if not name or not pattern:
            raise ValueError(f"--model must be NAME=PATH, got {argument!r}.")
        paths = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
        if not paths:
            raise ValueError(f"--model {name} must match a folder, but {pattern!r} does not.")
        models.setdefault(name, []).extend(paths)
    return models
