"""Name a file in the error of what reads it.

reader that may raise anything -> ValueError with the path, the reason and what to do
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..messages import shorten_line

AS_SAVED = "a file as it was saved"
COPY = "Copy the folder again, or train again."


@contextmanager
def name_file(
    path: Path, *, expected: str = "a file as it was saved", advice: str = COPY
) -> Iterator[None]:
    """Name a file in the error of what reads it, whatever it holds.

    expected: What the file must be. advice: What to do.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise ValueError(f"{path} must be {expected}, got no such file. {advice}") from error
    except Exception as error:
        # Those that are no fault of what the file holds name themselves what they are of.
        is_of_file = isinstance(error, OSError) and error.filename is not None
        if is_of_file or isinstance(error, ImportError | MemoryError):
            raise
        reason = shorten_line(error if isinstance(error, ValueError) else repr(error))
        raise ValueError(
            f"{path} must be {expected}, got other contents ({reason}). {advice}"
        ) from error
