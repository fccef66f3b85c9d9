# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Compare our rules with other sentence splitters in one run: boundaries and speed.

the same texts -> every splitter -> precision, recall, F1, characters per second -> Markdown, JSON

A boundary is the end of a sentence without the white space after it. The end of a text does not
count. Install the peers with `pip install -r benchmarks/sentence_peers.txt`; the report names
those that are missing.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sentence_tables
import spacy
from corpora import add_data_option
from sentence_systems import OURS, SYSTEMS, Split, System, find_ends, find_systems
from sentence_texts import (
    Text,
    cut_paragraphs,
    cut_slices,
    read_brown,
    read_noise,
    read_treebank,
)

from spacy_sentid.files.atomic import open_output
from spacy_sentid.scores import precision_recall_f

ROOT = Path(__file__).parents[1]
NOISE = Path(__file__).with_name("sentence_noise.jsonl")
PARTS = ("accuracy", "speed", "scaling", "nasty", "component")
MEGABYTES = (1, 10, 100)
# If a tenth of the length takes longer than this, the full length is not tried.
MAX_SECONDS = 10.0
NASTY = (
    "1", ".", "(", ")", "[", "{", '"', "'", "“", "<", "<a", "</", "!", "?!", "…", "-", ",", "@",
    "a", "A", "é", "。", " ", "\n", "\t", "\n ", ". ", '." ', ". (", '". ', "1.", "1,", "1. ",
    "(1) ", "A.", "A. ", "a.b", "e.g. ", "St. ", "U.S. ", "a. B ", "- ", "\n- ", ":) ", "a@b.", "http://",
)  # fmt: skip


def main() -> None:
    """Measure, print the tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "")  # the folder that contains brown, ud and wsj
    parser.add_argument("--noise", type=Path, default=NOISE, help="file of the noisy texts")
    parser.add_argument("--out", type=Path, default=None, help="name of the .json and .md files")
    parser.add_argument("--only", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--repeats", type=int, default=3, help="rounds of the timings, at least 3")
    parser.add_argument("--megabytes", type=float, default=0.95, help="length of each timed text")
    args = parser.parse_args()
    systems, missing = find_systems(args.only)
    packages = {system.package for system in systems.values()} | {"spacy", "spacy-sentid"}
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "machine": find_machine(),
        "versions": {package: version(package) for package in sorted(packages)},
        "missing": missing,
    }
    brown = read_brown(args.data / "brown/brown.jsonl")
    slices = cut_slices(brown, size=int(args.megabytes * 1e6))
    if len(slices) < 2 * args.repeats:
        parser.error(
            f"Brown must have {2 * args.repeats} texts of {args.megabytes} MB, two for each round, "
            f"got {len(slices)}. Lower --repeats or --megabytes."
        )
    if "accuracy" in args.parts:
        sets = {
            "Brown": brown,
            "EWT test": read_treebank(args.data / "ud/UD_English-EWT/en_ewt-ud-test.conllu"),
            "WSJ sample test": read_treebank(args.data / "wsj/wsj-sample-test.conllu"),
            "noisy texts": read_noise(args.noise),
        }
        report["accuracy"] = {name: measure_set(texts, systems) for name, texts in sets.items()}
    if "speed" in args.parts:
        report["speed"] = measure_speed(slices[: 2 * args.repeats], systems)
    if "scaling" in args.parts:
        report["scaling"] = measure_scaling("\n\n".join(text.text for text in brown))
    if "nasty" in args.parts:
        report["nasty"] = measure_nasty()
    if "component" in args.parts:
        report["component"] = measure_components(slices[: args.repeats])
    tables = sentence_tables.format_report(report)
    print(tables, end="")
    if args.out is not None:
        with open_output(args.out.with_suffix(".json")) as file:
            file.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
        with open_output(args.out.with_suffix(".md")) as file:
            file.write(tables)


def find_machine() -> str:
    """Name the processor, if the system reports it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def measure_set(texts: Sequence[Text], systems: dict[str, System]) -> dict[str, Any]:
    """Score every system on the same texts, on all of them and on each group."""
    golds = [find_ends(text.text, [(0, end) for end in text.ends]) for text in texts]
    has_lines = any("\n" in text.text for text in texts)
    rows = {}
    for name, system in systems.items():
        if system.only_lines and not has_lines:
            continue
        split = warm_up(system)
        seconds = 0.0
        counts: dict[str, list[int]] = {}
        for text, gold in zip(texts, golds, strict=True):
            start = time.perf_counter()
            pieces = list(split(text.text))
            seconds += time.perf_counter() - start
            found = find_ends(text.text, pieces)
            for group in ("all", *text.groups):
                total = counts.setdefault(group, [0, 0, 0])
                for i, number in enumerate((len(gold & found), len(found), len(gold))):
                    total[i] += number
        n_chars = sum(len(text.text) for text in texts)
        scores = {group: score_counts(*total) for group, total in counts.items()}
        rows[name] = {**scores.pop("all"), "chars_per_second": n_chars / seconds, "groups": scores}
    return {
        "texts": len(texts),
        "chars": sum(len(text.text) for text in texts),
        "boundaries": sum(map(len, golds)),
        "systems": rows,
    }


