"""The paper's Tables 4 to 7 from the runs of a parser study, and a figure of them.

JSONs of the runs -> mean and sd over seeds, marks against the baseline -> Markdown; an SVG
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from spacy_sentid.plotting import SVG_METADATA, import_matplotlib, use_own_settings
from studies.parser.plans import BASELINE, Cell, Plan

Result = Mapping[str, Any]
ROUNDING = 1e-9  # of means that are the same


ABOUT = (
    "Percent; mean±sd over the seeds, each with its own draw of the augmentation and its own "
    "training.\nP: share of end punctuation removed, N: noun phrases added, in train and dev; "
    "the test split is as it was. **+** better, **−** worse than\nthe baseline 0/0 by more "
    "than its standard deviation, as in the paper. NPUs: the noun phrase units without final "
    "punctuation of the\ntest split; NPs of the test: noun phrases drawn from its trees. LAS: "
    "as CoNLL 2018, gold words.\n"
)


class Column(NamedTuple):
    """One metric of the tables."""

    title: str
    get: Callable[[Result], float | None]  # 0 to 1; None where a run lacks it
    higher_is_better: bool = True
    digits: int = 1


def _phrases(name: str, key: str) -> Callable[[Result], float | None]:
    def get(result: Result) -> float | None:
        value: float | None = result["scores"]["noun_phrases"].get(name, {}).get(key)
        return value

    return get


def _either(name: str) -> Callable[[Result], float | None]:
    def get(result: Result) -> float | None:
        scores = result["scores"]["noun_phrases"].get(name)
        return None if scores is None else float(scores["np_detection"] + scores["propn_rate"])

    return get


def _score(group: str, key: str) -> Callable[[Result], float | None]:
    def get(result: Result) -> float | None:
        value: float | None = result["scores"].get(group, {}).get(key)
        return value

    return get


# Names of the lists of noun phrases: see `runs.measure_parser`.
LISTS = {"units": "test NPUs", "extracted": "NPs of the test", "phrases": "list"}
COLUMNS = [
    column
    for name, title in LISTS.items()
    for column in (
        Column(f"{title}: wrong punct ↓", _phrases(name, "wrong_punct_rate"), False),
        Column(f"{title}: NOUN", _phrases(name, "np_detection")),
        Column(f"{title}: NOUN or PROPN", _either(name)),
    )
] + [
    Column("UD: LAS", _score("treebank", "las_conll"), digits=2),
    Column("UD: UPOS", _score("treebank", "pos_acc")),
    Column("sentiment: recall", _score("sentiment", "recall")),
    Column("sentiment: precision", _score("sentiment", "precision")),
]


def mark(values: Sequence[float], baseline: Sequence[float], *, higher_is_better: bool) -> str:
    """Give the paper's mark: "+" or "-" if the mean differs by more than the baseline's sd.

    RETURNS: "" without a difference, or for a baseline of less than two runs.

    >>> mark([0.6], [0.4, 0.5], higher_is_better=True)
    '+'
    >>> mark([0.6], [0.5, 0.7], higher_is_better=True)
    ''
    """
    if len(baseline) < 2 or not values:
        return ""
    gain = fmean(values) - fmean(baseline)
    if abs(gain) <= stdev(baseline) + ROUNDING:
        return ""
    return "+" if (gain > 0) == higher_is_better else "−"


def study_tables(plan: Plan, results: Sequence[Result]) -> str:
    """Write a table for each language as Markdown."""
    parts = [ABOUT]
    for treebank in plan.treebanks:
        runs = group_runs(results, treebank.lang)
        if runs:
            parts.append(_format_table(treebank.lang, plan.grid, runs))
    return "\n".join(parts)


def group_runs(results: Sequence[Result], lang: str) -> dict[Cell, list[Result]]:
    """Put the runs of a language in order, by the cell of the grid."""
    runs: dict[Cell, list[Result]] = {}
    for result in results:
        if result["lang"] == lang:
            runs.setdefault(Cell(result["remove_punct"], result["add_np"]), []).append(result)
    return runs


def list_values(runs: Sequence[Result], column: Column) -> list[float]:
    """List a metric of runs; without those that lack it."""
    return [value for run in runs if (value := column.get(run)) is not None]


def _format_table(lang: str, grid: Sequence[Cell], runs: Mapping[Cell, list[Result]]) -> str:
    head, *rows = table_rows(grid, runs)
    lines = [f"## {lang}\n", f"{describe_test(runs)}\n", f"| {' | '.join(head)} |"]
    lines.append("| ---: | ---: | ---: |" + " ---: |" * (len(head) - 3))
    lines += [f"| {' | '.join(map(_embolden, row))} |" for row in rows]
    return "\n".join(lines) + "\n"


def _embolden(cell: str) -> str:
    """Make the mark of a cell bold.

    >>> _embolden("92.6±0.8 +")
    '92.6±0.8 **+**'
    """
    return f"{cell[:-1]}**{cell[-1]}**" if cell.endswith((" +", " −")) else cell


def describe_test(runs: Mapping[Cell, list[Result]]) -> str:
    """Say how much the runs of a language are measured on."""
    scores = next(iter(runs.values()))[0]["scores"]
    counts = {
        title: scores["noun_phrases"][name]["n_phrases"]
        for name, title in LISTS.items()
        if name in scores["noun_phrases"]
    }
    numbers = ", ".join(f"{title} {n:,}" for title, n in counts.items())
    units = f"{scores['treebank']['n_units']:,} test units"
    if "sentiment" in scores:
        units += f", {scores['sentiment']['units']} reviews"
    return f"{units}; {numbers}."


def table_rows(grid: Sequence[Cell], runs: Mapping[Cell, list[Result]]) -> list[list[str]]:
    """Lay out the runs of a language as rows of cells, the heading first; marks end a cell."""
    baseline = runs.get(BASELINE, [])
    columns = [
        column for column in COLUMNS if any(list_values(found, column) for found in runs.values())
    ]
    rows = [["P", "N", "seeds", *(column.title for column in columns)]]
    for cell in grid:
        found = runs.get(cell, [])
        if not found:
            continue
        cells = []
        for column in columns:
            values = list_values(found, column)
            text = _mean_and_sd(values, column.digits)
            if cell != BASELINE:
                sign = mark(
                    values, list_values(baseline, column), higher_is_better=column.higher_is_better
                )
                text = f"{text} {sign}" if sign else text
            cells.append(text)
        rows.append([*(f"{100 * share:g}" for share in cell), str(len(found)), *cells])
    return rows


def _mean_and_sd(values: Sequence[float], digits: int) -> str:
    if not values:
        return ""
    text = f"{100 * fmean(values):.{digits}f}"
    return f"{text}±{100 * stdev(values):.{digits}f}" if len(values) > 1 else text


def list_drawn() -> list[Column]:
    """List the metrics of the figure."""
    titles = (
        f"{LISTS['extracted']}: wrong punct ↓", f"{LISTS['units']}: NOUN or PROPN",
        f"{LISTS['extracted']}: NOUN or PROPN", "UD: LAS",
    )  # fmt: skip
    return [column for title in titles for column in COLUMNS if column.title == title]


def draw_study(plan: Plan, results: Sequence[Result], path: Path) -> None:
    """Draw each metric by cell of the grid, a row of axes for each language; mean and sd.

    The baseline and its standard deviation are a band: what leaves it has a mark in the tables.
    """
    matplotlib = import_matplotlib()
    columns = list_drawn()
    by_lang = {treebank.lang: group_runs(results, treebank.lang) for treebank in plan.treebanks}
    by_lang = {lang: runs for lang, runs in by_lang.items() if runs}
    if not by_lang:
        return
    with use_own_settings():
        size = (3.1 * len(columns), 2.1 * len(by_lang) + 0.5)
        figure = matplotlib.figure.Figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(by_lang), len(columns), squeeze=False)
        for row, (lang, runs) in enumerate(by_lang.items()):
            cells = [cell for cell in plan.grid if cell in runs]
            for axis, column in zip(axes[row], columns, strict=True):
                _draw_metric(axis, column, cells, runs)
                if row == 0:
                    axis.set_title(column.title.replace("↓", "(lower is better)"), fontsize=9)
                if row == len(by_lang) - 1:
                    axis.set_xlabel("P/N in percent", fontsize=8)
            axes[row][0].set_ylabel(lang, rotation=0, fontsize=11, fontweight="bold", labelpad=12)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata=SVG_METADATA)


def _draw_metric(
    axis: Any, column: Column, cells: Sequence[Cell], runs: Mapping[Cell, list[Result]]
) -> None:
    baseline = [100 * value for value in list_values(runs.get(BASELINE, []), column)]
    if len(baseline) > 1:
        middle, sd = fmean(baseline), stdev(baseline)
        axis.axhspan(middle - sd, middle + sd, color="tab:gray", alpha=0.2, linewidth=0)
        axis.axhline(middle, color="tab:gray", linewidth=0.8, linestyle=":")
    for x, cell in enumerate(cells):
        values = [100 * value for value in list_values(runs[cell], column)]
        if not values:
            continue
        sd = stdev(values) if len(values) > 1 else 0.0
        color = "tab:gray" if cell == BASELINE else "tab:blue"
        axis.errorbar(x, fmean(values), yerr=sd, fmt="o", color=color, markersize=4, capsize=2)
    axis.set_xticks(range(len(cells)))
    axis.set_xticklabels([f"{100 * p:g}/{100 * n:g}" for p, n in cells], fontsize=7)
    axis.tick_params(axis="y", labelsize=7)
    axis.margins(x=0.08, y=0.15)
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
