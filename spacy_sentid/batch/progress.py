"""Show how far a job is: a bar on a terminal, else a line now and then.

(bytes of the inputs done, bytes in all, records) -> stderr
"""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .parcels import Parcel
from .shards import ShardInfo
from .work import Result

SECONDS = 30  # between lines
MEGABYTE = 1_000_000

# Told while a job runs: bytes of the inputs done, of how many, and records so far.
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
        """Tell what is done."""
        if self._first is None:
            self._first = done, n_records
        if sys.stderr.isatty():
            self._show_bar(done, total, n_records)
        elif time.monotonic() - self._last >= SECONDS:
            self._last = time.monotonic()
            seconds = self._last - self._start
            line = format_progress(
                self._first, (done, n_records), total, seconds=seconds, unit=self.unit
            )
            sys.stderr.write(f"{self.label}: {line}\n")
            sys.stderr.flush()

    def _show_bar(self, done: int, total: int, n_records: int) -> None:
        from tqdm import tqdm

        if self._bar is None:
            # Of unknown size, as standard input is: no share, no time left.
            self._bar = tqdm(
                total=total or None, initial=done, desc=self.label, unit="B", unit_scale=True
            )
        self._bar.set_postfix_str(f"{n_records:,} {self.unit}", refresh=False)
        self._bar.update(done - self._bar.n)


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
    parts.append(f"{rate / MEGABYTE:.2f} MB/s")
    if total and rate:
        left = round(max(total - now[0], 0) / rate)
        parts.append(f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left")
    return ", ".join(parts)


class ProgressCount:
    """Counts what of the inputs is done, and tells it.

    sizes: Bytes of each split; 0 = unknown. done: Splits that an earlier run has done. n_records:
        Records of that.
    """

    def __init__(
        self, tell: OnProgress, sizes: dict[int, int], done: set[int], n_records: int
    ) -> None:
        self.tell = tell
        self.sizes = sizes
        self.total = sum(sizes.values())
        self.done = sum(sizes[number] for number in done)
        self.n_records = n_records
        tell(self.done, self.total, n_records)

    def add_parcel(self, parcel: Parcel, result: Result) -> tuple[Parcel, Result]:
        """Count a parcel, and hand it on."""
        self.n_records += result.n_records
        # Of standard input beside files the size is not known, and does not count.
        stored = min(parcel.stored, self.sizes[parcel.split]) if self.total else parcel.stored
        self.tell(self.done + stored, self.total, self.n_records)
        if parcel.ends_split:
            self.done += self.sizes[parcel.split]
        return parcel, result

    def add_shard(self, info: ShardInfo) -> None:
        """Count a shard."""
        self.n_records += info.n_records
        if info.ends_split:
            self.done += self.sizes[info.split]
        self.tell(self.done, self.total, self.n_records)
