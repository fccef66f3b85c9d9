"""Tables of the agreement with people, with a row for each column of the paper's Tables 4 to 6."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies import results
from studies.paper_figures import AGREEMENT
from studies.results import Line, Results, Row, Table
from studies.text_scores.meta_evaluation import SAME_SIDE, TAGGER_ROWS
from studies.text_scores.meta_tasks import Task

ABOUT = (
    "Agreement with people. SummEval, REALSumm: Spearman over the systems of a document, averaged; "
    "Q-CNN: Pearson; data-to-text: Spearman; Rank19: accuracy; WMT19: its variant of Kendall's "
    'tau; other tasks: Spearman. Ties of a better and a worse text are errors. Rows with "same '
    'side" use precision, recall or F like the tagger, and other rows like the paper.'
)
METRIC, TASK = "agreement", "task"
# Systems of the short table, if they were measured.
SHORT = (
    *TAGGER_ROWS,
    "chrF",
    *map(SAME_SIDE.format, ("ROUGE-1", "ROUGE-2", "ROUGE-L")),
    "likelihood",
    "ParaTag (paper)",
)


def make_results(
    settings: Mapping[str, Any],
    measured: Mapping[str, Mapping[str, float]],
    *,
    tasks: Sequence[Task],
    command: str,
) -> Results:
    """Make the results, with the paper's figures for the same tasks.

    measured: System -> column -> value.
    """
    names = [column.name for task in tasks for column in task.columns]
    paper = {
        system: {name: values[name] for name in names if name in values}
        for system, values in AGREEMENT.items()
    }
    rows = [
        Row(system, None, {TASK: name}, METRIC, value)
        for system, values in {**measured, **paper}.items()
        for name, value in values.items()
    ]
    systems = list(dict.fromkeys(row.system for row in rows))
    short = [name for name in SHORT if name in systems]
    return Results(
        study="text_scores",
        title="Scores of texts against people",
        about=[ABOUT],
        command=command,
        settings=dict(settings),
        tables=[_make_table("In short", names, short), _make_table("All", names, systems)],
        rows=rows,
    )


def _make_table(title: str, names: Sequence[str], systems: Sequence[str]) -> Table:
    return Table(
        title=title,
        heads=["task"],
        lines=[Line(labels=[name], setting={TASK: name}) for name in names],
        columns=[
            results.Column(title=name, metric=METRIC, system=name, percent=False, digits=3)
            for name in systems
        ],
    )
