# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Compare the speed of the identifier with that of other sentence splitters, on one core.

texts -> every system in interleaved rounds, CPU time -> JSON -> tables, figure, docs/speed.md

Ratios are computed within rounds. Install the peers with `pip install -r
benchmarks/sentence_peers.txt`; the report names those that are missing. A run takes about ten
minutes.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import gc
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import spacy
import speed_figure
import speed_flops
import speed_parts
import speed_tables
import speed_texts
from corpora import add_data_option
from sentence_peers import find_machine
from sentence_systems import SYSTEMS
from speed_rounds import find_spread, time_rounds
from speed_systems import PEERS, SENTERS, TOKENIZER, Systems, build_systems, score_systems

from spacy_sentid.files.atomic import open_output
from spacy_sentid.sentence_identifier.access.units import FACTORY
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.evaluation.documents import AS_IS
from studies.results import add_suffix, read_results

PARTS = ("words", "scores", "against", "flops", "alone", "batches", "memory", "start")
STUDY = ROOT / "studies" / "published" / "documents.json"  # has scores of a senter w96 d4
TRAINED = "senter w96 d4"
GROUPS = {"rule_sentencizer": "ours", "segment": "ours", "sentencizer": "spaCy"} | dict.fromkeys(
    SENTERS, "spaCy"
)


def main() -> None:
    """Measure, or read an earlier report, and write the tables and the figure."""
    args = make_parser().parse_args()
    if args.only_tables:
        report = json.loads(add_suffix(args.out, "json").read_text(encoding="utf8"))
    else:
        report = json.loads(format_json(measure(args)))  # tables have the numbers of the file
    tables = speed_tables.format_report(report)
    print(tables, end="")
    if args.out is None:
        return
    figure = speed_figure.draw_figure(list_panels(report)) if has_panels(report) else None
    for suffix, text in (("json", format_json(report)), ("md", "# Speed\n\n" + tables)):
        with open_output(add_suffix(args.out, suffix)) as file:
            file.write(text)
    if figure:
        with open_output(add_suffix(args.out, "svg")) as file:
            file.write(figure)
    if args.page is not None:
        page = speed_tables.fill_page(args.page, tables)
        with open_output(args.page) as file:
            file.write(page)


