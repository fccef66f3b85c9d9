"""The report of the pause study: all runs, comparisons and tables.

plan -> JSONs and counts of the runs that are done -> Report -> JSON, Markdown
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .cells import NOTES, Study, Table
from .comparisons import Comparison, Pair, compare_all, list_pairs
from .jobs import counts_path, read_counts, read_results
from .plans import Plan, describe_plan
from .significance import DRAWS
from .tables import list_tables


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
