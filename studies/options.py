"""Options that the commands of several studies share."""

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
Jobs = Annotated[int, typer.Option(min=1, help="Number of runs at a time.")]
OnlyTables = Annotated[
    bool, typer.Option("--only-tables", help="Make no runs; show those that are done.")
]
