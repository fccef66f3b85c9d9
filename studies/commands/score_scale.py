"""`python -m studies score-scale`: what share of words is supported in unrelated pairs."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.batch.tasks import load_task_pipeline
from spacy_sentid.cli.printing import format_table


def score_scale(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PAIRS.jsonl", exists=True, dir_okay=False, help="Tagged pairs, one a line."
        ),
    ],
    model: Annotated[
        str, typer.Option(help="Folder or package of a pipeline with a tagger, or its language.")
    ] = "en",
) -> None:
    """Print the percentage of supported words of identical, real and unrelated pairs.

    Unrelated pairs are made of the same texts: each has the reference of another pair.

    Example: python -m studies score-scale assets/sample/paraphrase/dev.jsonl
    """
    from spacy_sentid.paraphrase_tagger.corpus import read_pairs
    from studies.text_scores.scale import measure_scale

    pairs = list(read_pairs(path, allow_identical=True))
    found = measure_scale(load_task_pipeline("scores", model), pairs)
    rows = [[f"{len(pairs):,} pairs", "supported words", "median", "of all words"]]
    rows += [[one.name, *(f"{100 * share:.1f}" for share in one[1:])] for one in found]
    typer.echo(format_table(rows))
