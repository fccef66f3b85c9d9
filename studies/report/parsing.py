"""Results about treebanks and parsers: profiles, scores on noun phrases, the two studies.

JSON -> rows in percent, charts
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studies.report.files import name_paths
from studies.report.parts import (
    Dots,
    Panel,
    Part,
    Series,
    Source,
    Table,
    Value,
    has_keys,
    in_percent,
    percent,
    summarise,
    with_name,
)

if TYPE_CHECKING:
    from spacy_sentid.corpus_augmenter.profile import Tally

RATIOS = {"NPU": "npu_ratio", "POU": "pou_ratio", "no end mark": "no_end_mark_ratio"}
PHRASES = {
    "wrong punct": "wrong_punct_rate",
    "NOUN": "np_detection",
    "PROPN": "propn_rate",
}
TREEBANK = {
    "POS": "pos_acc",
    "UAS": "uas",
    "LAS": "las",
    "LAS with punct": "las_with_punct",
    "LAS of CoNLL": "las_conll",
}


def is_profile(data: Any) -> bool:
    """Tell whether JSON is of `treebank profile`."""
    return has_keys(data, files=list, su_relations=list) and all(
        has_keys(entry, file=str, table_3=dict, n_units=int) for entry in data["files"]
    )


def is_robustness(data: Any) -> bool:
    """Tell whether JSON is of `evaluate parser`."""
    return has_keys(data, settings=dict, noun_phrases=dict) and "treebank" in data


def is_sentiment(data: Any) -> bool:
    """Tell whether JSON is of `sentiment`."""
    return has_keys(data, settings=dict, scores=dict, units=list) and all(
        has_keys(entry, units=int, found=int, correct=int) for entry in data["scores"].values()
    )


def is_parser_study(data: Any) -> bool:
    """Tell whether JSON is of `parser-study`."""
    return has_keys(data, study=dict, runs=list) and has_keys(
        data["study"], treebanks=dict, grid=list
    )


def is_downstream(data: Any) -> bool:
    """Tell whether JSON is of `downstream`."""
    return (
        has_keys(data, study=dict, runs=list)
        and has_keys(data["study"], configs=dict)
        and "parser" in data["study"]["configs"]
    )


def lay_out_profiles(sources: Sequence[Source]) -> list[Part]:
    """Lay out the tables of `treebank profile`, all files in one; the ratios are drawn by genre."""
    from spacy_sentid.corpus_augmenter.profile import Profile
    from spacy_sentid.sentence_identifier.rule import UnitCounts
    from spacy_sentid.view.profile import list_sections

    entries = [(source.name, entry) for source in sources for entry in source.data["files"]]
    names = name_paths(entry["file"] for _, entry in entries)
    found = [
        (
            # A file may be there twice, by other relations.
            with_name(source, names[entry["file"]], several=len(names) < len(entries)),
            UnitCounts(**entry["table_3"]),
            Profile(
                _read_tally(entry),
                {name: _read_tally(tally) for name, tally in entry["genres"].items()},
                entry["genres_from"],
            ),
        )
        for source, entry in entries
    ]
    tallies = [
        row
        for name, _, profile in found
        for row in [(name, profile.whole), *profile.genres.items()]
    ]
    series = [
        Series(name, [in_percent(getattr(tally, ratio)) for _, tally in tallies])
        for name, ratio in RATIOS.items()
    ]
    labels = [name for name, _ in tallies]
    title = "Noun phrase units and omitted punctuation"
    chart = Dots(title, labels, [Panel("", series)], axis="percent of the units", from_zero=True)
    tables = [
        Table(section.title, section.rows, [section.note] if section.note else ())
        for section in list_sections(found)
    ]
    return [chart, *tables]


def _read_tally(entry: Mapping[str, Any]) -> "Tally":
    from dataclasses import fields

    from spacy_sentid.corpus_augmenter.profile import Tally

    counts = {field.name: entry[field.name] for field in fields(Tally)}
    return Tally(**{**counts, "last_marks": Counter(entry["last_marks"])})


def lay_out_robustness(sources: Sequence[Source]) -> list[Part]:
    """Lay out what `evaluate parser` found; several files (models) side by side."""
    several = len(sources) > 1
    rows = [["phrases", "number", *PHRASES, "NOUN or PROPN", "cut"]]
    labels, series = [], {name: list[Value | None]() for name in PHRASES}
    treebanks = [["treebank", "units", "words", *TREEBANK]]
    for source in sources:
        for name, entry in source.data["noun_phrases"].items():
            label = with_name(source.name, name, several=several)
            labels.append(label)
            for key, score in PHRASES.items():
                series[key].append(in_percent(entry[score]))
            both = entry["np_detection"] + entry["propn_rate"]
            cells = [percent(entry[score]) for score in PHRASES.values()]
            rows.append(
                [label, f"{entry['n_phrases']:,}", *cells, percent(both), f"{entry['n_cut']:,}"]
            )
        scores = source.data["treebank"]
        if scores is not None:
            name = Path(source.data["settings"].get("treebank") or "treebank").name
            counts = [f"{scores[key]:,}" for key in ("n_units", "n_words")]
            cells = [percent(scores[key]) for key in TREEBANK.values()]
            treebanks.append([with_name(source.name, name, several=several), *counts, *cells])
    parts: list[Part] = []
    if labels:
        panels = [Panel("", [Series(name, values) for name, values in series.items()])]
        parts.append(
            Dots("Noun phrases", labels, panels, axis="percent of the phrases", from_zero=True)
        )
        note = (
            "Percent of the phrases. Wrong punct: the last word is tagged PUNCT or is a punct. "
            "NOUN, PROPN: one tree with such a root. Cut: several trees."
        )
        parts.append(Table("Noun phrases", rows, [note]))
    if len(treebanks) > 1:
        parts.append(Table("Treebank", treebanks, ["Percent."]))
    return parts


def lay_out_sentiment(sources: Sequence[Source]) -> list[Part]:
    """Lay out what `sentiment` found; several files (models) side by side."""
    several = len(sources) > 1
    rows = [["polarity", "units", "found", "correct", "precision", "recall"]]
    marks: dict[str, list[Value | None]] = {"precision": [], "recall": []}
    for source in sources:
        for name, entry in source.data["scores"].items():
            counts = [f"{entry[key]:,}" for key in ("units", "found", "correct")]
            shares = [percent(entry[key]) for key in marks]
            rows.append([with_name(source.name, name, several=several), *counts, *shares])
            for key, values in marks.items():
                values.append(in_percent(entry[key]))
    series = [Series(name, values) for name, values in marks.items()]
    chart = Dots("Polarities", [row[0] for row in rows[1:]], [Panel("", series)])
    note = "Percent. Precision is over the units with a polarity found, recall over all."
    return [chart, Table("Polarities", rows, [note])]


def lay_out_parser_studies(sources: Sequence[Source]) -> list[Part]:
    """Lay out the tables of the parser study, a chart and a table for each language."""
    from studies.parser import plans, tables

    note = " ".join(tables.ABOUT.replace("**", "").split())
    parts: list[Part] = []
    for source in sources:
        study, results = source.data["study"], source.data["runs"]
        grid = plans.parse_grid(",".join(study["grid"]))
        for lang in study["treebanks"]:
            runs = tables.group_runs(results, lang)
            if not runs:
                continue
            title = with_name(source.name, lang, several=len(sources) > 1)
            cells = [cell for cell in grid if cell in runs]
            panels = [
                Panel(
                    column.title.replace("↓", "(lower is better)"),
                    [Series("", [
                        summarise(tables.list_values(runs[cell], column)) for cell in cells
                    ])],
                    band=summarise(tables.list_values(runs.get(plans.BASELINE, []), column)),
                )
                for column in tables.list_drawn()
            ]  # fmt: skip
            labels = [f"P {100 * cell.remove_punct:g}, N {100 * cell.add_np:g}" for cell in cells]
            chart = f"{title}: by augmentation; the band is the baseline and its sd"
            parts.append(Dots(chart, labels, panels))
            parts.append(
                Table(
                    title,
                    tables.table_rows(grid, runs),
                    [tables.describe_test(runs), *([note] if len(parts) == 1 else [])],
                    n_left=0,
                )
            )
    return parts


def lay_out_downstream(sources: Sequence[Source]) -> list[Part]:
    """Lay out the tables of the downstream study; the charts are by what was done to the text."""
    from studies.downstream import tables
    from studies.downstream.systems import SYSTEMS

    several = len(sources) > 1
    parts: list[Part] = []
    for source in sources:
        results = source.data["runs"]
        layouts = tables.list_layouts(results)
        panels = [
            Panel(
                column.title,
                [
                    Series(tables.TITLES[layout], [
                        summarise(tables.list_values(results, layout, name, column))
                        for name in SYSTEMS
                    ])
                    for layout in layouts
                ],
            )
            for column in tables.DRAWN
        ]  # fmt: skip
        title = with_name(source.name, "SUs of raw documents", several=several)
        parts.append(Dots(title, tables.list_titles(), panels))
        for layout in layouts:
            rows = [
                [cell.replace("`", "") for cell in row]
                for row in tables.table_rows(results, layout)
            ]
            notes = [tables.ABOUT] if layout == layouts[0] else []
            title = with_name(source.name, tables.TITLES[layout], several=several)
            parts.append(Table(title, rows, notes))
    return parts