def score_counts(right: int, found: int, gold: int) -> dict[str, float]:
    """Compute precision, recall and F1; 0 if there are no predicted or no gold boundaries.

    >>> score_counts(1, 2, 1)["precision"]
    0.5
    """
    scores = precision_recall_f(right, found, gold)
    return dict(zip(("precision", "recall", "f1"), scores, strict=True))


def warm_up(system: System) -> Split:
    """Build a splitter, and call it once so that it loads everything."""
    split = system.make()
    list(split("One. Two, e.g. three.\n\nFour."))
    return split


def measure_speed(slices: Sequence[Sequence[Text]], systems: dict[str, System]) -> dict[str, Any]:
    """Time all systems in turns. No slice is used twice, so that caches do not help.

    Each slice of the first half is one text. In the second half, each paragraph is a text.
    """
    splits = {name: warm_up(system) for name, system in systems.items() if not system.only_lines}
    rounds = len(slices) // 2
    inputs = {
        "document": [["\n\n".join(text.text for text in texts)] for texts in slices[:rounds]],
        "paragraphs": [cut_paragraphs(texts) for texts in slices[rounds:]],
    }
    rows: dict[str, dict[str, Any]] = {name: {"gives": systems[name].gives} for name in splits}
    for key, texts_of_rounds in inputs.items():
        speeds: dict[str, list[float]] = {name: [] for name in splits}
        for texts in texts_of_rounds:
            for name, split in splits.items():
                seconds = timed(lambda texts=texts, split=split: [list(split(t)) for t in texts])
                speeds[name].append(sum(map(len, texts)) / seconds)
        for name, values in speeds.items():
            rows[name][key] = statistics.median(values)
    return {
        "rounds": rounds,
        "chars": statistics.median(len(texts[0]) for texts in inputs["document"]),
        "paragraphs": statistics.median(len(texts) for texts in inputs["paragraphs"]),
        "systems": rows,
    }


def measure_scaling(text: str) -> list[dict[str, float]]:
    """Time our function on one text of growing length: the corpus, repeated as needed."""
    split = warm_up(SYSTEMS[OURS])
    rows = []
    for megabytes in MEGABYTES:
        size = int(megabytes * 1_000_000)
        long = (text * (size // len(text) + 1))[:size]
        sentences: list[Any] = []
        seconds = timed(lambda long=long, out=sentences: out.extend(split(long)))
        rows.append(
            {"megabytes": megabytes, "seconds": seconds, "chars_per_second": size / seconds}
        )
        rows[-1]["sentences"] = len(sentences)
    return rows


def measure_nasty() -> list[dict[str, Any]]:
    """Time our function on long repetitions of a string; None if the short one took too long."""
    rows = []
    for piece in NASTY:
        row: dict[str, Any] = {"piece": piece, "100000": None, "1000000": None}
        for size in (100_000, 1_000_000):
            split = warm_up(SYSTEMS[OURS])
            text = (piece * (size // len(piece) + 1))[:size]
            row[str(size)] = timed(lambda text=text, split=split: list(split(text)))
            if row[str(size)] > MAX_SECONDS:
                break
        rows.append(row)
    return rows


def measure_components(slices: Sequence[Sequence[Text]]) -> dict[str, Any]:
    """Time only the components, on documents with tokens: first texts, then paragraphs.

    Each round has a different slice, because the rule sentencizer caches words.
    """
    report: dict[str, Any] = {}
    for key in ("texts", "paragraphs"):
        nlp = spacy.blank("en")
        pipes: dict[str, Any] = {
            name: nlp.add_pipe(name) for name in ("rule_sentencizer", "sentencizer")
        }
        speeds: dict[str, list[float]] = {name: [] for name in pipes}
        sizes = []
        for texts in slices:
            parts = [text.text for text in texts] if key == "texts" else cut_paragraphs(texts)
            docs = [nlp.make_doc(part) for part in parts]
            sizes.append((len(docs), sum(map(len, docs))))
            for name, pipe in pipes.items():
                copies = [doc.copy() for doc in docs]
                seconds = timed(lambda copies=copies, pipe=pipe: list(map(pipe, copies)))
                speeds[name].append(sizes[-1][1] / seconds)
        report[key] = {
            "docs": statistics.median(n_docs for n_docs, _ in sizes),
            "tokens": statistics.median(n_tokens for _, n_tokens in sizes),
            **{name: statistics.median(values) for name, values in speeds.items()},
        }
    return report


def timed(call: Callable[[], object]) -> float:
    """Measure the seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
