"""Compare two annotations of the same pairs (ParaTag, section 4.2)."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.printing import format_table

Annotation = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, help="Tagged pairs, one JSON object a line.")
]


def agreement(first: Annotation, second: Annotation) -> None:
    """Print Cohen's kappa, accuracy and F1 of the words of two annotations, FIRST as gold.

    Example: python -m studies agreement first.jsonl second.jsonl
    """
    from spacy_sentid.paraphrase_tagger.corpus import read_pairs
    from studies.paraphrase_data.annotations import compare_annotations

    pairs = [list(read_pairs(path, allow_identical=True)) for path in (first, second)]
    if not pairs[0]:
        raise ValueError(f"Found no pairs in {first}, expected one a line.")
    result = compare_annotations(*pairs)
    rows = [["pairs", "words", "kappa", "accuracy", "F1"]]
    rows.append(
        [
            f"{result['pairs']:,}",
            f"{result['words']:,}",
            f"{result['kappa']:.3f}",
            f"{result['paraphrase_acc']:.3f}",
            f"{result['unparaphrased_f']:.3f}",
        ]
    )
    typer.echo(format_table(rows, n_left=0))
