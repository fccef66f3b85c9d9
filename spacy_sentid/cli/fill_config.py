"""`spacy-sentid fill-config`: a short config with all defaults of a language."""

from pathlib import Path
from typing import Annotated

import typer

from .options import Lang


def fill_config(
    short: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Of configs/.")],
    filled: Annotated[Path, typer.Argument(help="Where to write the config for 'spacy train'.")],
    lang: Lang = "en",
) -> None:
    """Fill a short config with all defaults, those of the language among them.

    Example: spacy-sentid fill-config configs/identifier_cnn.cfg config.cfg
    """
    from ..pipelines import fill_config as fill

    fill(short, filled, lang=lang)
