"""Show how far a job is: a bar on a terminal, else a line now and then.

(bytes of the inputs done, bytes in all, records) -> stderr
"""

import sys
import time
from types import TracebackType
from typing import Any

SECONDS = 30  # between lines
MEGABYTE = 1_000_000


class Progress:
    """Call it as `job.OnProgress`; it is a context manager."""

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
