"""Show how far a job is: a bar on a terminal, else a line now and then.

(bytes of the inputs done, bytes in all, records) -> stderr
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .batches import DocumentBatch
from .worker import Result

SECONDS = 30  # between lines

# Called while a job runs: bytes of the inputs done, of how many, and records so far.
OnProgress = Callable[[int, int, int], object]


class Progress:
    """Call it as `OnProgress`; it is a context manager."""

    def __init__(self, label: str, *, unit: str = "docs") -> None:
        self.label = label
        self.unit = unit
        self._bar: Any = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, done: int, total: int, n_records: int) -> None:
        """Show what is done."""
        from tqdm import tqdm

        if self._bar is None:
            lines = {
                "delay": SECONDS,
                "mininterval": SECONDS,
                "bar_format": "{l_bar}{bar}{r_bar}\n",
            }
            # Standard input has no known size: no share, no time left.
            self._bar = tqdm(
                total=total or None, initial=done, desc=self.label, unit="B", unit_scale=True,
                **({} if sys.stderr.isatty() else lines),
            )  # fmt: skip
        self._bar.set_postfix_str(f"{n_records:,} {self.unit}", refresh=False)
        self._bar.update(done - self._bar.n)


def report_progress(
    finished: Iterable[tuple[DocumentBatch, Result]],
    report: OnProgress,
    sizes: Sequence[int],
    n_done: int,
    n_records: int,
) -> Iterator[tuple[DocumentBatch, Result]]:
    """Report what of the inputs is done, first before any batch, and hand the batches on.

    sizes: Bytes of each split; 0 = unknown. n_done, n_records: Bytes and records that an
        earlier run has done.
    """
    total = sum(sizes)
    report(n_done, total, n_records)
    for batch, result in finished:
        n_records += result.n_records
        # The size of standard input next to files is not known, and does not count.
        n_stored = min(batch.n_stored, sizes[batch.split]) if total else batch.n_stored
        report(n_done + n_stored, total, n_records)
        if batch.ends_split:
            n_done += sizes[batch.split]
        yield batch, result
