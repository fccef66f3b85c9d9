"""Show how far a job is: a bar on a terminal, else a line now and then.

(bytes of the inputs done, bytes in all, records) -> stderr
"""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .batches import DocumentBatch
from .output import ShardInfo
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
        self._start = self._last = time.monotonic()
        self._first: tuple[int, int] | None = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, done: int, total: int, n_records: int) -> None:
        """Show what is done."""
        if self._first is None:
            self._first = done, n_records
        if sys.stderr.isatty():
            from tqdm import tqdm

            if self._bar is None:
                # Standard input has no known size: no share, no time left.
                self._bar = tqdm(
                    total=total or None, initial=done, desc=self.label, unit="B", unit_scale=True
                )
            self._bar.set_postfix_str(f"{n_records:,} {self.unit}", refresh=False)
            self._bar.update(done - self._bar.n)
        elif time.monotonic() - self._last >= SECONDS:
            self._last = time.monotonic()
            seconds = self._last - self._start
            line = format_progress(
                self._first, (done, n_records), total, seconds=seconds, unit=self.unit
            )
            sys.stderr.write(f"{self.label}: {line}\n")
            sys.stderr.flush()


def format_progress(
    first: tuple[int, int], now: tuple[int, int], total: int, *, seconds: float, unit: str
) -> str:
    """Say in a line how far a job is, how fast it is, and what time is left.

    first, now: (bytes, records) done before this run, and so far. total: Bytes; 0 = unknown.

    >>> format_progress((0, 0), (2_000_000, 500), 8_000_000, seconds=10, unit="docs")
    '25 %, 500 docs, 50 docs/s, 0.20 MB/s, 0:00:30 left'
    """
    rate = (now[0] - first[0]) / max(seconds, 1e-9)
    parts = [f"{100 * now[0] / total:.0f} %"] if total else []
    parts.append(f"{now[1]:,} {unit}")
    parts.append(f"{(now[1] - first[1]) / max(seconds, 1e-9):,.0f} {unit}/s")
    parts.append(f"{rate / 1_000_000:.2f} MB/s")
    if total and rate:
        left = round(max(total - now[0], 0) / rate)
        parts.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")
    return ", ".join(parts)


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
        self._add(result.n_records, batch.split, batch.n_stored, ends_split=batch.ends_split)
        return batch, result

    def add_shard(self, info: ShardInfo) -> ShardInfo:
        """Count a shard, and hand it on."""
        self._add(info.n_records, info.split, 0, ends_split=info.ends_split)
        return info

    def _add(self, n_records: int, split: int, n_stored: int, *, ends_split: bool) -> None:
        self.n_records += n_records
        if ends_split:
            self.done += self.sizes[split]
            n_stored = 0
        # The size of standard input next to files is not known, and does not count.
        stored = min(n_stored, self.sizes[split]) if self.total else n_stored
        self.report(self.done + stored, self.total, self.n_records)
