"""Score word segmenters and jieba on the same sets of segmented text, in one run.

gold words -> text -> every system -> P, R, F1, OOV recall, S-rate -> Markdown, JSON

Give pipelines as NAME=PATH; several PATHs of one NAME (repeated, or a pattern in quotes) are the
seeds of one recipe, for mean and standard deviation. Without any it is the embedded weights.
jieba (`pip install jieba`): precise mode, with its HMM; where it is missing its rows are left out.
OOV: words that are not in source_gsd/train.txt.
"""

import argparse
import glob
import json
import logging
import platform
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.files.atomic import open_output
from spacy_sentid.pipelines import find, load
from spacy_sentid.word_segmenter.boundary_probs import segment_texts
from spacy_sentid.word_segmenter.corpus import read_words
from spacy_sentid.word_segmenter.evaluation import evaluate_sentences, read_vocabulary

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared/data/cws"
OUT = ROOT / "benchmarks/results/words"
EMBEDDED = "embedded"
JIEBA = "jieba"
TRAIN = "source_gsd/train.txt"


class GoldSet(NamedTuple):
    """A file of segmented text; in_training: the embedded weights were trained on it."""

    title: str
    path: str
    in_training: bool = False


SETS = (
    GoldSet("GSD test", "source_gsd/test.txt"),
    GoldSet("GSD test, no punctuation", "source_gsd_nopunct/test.txt"),
    GoldSet("AISHELL2 dev", "aishell2/dev.txt"),
    GoldSet("ZX dev", "zx/dev.txt"),
    GoldSet("ZX test", "zx/test.txt"),
    GoldSet("FR", "fr/test.txt"),
    GoldSet("DM", "dm/test.txt"),
    GoldSet("PT", "pt/test.txt"),
    GoldSet("Beginner", "ud_extra/beginner_grammar_examples.txt"),
    GoldSet("CFL", "ud_extra/cfl_learner_essays.txt", in_training=True),
    GoldSet("PUD", "ud_extra/pud_news_wiki.txt", in_training=True),
    GoldSet("HK", "ud_extra/hk_spoken.txt", in_training=True),
)
SCORES = {
    "word_p": "P",
    "word_r": "R",
    "word_f": "F1",
    "oov_r": "OOV recall",
    "single_rate": "S-rate",
}
# What a set is, whatever segments it.
FACTS = ("sentences", "words", "characters", "oov_rate", "gold_single_rate")
Segment = Callable[[Iterable[str]], Iterable[Sequence[str]]]


def main() -> None:
    """Score everything, print the tables, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument(
        "--raw-text", action="append", default=[], metavar="NAME",
        help="score this model once more, after it has read the text of all sets, without words",
    )  # fmt: skip
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the sets")
    parser.add_argument("--out", type=Path, default=OUT, help="name for a .json and a .md file")
    args = parser.parse_args()
    models = find_models(args.model or [f"{EMBEDDED}=zh"])
    known = read_vocabulary([args.data / TRAIN])
    golds = {row.title: read_words(args.data / row.path) for row in SETS}
    scores: dict[str, dict[str, list[dict[str, Any]]]] = {row.title: {} for row in SETS}
    texts = ["".join(words) for gold in golds.values() for words in gold]
    for name, segment in make_systems(models, args.raw_text, texts):
        print(f"{name} ...", flush=True)
        for title, gold in golds.items():
            found = evaluate_sentences(segment, gold, in_vocabulary=known)
            scores[title].setdefault(name, []).append(found)
    packages = ["spacy", "spacy-sentid", *([JIEBA] if find_spec(JIEBA) else [])]
    report = {
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
        "models": models,
        "sets": {row.title: summarise_set(row, scores[row.title]) for row in SETS},
    }
    tables = format_report(report)
    print(tables, end="")
    with open_output(args.out.with_suffix(".json")) as file:
        file.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    with open_output(args.out.with_suffix(".md")) as file:
        file.write(tables)


def find_models(arguments: Iterable[str]) -> dict[str, list[str]]:
    """Read NAME=PATH; the paths of each name, patterns replaced by what they match.

    >>> find_models(["embedded=zh"])
    {'embedded': ['zh']}
    """
    models: dict[str, list[str]] = {}
    for argument in arguments:
        name, _, pattern = argument.partition("=")
        if not name or not pattern:
            raise SystemExit(f"Found --model {argument!r}, expected NAME=PATH.")
        paths = sorted(glob.glob(pattern)) if glob.has_magic(pattern) else [pattern]
        if not paths:
            raise SystemExit(f"Found nothing that {pattern!r} matches, expected folders of {name}.")
        models.setdefault(name, []).extend(paths)
    return models


def make_systems(
    models: Mapping[str, Sequence[str]], raw_text: Sequence[str], texts: Sequence[str]
) -> Iterator[tuple[str, Segment]]:
    """Give jieba, then each pipeline, one after the other, so that one is in memory.

    raw_text: Names of those that come a second time, after `read_raw_text` of the texts.
    """
    cut = find_jieba()
    if cut is not None:
        yield JIEBA, lambda texts: map(cut, texts)
    for name, paths in models.items():
        for path in paths:
            nlp = load(path, "word_segmenter")
            yield name, lambda texts, nlp=nlp: segment_texts(nlp, texts)
            if name in raw_text:
                find(nlp, "word_segmenter").read_raw_text(texts, nlp.make_doc)
                yield f"{name} + raw text", lambda texts, nlp=nlp: segment_texts(nlp, texts)


def find_jieba() -> Callable[[str], list[str]] | None:
    """Load jieba's precise mode with its HMM; None, and a message, if it is not installed."""
    if find_spec(JIEBA) is None:
        print("jieba is not installed, so it is left out: pip install jieba", flush=True)
        return None
    import jieba

    jieba.setLogLevel(logging.ERROR)
    jieba.initialize()
    return lambda text: jieba.lcut(text, cut_all=False, HMM=True)


