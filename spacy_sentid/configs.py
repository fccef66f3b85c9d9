"""Short training configs, which only have the settings that differ from spaCy's defaults.

a short config -> merged onto the config that it extends -> all defaults -> `spacy train`

The configs of the package are found by their names, such as "identifier".
"""

import json
import re
from configparser import ConfigParser
from configparser import Error as ParserError
from io import StringIO
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from thinc.api import Config

from .shipped_files import CONFIGS, find_shipped

EXTENDS = "extends"
SUFFIX = ".cfg"


def list_configs() -> dict[str, str]:
    """List the names of the configs of the package, with the first sentence of each.

    >>> list_configs()["words"]
    'The word segmenter for a CPU: n-grams and known words, windows, a CRF, only thinc.'
    """
    return {path.stem: _describe(path) for path in sorted(find_shipped(CONFIGS).glob(f"*{SUFFIX}"))}


def find_config(name: str) -> Path:
    """Find a config: a file, or a config of the package by its name.

    Raises ValueError if there is neither.

    >>> find_config("identifier").name
    'identifier.cfg'
    """
    path = Path(name)
    if path.is_file():
        return path
    own = find_shipped(CONFIGS) / f"{name}{SUFFIX}"
    if path.name != name or not own.is_file():
        raise ValueError(
            f"The config must be a file or one of {', '.join(list_configs())}, got {name!r}."
        )
    return own


def _describe(path: Path) -> str:
    """Return the first sentence of the comment that a config begins with."""
    lines = takewhile(lambda line: line.startswith("#"), path.read_text("utf8").splitlines())
    comment = " ".join(line.removeprefix("#").strip() for line in lines)
    return re.split(r"(?<=[.]) (?=[A-Z])", comment, maxsplit=1)[0]


def read_config(path: Path) -> Config:
    """Read a short config. If it has a block [extends], it overrides the config named there.

    `config` in that block is relative to `path`. Settings replace those with the same name. A block
    with another registered function replaces the block with the same name and all blocks inside it.
    """
    text = StringIO()
    _read_blocks(path).write(text)
    return Config().from_str(text.getvalue(), interpolate=False)


def _read_blocks(path: Path) -> ConfigParser:
    """Read the blocks of a config, merged with those of the config that it extends."""
    own = ConfigParser(interpolation=None)
    own.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        own.read_string(path.read_text(encoding="utf8"), source=str(path))
        if not own.has_section(EXTENDS):
            return own
        other = path.parent / str(json.loads(own[EXTENDS]["config"]))
    except (ParserError, KeyError, ValueError) as error:
        raise ValueError(f"{path} must be a spaCy config, got an error ({error}).") from error
    if not other.is_file():
        raise ValueError(f"[extends] in {path} must name a config, got {other}.")
    own.remove_section(EXTENDS)
    merged = _read_blocks(other)
    for name, block in own.items():
        # A value can replace a block, and a block can replace a value.
        replaced = [f"{name}.{key}" for key in block]
        parent, _, key = name.rpartition(".")
        if merged.has_section(parent):
            merged.remove_option(parent, key)
        registry = next((key for key in block if key.startswith("@")), "")
        if merged.has_section(name) and merged[name].get(registry) != block.get(registry):
            replaced.append(name)
        for section in merged.sections():
            if any(f"{section}.".startswith(f"{start}.") for start in replaced):
                merged.remove_section(section)
    merged.read_dict(own)
    return merged


def fill_config(short: Path, filled: Path, *, lang: str | None = None) -> None:
    """Write a short config with all defaults, including those of a language.

    lang: Language of the pipeline; None = that of the config.

    `spacy init fill-config` writes the tokenizer of the language in the short config. Then
    `spacy train --nlp.lang zh` would keep that tokenizer, and not split Chinese text.
    """
    from spacy.cli.init_config import fill_config as fill  # slow to import

    config = read_config(short)
    if lang is not None:
        config["nlp"]["lang"] = lang
    with TemporaryDirectory() as folder:
        base = Path(folder) / "short.cfg"
        config.to_disk(base)
        fill(filled, base, silent=True)