def make_parser() -> argparse.ArgumentParser:
    """Build the parser of the options."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "ud/UD_English-EWT")
    add_data_option(parser, "brown/brown.jsonl", option="--long")
    parser.add_argument(
        "--model",
        action="append",
        metavar="NAME=PATH",
        help="a pipeline of ours, repeatable. The first one is measured in all parts, and the "
        f"others are compared with it. Default: {FACTORY}=en, the bundled weights",
    )
    parser.add_argument(
        "--senter",
        action="append",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="a trained senter, w16 d2 or w96 d4, for its SU F1; repeatable. Without one, the SU "
        "F1 of w96 d4 is read from studies/published/documents.json",
    )
    parser.add_argument(
        "--against",
        metavar="NAME=PYTHON",
        help="the Python of another environment, with another commit of spacy-sentid",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument(
        "--long-words", type=int, default=50_000, help="number of words of a long document"
    )
    parser.add_argument(
        "--price", type=float, default=0.05, help="price of a core-hour, in dollars"
    )
    parser.add_argument("--out", type=Path, help="name of the .json, .md and .svg files")
    parser.add_argument("--page", type=Path, help="page of the docs to put the tables into")
    parser.add_argument(
        "--only-tables", action="store_true", help="write tables from the existing .json file"
    )
    return parser


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """Measure all parts that were requested."""
    models = dict(cut_name(model) for model in args.model or [f"{FACTORY}=en"])
    first = next(iter(models))
    units = speed_texts.read_units(args.data, args.long)
    medium = speed_texts.join_units(speed_texts.share(units, "medium"))
    texts = {
        "short": speed_texts.deal(speed_texts.share(units, "short"), args.rounds),
        "medium": speed_texts.deal(medium, args.rounds),
        "long": speed_texts.read_long(args.long, args.rounds, args.long_words),
    }
    alone = speed_texts.cut_alone(speed_texts.share(units, "alone"), args.rounds)
    other, python = cut_name(args.against) if args.against else ("", "")
    report: dict[str, Any] = {
        "command": name_command(args), "rounds": args.rounds, "price": args.price,
        "models": list(models), "machine": find_machine(), "python": platform.python_version(),
        "texts": {
            kind: {"texts": find_spread(map(len, rounds.texts)).median,
                   "words": find_spread(rounds.n_words).median}
            for kind, rounds in texts.items()
        },
    }  # fmt: skip
    if "start" in args.parts:  # while this process is still small
        report["start"] = speed_parts.measure_start(args.rounds)
    if "memory" in args.parts:
        pythons = {first: sys.executable} | ({other: python} if other else {})
        report["memory"] = speed_parts.measure_memory(models[first], args.long, pythons)
    if "against" in args.parts and other:
        workers = (
            speed_parts.Worker(sys.executable, models[first]), speed_parts.Worker(python, "en"),
        )  # fmt: skip
        kinds = speed_parts.measure_against(*workers, {**texts, "alone": alone}, alone="alone")
        report["against"] = {"name": other, "kinds": kinds}
        for worker in workers:
            worker.stop()
    systems = build_systems(models, args.senter, texts["medium"].warm_up)
    report["missing"] = systems.missing
    packages = {SYSTEMS[name].package for name in systems.splits} | {"spacy", "numpy", "blis"}
    report["versions"] = {name: version(name) for name in sorted(packages | {"spacy-sentid"})}
    gc.freeze()  # so that no timing includes a scan of all loaded objects
    runs = systems.list_runs()
    if "words" in args.parts:
        report["words"] = {
            kind: speed_parts.find_rates(
                time_rounds(runs, rounds.texts, repeatable=set(PEERS)), rounds.n_words
            )
            for kind, rounds in texts.items()
        }
    if "flops" in args.parts:
        report["flops"] = speed_flops.measure_flops(models[first], texts["medium"])
    if "alone" in args.parts:
        components = {n: nlp for n, nlp in systems.pipelines.items() if n != TOKENIZER}
        report["alone"] = speed_parts.measure_alone(components, alone)
    if "batches" in args.parts:
        kinds = {kind: texts[kind] for kind in ("short", "medium")}
        report["batches"] = speed_parts.measure_batches(models[first], kinds)
    if "scores" in args.parts:
        report["scores"] = measure_scores(args, systems)
    return report


def cut_name(argument: str) -> tuple[str, str]:
    """Split NAME=PATH; without a name, the path is the name.

    >>> cut_name("new=training/model-best"), cut_name("en")
    (('new', 'training/model-best'), ('en', 'en'))
    """
    name, found, path = argument.partition("=")
    return (name, path) if found else (argument, argument)


def name_command(args: argparse.Namespace) -> str:
    """Format the command without the names of local folders."""
    words = ["python benchmarks/speed.py", f"--rounds {args.rounds}"]
    words += [f"--model {cut_name(model)[0]}=FOLDER" for model in args.model or ()]
    words += ["--senter FOLDER"] * len(args.senter)
    words += [f"--against {cut_name(args.against)[0]}=PYTHON"] if args.against else []
    words += [] if set(args.parts) == set(PARTS) else ["--parts", *args.parts]
    return " ".join(words)


def measure_scores(args: argparse.Namespace, systems: Systems) -> dict[str, dict[str, float]]:
    """Find the SU F1 of all systems on the sets of the documents study."""
    study = read_results(STUDY)
    nlp = spacy.blank("en")
    sets = {
        "everyday": ROOT / "assets" / "everyday" / "test",
        "EWT": args.data / "en_ewt-ud-test.conllu",
    }
    scores = {}
    for title, path in sets.items():
        documents = list(read_documents(path, nlp, ignore_list_marks=True))  # as in the study
        found = score_systems(systems, documents)
        values = study.values("senter", "su_f", {"set": title, "layout": AS_IS})
        if TRAINED not in found and values:
            found[TRAINED] = sum(values) / len(values)
        scores[title] = found
    return scores


def has_panels(report: dict[str, Any]) -> bool:
    """Check if a report has the parts that the figure shows."""
    return {"words", "scores"} <= set(report)


def list_panels(report: dict[str, Any]) -> dict[str, list[speed_figure.Point]]:
    """List the points of each panel: the speed on medium texts, the SU F1 on documents."""
    panels = {}
    study = read_results(STUDY)
    for title, scores in report["scores"].items():
        (n, *_) = study.values("ours", "documents", {"set": title, "layout": AS_IS})
        points = []
        for name, rates in report["words"]["medium"].items():
            score = speed_tables.find_score(scores, name)
            if score is None:
                continue
            name = name.split(", ")[0]  # without the name of the BLAS
            group = GROUPS.get(name, "others") if name not in report["models"] else "the identifier"
            speed = find_spread(rates).median
            points.append(speed_figure.Point(name, group, speed, 100 * score))
        panels[f"{title[0].upper()}{title[1:]} documents (n = {n})"] = points
    return panels


def format_json(report: dict[str, Any]) -> str:
    """Format the report as JSON, with five significant digits."""
    rounded = json.loads(json.dumps(report), parse_float=lambda text: float(f"{float(text):.5g}"))
    return json.dumps(rounded, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
