"""The tables of the documents study."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from spacy_sentid.sentence_identifier.evaluation.documents import AS_IS
from spacy_sentid.text.units import NSU_KINDS
from studies.documents.measures import JOINED, MIXED
from studies.results import Column, Line, Results, Row, Table

ABOUT = (
    "Percent; mean±sd over the seeds of a recipe. SU, NSU: exact spans, but list marks, quote "
    "marks, a time stamp or speaker label at the start and emoji at the end are ignored. Starts: "
    "starts of units and of sentences, except the first of a document. Noise kept: share of the "
    "words of NSUs that are predicted inside SUs. Words lost: share of the words of SUs that are "
    "predicted outside of SUs. Kinds F1: NSUs with exact spans and the right kind. Kinds right: "
    "share of NSUs that are mostly inside predicted units of their kind. Over blank lines: number "
    "of units with a blank line inside. `sentencizer`, `rule_sentencizer`, `senter` and pySBD find "
    "no NSUs, so each of their sentences counts as an SU. The `senter` (width 96, depth 4) was "
    "trained in the same run, on the train documents of the treebank in their original layout and "
    "in random layouts."
)
OVERVIEW = [
    Column(title="SU P", metric="su_p"),
    Column(title="SU R", metric="su_r"),
    Column(title="SU F1", metric="su_f"),
    Column(title="starts F1", metric="boundary_f"),
    Column(title="noise kept", metric="noise_kept", higher_is_better=False),
    Column(title="words lost", metric="words_lost", higher_is_better=False),
    Column(title="NSU F1", metric="nsu_f"),
    Column(title="kinds F1", metric="nsu_kinds_f"),
    Column(title="kinds right", metric="kind_acc"),
    Column(
        title="over blank lines", metric="blank_lines", percent=False, digits=1,
        higher_is_better=False,
    ),
]  # fmt: skip
# Metric -> title of a table by layout, and if it shows only our pipelines.
BY_LAYOUT = {
    "su_f": ("SU F1", False),
    "boundary_f": ("Starts F1", False),
    "noise_kept": ("Noise kept", True),
    "words_lost": ("Words lost", True),
    "nsu_f": ("NSU F1", True),
    "kind_acc": ("Kinds right", True),
}
NUMBER = Column(title="documents", metric="documents", percent=False, digits=0)
BY_KIND = ("SU F1", "starts F1", "noise kept", "words lost", "NSU F1", "kinds F1", "kinds right")
PRF = {"p": "P", "r": "R", "f": "F1"}
UNITS = {
    "macro F1": "bio_macro_f",
    "weighted F1": "bio_weighted_f",
    "SU span F1": "spans_su_f",
    "NSU span F1": "spans_nsu_f",
}
CALIBRATION = {
    "SUs": "su",
    "NSUs": "nsu",
    "labels of SUs": "su_label",
    "labels of NSUs": "nsu_label",
}


def make_results(
    settings: Mapping[str, Any], rows: Sequence[Row], *, models: Iterable[str], command: str
) -> Results:
    """Make the results, with their tables.

    settings: See `harness.Plan.to_dict`.
    models: Names of our pipelines.
    """
    return Results(
        study="documents",
        title="Sentences of whole documents",
        about=[ABOUT],
        command=command,
        version=settings["version"],
        settings=dict(settings),
        tables=list_tables(rows, list(models)),
        rows=list(rows),
    )


def list_tables(rows: Sequence[Row], models: Sequence[str]) -> list[Table]:
    """List the tables by set, layout and kind, and the tables of units and of calibration."""
    places = [row.setting for row in rows if "set" in row.setting]
    sets = list(dict.fromkeys(str(place["set"]) for place in places))
    layouts = list(dict.fromkeys(str(place["layout"]) for place in places))
    systems = list(dict.fromkeys(row.system for row in rows if "set" in row.setting))
    tables = []
    for name in sets:
        place = {"set": name, "layout": AS_IS}
        tables.append(Table(
            title=f"{name}, as it is",
            heads=["system"],
            lines=[Line(labels=[system], system=system, setting=place) for system in systems],
            columns=OVERVIEW,
        ))  # fmt: skip
        if len(layouts) > 1:
            tables += [
                table_layouts(name, metric, models if ours else systems, layouts)
                for metric, (_, ours) in BY_LAYOUT.items()
            ]
        tables += [table_nsu_kinds(name, model) for model in models]
        tables += list_text_kinds(rows, name, models, systems)
    return [*tables, table_units(rows, models), table_calibration(models, sets)]


def table_layouts(name: str, metric: str, systems: Sequence[str], layouts: Sequence[str]) -> Table:
    """Make the table of one score of a set in all layouts."""
    return Table(
        title=f"{name}: {BY_LAYOUT[metric][0]} by layout",
        heads=["layout"],
        lines=[
            Line(labels=[layout], setting={"set": name, "layout": layout}) for layout in layouts
        ],
        columns=[Column(title=system, metric=metric, system=system) for system in systems],
    )


def table_nsu_kinds(name: str, model: str) -> Table:
    """Make the table of the kinds of NSU of a set in its original layout."""
    return Table(
        title=f"{name}, as it is: kinds of NSU, {model}",
        heads=["kind of NSU"],
        lines=[
            Line(
                labels=[kind],
                system=model,
                setting={"set": name, "layout": AS_IS, "nsu": kind},
            )
            for kind in NSU_KINDS
        ],
        columns=[
            Column(title="number", metric="gold", percent=False, digits=0),
            *(Column(title=title, metric=metric) for metric, title in PRF.items()),
        ],
    )


def list_text_kinds(
    rows: Sequence[Row], name: str, models: Sequence[str], systems: Sequence[str]
) -> list[Table]:
    """Make the tables of the kinds of text of a set in its original layout.

    The first has the SU F1 of all systems. The others have more scores of each of our pipelines.
    """
    kinds = sorted({
        str(row.setting["kind"])
        for row in rows
        if row.setting.get("set") == name and "kind" in row.setting
    })  # fmt: skip
    title = f"{name}, as it is: kinds of text"
    places = {kind: {"set": name, "layout": AS_IS, "kind": kind} for kind in kinds}
    compared = Table(
        title=f"{title}, SU F1",
        heads=["kind of text"],
        lines=[Line(labels=[kind], setting=place) for kind, place in places.items()],
        columns=[Column(title=system, metric="su_f", system=system) for system in systems],
    )
    ours = [
        Table(
            title=f"{title}, {model}",
            heads=["kind of text"],
            lines=[
                Line(labels=[kind], system=model, setting=place) for kind, place in places.items()
            ],
            columns=[NUMBER, *(column for column in OVERVIEW if column.title in BY_KIND)],
        )
        for model in models
    ]
    return [compared, *ours]


def table_units(rows: Sequence[Row], models: Sequence[str]) -> Table:
    """Make the table of the units of the treebank, joined and after segmenters (section 6.2)."""
    segmenters = dict.fromkeys(
        row.setting["segmenter"] for row in rows if "segmenter" in row.setting
    )
    texts: dict[str, dict[str, Any]] = {
        f"p_CC = {p_cc:g}, joined by {layout}s": {"p_cc": p_cc, "joined": layout}
        for p_cc, layout, _ in JOINED
    }
    texts |= {f"postprocess, after `{name}`": {"segmenter": name} for name in segmenters}
    return Table(
        title="Units of the test split, as in the paper (words)",
        heads=["texts", "system"],
        lines=[
            Line(labels=[title, model], system=model, setting=place)
            for (title, place), model in product(texts.items(), models)
        ],
        columns=[Column(title=title, metric=metric) for title, metric in UNITS.items()],
        notes=["p_CC = .5: mean over three draws of the texts."],
    )


def table_calibration(models: Sequence[str], sets: Sequence[str]) -> Table:
    """Make the table of calibration errors."""
    return Table(
        title="Expected calibration error of scores",
        heads=["documents", "system"],
        lines=[
            Line(labels=[texts, model], system=model, setting={"texts": texts})
            for texts, model in product([*sets, MIXED], models)
        ],
        columns=[Column(title=title, metric=metric) for title, metric in CALIBRATION.items()],
        notes=[
            f"{MIXED}: all sets, in all layouts. Scores that are too high on some of them and too "
            "low on others can cancel out. Ten bins of equal width; in percent."
        ],
    )
