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
    typer.Option(min=0, help="Updates of each training. Default: those of its config."),
]
GpuId = Annotated[int, typer.Option(help="Number of the GPU; -1: none.")]
NamedModels = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="NAME=PATH",
        help="Pipelines; several PATHs of a NAME (repeated, or a pattern in quotes) are the seeds "
        "of one recipe. Default: the bundled weights.",
    ),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of runs at a time.")]
OnlyTables = Annotated[
    bool, typer.Option("--only-tables", help="Make no runs; show those that are done.")
]


def find_models(arguments: Iterable[str]) -> dict[str, list[str]]:
    """Read NAME=PATH; the paths of each name, patterns replaced by what they match.

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
            raise ValueError(f"--model {name} must match folders, but {pattern!r} matches none.")
        models.setdefault(name, []).extend(paths)
    return models
