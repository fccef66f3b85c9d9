"""Name the extra of an optional package that is missing."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def require_extra(user: str, *, extra: str) -> Iterator[None]:
    """Raise ValueError with the name of the extra if an optional package cannot be imported."""
    try:
        yield
    except ImportError as error:
        raise ValueError(
            f"Cannot import {error.name!r}, which {user} needs. Install it with 'pip install "
            f"spacy-sentid[{extra}]'."
        ) from error
