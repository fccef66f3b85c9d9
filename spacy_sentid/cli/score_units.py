"""`spacy-sentid score-units`: score the predictions of any system on assembled texts."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import warn_without_nsu
from .table import format_table


def score_units(
    inputs: Annotated[
        Path,
        typer.Argument(metavar="INPUTS.jsonl", exists=True, dir_okay=False, help="Of `assemble`."),
    ],
    predictions: Annotated[
        Path,
        typer.Argument(
            metavar="PREDICTIONS.jsonl",
            exists=True,
            dir_okay=False,
            help="For each id of INPUTS one line {'id', 'units'}, as `identify` writes it.",
        ),
    ],
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write the scores (0-1).")
    ] = None,
) -> None:
    """Score predictions on the texts of `assemble`, as `evaluate` does; the table is in percent.

    Example: spacy-sentid score-units texts.jsonl units.jsonl
    """
    from ..files.atomic import open_output
    from ..sentence_identifier import scorer
    from ..sentence_identifier.evaluation import score_rows, summarise_scores
    from ..sentence_identifier.evaluation_files import read_inputs, read_predictions

    gold = read_inputs(inputs)
    if not gold:
        raise ValueError(f"Found no inputs in {inputs}, expected one a line. Run 'assemble' first.")
    warn_without_nsu({unit.label for text in gold for unit in text.units}, inputs)
    scores = scorer.score_units(read_predictions(gold, predictions))
    entry = {"setting": inputs.stem, **summarise_scores([scores])}
    typer.echo(format_table(score_rows([entry], heading="inputs"), n_left=1))
    if json_path is not None:
        report = {"inputs": str(inputs), "predictions": str(predictions), "scores": scores}
        with open_output(json_path) as file:
            json.dump(report, file, indent=2)
            file.write("\n")
