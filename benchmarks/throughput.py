# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Measure words per second and memory of pipelines and jobs, with several processes and Ray."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from corpora import add_data_option
from speed_rounds import Spread, find_ratio
from throughput_runs import MEGABYTE, PIPELINES, RUNS, Figures

N_CHARS = 3_000  # length of a document
BATCH_SIZE = 64  # documents, as recommended in docs/big_jobs.md
OURS = "sentence_identifier"
Rounds = dict[tuple[str, str], list[Figures]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "brown/brown.jsonl", option="--text")
    parser.add_argument("--megabytes", type=float, default=6, help="MB of text in each round")
    parser.add_argument("--characters", type=int, default=N_CHARS, help="length of a document")
    parser.add_argument("--batch-size", type=int, default=BATCH_SIZE, help="size for nlp.pipe")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, whose median is reported")
    parser.add_argument("--no-ray", action="store_true", help="leave out the runs with Ray")
    parser.add_argument(
        "--memory",
        choices=["lines", "text"],
        help="measure only the memory for 10 and 200 MB of input of this format",
    )
    parser.add_argument(
        "--only", nargs="*", help="rows to measure, such as sentence_identifier:1 local:1"
    )
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one is not None:
        kind, name, path = args.one
        print(json.dumps(RUNS[kind](name, Path(path), args.batch_size)))
        return
    with tempfile.TemporaryDirectory() as folder:
        if args.memory is not None:
            figures = measure_memory(args.memory, Path(folder))
        else:
            figures = measure_speed(args, Path(folder))
    if args.json is not None:
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf8")


def measure_speed(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Run all systems in turns, each in its own process, so that load affects all equally."""
    path = folder / "texts.jsonl"
    n_words, n_docs = write_texts(
        args.text, path, n_chars=int(args.megabytes * MEGABYTE), size=args.characters
    )
    plan = [("pipe", f"{name}:{n}") for name in PIPELINES for n in (1, 2)]
    plan += [("job", "local:1"), ("job", "local:2")]
    plan += [] if args.no_ray else [("job", "ray:1"), ("job", "ray:2")]
    if args.only:
        plan = [(kind, name) for kind, name in plan if name in args.only]
    rounds: Rounds = {key: [] for key in plan}
    for number in range(args.rounds):
        for kind, name in plan[:: 1 - number % 2 * 2]:  # every other round in reverse order
            rounds[kind, name].append(run_alone(kind, name, path, batch_size=args.batch_size))
    print(
        f"{n_words:,} words in {n_docs:,} documents, median of {args.rounds} rounds, one thread "
        f"per process, batches of {args.batch_size} for `nlp.pipe`. The load of the machine was "
        f"{os.getloadavg()[1]:.1f} on {os.cpu_count()} cores.\n"
    )
    rows = make_rows(rounds, words_per_doc=n_words / n_docs, n_docs=n_docs)
    ratios = find_ratios(rounds)
    print_tables(rows, ratios)
    return {"words": n_words, "documents": n_docs, "rows": rows, "ratios": ratios}


def make_rows(rounds: Rounds, *, words_per_doc: float, n_docs: int) -> list[dict[str, Any]]:
    """Take the medians of the rounds."""
    rows = []
    for (kind, name), found in rounds.items():
        system, n = name.split(":")
        middle = {key: median(each[key] for each in found) for key in found[0]}
        milliseconds = {
            f"{key}_ms_per_1000_words": 1e6 * middle[key] / words_per_doc
            for key in ("cpu", "cpu_parent", "cpu_worker")
        }
        rows.append(
            {
                "what": ("`nlp.pipe`, " if kind == "pipe" else "`identify`, ") + system,
                "processes": int(n),
                "words_per_second": n_docs * words_per_doc / middle["seconds"],
                "words_per_second_once_running": middle["running"] * words_per_doc,
                "megabytes": middle["megabytes"],
                **milliseconds,
            }
        )
    return rows


def find_ratios(rounds: Rounds) -> dict[str, Spread]:
    """Find the speed-ups by processes, by Ray, and of jobs against `nlp.pipe`."""
    pipe, local, ray = ([(kind, f"{name}:{n}") for n in (1, 2)] for kind, name in (
        ("pipe", OURS), ("job", "local"), ("job", "ray")))  # fmt: skip
    ratios = {}
    for what, over, under in (
        ("`nlp.pipe`: two processes / one", pipe[1], pipe[0]),
        ("`identify`: two processes / one", local[1], local[0]),
        ("Ray with two workers / two processes", ray[1], local[1]),
        ("`identify` / `nlp.pipe` in memory, one process", local[0], pipe[0]),
    ):
        if over in rounds and under in rounds:
            wall = [[each["running"] for each in rounds[key]] for key in (over, under)]
            ratios[what] = find_ratio(*wall)
            # The ratio if each process had its own core, and never waited for another.
            busiest = [
                [max(each["cpu_parent"], each["cpu_worker"]) for each in rounds[key]]
                for key in (under, over)
            ]
            ratios[f"{what}, by the CPU time of the busiest process"] = find_ratio(*busiest)
    return ratios


def print_tables(rows: list[dict[str, Any]], ratios: dict[str, Spread]) -> None:
    """Print the figures and the ratios."""
    print(
        "| what | processes | words/s | once running | CPU ms for 1,000 words: all | parent "
        "| busiest other | peak memory MB, all processes |"
    )
    print("| --- |" + " ---: |" * 7)
    for row in rows:
        running = row["words_per_second_once_running"]
        all_, parent, worker = (
            row[f"{key}_ms_per_1000_words"] for key in ("cpu", "cpu_parent", "cpu_worker")
        )
        print(
            f"| {row['what']} | {row['processes']} | {row['words_per_second']:,.0f} "
            f"| {running:,.0f} | {all_:.1f} | {parent:.1f} | {worker:.1f} "
            f"| {row['megabytes']:,.0f} |"
        )
    print(
        "\n`nlp.pipe` processes texts in memory and discards the Docs; loading does not count. "
        "`identify` is the whole command, from starting processes and loading the pipeline to "
        "writing JSON lines.\n"
    )
    print("| ratio, once running | median | lowest | highest |\n| --- | ---: | ---: | ---: |")
    for what, spread in ratios.items():
        print(f"| {what} | {spread.median:.2f} | {spread.low:.2f} | {spread.high:.2f} |")


def write_texts(source: Path, target: Path, *, n_chars: int, size: int) -> tuple[int, int]:
    """Write documents of about `size` characters, and return the numbers of words and documents."""
    n_words = n_docs = total = 0
    with target.open("w", encoding="utf8") as file:
        while total < n_chars:
            for line in source.open(encoding="utf8"):
                text = json.loads(line)["text"]
                for start in range(0, len(text), size):
                    piece = text[start : start + size]
                    file.write(json.dumps({"id": n_docs, "text": piece}) + "\n")
                    n_words, n_docs = n_words + len(piece.split()), n_docs + 1
                total += len(text)
                if total >= n_chars:
                    break
    return n_words, n_docs


def run_alone(kind: str, name: str, path: Path, *, batch_size: int = BATCH_SIZE) -> Figures:
    """Measure one of RUNS in its own process."""
    command = [sys.executable, __file__, "--one", kind, name, str(path)]
    command += ["--batch-size", str(batch_size)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf8")
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_memory(kind: str, folder: Path) -> dict[str, Any]:
    """Compare the peak memory for inputs of 10 and 200 MB in which all words are new."""
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
    """Write lines of random words, hardly any of which are repeated."""
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
