"""`spacy-sentid profile`: count units and labels, as in the paper's Table 3."""

from pathlib import Path
from typing import Annotated

import typer

from .options import AllSu, SuRelations, parse_su_relations
from .table import format_table

ROWS = {
    "SUs": "su",
    "NSUs": "nsu",
    "word B": "word_b",
    "word I": "word_i",
    "word O": "word_o",
    "character B": "char_b",
    "character I": "char_i",
    "character O": "char_o",
}


def profile(
    files: Annotated[
        list[Path], typer.Argument(metavar="IN.conllu...", exists=True, dir_okay=False)
    ],
    all_su: AllSu = False,
    su_relations: SuRelations = None,
) -> None:
    """Count SUs, NSUs and their B, I, O labels in treebank files (the paper's Table 3)."""
    from ..sentence_identifier.evaluation import read_labelled_texts
    from ..sentence_identifier.rule import count_units

    relations = parse_su_relations(su_relations)
    counts = [
        count_units(read_labelled_texts([file], su_relations=relations, all_su=all_su))
        for file in files
    ]
    rows = [["", *(file.stem for file in files)]]
    rows += [
        [name, *(f"{getattr(count, field):,}" for count in counts)] for name, field in ROWS.items()
    ]
    typer.echo(format_table(rows))
