"""`spacy-sentid verify`: check that a treebank is there and can be read, before work starts."""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from .options import AllSu, SuRelations, parse_su_relations
from .table import format_table


def verify(
    folder: Annotated[Path, typer.Argument(help="Folder with treebank files, or one file.")],
    splits: Annotated[
        str, typer.Option(help="Splits that must be there, separated by commas.")
    ] = "train,dev,test",
    all_su: AllSu = False,
    su_relations: SuRelations = None,
) -> None:
    """Read a treebank from end to end and count its units; fail if a split is missing or bad.

    Example: spacy-sentid verify assets/sample
    """
    from ..sentence_identifier.evaluation import read_labelled_texts
    from ..treebank import find_treebank_files
    from ..units import SU

    relations = parse_su_relations(su_relations)
    wanted = [split.strip() for split in splits.split(",")]
    files = {split: find_treebank_files(folder, split) for split in wanted}
    rows = [["split", "file", "units", "SUs", "NSUs", "sha256"]]
    for split, paths in files.items():
        n_split_su = 0
        for path in paths:
            labelled = read_labelled_texts([path], su_relations=relations, all_su=all_su)
            n_su = sum(label == SU for _, label in labelled)
            n_split_su += n_su
            counts = [len(labelled), n_su, len(labelled) - n_su]
            checksum = hashlib.sha256(path.read_bytes()).hexdigest()
            rows.append([split, path.name, *(f"{count:,}" for count in counts), checksum])
        if not n_split_su:
            raise ValueError(
                f"Found no SU in the split {split!r} ({', '.join(map(str, paths))}), expected at "
                "least one. Check the file and --su-relations."
            )
    typer.echo(format_table(rows, n_left=2))
