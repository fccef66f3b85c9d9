"""Fill a short config with all defaults, for any language."""

from pathlib import Path
from tempfile import TemporaryDirectory

from spacy.util import load_config


def fill_config(short: Path, filled: Path, *, lang: str) -> None:
    """Write a config with all defaults, those of a language among them.

    `spacy init fill-config` writes down the tokenizer of the language that the short config names;
    `spacy train --nlp.lang zh` would keep that one, and leave Chinese text in one piece.
    """
    from spacy.cli.init_config import fill_config as fill  # takes long to import

    config = load_config(short)
    config["nlp"]["lang"] = lang
    with TemporaryDirectory() as folder:
        base = Path(folder) / "short.cfg"
        config.to_disk(base)
        fill(filled, base, silent=True)
