# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Measure words per second and memory of whole jobs: tokenizer, senters, ours; processes; Ray."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from corpora import add_data_option

MEGABYTE = 1_000_000
N_CHARS = 3_000  # of a document
PIPELINES = {
    "tokenizer alone": None,
    "sentencizer": "sentencizer",
    "senter": "senter",
    "rule_sentencizer": "rule_sentencizer",
    "sentence_identifier": "sentence_identifier",
}
OURS = "sentence_identifier"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "brown/brown.jsonl", option="--text")
    parser.add_argument("--megabytes", type=float, default=6, help="of text in each round")
    parser.add_argument("--rounds", type=int, default=3, help="the best counts")
    parser.add_argument("--no-ray", action="store_true", help="leave Ray out")
    parser.add_argument(
        "--memory", choices=["lines", "text"], help="memory of 10 and 200 MB of such input instead"
    )
    parser.add_argument("--only", nargs="*", help="rows, such as sentence_identifier:1 local:1")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one is not None:
        kind, name, path = args.one
        print(json.dumps(RUNS[kind](name, Path(path))))
        return
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(args, Path(folder))
    if args.json is not None:
        args.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Measure what is asked for."""
    if args.memory is not None:
        return measure_memory(args.memory, folder)
    return measure_speed(args, folder)


def measure_speed(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Run everything in turns, so that a busy machine is fair to all, each in its own process."""
    path = folder / "texts.jsonl"
    n_words, n_docs = write_texts(args.text, path, n_chars=int(args.megabytes * MEGABYTE))
    plan = [("pipe", f"{name}:{n}") for n in (1, 2) for name in PIPELINES]
    plan += [("job", "local:1"), ("job", "local:2")]
    plan += [] if args.no_ray else [("job", "ray:1"), ("job", "ray:2")]
    if args.only:
        plan = [(kind, name) for kind, name in plan if name in args.only]
    best: dict[tuple[str, str], dict[str, float]] = {}
    for _ in range(args.rounds):
        for kind, name in plan:
            found = run_alone(kind, name, path)
            old = best.setdefault((kind, name), found)
            best[kind, name] = {
                "seconds": min(old["seconds"], found["seconds"]),
                "running": max(old["running"], found["running"]),
                "megabytes": max(old["megabytes"], found["megabytes"]),
            }
    rows = []
    for (kind, name), found in best.items():
        system, n = name.split(":")
        label = f"`nlp.pipe`, {system}" if kind == "pipe" else f"`identify`, {system}"
        rows.append(
            {
                "what": label,
                "processes": int(n),
                "words_per_second": n_words / found["seconds"],
                "words_per_second_once_running": found["running"] * n_words / n_docs,
                "megabytes": found["megabytes"],
            }
        )
    print_rows(rows, n_words, n_docs, args)
    print_ratios({(row["what"], row["processes"]): row for row in rows})
    return {"words": n_words, "documents": n_docs, "rows": rows}


def print_rows(rows: list[dict[str, Any]], n_words: int, n_docs: int, args: Any) -> None:
    """Print the table."""
    print(
        f"{n_words:,} words in {n_docs:,} documents, {args.megabytes:g} MB; best of "
        f"{args.rounds} rounds; one thread a process\n"
    )
    print("| what | processes | words/s | once running | peak memory MB, all processes |")
    print("| --- | --- | --- | --- | --- |")
    for row in rows:
        running = row["words_per_second_once_running"]
        print(
            f"| {row['what']} | {row['processes']} | {row['words_per_second']:,.0f} "
            f"| {running:,.0f} | {row['megabytes']:,.0f} |"
        )
    print(
        "\n`nlp.pipe`: texts in memory, Docs thrown away, loading not counted. `identify`: the "
        "whole command from its start to its end: start of the processes and loading, read, "
        "tokenise, identify, write JSONL."
    )


def print_ratios(rows: dict[tuple[str, int], dict[str, Any]]) -> None:
    """Print what a job is to reach."""
    whole, running = "words_per_second", "words_per_second_once_running"
    pipe, one = (f"`nlp.pipe`, {OURS}", 1), ("`identify`, local", 1)
    two, ray = ("`identify`, local", 2), ("`identify`, ray", 2)
    print("\n| ratio | |\n| --- | --- |")
    for what, first, second, key in (
        ("a whole run against `nlp.pipe` in memory", one, pipe, whole),
        ("the same, once running", one, pipe, running),
        ("two processes against one, whole run", two, one, whole),
        ("two processes against one, once running", two, one, running),
        ("Ray against processes, two, whole run", ray, two, whole),
        ("Ray against processes, two, once running", ray, two, running),
    ):
        if first in rows and second in rows:
            print(f"| {what} | {rows[first][key] / rows[second][key]:.2f} |")
    if one in rows:
        print(f"\n{rows[one][running] * 3600 / 1e6:,.0f} million words per core-hour.")


