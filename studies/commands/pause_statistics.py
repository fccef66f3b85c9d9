"""`python -m studies pause-statistics`: Figure 2 of the paper about pauses."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli import options as opt
from spacy_sentid.cli.terminal.printing import format_table, progress, write_json


def pause_statistics(
    pauses: Annotated[
        Path, opt.in_file(metavar="PAUSES.jsonl", help="Output of 'spacy-sentid speech pauses'.")
    ],
    model: opt.Model = "zh",
    gold: Annotated[
        Path | None,
        opt.in_option(
            metavar="FILE",
            help="Segmented text, for the accuracy on the utterances that are in it (punctuation "
            "is ignored).",
        ),
    ] = None,
    json_path: opt.JsonPath = None,
    svg: Annotated[
        Path | None, opt.out_option(metavar="OUT.svg", help="Draw the figure, too.")
    ] = None,
) -> None:
    """Count pauses by boundary probability and duration.

    All figures are percent. overall: share of all pauses. By ms: share of the pauses with this
    probability. accuracy: share of the pauses with gold that are boundaries. A probability of 1.0
    means 0.9999 or more.

    Example: python -m studies pause-statistics pauses.jsonl --svg figure2.svg
    """
    from spacy_sentid.components.pipelines import load
    from spacy_sentid.files.records import count_lines
    from spacy_sentid.word_segmenter.corpus import read_words
    from studies.pauses import statistics as part
    from studies.pauses.figure import draw_pauses

    opt.check_outputs([json_path, svg], [pauses, gold])
    words = None if gold is None else read_words(gold)
    nlp = load(model, "word_segmenter")
    with progress(total=count_lines([pauses]), desc="pauses", unit="utterance") as bar:
        found = part.read_statistics(nlp, pauses, gold=words, on_record=bar.update)
    typer.echo(format_table(part.table_rows(found.bins)))
    if gold is not None:
        typer.echo(f"{found.n_gold:,} of {found.n_records:,} utterances are in {gold}.", err=True)
    report = {
        "pauses": pauses.name,
        "model": model,
        "gold": gold and gold.name,
        "n_pauses": sum(row.n for row in found.bins),
        "bins": [row._asdict() for row in found.bins],
    }
    write_json(json_path, report)
    if svg is not None:
        draw_pauses(found.bins, svg)
