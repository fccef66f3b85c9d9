"""`python -m studies agreement`: the agreement of two annotations (ParaTag, section 4.2)."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.terminal.printing import format_table

Annotation = Annotated[
    Path,
    typer.Argument(
        exists=True,
        help="Tagged pairs (one JSON object per line), or documents as marked text (.txt).",
    ),
]
MARKED = ".txt"


def agreement(first: Annotation, second: Annotation) -> None:
    """Measure the agreement of two annotations, with FIRST as gold.

    For pairs, prints Cohen's kappa, accuracy and F1 of the words. For documents, prints the scores
    of `evaluate documents`, over the documents of SECOND.

    Example: python -m studies agreement first.jsonl second.jsonl
    """
    if second.suffix == MARKED:
        import spacy

        from spacy_sentid.sentence_identifier.data.documents import read_documents
        from studies.documents.agreement import compare_marks

        nlp = spacy.blank("en")
        tables = compare_marks(*(list(read_documents(path, nlp)) for path in (first, second)))
        for rows, n_left in zip(tables, (1, 2), strict=True):
            typer.echo(format_table(rows, n_left=n_left) + "\n")
        return
    from spacy_sentid.paraphrase_tagger.corpus import read_pairs
    from studies.paraphrase_data.annotations import compare_annotations

    pairs = [list(read_pairs(path, allow_identical=True)) for path in (first, second)]
    if not pairs[0]:
        raise ValueError(f"{first} must have one pair per line, got no pairs.")
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
