"""Measure the other parts of speed.py: single texts, batches, memory, start-up, other commits.

Each function returns plain lists and numbers of all rounds, which speed_tables.py summarises.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spacy.language import Language
from speed_rounds import find_percentile, time_rounds
from speed_texts import Rounds, make_document

from spacy_sentid.components.pipelines import load

BATCHES = (1, 4, 16, 64, 256)
N_BATCH_ROUNDS = 3  # each reads all texts of a round five times
MEGABYTES = (0.25, 1.0, 5.0)
WORKER = Path(__file__).with_name("speed_worker.py")
SMALL_TEXT = "Re: Thursday\n\nThe revised draft is attached.\n--- draft_v3.docx (48 KB) ---\n"


def find_rates(seconds: Mapping[str, Sequence[float]], amounts: Sequence[float]) -> dict[str, Any]:
    """Divide the amount of each round by the seconds that it took.

    >>> find_rates({"a": [2.0, 1.0]}, [10, 20])
    {'a': [5.0, 20.0]}
    """
    return {
        name: [n / taken for n, taken in zip(amounts, values, strict=True)]
        for name, values in seconds.items()
    }


def measure_alone(pipelines: Mapping[str, Language], rounds: Rounds) -> dict[str, Any]:
    """Time each call of components on tokenized texts of 20 words.

    RETURNS: System -> number of calls, and their median and 99th percentile in milliseconds.
    """
    calls: dict[str, list[float]] = {name: [] for name in pipelines}

    def run(texts: Sequence[str], name: str) -> None:
        nlp = pipelines[name]
        for doc in [nlp.make_doc(text) for text in texts]:
            start = time.process_time()
            for _, pipe in nlp.pipeline:
                pipe(doc)
            calls[name].append(1000 * (time.process_time() - start))

    runs: dict[str, Callable[[Any], object]] = {
        name: lambda texts, name=name: run(texts, name) for name in pipelines
    }
    time_rounds(runs, [rounds.warm_up])
    for values in calls.values():
        values.clear()
    time_rounds(runs, rounds.texts)
    return {
        name: {"calls": len(values), "p50": find_percentile(values, 50)}
        | {"p99": find_percentile(values, 99)}
        for name, values in calls.items()
    }


def measure_batches(model: str, rounds: Mapping[str, Rounds]) -> dict[str, Any]:
    """Time a pipeline with several batch sizes: kind of text -> size -> words per second."""
    found = {}
    for kind, texts in rounds.items():
        pipelines = {str(size): load(model) for size in BATCHES}  # each has its own vocabulary
        runs: dict[str, Callable[[Any], object]] = {
            size: lambda texts, size=size, nlp=nlp: list(nlp.pipe(texts, batch_size=int(size)))
            for size, nlp in pipelines.items()
        }
        time_rounds(runs, [texts.warm_up])
        batches = texts.texts[:N_BATCH_ROUNDS]
        found[kind] = find_rates(time_rounds(runs, batches), texts.n_words[:N_BATCH_ROUNDS])
    return found


def measure_memory(model: str, long: Path, pythons: Mapping[str, str]) -> list[dict[str, Any]]:
    """Measure the peak memory of a process for each length of a document.

    pythons: Name -> interpreter. All but the first only read documents in paragraphs.
    """
    rows = []
    for number, (name, python) in enumerate(pythons.items()):
        command = [python, str(WORKER), "en" if number else model, "memory"]
        for blank_lines in (True,) if number else (True, False):
            for megabytes in MEGABYTES:
                text = make_document(long, megabytes, blank_lines=blank_lines)
                done = subprocess.run(
                    command, input=text, capture_output=True, encoding="utf8", check=True
                )
                row = {"system": name, "megabytes": megabytes, "blank_lines": blank_lines}
                rows.append(row | json.loads(done.stdout))
    return rows


def measure_start(n_rounds: int) -> dict[str, list[float]]:
    """Measure the CPU seconds of fresh interpreters, in turns."""
    python, blank = sys.executable, "import spacy; spacy.blank('en')"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "small.txt")
        file.write_text(SMALL_TEXT, encoding="utf8")
        commands = {
            "Python": [python, "-c", "pass"],
            "`import spacy_sentid`": [python, "-c", "import spacy_sentid"],
            "`import spacy`": [python, "-c", "import spacy"],
            '`spacy.blank("en")`': [python, "-c", blank],
            '`spacy_sentid.load("en")`': [
                python, "-c", "import spacy_sentid; spacy_sentid.load('en')",
            ],
            "`spacy-sentid identify` of four lines": [
                python, "-m", "spacy_sentid", "identify", str(file), "-o", str(file) + ".jsonl",
            ],
        }  # fmt: skip
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(n_rounds):
            for name, command in commands.items():
                Path(str(file) + ".jsonl").unlink(missing_ok=True)  # or the job is already done
                seconds[name].append(find_child_seconds(command))
    return seconds


def find_child_seconds(command: Sequence[str]) -> float:
    """Run a command and find its CPU seconds; raise ValueError if it fails."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise ValueError(f"{' '.join(command)} must exit with 0, got {child.returncode}.")
    return usage.ru_utime + usage.ru_stime


class Worker:
    """The identifier in its own process, which may belong to another environment."""

    def __init__(self, python: str, model: str) -> None:
        """Start the process."""
        self.process = subprocess.Popen(
            [python, str(WORKER), model], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            encoding="utf8",
        )  # fmt: skip

    def run(self, texts: Sequence[str], *, alone: bool) -> dict[str, Any]:
        """Process texts, and return {"seconds", "digests"}."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps({"texts": texts, "alone": alone}), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise ValueError("--against must name a Python with spacy-sentid. Its process died.")
        return json.loads(line)

    def stop(self) -> None:
        """End the process."""
        self.process.communicate()


def measure_against(
    ours: Worker, other: Worker, rounds: Mapping[str, Rounds], *, alone: str
) -> dict[str, Any]:
    """Time two environments in turns on the same texts.

    alone: The kind of text that is processed one at a time; others are streamed.
    RETURNS: Kind -> CPU seconds of "ours" and "other" in each round, and the share of texts with
        the same spans.
    """
    found = {}
    for kind, texts in rounds.items():
        seconds: dict[str, list[float]] = {"ours": [], "other": []}
        same = total = 0
        if texts.warm_up:
            for worker in (ours, other):
                worker.run(texts.warm_up, alone=kind == alone)
        for number, batch in enumerate(texts.texts):
            answers = {}
            workers = [("ours", ours), ("other", other)]
            for name, worker in workers[:: 1 if number % 2 else -1]:
                answers[name] = worker.run(batch, alone=kind == alone)
                seconds[name].append(answers[name]["seconds"])
            pairs = zip(answers["ours"]["digests"], answers["other"]["digests"], strict=True)
            same += sum(a == b for a, b in pairs)
            total += len(batch)
        found[kind] = {**seconds, "same_spans": same / total}
    return found
