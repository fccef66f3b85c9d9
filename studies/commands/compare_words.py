"""`python -m studies compare-words`: sentences to annotate, where two word segmenters differ."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.options import check_outputs
from spacy_sentid.cli.terminal.printing import progress


def compare_words(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            exists=True,
            dir_okay=False,
            help="Raw text, one sentence per line, or .jsonl with 'text' and optionally 'id'.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="OUT.jsonl", dir_okay=False, help="Sentences to annotate."
        ),
    ],
    model: Annotated[
        list[str],
        typer.Option(help="Pipeline with a word segmenter, as for `evaluate words`. Use it twice."),
    ],
    seed: Annotated[int, typer.Option(help="Random seed for the order of the results.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of sentences.")] = None,
) -> None:
    """Find the sentences that two word segmenters segment differently.

    OUT.jsonl has one sentence per line, with both results and the differences marked. The order of
    the two results is random. Only OUT.jsonl.key.jsonl says which model produced which result, so
    do not show it to the annotators.

    Example: python -m studies compare-words raw.txt --model zh --model mine -o differ.jsonl
    """
    from spacy_sentid.cli.long_jobs import echo_errors
    from spacy_sentid.components.pipelines import load
    from spacy_sentid.files.records import count_lines, errors_path
    from studies.words import differences

    if len(model) != 2:
        raise ValueError(f"--model must be given twice, got {len(model)} models.")
    key = differences.key_path(output)
    check_outputs([output, key, errors_path(output)], files)
    nlps = [load(name, "word_segmenter") for name in model]
    with progress(total=count_lines(files), desc="compare", unit="line") as bar:
        n_found, n_compared, n_errors = differences.write_comparison(
            nlps, files, output, seed=seed, limit=limit, on_line=bar.update
        )
    if not n_compared:
        typer.echo("No sentences to compare.", err=True)
    elif not n_found:
        same = f"Both pipelines segment all {n_compared:,} sentences alike. {output} is empty."
        typer.echo(same, err=True)
    else:
        typer.echo(
            f"{n_found:,} of {n_compared:,} sentences differ ({n_found / n_compared:.1%}). {key} "
            "says which model produced which result.",
            err=True,
        )
    echo_errors(output, n_errors)
