"""Results of the paraphrase tagger: `evaluate pairs`, `nlg-meta`.

JSON -> rows, charts
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from studies.report.parts import (
    NONE,
    Dots,
    Panel,
    Part,
    Series,
    Source,
    Table,
    Value,
    has_keys,
    in_percent,
    make_value,
    percent_of,
    with_name,
)

THRESHOLDS = {"fixed": "fixed threshold", "tuned": "tuned threshold"}
SCORES = {
    "accuracy": "paraphrase_acc",
    "P": "unparaphrased_p",
    "R": "unparaphrased_r",
    "F1": "unparaphrased_f",
    "span F1": "spans_unparaphrased_f",
}
DRAWN = ("accuracy", "F1")
# Colours of rows of `nlg-meta`: the tagger's, the paper's, all others.
TAGGER, PAPER, OTHERS = 0, 1, 4


class Entry(NamedTuple):
    """A row of one file or, if all have it, of all."""

    name: str
    row: Mapping[str, Any]
    threshold: float  # the fixed one


def is_pairs(data: Any) -> bool:
    """Tell whether JSON is of `evaluate pairs`."""
    return has_keys(data, test=str, threshold=float, rows=list) and all(
        has_keys(row, system=str, pairs=str, fixed=dict, tuned=dict) for row in data["rows"]
    )


def is_nlg_meta(data: Any) -> bool:
    """Tell whether JSON is of `nlg-meta`."""
    return has_keys(data, items=dict, rows=dict) and all(
        isinstance(row, dict) for row in data["rows"].values()
    )


def lay_out_pairs(sources: Sequence[Source]) -> list[Part]:
    """Lay out what `evaluate pairs` found: a chart and a table for each file of pairs."""
    by_test: dict[str, list[Source]] = {}
    for source in sources:
        by_test.setdefault(source.data["test"], []).append(source)
    parts: list[Part] = []
    for test, found in by_test.items():
        entries = _list_entries(found)
        kinds = [kind for kind in THRESHOLDS if any(entry.row[kind] for entry in entries)]
        whole = [entry for entry in entries if entry.row["pairs"] == "all"] or entries
        panels = [
            Panel(
                label,
                [
                    Series(
                        THRESHOLDS[kind], [_value(entry, kind, SCORES[label]) for entry in whole]
                    )
                    for kind in kinds
                ],
            )
            for label in DRAWN
        ]
        rows = [["system", "pairs", "seeds", "threshold", *SCORES]]
        for entry in entries:
            for kind in kinds:
                if entry.row[kind]:
                    head = [entry.name, entry.row["pairs"], str(entry.row["seeds"])]
                    cells = [percent_of(_value(entry, kind, key)) for key in SCORES.values()]
                    rows.append([*head, _thresholds(entry, kind), *cells])
        note = (
            "Percent; mean±sd over the seeds. Accuracy: of words, paraphrased or not; P, R, F1: of "
            "the words that are not; span F1: of their exact spans."
        )
        chart = f"{test}: words that are not paraphrased"
        parts.append(Dots(chart, [entry.name for entry in whole], panels))
        parts.append(Table(test, rows, [note] if len(parts) == 1 else (), n_left=2))
    return parts


def _list_entries(sources: Sequence[Source]) -> list[Entry]:
    """List the rows of files with one test; what several files have alike stands there once."""
    found: list[tuple[Mapping[str, Any], Entry]] = []
    for source in sources:
        for row in source.data["rows"]:
            bare = {**row, "thresholds": None}
            same = [n for n, (other, _) in enumerate(found) if other == bare]
            name = with_name(source.file or source.name, row["system"], several=len(sources) > 1)
            if same:
                entry = found[same[0]][1]
                found[same[0]] = (bare, entry._replace(name=row["system"]))
            else:
                found.append((bare, Entry(name, row, source.data["threshold"])))
    groups = list(dict.fromkeys(entry.row["pairs"] for _, entry in found))
    return sorted((entry for _, entry in found), key=lambda entry: groups.index(entry.row["pairs"]))


def _value(entry: Entry, kind: str, key: str) -> Value | None:
    score = entry.row[kind].get(key)
    if score is None:
        return None
    return in_percent(score["mean"], score["sd"] if entry.row["seeds"] > 1 else None)


def _thresholds(entry: Entry, kind: str) -> str:
    if kind == "fixed":
        return f"{entry.threshold:g}"
    return ", ".join(f"{value:.2f}" for value in entry.row["thresholds"] if value is not None)


def lay_out_nlg_meta(sources: Sequence[Source]) -> list[Part]:
    """Lay out how scores agree with people: all metrics of a task on one line."""
    from studies.text_scores.meta_evaluation import ABOUT

    rows = {
        with_name(source.name, name, several=len(sources) > 1): row
        for source in sources
        for name, row in source.data["rows"].items()
    }
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    # The tagger's marks are drawn last, over the others.
    ranked = sorted(rows, key=lambda name: (_color(name) == TAGGER, _color(name) == PAPER))
    labels = {TAGGER: "tagger", PAPER: "ParaTag (paper)", OTHERS: "other metrics"}
    series = []
    for name in ranked:
        color = _color(name)
        values = [rows[name].get(column) for column in columns]
        marks = [make_value(value) for value in values]
        series.append(Series(labels[color], marks, color, is_hollow=color != TAGGER))
    table = [["metric", *columns]]
    for name, row in rows.items():
        cells = [row.get(column) for column in columns]
        table.append([name, *(NONE if cell is None else f"{cell:.3f}" for cell in cells)])
    counts = dict.fromkeys(
        f"{task} {n:,}" for source in sources for task, n in source.data["items"].items()
    )
    chart = Dots(
        "Agreement of metrics with people", columns, [Panel("", series)],
        axis="correlation (Rank19: accuracy)", side_by_side=False,
    )  # fmt: skip
    return [chart, Table("Agreement", table, [ABOUT, f"Texts: {', '.join(counts)}."])]


def _color(name: str) -> int:
    system = name.rpartition(": ")[2]
    if system.startswith("ParaTag"):
        return PAPER
    return TAGGER if system.startswith("tagger") else OTHERS
