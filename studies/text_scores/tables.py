"""The table of the agreement with people: the paper's Tables 4 to 6 in one."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from studies import results
from studies.results import Line, Results, Row, Table
from studies.text_scores.meta_tasks import COLUMNS

ABOUT = (
    "Agreement with people. SummEval, REALSumm: Spearman over the systems of a document, averaged; "
    "Q-CNN: Pearson; data-to-text: Spearman; Rank19: accuracy; WMT19: its variant of Kendall's "
    "tau. Ties of a better and a worse text are errors."
)
# Rows of the paper's tables, for the columns that have the same name.
PAPER = {
    "ROUGE-1 (paper)": {
        "SummEval COH": 0.167, "SummEval FAC": 0.160, "SummEval FLU": 0.115,
        "SummEval INFO": 0.326, "REALSumm COV": 0.498, "Rank19 FAC": 0.568, "Q-CNN FAC": 0.338,
        "BAGEL INFO": 0.234, "SFRES INFO": 0.115,
    },
    "BERTScore (paper)": {
        "SummEval COH": 0.284, "SummEval FAC": 0.110, "SummEval FLU": 0.193,
        "SummEval INFO": 0.312, "REALSumm COV": 0.440, "Rank19 FAC": 0.713, "Q-CNN FAC": 0.576,
        "BAGEL INFO": 0.289, "SFRES INFO": 0.156, "WMT19 kk-en": 0.351, "WMT19 lt-en": 0.381,
    },
    "ParaTag (paper)": {
        "SummEval COH": 0.253, "SummEval FAC": 0.472, "SummEval FLU": 0.357,
        "SummEval INFO": 0.219, "REALSumm COV": 0.504, "Rank19 FAC": 0.853, "Q-CNN FAC": 0.694,
        "BAGEL INFO": 0.318, "SFRES INFO": 0.206, "WMT19 kk-en": 0.380, "WMT19 lt-en": 0.382,
    },
}  # fmt: skip


def make_results(
    settings: Mapping[str, Any], rows: Sequence[Row], *, tasks: Collection[str]
) -> Results:
    """Put rows and the table together, with the paper's figures for the same tasks."""
    columns = [column for column in COLUMNS if column.task in tasks]
    everything = list(rows)
    for name, values in PAPER.items():
        found = {column.name: values.get(column.name) for column in columns}
        everything += results.list_rows(name, None, {}, found)
    systems = dict.fromkeys(row.system for row in everything)
    table = Table(
        title="Agreement with people",
        heads=["scores"],
        lines=[Line(labels=[name], system=name) for name in systems],
        columns=[
            results.Column(title=column.name, metric=column.name, percent=False, digits=3)
            for column in columns
        ],
    )
    return Results(
        study="text_scores",
        title="Scores of texts against people",
        about=[ABOUT],
        command="python -m studies text-scores",
        settings=dict(settings),
        tables=[table],
        rows=everything,
    )
