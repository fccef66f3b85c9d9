"""How fast `spacy-sentid augment` is, against parsing and serialising the same file with conllu.

python benchmarks/augment.py [--data FILE.conllu] [--repeat 5]

Prints seconds, the best of the repetitions, all in one run; and the memory that is held for the
noun phrases of the pool.
"""

import argparse
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import conllu
from corpora import add_data_option

from spacy_sentid.corpus_augmenter.treebanks import augment_treebanks

ROOT = Path(__file__).parent.parent
TREEBANK = "ud/UD_English-EWT/en_ewt-ud-train.conllu"


def round_trip(path: Path, output: Path) -> None:
    """Parse and serialise, unit by unit."""
    with path.open(encoding="utf8") as file, output.open("w", encoding="utf8") as out:
        for unit in conllu.parse_incr(file):
            out.write(unit.serialize())


def best_times(runs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Seconds of the fastest of the repetitions of each; they take turns."""
    seconds = dict.fromkeys(runs, float("inf"))
    for _ in range(repeat):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            seconds[name] = min(seconds[name], time.perf_counter() - started)
    return seconds


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, TREEBANK)
    parser.add_argument("--repeat", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "out.conllu")
        runs: dict[str, Callable[[], object]] = {
            "conllu: parse and serialise": lambda: round_trip(args.data, output)
        }
        for p, n in ((0.0, 0.0), (0.2, 0.2), (1.0, 1.0)):
            runs[f"augment --remove-punct {p:g} --add-np {n:g}"] = lambda p=p, n=n: (
                augment_treebanks([args.data], output, remove_punct=p, add_np=n)
            )
        seconds = best_times(runs, args.repeat)
        reference = next(iter(seconds.values()))
        megabytes = args.data.stat().st_size / 1e6
        print(f"{args.data.name}, {megabytes:.1f} MB\n\n| | seconds | MB/s | times as fast |")
        print("| --- | ---: | ---: | ---: |")
        for name, value in seconds.items():
            print(f"| {name} | {value:.2f} | {megabytes / value:.1f} | {reference / value:.1f} |")
        tracemalloc.start()
        report = augment_treebanks([args.data], output, remove_punct=0.2, add_np=0.2)
        peak = tracemalloc.get_traced_memory()[1]
        print(
            f"\nPeak memory of the Python heap: {peak / 1e6:.2f} MB for {report.n_pool:,} noun "
            f"phrases of the pool: {peak / report.n_pool:.0f} bytes each."
        )


if __name__ == "__main__":
    main()
