"""Run `nlp.pipe` or a whole job in this process, and measure its time, CPU seconds and memory."""

import json
import resource
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

MEGABYTE = 1_000_000
PIPELINES = {
    "tokenizer alone": None,
    "sentencizer": "sentencizer",
    "senter": "senter",
    "rule_sentencizer": "rule_sentencizer",
    "sentence_identifier": "sentence_identifier",
}
SAMPLE_SECONDS = 0.2
WARM_UP = 50  # texts
Figures = dict[str, float]


def run_pipe(name: str, path: Path, batch_size: int) -> Figures:
    """Time `nlp.pipe` over texts in memory, in total and over the middle of the texts."""
    import spacy

    system, n_process = name.split(":")
    texts = [json.loads(line)["text"] for line in path.open(encoding="utf8")]
    nlp = spacy.blank("en")
    if PIPELINES[system] is not None:
        if system == "senter":
            add_senter(nlp, texts[:20])
        else:
            nlp.add_pipe(PIPELINES[system])
    for _ in nlp.pipe(texts[:WARM_UP]):
        pass
    with watch_processes() as watch:
        middle = Middle(watch, len(texts))
        start = time.perf_counter()
        docs = nlp.pipe(texts, n_process=int(n_process), batch_size=batch_size)
        for n_done, _ in enumerate(docs, start=1):
            middle.note(n_done)
        seconds = time.perf_counter() - start
    return {"seconds": seconds, **middle.figures()}


def add_senter(nlp: Any, texts: list[str]) -> None:
    """Add spaCy's senter in its default size. Random weights do not change its speed."""
    from spacy.training import Example

    nlp.add_pipe("senter")
    examples = []
    for text in texts:
        doc = nlp.make_doc(text)
        for token in doc:
            token.is_sent_start = token.i % 20 == 0
        examples.append(Example(nlp.make_doc(text), doc))
    nlp.initialize(lambda: examples)


def run_whole_job(name: str, path: Path, _batch_size: int) -> Figures:
    """Time a whole job, in total and over the middle of the documents."""
    from spacy_sentid.batch.job import JobSettings, run_job

    engine, n_process = name.split(":")
    with path.open(encoding="utf8") as file:
        n_docs = sum(1 for _ in file)
    with tempfile.TemporaryDirectory() as folder, watch_processes() as watch:
        middle = Middle(watch, n_docs)
        start = time.perf_counter()
        settings = JobSettings(
            [str(path)],
            f"{folder}/out.jsonl",
            engine=engine,
            n_process=int(n_process),
            shard_size=250_000,
        )
        run_job(settings, on_progress=lambda _done, _total, n_records: middle.note(n_records))
        seconds = time.perf_counter() - start
    return {"seconds": seconds, **middle.figures()}


def run_memory(name: str, path: Path, _batch_size: int) -> Figures:
    """Measure the peak memory of a job in one process on a file."""
    from spacy_sentid.batch.job import JobSettings, run_job

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        output = f"{folder}/out.jsonl"
        settings = JobSettings(
            [str(path)], output, format="lines" if name == "lines" else None, n_process=1
        )
        summary = run_job(settings)
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "megabytes": peak / MEGABYTE, "characters": summary.n_chars}


RUNS: dict[str, Callable[[str, Path, int], Figures]] = {
    "pipe": run_pipe,
    "job": run_whole_job,
    "memory": run_memory,
}


class Watch:
    """A monitor of this process and all its descendants.

    peak: Peak memory of all processes together so far, in MB.
    """

    def __init__(self) -> None:
        import psutil

        self.root = psutil.Process()
        self.peak = 0.0
        self._seconds: dict[int, float] = {}

    def sample(self) -> None:
        """Measure memory and CPU time once."""
        import psutil

        total = 0
        for process in [self.root, *self.root.children(recursive=True)]:
            with suppress(psutil.Error):  # the process has just ended
                total += process.memory_info().rss
                times = process.cpu_times()
                self._seconds[process.pid] = times.user + times.system
        self.peak = max(self.peak, total / MEGABYTE)

    def cpu_seconds(self) -> dict[int, float]:
        """Find the CPU seconds of each process; the last known value if it has ended."""
        self.sample()
        return dict(self._seconds)


class Middle:
    """The time between one fifth and nine tenths of the documents.

    At the beginning processes start and words are new. At the end some processes are idle.
    """

    def __init__(self, watch: Watch, n_docs: int) -> None:
        self.watch = watch
        self.edges = [n_docs * 0.2, n_docs * 0.9]
        self.passed: list[tuple[int, float, dict[int, float]]] = []

    def note(self, n_done: int) -> None:
        """Record the time if enough documents are done."""
        if len(self.passed) < len(self.edges) and n_done >= self.edges[len(self.passed)]:
            self.passed.append((n_done, time.perf_counter(), self.watch.cpu_seconds()))

    def figures(self) -> Figures:
        """Compute documents per second, and CPU seconds per document."""
        (n_first, first, before), (n_last, last, after) = self.passed
        n_docs = n_last - n_first
        taken = {pid: (after[pid] - before.get(pid, 0.0)) / n_docs for pid in after}
        parent = taken.pop(self.watch.root.pid)
        return {
            "running": n_docs / (last - first),
            "cpu": parent + sum(taken.values()),
            "cpu_parent": parent,
            "cpu_worker": max(taken.values(), default=0.0),
            "megabytes": self.watch.peak,
        }


@contextmanager
def watch_processes() -> Iterator[Watch]:
    """Watch the processes while a block runs."""
    watch, stop = Watch(), threading.Event()

    def look() -> None:
        while not stop.wait(SAMPLE_SECONDS):
            watch.sample()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        stop.set()
        thread.join()
