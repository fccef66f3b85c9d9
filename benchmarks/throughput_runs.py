"""Run `nlp.pipe` or a whole job in this process, and note its time, CPU seconds and memory."""

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
    """Time `nlp.pipe` over texts in memory."""
    import spacy

    system, n_process = name.split(":")
    texts = [json.loads(line)["text"] for line in path.open()]
    nlp = spacy.blank("en")
    if PIPELINES[system] is not None:
        if system == "senter":
            add_senter(nlp, texts[:20])
        else:
            nlp.add_pipe(PIPELINES[system])
    for _ in nlp.pipe(texts[:WARM_UP]):
        pass
    with watch_processes() as watch:
        start, before = time.perf_counter(), watch.cpu_seconds()
        for _ in nlp.pipe(texts, n_process=int(n_process), batch_size=batch_size):
            pass
        seconds, after = time.perf_counter() - start, watch.cpu_seconds()
    running = len(texts) / seconds
    return {"seconds": seconds, "running": running, **watch.figures(before, after, len(texts))}


def add_senter(nlp: Any, texts: list[str]) -> None:
    """Add spaCy's senter of its default size, with random weights: its speed is the same."""
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
    """Time a whole job; once running: while the middle of the documents are done."""
    from spacy_sentid.batch.job import JobSettings, run_job

    engine, n_process = name.split(":")
    with path.open() as file:
        n_docs = sum(1 for _ in file)
    # All processes are at work when a fifth is done; at the end some have nothing left to do.
    edges = [n_docs * 0.2, n_docs * 0.9]
    passed: list[tuple[int, float, dict[int, float]]] = []

    def note(_done: int, _total: int, n_records: int) -> None:
        if len(passed) < len(edges) and n_records >= edges[len(passed)]:
            passed.append((n_records, time.perf_counter(), watch.cpu_seconds()))

    with tempfile.TemporaryDirectory() as folder, watch_processes() as watch:
        start = time.perf_counter()
        settings = JobSettings(
            [str(path)],
            f"{folder}/out.jsonl",
            engine=engine,
            n_process=int(n_process),
            shard_size=250_000,
        )
        run_job(settings, on_progress=note)
        seconds = time.perf_counter() - start
    (n_first, first, before), (n_last, last, after) = passed
    n_done = n_last - n_first
    running = n_done / (last - first)
    return {"seconds": seconds, "running": running, **watch.figures(before, after, n_done)}


def run_memory(name: str, path: Path, _batch_size: int) -> Figures:
    """Measure the peak memory of a job in one process on a file."""
    from spacy_sentid.batch.job import JobSettings, run_job

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        output = f"{folder}/out.jsonl"
        settings = JobSettings([str(path)], output, lines=name == "lines", n_process=1)
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
    """Looks at this process and those that it started, whoever started them.

    peak: Most memory of all of them together so far, MB.
    """

    def __init__(self) -> None:
        import psutil

        self.root = psutil.Process()
        self.peak = 0.0
        self._seconds: dict[int, float] = {}

    def sample(self) -> None:
        """Look once."""
        import psutil

        total = 0
        for process in [self.root, *self.root.children(recursive=True)]:
            with suppress(psutil.Error):  # it has just ended
                total += process.memory_info().rss
                times = process.cpu_times()
                self._seconds[process.pid] = times.user + times.system
        self.peak = max(self.peak, total / MEGABYTE)

    def cpu_seconds(self) -> dict[int, float]:
        """Find the CPU seconds of each process; of one that has ended those last seen."""
        self.sample()
        return dict(self._seconds)

    def figures(self, before: dict[int, float], after: dict[int, float], n_docs: int) -> Figures:
        """Sum up CPU seconds a document between two looks."""
        taken = {pid: (after[pid] - before.get(pid, 0.0)) / n_docs for pid in after}
        parent = taken.pop(self.root.pid)
        return {
            "cpu": parent + sum(taken.values()),
            "cpu_parent": parent,
            "cpu_worker": max(taken.values(), default=0.0),
            "megabytes": self.peak,
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
