"""`python -m studies words`: word segmenters, jieba and THULAC on the same segmented text."""

from pathlib import Path
from typing import Annotated

import typer

from studies.options import NamedModels, find_models


def words(
    data: Annotated[
        str, typer.Argument(help="Folder of the evaluation sets, here or in $SENTID_DATA.")
    ] = "cws",
    model: NamedModels = None,
    read_ahead: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Model to evaluate a second time, with 'read_ahead'."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Stem of the results (JSON and Markdown).")] = Path(
        "metrics/studies/words"
    ),
) -> None:
    """Compare Chinese word segmenters, jieba and THULAC on the same texts.

    jieba runs in its precise mode with its HMM. Peers that are not installed (pip install jieba
    thulac) are skipped.

    Example: python -m studies words cws/ --model 'gsd=training/gsd/seed-*/model-best'
    """
    from studies import harness
    from studies.words.compare import BUNDLED, compare_systems

    folder = harness.find_corpus(data)
    models = find_models(model or [f"{BUNDLED}=zh"])
    harness.show_results(compare_systems(folder, models, read_ahead or []), out)
