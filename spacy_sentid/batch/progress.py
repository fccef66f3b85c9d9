"""Show how far a job is: a bar on a terminal, else a line now and then.

(bytes of the inputs done, bytes in all, records) -> stderr
"""

import io
import sys
import time
from collections.abc import Callable
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
        self._last = time.monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, done: int, total: int, n_records: int) -> None:
        """Show what is done."""
        from tqdm import tqdm

        is_shown = sys.stderr.isatty()
        if self._bar is None:
            # Standard input has no known size: no share, no time left.
            self._bar = tqdm(
                total=total or None, initial=done, desc=self.label, unit="B", unit_scale=True,
                file=sys.stderr if is_shown else io.StringIO(),
            )  # fmt: skip
        self._bar.set_postfix_str(f"{n_records:,} {self.unit}", refresh=False)
        self._bar.update(done - self._bar.n)
        if not is_shown and time.monotonic() - self._last >= SECONDS:
            self._last = time.monotonic()
            sys.stderr.write(f"{self._bar}\n")
            sys.stderr.flush()


class ProgressCount:
    """Counts what of the inputs is done, and reports it.

    sizes: Bytes of each split; 0 = unknown. done: Splits that an earlier run has done. n_records:
        Records of that.
    """

    def __init__(
        self, report: OnProgress, sizes: dict[int, int], done: set[int], n_records: int
    ) -> None:
        self.report = report
        self.sizes = sizes
        self.total = sum(sizes.values())
        self.done = sum(sizes[number] for number in done)
        self.n_records = n_records
        report(self.done, self.total, n_records)

    def add_batch(self, batch: DocumentBatch, result: Result) -> tuple[DocumentBatch, Result]:
        """Count a batch, and hand it on."""
        self.n_records += result.n_records
        n_stored, size = batch.n_stored, self.sizes[batch.split]
        if batch.ends_split:
            self.done += size
            n_stored = 0
        # The size of standard input next to files is not known, and does not count.
        stored = min(n_stored, size) if self.total else n_stored
        self.report(self.done + stored, self.total, self.n_records)
        return batch, result
