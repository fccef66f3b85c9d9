"""The tables and the figure of the downstream study.

JSONs of the seeds -> mean and sd, gain over the text parsed whole -> Markdown; an SVG
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from ..plotting import SVG_METADATA, SVG_SETTINGS, import_matplotlib
from .runs import LAYOUTS, PARSERS
from .systems import SYSTEMS

Result = Mapping[str, Any]
BASELINE = next(iter(SYSTEMS))

ABOUT = (
    "Percent; mean±sd over the seeds, each with its own parser, senter and identifier. Scored on "
    "the words of the SUs of the test split, from raw text (CoNLL 2018). LAS, UPOS: F1; precision "
    "is over the words that were parsed, recall over all of the SUs. Gain: of LAS over the text "
    "parsed whole, by the same parser. SU = sentence: SUs that are one sentence, no word less or "
    "more. Trees right: SUs all words of which have the right head and relation. Not of SUs: share "
    "of the words parsed that no SU has."
)
PARSER_TITLES = {
    "documents": "A parser that learned from documents",
    "units": "A parser that learned from single units",
}
LAYOUT_TITLES = {LAYOUTS[0]: "blank lines between paragraphs", LAYOUTS[1]: "all on one line"}


class Column(NamedTuple):
    """One metric of the tables."""

    title: str
    key: str  # see `scores.rate_counts`


class Drawn(NamedTuple):
    """One pair of axes of the figure."""

    title: str
    parser: str
    key: str


LAS = Column("LAS", "las")
COLUMNS = (
    LAS,
    Column("precision", "las_p"),
    Column("recall", "las_r"),
    Column("UPOS", "upos"),
    Column("SU = sentence", "sents_r"),
    Column("trees right", "trees_r"),
    Column("not of SUs", "other"),
)
GAIN = "gain"
DRAWN = (
    Drawn("LAS, parser of documents", "documents", "las"),
    Drawn("LAS, parser of units", "units", "las"),
    Drawn("words parsed that are not of SUs", "documents", "other"),
)


def study_tables(results: Sequence[Result]) -> str:
    """Write a table for each parser and layout as Markdown."""
    parts = [f"{ABOUT}\n"]
    for parser in PARSERS:
        for layout in LAYOUTS:
            head, *rows = table_rows(results, parser, layout)
            lines = [f"## {title_table(parser, layout)}\n", f"| {' | '.join(head)} |"]
            lines.append("| --- | ---: |" + " ---: |" * (len(head) - 2))
            parts.append("\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n")
    return "\n".join(parts)


def title_table(parser: str, layout: str) -> str:
    """Name the table of a parser and a layout."""
    return f"{PARSER_TITLES[parser]}, {LAYOUT_TITLES[layout]}"


def list_systems(results: Sequence[Result]) -> list[str]:
    """List the systems that were measured, in the order of the tables."""
    measured = {
        name
        for result in results
        for layouts in result["scores"].values()
        for systems in layouts.values()
        for name in systems
    }
    return [name for name in SYSTEMS if name in measured]


def list_values(
    results: Sequence[Result], parser: str, layout: str, system: str, key: str
) -> list[float]:
    """List a metric of the seeds, 0 to 1."""
    return [result["scores"][parser][layout][system][key] for result in results]


def table_rows(results: Sequence[Result], parser: str, layout: str) -> list[list[str]]:
    """Lay out a table as rows of cells, the heading first."""
    rows = [["parsed", "seeds", LAS.title, GAIN, *(column.title for column in COLUMNS[1:])]]
    baseline = list_values(results, parser, layout, BASELINE, LAS.key)
    for system in list_systems(results):
        values = {
            column: list_values(results, parser, layout, system, column.key) for column in COLUMNS
        }
        gains = [value - before for value, before in zip(values[LAS], baseline, strict=True)]
        gain = "" if system == BASELINE else mean_and_sd(gains, signed=True)
        cells = [mean_and_sd(found) for found in values.values()]
        rows.append([SYSTEMS[system].title, str(len(results)), cells[0], gain, *cells[1:]])
    return rows


def mean_and_sd(values: Sequence[float], *, signed: bool = False) -> str:
    """Write mean and sample standard deviation in percent; the latter from two values on.

    >>> mean_and_sd([0.5, 0.52]), mean_and_sd([0.01], signed=True), mean_and_sd([-0.01])
    ('51.0±1.4', '+1.0', '−1.0')
    """
    mean = f"{100 * fmean(values):{'+' if signed else ''}.1f}".replace("-", "−")
    return f"{mean}±{100 * stdev(values):.1f}" if len(values) > 1 else mean


def draw_study(results: Sequence[Result], path: Path) -> None:
    """Draw LAS by parser, and what is parsed for nothing; mean and sd."""
    matplotlib = import_matplotlib()
    systems = list_systems(results)
    with matplotlib.rc_context(SVG_SETTINGS):
        figure = matplotlib.figure.Figure(
            figsize=(11, 0.34 * len(systems) + 1.3), layout="constrained"
        )
        axes = figure.subplots(1, len(DRAWN), sharey=True)
        for axis, drawn in zip(axes, DRAWN, strict=True):
            _draw_metric(axis, drawn, systems, results)
        titles = [SYSTEMS[name].title.replace("`", "") for name in systems]
        axes[0].set_yticks(range(len(systems)), titles)
        axes[0].set_ylim(len(systems) - 0.5, -0.5)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata=SVG_METADATA)


def _draw_metric(
    axis: Any, drawn: Drawn, systems: Sequence[str], results: Sequence[Result]
) -> None:
    looks = (("tab:blue", "o", -0.13), ("tab:orange", "s", 0.13))
    for layout, (color, marker, shift) in zip(LAYOUTS, looks, strict=True):
        values = [list_values(results, drawn.parser, layout, name, drawn.key) for name in systems]
        axis.errorbar(
            [100 * fmean(found) for found in values],
            [row + shift for row in range(len(systems))],
            xerr=[100 * stdev(found) if len(found) > 1 else 0.0 for found in values],
            fmt=marker, color=color, markersize=4, capsize=2, label=LAYOUT_TITLES[layout],
        )  # fmt: skip
    axis.set_title(drawn.title, fontsize=10)
    axis.set_xlabel("percent", fontsize=8)
    axis.tick_params(axis="x", labelsize=8)
    axis.grid(axis="y", linewidth=0.4, alpha=0.6)
    axis.margins(x=0.1)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
