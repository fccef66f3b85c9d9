"""`spacy-sentid augment`: remove final punctuation and add noun phrases in a treebank."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from .options import Seed, in_file, out_file
from .terminal.printing import progress


def augment(
    files: Annotated[list[Path], in_file(metavar="IN.conllu...", help="Treebank files.")],
    output: Annotated[Path, out_file(metavar="OUT.conllu", help="Output.")],
    remove_punct: Annotated[
        float, Option(metavar="P", help="Share of the units with final punctuation that lose it.")
    ] = 0.0,
    add_np: Annotated[
        float, Option(metavar="N", help="Number of noun phrases to add, as a share of the units.")
    ] = 0.0,
    seed: Seed = 0,
) -> None:
    """Make a training treebank more like real text.

    Removes the final punctuation of some units (--remove-punct), adds noun phrases as new units
    (--add-np), or both. Augment both train and dev, never test.

    Example: spacy-sentid augment train.conllu more.conllu --remove-punct 0.2 --add-np 0.2
    """
    from ..corpus_augmenter.treebanks import augment_treebanks

    if not remove_punct and not add_np:
        raise ValueError(
            "--remove-punct or --add-np must be above 0, got 0 for both. "
            "For example: --remove-punct 0.2 --add-np 0.2"
        )
    size = sum(file.stat().st_size for file in files)
    with progress(total=size, unit="B", unit_scale=True, desc="augment") as bar:
        report = augment_treebanks(
            files, output, remove_punct=remove_punct, add_np=add_np, seed=seed, on_bytes=bar.update
        )
    typer.echo(
        f"{report.n_units:,} units: {report.n_removed:,} of {report.n_eligible:,} lost their final "
        f"punctuation; {report.n_added:,} of {report.n_pool:,} noun phrases added.",
        err=True,
    )
    if report.n_added < report.n_wanted:
        typer.echo(
            f"--add-np {add_np:g} asks for {report.n_wanted:,} noun phrases, but the treebank has "
            f"only {report.n_pool:,} with distinct texts.",
            err=True,
        )
    if report.n_cut:
        typer.echo(
            f"{report.n_cut:,} noun phrases are not used, because they begin or end inside a "
            "multiword token.",
            err=True,
        )
