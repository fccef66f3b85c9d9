"""The report of the pause study: all runs, comparisons and tables.

plan -> JSONs and counts of the runs that are done -> Report -> JSON, Markdown
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from studies.pauses.cells import NOTES, Study, Table
from studies.pauses.comparisons import Comparison, Pair, compare_all, list_pairs
from studies.pauses.jobs import Job, Variant, counts_path, read_counts, read_results
from studies.pauses.plans import Plan, describe_plan
from studies.pauses.tables import list_tables
from studies.significance import DRAWS


class Report(NamedTuple):
    """What a study found."""

    about: dict[str, Any]
    runs: list[Mapping[str, Any]]
    comparisons: Mapping[Pair, Comparison]
    tables: list[Table]

    def to_json(self) -> dict[str, Any]:
        """Make it ready for JSON; scores and differences are 0 to 1."""
        return {
            "study": self.about,
            "runs": self.runs,
            "comparisons": [
                {
                    "test": pair.test,
                    "a": pair.a._asdict(),
                    "b": pair.b._asdict(),
                    **found._asdict(),
                }
                for pair, found in self.comparisons.items()
            ],
        }

    def to_markdown(self) -> str:
        """Write all tables as Markdown."""
        parts = ["# Pauses as word boundaries\n", *(f"{note}\n" for note in NOTES)]
        return "\n".join([*parts, *map(format_markdown, self.tables)])


def make_report(plan: Plan) -> Report:
    """Read the runs that are done, compare them and lay them out."""
    results = read_results(plan)
    counts = {job: read_counts(plan, job) for job in results if counts_path(plan, job).exists()}
    comparisons = compare_all(counts, list_pairs(plan))
    about = {
        **describe_plan(plan),
        "systems": list(plan.systems),
        "seeds": list(plan.seeds),
        "noises": list(plan.noises),
        "tests": {name: path.name for name, path in plan.tests.items()},
        "draws": DRAWS,
    }
    tables = list_tables(Study(plan, results, comparisons))
    return Report(about, list(results.values()), comparisons, tables)


def study_from_json(found: Mapping[str, Any]) -> Study:
    """Make what the tables are laid out from of what `Report.to_json` gave; no file is read.

    >>> about = {"steps": 8, "tune_steps": 4, "tune_rate": 0.1, "rate": 0.3, "systems": ["base"]}
    >>> about |= {"seeds": [0], "noises": [], "tests": {"zx": "test.txt"}, "simulate": {}}
    >>> study = study_from_json({"study": about, "runs": [], "comparisons": []})
    >>> list(study.plan.tests), study.results
    (['zx'], {})
    """
    about, nowhere = found["study"], Path()
    plan = Plan(
        out=nowhere,
        pauses=nowhere,
        source=(),
        source_dev=nowhere,
        target_dev=nowhere,
        tests={name: Path(file) for name, file in about["tests"].items()},
        systems=tuple(about["systems"]),
        config=nowhere,
        steps=about["steps"],
        tune_steps=about["tune_steps"],
        tune_rate=about["tune_rate"],
        iteration=about.get("iteration", "best"),
        seeds=tuple(about["seeds"]),
        simulate=dict.fromkeys(about["simulate"], nowhere),
        rate=about["rate"],
        noises=tuple(about["noises"]),
    )
    results = {
        Job(run["system"], run["seed"], run["simulated"], run["noise"]): run
        for run in found["runs"]
    }
    comparisons = {
        Pair(row["test"], Variant(**row["a"]), Variant(**row["b"])): Comparison(
            row["difference"], row["p"], row["n_seeds"]
        )
        for row in found["comparisons"]
    }
    return Study(plan, results, comparisons)


def format_markdown(table: Table) -> str:
    """Write a table as Markdown, its title above and its notes below.

    >>> print(format_markdown(Table("T", [["a", "n"], ["x", "1"]], ["So it is."])))
    ## T
    <BLANKLINE>
    | a | n |
    | --- | ---: |
    | x | 1 |
    <BLANKLINE>
    So it is.
    <BLANKLINE>
    """
    head, *rows = table.rows
    rule = ["---" if column < table.n_left else "---:" for column in range(len(head))]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    return "\n".join([f"## {table.title}", "", *lines, "", *table.notes, ""])
