"""`python -m studies pair-statistics`: counts of a file of tagged pairs (ParaTag, Table 2)."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.terminal.printing import format_table


def pair_statistics(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PAIRS.jsonl...",
            exists=True,
            dir_okay=False,
            help="Tagged pairs, one per line.",
        ),
    ],
) -> None:
    """Count pairs, pairs without a highlight, words, and the share of words tagged 0.

    Example: python -m studies pair-statistics assets/sample/paraphrase/dev.jsonl
    """
    from spacy_sentid.paraphrase_tagger.corpus import read_pairs
    from studies.paraphrase_data.annotations import count_pairs

    rows = [["file", "pairs", "paraphrases", "words a pair", "words", "para tag rate"]]
    for path in paths:
        counts = count_pairs(read_pairs(path, allow_identical=True))
        rows.append(
            [
                path.name,
                f"{counts['pairs']:,}",
                f"{counts['paraphrases']:,}",
                f"{counts['words_per_pair']:.1f}",
                f"{counts['words']:,}",
                f"{counts['para_tag_rate']:.3f}",
            ]
        )
    typer.echo(format_table(rows, n_left=1))
