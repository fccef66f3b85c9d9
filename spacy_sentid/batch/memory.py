"""The memory of a job: how much it took, and what to do when there is not enough."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def explain_memory_error(place: str) -> Iterator[None]:
    """Raise ValueError for a MemoryError in the block; it names the place, such as "a.jsonl:7"."""
    try:
        yield
    except MemoryError as error:
        raise ValueError(
            f"{place}: there is not enough memory for this. What is finished is kept: run the same "
            "command again with more memory, or fewer processes (--n-process), or leave long "
            "records out (--max-record-bytes)."
        ) from error


def find_peak_bytes() -> int:
    """Find the most memory that this process has taken; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
