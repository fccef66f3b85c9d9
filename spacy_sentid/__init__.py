"""Find the sentences in real text, and what is not a sentence, with spaCy."""

from .about import __version__

__all__ = ["__version__"]
