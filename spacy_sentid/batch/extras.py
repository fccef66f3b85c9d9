"""Optional packages of the batch jobs."""

from importlib import import_module
from typing import Any


def import_extra(name: str) -> Any:
    """Import a module of the extra `batch`: pyarrow, zstandard; ValueError if it is missing."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ValueError(
            f"Found no package {name.split('.')[0]!r} ({error}), which this input or output needs. "
            "Install it with: pip install 'spacy-sentid[batch]'"
        ) from error
