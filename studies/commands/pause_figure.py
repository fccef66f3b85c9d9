"""`python -m studies pause-figure`: Figure 2 of the paper about pauses."""

from pathlib import Path
from typing import Annotated

import typer


def pause_figure(
    report: Annotated[
        Path,
        typer.Argument(
            metavar="REPORT.json",
            exists=True,
            dir_okay=False,
            help="Output of `spacy-sentid speech statistics --json`.",
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT.svg", dir_okay=False)],
) -> None:
    """Draw the probabilities and durations of pauses.

    Example: python -m studies pause-figure figure2.json figure2.svg
    """
    from studies.pauses.figure import draw_pauses, read_bins

    draw_pauses(read_bins(report), output)
