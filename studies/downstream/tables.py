"""The tables and the figure of the downstream study.

JSONs of the seeds -> mean and sd, gain over the text parsed whole -> Markdown; an SVG
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from spacy_sentid.plotting import SVG_METADATA, import_matplotlib, use_own_settings
from studies.downstream.corpora import LAYOUTS, ONE_LINE, PARAGRAPHS
from studies.downstream.systems import SYSTEMS

Result = Mapping[str, Any]
BASELINE = next(iter(SYSTEMS))

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


class Column(NamedTuple):
    """One metric of the tables and the figure."""

    title: str
    key: str  # see `scores.rate_counts`


LAS = Column("LAS", "las")
SENTENCES, TREES = Column("SU = sentence", "sents_r"), Column("trees right", "trees_r")
COLUMNS = (
    LAS,
    Column("precision", "las_p"),
    Column("recall", "las_r"),
    Column("UPOS", "upos"),
    SENTENCES,
    TREES,
    Column("not of SUs", "other"),
)
GAIN = "gain"
DRAWN = (LAS, SENTENCES, TREES)


def study_tables(results: Sequence[Result]) -> str:
    """Write a table for each layout as Markdown."""
    parts = [f"{ABOUT}\n"]
    for layout in list_layouts(results):
        head, *rows = table_rows(results, layout)
        lines = [f"## {TITLES[layout]}\n", f"| {' | '.join(head)} |"]
        lines.append("| --- | ---: |" + " ---: |" * (len(head) - 2))
        parts.append("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n")
    return "\n".join(parts)


def list_layouts(results: Sequence[Result]) -> list[str]:
    """List the layouts that were measured."""
    return [layout for layout in LAYOUTS if all(layout in entry["scores"] for entry in results)]


def list_values(results: Sequence[Result], layout: str, system: str, column: Column) -> list[float]:
    """List a metric of the seeds, 0 to 1."""
    return [result["scores"][layout][system][column.key] for result in results]


def table_rows(results: Sequence[Result], layout: str) -> list[list[str]]:
    """Lay out a table as rows of cells, the heading first."""
    rows = [["parsed", "seeds", LAS.title, GAIN, *(column.title for column in COLUMNS[1:])]]
    baseline = list_values(results, layout, BASELINE, LAS)
    for name, system in SYSTEMS.items():
        values = {column: list_values(results, layout, name, column) for column in COLUMNS}
        gains = [value - before for value, before in zip(values[LAS], baseline, strict=True)]
        gain = "" if name == BASELINE else mean_and_sd(gains, signed=True)
        las, *cells = map(mean_and_sd, values.values())
        rows.append([system.title, str(len(results)), las, gain, *cells])
    return rows


def mean_and_sd(values: Sequence[float], *, signed: bool = False) -> str:
    """Write mean and sample standard deviation in percent; the latter from two values on.

    >>> mean_and_sd([0.5, 0.52]), mean_and_sd([0.01], signed=True), mean_and_sd([-0.0001])
    ('51.0±1.4', '+1.0', '0.0')
    """
    rounded = round(100 * fmean(values), 1)
    mean = f"{rounded:{'+' if signed and rounded else ''}.1f}".replace("-0.0", "0.0")
    mean = mean.replace("-", "−")
    return f"{mean}±{100 * stdev(values):.1f}" if len(values) > 1 else mean


def draw_study(results: Sequence[Result], path: Path) -> None:
    """Draw some metrics by what was done to the text; mean and sd."""
    matplotlib = import_matplotlib()
    with use_own_settings():
        figure = matplotlib.figure.Figure(figsize=(10, 3.3), layout="constrained")
        axes = figure.subplots(1, len(DRAWN), sharey=True)
        for axis, column in zip(axes, DRAWN, strict=True):
            _draw_metric(axis, column, results)
        axes[0].set_yticks(range(len(SYSTEMS)), list_titles())
        axes[0].set_ylim(len(SYSTEMS) - 0.5, -0.5)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata=SVG_METADATA)


def list_titles() -> list[str]:
    """List what was done to the text, without mark-up."""
    return [system.title.replace("`", "") for system in SYSTEMS.values()]


def _draw_metric(axis: Any, column: Column, results: Sequence[Result]) -> None:
    looks = {PARAGRAPHS: ("tab:blue", "o", -0.13), ONE_LINE: ("tab:orange", "s", 0.13)}
    for layout in list_layouts(results):
        color, marker, shift = looks[layout]
        values = [list_values(results, layout, name, column) for name in SYSTEMS]
        axis.errorbar(
            [100 * fmean(found) for found in values],
            [row + shift for row in range(len(SYSTEMS))],
            xerr=[100 * stdev(found) if len(found) > 1 else 0.0 for found in values],
            fmt=marker, color=color, markersize=4, capsize=2, label=TITLES[layout],
        )  # fmt: skip
    axis.set_title(column.title, fontsize=10)
    axis.set_xlabel("percent", fontsize=8)
    axis.tick_params(axis="x", labelsize=8)
    axis.grid(axis="y", linewidth=0.4, alpha=0.6)
    axis.margins(x=0.1)
    axis.locator_params(axis="x", nbins=5)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
