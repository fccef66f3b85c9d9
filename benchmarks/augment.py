"""Compare `spacy-sentid augment` with parsing and serialising the same file with conllu.

python benchmarks/augment.py [--data FILE.conllu] [--rounds 9]

Prints CPU seconds and speed relative to conllu, as medians with their range over interleaved
rounds.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import conllu
from corpora import add_data_option

from spacy_sentid.corpus_augmenter.treebanks import augment_treebanks

ROOT = Path(__file__).parent.parent
TREEBANK = "ud/UD_English-EWT/en_ewt-ud-train.conllu"


def round_trip(path: Path, output: Path) -> None:
    """Parse and serialise a file, unit by unit."""
    with path.open(encoding="utf8") as file, output.open("w", encoding="utf8") as out:
        for unit in conllu.parse_incr(file):
            out.write(unit.serialize())


def measure_times(runs: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Measure CPU seconds in each round. Systems take turns, so that load affects all equally."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            started = time.process_time()
            run()
            seconds[name].append(time.process_time() - started)
    return seconds


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, TREEBANK)
    parser.add_argument("--rounds", type=int, default=9)
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
        seconds = measure_times(runs, args.rounds)
        reference = next(iter(seconds.values()))
        megabytes = args.data.stat().st_size / 1e6
        print(f"{args.data.name}, {megabytes:.1f} MB, {args.rounds} rounds\n")
        print("| | CPU seconds | MB/s | times as fast |\n| --- | ---: | ---: | ---: |")
        for name, values in seconds.items():
            middle = median(values)
            ratios = [first / own for first, own in zip(reference, values, strict=True)]
            print(
                f"| {name} | {middle:.2f} | {megabytes / middle:.1f} "
                f"| {median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}] |"
            )


if __name__ == "__main__":
    main()
