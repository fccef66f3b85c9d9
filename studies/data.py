"""Corpora that are not committed: named on the command line, or found in the folder SENTID_DATA."""

import os
from pathlib import Path

VARIABLE = "SENTID_DATA"


def find_data(given: str, name: str, *, argument: str) -> Path:
    """Find a file or folder of a corpus that is not committed.

    given: What the user named; empty = look for `name` in the folder SENTID_DATA.
    argument: How a user names it, for the error.
    Raises ValueError if there is no such file or folder.
    """
    folder = os.environ.get(VARIABLE, "")
    if not given and not folder:
        raise ValueError(
            f"{argument} must be set: the corpus is not in the repository. Or set {VARIABLE} to a "
            f"folder that has it as {name}."
        )
    path = Path(given) if given else Path(folder, name)
    if not path.exists():
        source = argument if given else VARIABLE
        raise ValueError(f"{source} must name an existing corpus, got {path}.")
    return path
