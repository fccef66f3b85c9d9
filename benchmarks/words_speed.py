# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Measure characters per second of the word segmenter, the tokenizer and peers, on one core.

texts -> segmented Docs (peers: lists of words), in interleaved rounds, CPU time -> Markdown, JSON

The texts are the sentences of GSD train, those of ZX, and one long line: ZX without punctuation,
repeated as needed. Install the peers with `pip install jieba thulac`; missing ones are left out.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import spacy
from corpora import add_data_option
from spacy.language import Language
from speed_rounds import find_cpu_seconds, find_ratio, find_spread, time_rounds
from speed_tables import format_ratio, format_spread, table

from spacy_sentid.components.pipelines import load
from spacy_sentid.files.atomic import open_output
from spacy_sentid.layers import stack
from spacy_sentid.word_segmenter import characters, crf
from spacy_sentid.word_segmenter.corpus import read_words
from spacy_sentid.word_segmenter.features import feature_layer as features
from studies.words.compare import PEERS

ROOT = Path(__file__).parents[1]
OUT = ROOT / "benchmarks/results/words_speed"
OURS = "word_segmenter"
TOKENIZER = "tokenizer alone"
PACKAGE = "spacy_sentid"
# Maximum length of a text, in characters, for a peer. THULAC raises IndexError for longer texts.
MAX_LENGTHS = {"thulac": 20_000}
BATCH_SIZE = 256
# Parts of the work, and the functions that do them. The tokenizer and the lookup of features take
# the remaining time.
PARTS: dict[str, Callable] = {
    "network": stack.forward_stack,
    "lexicon, n-grams": features.lay_out,
    "decoding (Viterbi)": crf.find_best_tags,
    "reading characters": characters.read_characters,
    "joining tokens": characters.join_tokens,
    "making Docs": characters.make_doc_of_words,
}


