"""The tables and the chart of the downstream study."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies.downstream.corpora import LAYOUTS, ONE_LINE, PARAGRAPHS
from studies.downstream.systems import SYSTEMS
from studies.results import Column, Line, Results, Row, Table

ABOUT = (
    "Percent; mean±sd over the seeds, each with its own parser, senter and identifier. Scored on "
    "the words of the SUs of the test split, from raw text, as CoNLL 2018 does, but a multiword "
    "token that its words do not spell is one word, and wrong. LAS, UPOS: F1; precision is over "
    "the words that were parsed, recall over all of the SUs. Gain: of LAS over the text parsed "
    "whole, by the same parser. SU = sentence: SUs that are one sentence, no word less or more; at "
    "the gold units some are not, where a token has words of two. Trees right: SUs all words of "
    "which have the right head and relation. Not of SUs: share of the words parsed that no SU has."
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
DRAWN = ("las", "sents_r", "trees_r")


def make_results(settings: Mapping[str, Any], rows: Sequence[Row]) -> Results:
    """Put rows and tables together.

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
        title="What was done to the text",
        heads=["parsed"],
        lines=[
            Line(labels=[system.title.replace("`", "")], system=name)
            for name, system in SYSTEMS.items()
        ],
        columns=[
            column.model_copy(update={"setting": {"layout": layout}, "group": TITLES[layout]})
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
