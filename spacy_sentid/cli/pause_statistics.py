"""`spacy-sentid pause-statistics`: Figure 2 of the paper on word boundaries from speech."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .table import format_table


def pause_statistics(
    pauses: Annotated[
        Path,
        typer.Argument(
            metavar="PAUSES.jsonl",
            exists=True,
            dir_okay=False,
            help="Pauses of 'spacy-sentid pauses'.",
        ),
    ],
    model: Annotated[
        str,
        typer.Option(
            help="Folder or package of a pipeline with a word_segmenter; 'zh' has the embedded "
            "weights."
        ),
    ] = "zh",
    gold: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Segmented text: the accuracy is over the utterances that are in it, whatever "
            "their punctuation.",
        ),
    ] = None,
    json_path: Annotated[
        Path | None,
        typer.Option("--json", metavar="OUT", dir_okay=False, help="Write the table (0-1)."),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.svg", dir_okay=False, help="Draw the figure; needs the extra 'study'."
        ),
    ] = None,
) -> None:
    """Count pauses by the probability that they are word boundaries, and by duration.

    overall: the share of all pauses. By ms: the share of the pauses of this probability. accuracy:
    the share of those with gold that are boundaries. In percent. 1.0 is 0.9999 or more.

    Example: spacy-sentid pause-statistics pauses.jsonl --model zh --json figure2.json
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..files.records import count_lines
    from ..pipelines import load
    from ..plotting import import_matplotlib
    from ..word_segmenter.boundary_probs import boundary_probs
    from ..word_segmenter.corpus import read_words
    from ..word_segmenter.speech import statistics
    from ..word_segmenter.speech.pauses import read_pauses

    written = [path.resolve() for path in (json_path, figure) if path is not None]
    for path in (pauses, gold):
        if path is not None and path.resolve() in written:
            raise ValueError(f"Found {path} as input and output, expected a new file. Name one.")
    if figure is not None:
        import_matplotlib()
    ends = {}
    if gold is not None:
        ends = dict(map(statistics.gold_boundaries, read_words(gold)))
    nlp = load(model, "word_segmenter")
    found: list[statistics.Pause] = []
    n_records = n_known = 0
    # Twice, so that no more than a batch is in memory.
    texts = ("".join(record.chars) for record in read_pauses(pauses))
    records = tqdm(
        read_pauses(pauses), total=count_lines([pauses]), desc="pauses", unit="utterance",
        disable=None,
    )  # fmt: skip
    for record, probs in zip(records, boundary_probs(nlp, texts), strict=True):
        gold_ends = ends.get("".join(record.chars))
        n_records += 1
        n_known += gold_ends is not None
        found += statistics.list_pauses(record, probs, gold_ends)
    bins = statistics.count_pauses(found)
    if not any(row.n for row in bins):
        raise ValueError(f"Found no pauses in {pauses}, expected some of 10 ms or more.")
    typer.echo(format_table(statistics.table_rows(bins)))
    if gold is not None:
        typer.echo(f"{n_known:,} of {n_records:,} utterances are in {gold}.", err=True)
    if json_path is not None:
        report = {
            "pauses": pauses.name,
            "model": model,
            "gold": gold and gold.name,
            "n_pauses": sum(row.n for row in bins),
            "bins": statistics.bins_to_json(bins),
        }
        with open_output(json_path) as file:
            json.dump(report, file, indent=1, ensure_ascii=False)
            file.write("\n")
    if figure is not None:
        statistics.draw_pauses(bins, figure)