def write_texts(source: Path, target: Path, *, n_chars: int) -> tuple[int, int]:
    """Write documents of about N_CHARS; gives the number of words and of documents."""
    n_words = n_docs = total = 0
    with target.open("w", encoding="utf8") as file:
        while total < n_chars:
            for line in source.open(encoding="utf8"):
                text = json.loads(line)["text"]
                for start in range(0, len(text), N_CHARS):
                    piece = text[start : start + N_CHARS]
                    file.write(json.dumps({"id": n_docs, "text": piece}) + "\n")
                    n_words, n_docs = n_words + len(piece.split()), n_docs + 1
                total += len(text)
                if total >= n_chars:
                    break
    return n_words, n_docs


def run_alone(kind: str, name: str, path: Path) -> dict[str, float]:
    """Measure one of RUNS in a process of its own."""
    command = [sys.executable, __file__, "--one", kind, name, str(path)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def run_pipe(name: str, path: Path) -> dict[str, float]:
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
    for _ in nlp.pipe(texts[:50]):
        pass
    with watch_memory() as memory:
        start = time.perf_counter()
        for _ in nlp.pipe(texts, n_process=int(n_process)):
            pass
        seconds = time.perf_counter() - start
    return {"seconds": seconds, "running": len(texts) / seconds, "megabytes": memory()}


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


def run_whole_job(name: str, path: Path) -> dict[str, float]:
    """Time a whole job; once running: from the first result to the last but one."""
    from spacy_sentid.batch.job import JobSettings, run_job

    engine, n_process = name.split(":")
    times: list[tuple[float, int]] = []

    def note(_done: int, _total: int, n_records: int) -> None:
        times.append((time.perf_counter(), n_records))

    with tempfile.TemporaryDirectory() as folder, watch_memory() as memory:
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
    # All processes are at work when a tenth is done; at the end some have nothing left to do.
    n_all = times[-1][1]
    middle = [pair for pair in times if n_all * 0.2 <= pair[1] <= n_all * 0.9]
    (first, n_first), (last, n_last) = middle[0], middle[-1]
    running = (n_last - n_first) / (last - first)
    return {"seconds": seconds, "running": running, "megabytes": memory()}


def run_memory(name: str, path: Path) -> dict[str, float]:
    """Measure the peak memory of a job in one process on a file."""
    import resource

    from spacy_sentid.batch.job import JobSettings, run_job

    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        output = f"{folder}/out.jsonl"
        settings = JobSettings([str(path)], output, lines=name == "lines", n_process=1)
        summary = run_job(settings)
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "megabytes": peak / MEGABYTE, "characters": summary.n_chars}


RUNS: dict[str, Callable[[str, Path], dict[str, float]]] = {
    "pipe": run_pipe,
    "job": run_whole_job,
    "memory": run_memory,
}


@contextmanager
def watch_memory() -> Iterator[Callable[[], float]]:
    """Sum the memory of this process and those it started, ten times a second; gives the peak."""
    import psutil

    root = psutil.Process()
    stop = threading.Event()
    peak = 0.0

    def watch() -> None:
        nonlocal peak
        while not stop.wait(0.1):
            total = 0
            for process in [root, *root.children(recursive=True)]:
                with suppress(psutil.Error):  # it has just ended
                    total += process.memory_info().rss
            peak = max(peak, total / MEGABYTE)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield lambda: peak
    finally:
        stop.set()
        thread.join()


def measure_memory(kind: str, folder: Path) -> dict[str, Any]:
    """Compare the peak memory of inputs of 10 and 200 MB whose words are ever new."""
    rows = []
    print("| input | MB | peak memory MB | characters/s |\n| --- | --- | --- | --- |")
    for megabytes in (10, 200):
        path = folder / f"{kind}-{megabytes}.txt"
        write_new_words(path, n_bytes=megabytes * MEGABYTE)
        found = run_alone("memory", kind, path)
        path.unlink()
        rows.append({"kind": kind, "input_megabytes": megabytes, **found})
        what = "a document a line" if kind == "lines" else "one text"
        print(
            f"| {what} | {megabytes} | {found['megabytes']:,.0f} "
            f"| {found['characters'] / found['seconds']:,.0f} |",
            flush=True,
        )
    return {"rows": rows}


def write_new_words(path: Path, *, n_bytes: int) -> None:
    """Write lines of random words, nearly none of which comes twice."""
    rng = random.Random(0)
    letters = "abcdefghijklmnopqrstuvwxyz"
    with path.open("w", encoding="ascii") as file:
        total = 0
        while total < n_bytes:
            words = ["".join(rng.choices(letters, k=rng.randint(5, 9))) for _ in range(15)]
            line = " ".join(words).capitalize() + ".\n"
            total += file.write(line)


if __name__ == "__main__":
    main()
