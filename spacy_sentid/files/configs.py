"""The training configs of the package, by their names, such as "identifier".

They are spaCy configs with the settings that we chose. `spacy train` adds the defaults of spaCy and
of the language.
"""

import re
from itertools import takewhile
from pathlib import Path

from ..shipped_files import CONFIGS, find_shipped
from .atomic import open_output

SUFFIX = ".cfg"
LANG = re.compile(r'(?m)^lang = ".*"$')


def list_configs() -> dict[str, str]:
    """List the names of the configs, with the first sentence of the comment that each begins with.

    >>> list_configs()["words"]
    'The word segmenter for a CPU: n-grams and known words, windows, a CRF, only thinc.'
    """
    found = {}
    for path in sorted(find_shipped(CONFIGS).glob(f"*{SUFFIX}")):
        lines = path.read_text("utf8").splitlines()
        comment = takewhile(lambda line: line.startswith("#"), lines)
        text = " ".join(line.removeprefix("#").strip() for line in comment)
        found[path.stem] = re.split(r"(?<=[.]) (?=[A-Z])", text, maxsplit=1)[0]
    return found


def write_config(name: str, target: Path, *, lang: str | None = None) -> None:
    """Write a config of the package to a file.

    lang: Language of the pipeline; None = that of the config.
    """
    text = (find_shipped(CONFIGS) / f"{name}{SUFFIX}").read_text("utf8")
    with open_output(target) as file:
        file.write(text if lang is None else LANG.sub(f'lang = "{lang}"', text, count=1))
