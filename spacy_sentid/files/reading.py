"""Add the name of a file to the errors of its reader.

reader that may raise anything -> ValueError with the path, the reason and some advice
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..messages import shorten_line

COPY = "Copy the folder again, or train again."


@contextmanager
def name_file(
    path: Path, *, expected: str = "a file as it was saved", advice: str = COPY
) -> Iterator[None]:
    """Name a file in any error that is raised while it is read.

    expected: Description of a correct file. advice: What the user should do.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise ValueError(f"{path} must be {expected}, got no such file. {advice}") from error
    except Exception as error:
        # Errors that the contents of the file did not cause already name their cause.
        is_of_file = isinstance(error, OSError) and error.filename is not None
        if is_of_file or isinstance(error, ImportError | MemoryError):
            raise
        reason = shorten_line(error if isinstance(error, ValueError) else repr(error))
        raise ValueError(
            f"{path} must be {expected}, got other contents ({reason}). {advice}"
        ) from error
