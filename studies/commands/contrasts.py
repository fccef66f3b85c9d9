"""`python -m studies contrasts`: the classes of contrasts that a paraphrase tagger gets right."""

from collections import defaultdict
from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.terminal.printing import format_table

PAIRS = Path(__file__).parents[2] / "assets/paraphrase/test/t.txt"
# A class is right if at least this share of its pairs is right.
MIN_RIGHT = 0.7


def contrasts(
    path: Annotated[
        Path,
        typer.Argument(metavar="PAIRS.txt", exists=True, dir_okay=False, help="Marked pairs."),
    ] = PAIRS,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", help="Pipeline with a tagger, or a language. Repeat it to average seeds."
        ),
    ] = None,
) -> None:
    """Count the pairs of each class that are right, both contrasts and paraphrases.

    A pair with marked words is right if at least one of them is tagged on each side that has some.
    A pair without marked words is right if no content word, number, negation or modal is tagged. A
    class is right if 70 % of its pairs are. With several models, the counts are means.

    Example: python -m studies contrasts --model en
    """
    from spacy_sentid.components.pipelines import load
    from studies.paraphrase_data.marked_pairs import read_marked_pairs
    from studies.text_scores.contrasts import is_right

    pipelines = [load(model, "paraphrase_tagger") for model in models or ["en"]]
    counts: dict[str, list[float]] = defaultdict(lambda: [0.0] * 4)
    for pair in read_marked_pairs(path):
        is_contrast = any(pair.tags1 or ()) or any(pair.tags2 or ())
        row = counts[pair.source]
        row[2 * (not is_contrast) + 1] += 1
        row[2 * (not is_contrast)] += sum(is_right(nlp, pair) for nlp in pipelines) / len(pipelines)
    rows = [["class", "contrasts seen", "paraphrases left alone", "right", ""]]
    n_right = 0
    for name, (seen, n_contrasts, alone, n_paraphrases) in counts.items():
        share = (seen + alone) / (n_contrasts + n_paraphrases)
        n_right += share >= MIN_RIGHT
        of = (f"{seen:.1f} of {n_contrasts:.0f}", f"{alone:.1f} of {n_paraphrases:.0f}")
        rows.append([name, *of, f"{100 * share:.0f} %", "right" if share >= MIN_RIGHT else ""])
    typer.echo(format_table(rows, n_left=1))
    typer.echo(f"{n_right} of {len(counts)} classes are right")
