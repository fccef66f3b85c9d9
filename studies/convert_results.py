"""Convert results of before the one schema (see `results.py`); the numbers stay the same.

python -m studies.convert_results OLD NEW: OLD/study.json ... -> NEW/identifier.json ..., with
tables and charts; every figure of the old tables must be in the new ones.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from studies.downstream import runs as downstream_runs
from studies.downstream import tables as downstream_tables
from studies.identifier import languages
from studies.identifier import tables as identifier_tables
from studies.identifier.systems import IN_DOMAIN
from studies.parser import runs as parser_runs
from studies.parser import tables as parser_tables
from studies.parser.splits import Cell, parse_grid
from studies.pauses import comparisons as pause_comparisons
from studies.pauses import runs as pause_runs
from studies.pauses import tables as pause_tables
from studies.results import Results, Row, list_rows, write_results
from studies.strategies import tables as strategy_tables
from studies.text_scores import tables as text_scores
from studies.text_scores.meta_tasks import TASKS
from studies.words import compare as words

NUMBER = re.compile(r"(?<![\w.,])[-+−]?\d[\d,]*(?:\.\d+)?(?:±[\d.]+)?(?![\w]|\.\d)")
LAMBDA = ", lambda = "


def convert_identifier(old: Mapping[str, Any]) -> Results:
    """Convert a study of the identifier."""
    rows: list[Row] = []
    for run in old["runs"]:
        trained = {"trained": run["domain"]}
        seconds = {"training_seconds": run["training_seconds"]}
        rows += list_rows(run["system"], run["seed"], trained, seconds)
        for test, systems in run["scores"].items():
            for name, settings in systems.items():
                system, sign, value = name.partition(LAMBDA)
                place = {"lambda": float(value)} if sign else {}
                for texts, scores in settings.items():
                    setting = {**trained, "test": test, "texts": texts, **place}
                    rows += list_rows(system, run["seed"], setting, scores)
    return identifier_tables.make_results(old["study"], rows)


def convert_downstream(old: Mapping[str, Any]) -> Results:
    """Convert a downstream study."""
    rows: list[Row] = []
    for run in old["runs"]:
        for part, seconds in run["training_seconds"].items():
            rows += list_rows(part, run["seed"], {}, {"training_seconds": seconds})
        for layout, scores in run["scores"].items():
            rows += downstream_runs.list_scores(run["seed"], layout, scores)
    return downstream_tables.make_results(old["study"], rows)


def convert_parser(old: Mapping[str, Any]) -> Results:
    """Convert a parser study."""
    rows: list[Row] = []
    for run in old["runs"]:
        cell = Cell(run["remove_punct"], run["add_np"])
        rows += parser_runs.list_scores(run["lang"], cell, run["seed"], run, run["scores"])
    settings = dict(old["study"])
    grid = parse_grid(",".join(settings.pop("grid")))
    return parser_tables.make_results(settings, grid, rows)


def convert_languages(text: str) -> Results:
    """Convert the old table of languages, whose rows were not kept: one seed, one decimal."""
    rows: list[Row] = []
    heads: dict[str, list[str]] = {}
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for line in lines[2:]:
        *head, system, first, second = [cell.strip() for cell in line.strip("|").split("|")]
        heads.setdefault(head[0], head)
        for texts, cell in zip(languages.TEXTS, (first, second), strict=True):
            values = [round(float(value) / 100, 3) for value in cell.split(" / ")]
            scores = dict(zip(identifier_tables.OVERALL.values(), values, strict=True))
            place = dict.fromkeys(("trained", "test"), IN_DOMAIN)
            setting = {**place, "texts": texts, "lang": head[0]}
            rows += list_rows(system, 0, setting, scores)
    return languages.make_results({}, heads, rows)


def convert_words(old: Mapping[str, Any]) -> Results:
    """Convert the scores of word segmenters: means and deviations, as the seeds were not kept."""
    rows: list[Row] = []
    for title, found in old["sets"].items():
        facts = {name: found[name] for name in words.FACTS}
        for system, scores in found["systems"].items():
            means = {name: scores[name]["mean"] for name in words.SCORES}
            sds = {f"{name}_sd": scores[name]["sd"] for name in words.SCORES}
            numbers = {**facts, "seeds": scores["seeds"], **means, **sds}
            name = system.replace("embedded", "bundled")
            rows += list_rows(name, None, {"set": title}, numbers)
    settings = {name: value for name, value in old.items() if name != "sets"}
    return words.make_results(settings, rows)


def convert_text_scores(old: Mapping[str, Any]) -> Results:
    """Convert the agreement of scores with people; the paper's figures are those of the study."""
    rows: list[Row] = []
    for name, found in old["rows"].items():
        if name not in text_scores.PAPER:
            system, _, seed = name.partition(", seed ")
            rows += list_rows(system, int(seed) if seed else None, {}, found)
    settings = {"data": old["data"], "items": old["items"]}
    return text_scores.make_results(settings, rows, tasks=TASKS)


