"""The tables and the chart of the downstream study."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies.downstream.corpora import LAYOUTS, ONE_LINE, PARAGRAPHS
from studies.downstream.systems import IDENTIFIER, SYSTEMS
from studies.results import Column, Line, Results, Row, Table

ABOUT = (
    "Percent; mean±sd over the seeds, each with its own parser, senter and identifier. Scored from "
    "raw text on the words of the SUs of the test split, as in CoNLL 2018. One difference: if the "
    "words of a multiword token do not spell it, it is one word and always wrong. LAS, UPOS: F1. "
    "Precision is over the predicted words of SUs, recall over the gold words of SUs. Gain: "
    "difference in LAS to the text parsed whole by the same parser. SU = sentence: share of SUs "
    "that are exactly one sentence. With the gold units, some are not, because a token has words "
    "of two. Trees right: share of SUs in which all words have the right head and relation. Not of "
    "SUs: share of the predicted words that are in no SU."
)
TITLES = {
    PARAGRAPHS: "Documents with blank lines between paragraphs",
    ONE_LINE: "Documents on one line",
}
COLUMNS = [
    Column(title="LAS", metric="las"),
    Column(title="gain", metric="las_gain", signed=True),
    Column(title="precision", metric="las_p"),
    Column(title="recall", metric="las_r"),
    Column(title="UPOS", metric="upos"),
    Column(title="SU = sentence", metric="sents_r"),
    Column(title="trees right", metric="trees_r"),
    Column(title="not of SUs", metric="other"),
]
# Systems with other names in the chart.
DRAWN_NAMES = {
    "identifier": "after our identifier",
    "identifier-strip": "after our identifier, only sentences kept",
}
# Metric -> title of its panel.
DRAWN = {
    "las_gain": "Words with the right head and relation (LAS): difference from parsed whole",
    "sents_r": "Sentences that the parser also takes as one sentence",
    "trees_r": "Sentences whose tree is completely right",
}


def make_results(settings: Mapping[str, Any], rows: Sequence[Row]) -> Results:
    """Make the results, with their tables.

    settings: See `harness.Plan.to_dict`.
    """
    return Results(
        study="downstream",
        title="Downstream study",
        about=[ABOUT],
        command="python -m studies downstream",
        version=settings["version"],
        settings=dict(settings),
        tables=list_tables(),
        rows=list(rows),
    )


def list_tables() -> list[Table]:
    """List the chart, and a table for each layout."""
    chart = Table(
        title="Does it help a parser to find the sentences first?",
        about="Raw documents of the test split, in two layouts.",
        heads=["parsed"],
        lines=[
            Line(
                labels=[DRAWN_NAMES.get(name, system.title.replace("`", ""))],
                system=name,
                role="ours" if system.pipe == IDENTIFIER else "other",
            )
            for name, system in SYSTEMS.items()
        ],
        columns=[
            column.model_copy(
                update={
                    "title": DRAWN[column.metric],
                    "setting": {"layout": layout},
                    "group": TITLES[layout],
                }
            )
            for layout in LAYOUTS
            for column in COLUMNS
            if column.metric in DRAWN
        ],
        show="dots",
    )
    tables = [
        Table(
            title=TITLES[layout],
            heads=["parsed"],
            lines=[
                Line(labels=[system.title], system=name, setting={"layout": layout})
                for name, system in SYSTEMS.items()
            ],
            columns=COLUMNS,
        )
        for layout in LAYOUTS
    ]
    return [chart, *tables]