def summarise_set(row: GoldSet, systems: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, Any]:
    """Give what a set is, and mean and standard deviation (n - 1) of each system's scores.

    `sd` is None for one seed.
    """
    runs_of_any = next(iter(systems.values()))
    summary = {"in_training": row.in_training, **{name: runs_of_any[0][name] for name in FACTS}}
    summary["systems"] = {
        name: {"seeds": len(runs), **{key: mean_and_sd([r[key] for r in runs]) for key in SCORES}}
        for name, runs in systems.items()
    }
    return summary


def mean_and_sd(values: Sequence[float]) -> dict[str, float | None]:
    """Give mean and standard deviation of the sample; None of one value.

    >>> mean_and_sd([0.5])
    {'mean': 0.5, 'sd': None}
    """
    spread = statistics.stdev(values) if len(values) > 1 else None
    return {"mean": statistics.fmean(values), "sd": spread}


def format_report(report: Mapping[str, Any]) -> str:
    """Lay out one table of all F1, then one of each set."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    sets = report["sets"]
    systems = list(dict.fromkeys(name for result in sets.values() for name in result["systems"]))
    lines = [
        "Made by `python benchmarks/words.py`, in one run.",
        "",
        f"Python {report['python']}; {versions}.",
        "",
        *(["jieba is not installed, so not measured.", ""] if JIEBA not in systems else []),
        "All numbers in percent; with several seeds mean±standard deviation (n - 1). F1 is of "
        "words with exact spans. OOV: words that are not in GSD train. S-rate: the share of "
        "characters that are words by themselves. \\*: in the training data of the embedded "
        "weights. + raw text: after `read_raw_text` of the text of all sets, without their words.",
        "",
        "## F1",
        "",
    ]
    rows = [
        [
            title + (" \\*" if result["in_training"] else ""),
            *(format_cell(result["systems"].get(name, {}).get("word_f")) for name in systems),
        ]
        for title, result in sets.items()
    ]
    lines += table(["set", *systems], rows)
    for title, result in sets.items():
        lines += [
            "",
            f"## {title}",
            "",
            f"{result['sentences']:,} sentences, {result['words']:,} words, "
            f"{result['characters']:,} characters; OOV rate {100 * result['oov_rate']:.1f}, S-rate "
            f"of the gold words {100 * result['gold_single_rate']:.1f}."
            + (" In the training data of the embedded weights." if result["in_training"] else ""),
            "",
        ]
        rows = [
            [name, str(scores["seeds"]), *(format_cell(scores[key]) for key in SCORES)]
            for name, scores in result["systems"].items()
        ]
        lines += table(["system", "seeds", *SCORES.values()], rows)
    return "\n".join(lines) + "\n"


def format_cell(score: Mapping[str, Any] | None) -> str:
    """Write a score in percent.

    >>> format_cell({"mean": 0.9512, "sd": 0.0013}), format_cell(None)
    ('95.1±0.1', '-')
    """
    if score is None:
        return "-"
    spread = "" if score["sd"] is None else f"±{100 * score['sd']:.1f}"
    return f"{100 * score['mean']:.1f}{spread}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lay out a table: the first column to the left, the others to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


if __name__ == "__main__":
    main()
