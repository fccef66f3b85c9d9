"""Measure the memory of a job, and explain errors when there is not enough."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def explain_memory_error(place: str) -> Iterator[None]:
    """Raise ValueError for a MemoryError in the block, with its place, such as "a.jsonl:7"."""
    try:
        yield
    except MemoryError as error:
        raise ValueError(
            f"{place}: there is not enough memory for this. Finished shards are kept. Run the same "
            "command again with more memory or fewer processes (--n-process), or leave long "
            "records out (--max-record-bytes)."
        ) from error


def find_peak_bytes() -> int:
    """Find the peak memory of this process in bytes; 0 if the system does not report it."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
