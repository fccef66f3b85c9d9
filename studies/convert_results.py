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
from studies.identifier import tables as identifier_tables
from studies.parser import runs as parser_runs
from studies.parser import tables as parser_tables
from studies.parser.splits import Cell, parse_grid
from studies.results import Results, Row, list_rows, write_results

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


# Old name -> new name, and how to convert.
CONVERTERS: dict[str, tuple[str, Callable[[Mapping[str, Any]], Results]]] = {
    "study": ("identifier", convert_identifier),
    "minilm": ("identifier_minilm", convert_identifier),
    "parser_study": ("parser", convert_parser),
    "downstream": ("downstream", convert_downstream),
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
        path = old_folder / f"{old_name}.json"
        if not path.exists():
            continue
        results = convert(json.loads(path.read_text(encoding="utf8")))
        write_results(results, new_folder / new_name)
        table = path.with_suffix(".md")
        if table.exists():
            new = (new_folder / f"{new_name}.md").read_text(encoding="utf8")
            missing = list_missing(table.read_text(encoding="utf8"), new)
            print(f"{old_name} -> {new_name}: {len(results.rows)} rows, missing: {missing}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
