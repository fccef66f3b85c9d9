"""Find the sentences in real text, and what is not a sentence, with spaCy.

load(lang)                     the default pipeline
strip_nsu(doc)                 a Doc of the SUs alone
original_offset(doc, char)     from a stripped Doc back to the original text

Names are imported when they are first used: importing the package imports nothing else.
"""

from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from .loading import load
    from .strip import original_offset, strip_nsu

__all__ = ["__version__", "load", "original_offset", "strip_nsu"]

_HOMES = {"load": "loading", "strip_nsu": "strip", "original_offset": "strip"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
