"""`python -m studies words`: word segmenters and jieba on the same sets of segmented text."""

from pathlib import Path
from typing import Annotated

import typer

from studies.options import NamedModels, find_models


def words(
    data: Annotated[
        str, typer.Argument(help="Folder of the sets, here or in $SENTID_DATA.")
    ] = "cws",
    model: NamedModels = None,
    raw_text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Score this model once more, after it has read the text of all sets.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Name of the files of the tables.")] = Path(
        "metrics/studies/words"
    ),
) -> None:
    """Compare Chinese word segmenters and jieba on the same texts.

    jieba (pip install jieba) is used in its precise mode with its HMM; without it its rows are
    left out.

    Example: python -m studies words cws/ --model 'gsd=training/gsd/seed-*/model-best'
    """
    from studies import harness
    from studies.words.compare import BUNDLED, compare_systems

    folder = harness.find_corpus(data)
    models = find_models(model or [f"{BUNDLED}=zh"])
    harness.show_results(compare_systems(folder, models, raw_text or []), out)
