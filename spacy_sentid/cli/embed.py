"""`spacy-sentid embed`: make a trained pipeline the default weights of the package."""

from pathlib import Path
from typing import Annotated

import typer


def embed(
    model: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="Folder of a trained pipeline.")
    ],
    target: Annotated[Path, typer.Argument(help="Folder under spacy_sentid/pretrained.")],
    metrics: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="JSON of 'spacy-sentid evaluate'.")
    ],
    command: Annotated[str, typer.Option(help="The command that rebuilds the pipeline.")],
) -> None:
    """Copy weights with their meta data, scores and licence note (for maintainers)."""
    from ..sentence_identifier.embed import embed_weights

    meta = embed_weights(model, target, metrics=metrics, command=command)
    typer.echo(f"Wrote {target}: {meta['bytes']:,} bytes, {meta['license']}")