def main() -> None:
    """Measure, print the tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="zh", help="a pipeline; default: the bundled weights")
    add_data_option(parser, "cws")
    parser.add_argument("--out", type=Path, default=OUT, help="name of the .json and .md files")
    parser.add_argument(
        "--megabytes", type=float, default=1.0, help="size of the long line in UTF-8"
    )
    parser.add_argument("--repeats", type=int, default=7, help="rounds, after a warm-up round")
    args = parser.parse_args()
    zx = read_texts(args.data / "zx/dev.txt") + read_texts(args.data / "zx/test.txt")
    inputs = {
        "GSD train": read_texts(args.data / "source_gsd/train.txt"),
        "ZX": zx,
        f"one line of {args.megabytes:g} MB": [make_line(zx, n_bytes=int(args.megabytes * 1e6))],
    }
    nlp = load(args.model, "word_segmenter")
    systems = make_systems(nlp)
    packages = ["spacy", "spacy-sentid", "numpy", *find_peers()]
    report = {
        "python": platform.python_version(),
        "machine": find_machine(),
        "versions": {package: version(package) for package in packages},
        "model": args.model,
        "rounds": args.repeats,
        "texts": {
            title: {
                "texts": len(texts),
                "characters": sum(map(len, texts)),
                "systems": measure_speed(texts, leave_out(systems, texts), repeats=args.repeats),
                "shares": measure_shares(texts, nlp, repeats=args.repeats),
            }
            for title, texts in inputs.items()
        },
    }
    tables = format_report(report)
    print(tables, end="")
    with open_output(args.out.with_suffix(".json")) as file:
        file.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    with open_output(args.out.with_suffix(".md")) as file:
        file.write(tables)


def read_texts(path: Path) -> list[str]:
    """Read segmented text without its spaces."""
    return ["".join(words) for words in read_words(path)]


def make_line(texts: Sequence[str], *, n_bytes: int) -> str:
    """Join texts without punctuation and white space, repeated up to a number of UTF-8 bytes.

    >>> make_line(["好，的。"], n_bytes=9)
    '好的好'
    """
    line = "".join(character for text in texts for character in text if character.isalnum())
    size = len(line.encode("utf8"))
    raw = (line * (n_bytes // size + 1)).encode("utf8")[:n_bytes]
    return raw.decode("utf8", "ignore")


def make_systems(nlp: Language) -> dict[str, Callable[[Sequence[str]], None]]:
    """List the systems to time, as functions that process texts."""
    blank = spacy.blank("zh")
    systems = {
        TOKENIZER: lambda texts: use_up(blank.pipe(texts, batch_size=BATCH_SIZE)),
        OURS: lambda texts: use_up(nlp.pipe(texts, batch_size=BATCH_SIZE)),
    }
    return systems | {name: partial(cut_all, PEERS[name]()) for name in find_peers()}


def leave_out(
    systems: Mapping[str, Callable[[Sequence[str]], None]], texts: Sequence[str]
) -> dict[str, Callable[[Sequence[str]], None]]:
    """Leave out the systems that a text is too long for."""
    longest = max(map(len, texts))
    return {name: run for name, run in systems.items() if longest <= MAX_LENGTHS.get(name, longest)}


def find_peers() -> list[str]:
    """List the peers that are installed."""
    return [name for name in PEERS if find_spec(name)]


def cut_all(cut: Callable[[str], list[str]], texts: Sequence[str]) -> None:
    """Segment texts with a peer."""
    use_up(map(cut, texts))


def use_up(results: Iterator[object]) -> None:
    """Iterate over all results without keeping them."""
    for _ in results:
        pass


def measure_speed(
    texts: Sequence[str],
    systems: Mapping[str, Callable[[Sequence[str]], None]],
    *,
    repeats: int,
) -> dict[str, list[float]]:
    """Find the characters per CPU second of each system in each round."""
    n_characters = sum(map(len, texts))
    seconds = time_rounds(systems, [texts] * (repeats + 1))
    return {name: [n_characters / value for value in row[1:]] for name, row in seconds.items()}


def measure_shares(texts: Sequence[str], nlp: Language, *, repeats: int) -> dict[str, list[float]]:
    """Find the share of the total CPU time that each part of the work takes in each round."""
    shares: dict[str, list[float]] = {name: [] for name in PARTS}
    for _ in range(repeats):
        with ExitStack() as timers:
            parts = {
                name: timers.enter_context(time_function(function))
                for name, function in PARTS.items()
            }
            total = find_cpu_seconds(
                lambda texts: use_up(nlp.pipe(texts, batch_size=BATCH_SIZE)), texts
            )
        for name, seconds in parts.items():
            if not seconds:
                raise SystemExit(f"{PARTS[name].__name__} was not called. Time another function.")
            shares[name].append(sum(seconds) / total)
    return shares


@contextmanager
def time_function(function: Callable) -> Iterator[list[float]]:
    """Time the calls of a function, under all names that the modules of the package have for it."""
    seconds: list[float] = []
    timed_function = with_timer(function, seconds)
    places = [
        (module, name)
        for path, module in list(sys.modules.items())
        if path.startswith(PACKAGE)
        for name, value in list(vars(module).items())
        if value is function
    ]
    for module, name in places:
        setattr(module, name, timed_function)
    try:
        yield seconds
    finally:
        for module, name in places:
            setattr(module, name, function)


def with_timer(function: Callable, seconds: list[float]) -> Callable:
    """Wrap a function so that the seconds of each call are added to a list."""

    def call(*args: Any, **settings: Any) -> Any:
        start = time.process_time()
        try:
            return function(*args, **settings)
        finally:
            seconds.append(time.process_time() - start)

    return call


def format_report(report: Mapping[str, Any]) -> str:
    """Format a table of speeds and one of shares."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    results = report["texts"]
    names = list(dict.fromkeys(name for row in results.values() for name in row["systems"]))
    peers = [name for name in PEERS if name in names]
    lines = [
        "Measured by `python benchmarks/words_speed.py`, in one run, on one core.",
        "",
        f"{report['machine']}, Python {report['python']}; {versions}. Model: {report['model']}.",
        *(f"\n{name} was not measured, as not installed." for name in PEERS if name not in peers),
        "",
        "The table shows characters per CPU second, from texts to segmented `Doc`s (peers: to "
        f"lists of words): the median, the lowest and the highest value of {report['rounds']} "
        "interleaved rounds. Ratios are computed within rounds.",
        "",
    ]
    heads = ["texts", "number", "characters", *names, f"{OURS} / {TOKENIZER}"]
    heads += [f"{OURS} / {name}" for name in peers]
    rows = []
    for title, row in results.items():
        speeds = row["systems"]
        cells = [title, f"{row['texts']:,}", f"{row['characters']:,}"]
        cells += [format_spread(find_spread(speeds[n])) if n in speeds else "" for n in names]
        for other in (TOKENIZER, *peers):
            ratio = find_ratio(speeds[OURS], speeds[other]) if other in speeds else None
            cells.append(format_ratio(ratio, with_range=True) if ratio else "")
        rows.append(cells)
    lines += table(heads, rows)
    lines += ["", "Median shares of the pipeline's CPU time, in percent:", ""]
    lines += table(
        ["texts", *PARTS],
        [
            [title, *(f"{100 * find_spread(row['shares'][part]).median:.1f}" for part in PARTS)]
            for title, row in results.items()
        ],
    )
    return "\n".join(lines) + "\n"


def find_machine() -> str:
    """Name the processor, if the system reports it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
