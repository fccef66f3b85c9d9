"""`python -m studies bundle`: make a trained pipeline the default weights of the package."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Component(str, Enum):
    """Components with bundled weights."""

    sentence_identifier = "sentence_identifier"
    paraphrase_tagger = "paraphrase_tagger"
    word_segmenter = "word_segmenter"


def bundle(
    model: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="Folder of a trained pipeline.")
    ],
    target: Annotated[Path, typer.Argument(help="Folder under spacy_sentid/pretrained.")],
    metrics: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, help="JSON with its scores on test data.")
    ],
    command: Annotated[str, typer.Option(help="Command that rebuilds the pipeline.")],
    component: Annotated[Component, typer.Option(help="Component that has the weights.")] = (
        Component.sentence_identifier
    ),
) -> None:
    """Copy weights with their metadata, scores and licence note (for maintainers)."""
    from studies.weights.bundle import bundle_weights
    from studies.weights.identifier import ORIGIN as IDENTIFIER
    from studies.weights.identifier_languages import LANGUAGES
    from studies.weights.identifier_languages import ORIGIN as MULTILINGUAL
    from studies.weights.segmenter import ORIGIN as SEGMENTER
    from studies.weights.tagger import ORIGIN as TAGGER

    origins = {origin.component: origin for origin in (IDENTIFIER, TAGGER, SEGMENTER)}
    origin = origins[component.value]
    lang = target.name.partition("_")[0]
    if component is Component.sentence_identifier and lang in LANGUAGES:
        origin = MULTILINGUAL._replace(language=LANGUAGES[lang])
    meta = bundle_weights(model, target, origin, metrics=metrics, command=command)
    typer.echo(f"Wrote {target}: {meta['bytes']:,} bytes, {meta['license']}")
