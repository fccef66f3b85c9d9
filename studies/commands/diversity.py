"""`python -m studies diversity`: how much paraphrased copies differ from their rows (Table 7)."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.options import in_file


def diversity(
    path: Annotated[
        Path, in_file(metavar="ROWS.jsonl", help="Output of 'spacy-sentid paraphrase generate'.")
    ],
    text: Annotated[list[str], typer.Option(metavar="FIELD", help="Field. Repeatable.")],
) -> None:
    """Print the mean ROUGE-2 F of the copies to their rows, in percent. Lower is more diverse.

    Example: python -m studies diversity more.jsonl --text sentence1
    """
    from rouge_score.rouge_scorer import RougeScorer

    from spacy_sentid.files.records import parse_record, read_good_lines
    from spacy_sentid.paraphrase_tagger.generation.training_sets import ORIGIN

    scorer = RougeScorer(["rouge2"])
    originals = {}
    scores: dict[str, list[float]] = {name: [] for name in text}
    for line in read_good_lines(path):
        row = parse_record(line)
        origin, is_copy, _ = str(row.get(ORIGIN, "")).partition("#")
        if not is_copy:
            originals = {origin: row}
            continue
        for name in text:
            score = scorer.score(originals[origin][name], row[name])["rouge2"]
            scores[name].append(score.fmeasure)
    for name, found in scores.items():
        mean = f"{100 * sum(found) / len(found):.2f}" if found else "-"
        typer.echo(f"{name}: ROUGE-2 F {mean} ({len(found):,} copies)")
