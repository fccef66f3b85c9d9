"""`python -m studies score-scale`: the share of supported words in unrelated pairs."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.batch.tasks import TASKS
from spacy_sentid.cli.terminal.printing import format_table


def score_scale(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PAIRS.jsonl", exists=True, dir_okay=False, help="Tagged pairs, one per line."
        ),
    ],
    model: Annotated[
        str, typer.Option(help="Folder or package of a pipeline with a tagger, or a language.")
    ] = "en",
) -> None:
    """Measure the percentage of supported words in identical, real and unrelated pairs.

    The unrelated pairs have the same texts, each with the reference of another pair.

    Example: python -m studies score-scale assets/sample/paraphrase/dev.jsonl
    """
    from spacy_sentid.paraphrase_tagger.corpus import read_pairs
    from studies.text_scores.scale import measure_scale

    pairs = list(read_pairs(path, allow_identical=True))
    found = measure_scale(TASKS["scores"].load(model), pairs)
    rows = [[f"{len(pairs):,} pairs", "supported words", "median", "of all words"]]
    rows += [[one.name, *(f"{100 * share:.1f}" for share in one[1:])] for one in found]
    typer.echo(format_table(rows))