def convert_pauses(old: Mapping[str, Any]) -> Results:
    """Convert a study of pauses."""
    rows: list[Row] = []
    for found in old["runs"]:
        variant = pause_runs.Variant(found["system"], found["simulated"], found["noise"])
        rows += pause_runs.list_results(pause_runs.Run(variant, found["seed"]), found)
    for found in old["comparisons"]:
        a, b = (pause_runs.Variant(**found[name]) for name in "ab")
        pair = pause_comparisons.Pair(found["test"], a, b)
        rows += pause_comparisons.list_differences(pair, found["difference"], found["p"])
    return pause_tables.make_results(old["study"], rows)


def convert_strategies(old: Mapping[str, Any]) -> Results:
    """Convert the tables of the strategies; the word lists of each are in the notes."""
    tables = [strategy_tables.Table(**table) for table in old["tables"].values()]
    tables = [
        table._replace(
            name=table.name.replace("rungs", "success"),
            title=table.title.replace("rungs", "strategies"),
            header=[title.replace("rung", "strategy") for title in table.header],
        )
        for table in tables
    ]
    # A row of shares among counts is a note now.
    rows = [row for row in tables[0].rows if not isinstance(row[1], float)]
    (shares,) = (row for row in tables[0].rows if isinstance(row[1], float))
    plain, better, printed = (100 * float(cell or 0) for cell in shares[1:])
    note = (
        f"Wrong: {plain:.1f} % of the joined, {better:.1f} % with the lexicon, {printed:.1f} % in "
        "the paper."
    )
    tables[0] = tables[0]._replace(rows=rows, notes=[note, *tables[0].notes])
    return strategy_tables.make_results(tables, corpus="brown.jsonl")


# Old name -> new name, and how to convert.
CONVERTERS: dict[str, tuple[str, Callable[[Any], Results]]] = {
    "nlg_meta.json": ("text_scores", convert_text_scores),
    "words.json": ("words", convert_words),
    "languages.md": ("identifier_languages", convert_languages),
    "ladder.json": ("strategies", convert_strategies),
    "pause_study.json": ("pauses", convert_pauses),
    "pause_simulation.json": ("pauses_simulated", convert_pauses),
    "study.json": ("identifier", convert_identifier),
    "minilm.json": ("identifier_minilm", convert_identifier),
    "parser_study.json": ("parser", convert_parser),
    "downstream.json": ("downstream", convert_downstream),
}


def list_missing(old: str, new: str) -> list[str]:
    """List the figures of old tables that are not as often in the new ones.

    >>> list_missing("| a | 1.0±0.1 | −2.0 |", "| a | 1.0±0.1 | 2.0 |")
    ['-2.0']
    """
    found = Counter(_list_numbers(new))
    return sorted((Counter(_list_numbers(old)) - found).elements())


def _list_numbers(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [
        number.replace("−", "-")
        for line in lines
        for cell in line.strip("|").split("|")[1:]
        for number in NUMBER.findall(cell)
    ]


def main(old_folder: Path, new_folder: Path) -> None:
    """Convert all files that are there."""
    for old_name, (new_name, convert) in CONVERTERS.items():
        path = old_folder / old_name
        if not path.exists():
            continue
        text = path.read_text(encoding="utf8")
        results = convert(text if path.suffix == ".md" else json.loads(text))
        write_results(results, new_folder / new_name)
        table = path.with_suffix(".md")
        if table.exists():
            new = (new_folder / f"{new_name}.md").read_text(encoding="utf8")
            missing = list_missing(table.read_text(encoding="utf8"), new)
            print(f"{old_name} -> {new_name}: {len(results.rows)} rows, missing: {missing}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
