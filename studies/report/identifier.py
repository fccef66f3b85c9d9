"""Results of the sentence identifier: `evaluate units`, `evaluate units --predictions`, `study`.

JSON -> rows in percent, charts
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from studies.report import seeds
from studies.report.files import name_paths
from studies.report.parts import (
    Dots,
    Lines,
    Panel,
    Part,
    Series,
    Source,
    Table,
    Value,
    has_keys,
    in_percent,
    percent_of,
    summarise,
    with_name,
)

LEVELS = {"word": "", "character": "char_"}
SCORES = {
    "macro": "bio_macro_f",
    "weighted": "bio_weighted_f",
    **{f"SU {side}": f"spans_su_{key}" for side, key in (("P", "p"), ("R", "r"), ("F1", "f"))},
    **{f"NSU {side}": f"spans_nsu_{key}" for side, key in (("P", "p"), ("R", "r"), ("F1", "f"))},
    **{label: f"bio_{label.lower()}_f" for label in "BIO"},
}
DRAWN = {"macro F1 of words": "macro", "SU F1": "SU F1", "NSU F1": "NSU F1"}
# What evaluations have alike whose scores have a mean, but for the seed of the model.
ALIKE = ("treebank", "units", "split", "layout", "all_su", "su_relations")
NOTE = (
    "Percent; mean±sd, where there are several seeds. Macro, weighted: F1 of the labels of words "
    "(characters), whose own is under B, I, O."
)


class Entry(NamedTuple):
    """Scores of one setting in one file."""

    file: str
    setting: str
    n_seeds: int
    mean: Mapping[str, float]
    sd: Mapping[str, float]  # {} for one seed
    model: str
    about: Any  # all else that scores of one mean have alike

    def value(self, key: str) -> Value | None:
        """Give a score in percent."""
        return in_percent(self.mean.get(key), self.sd.get(key))


def is_evaluation(data: Any) -> bool:
    """Tell whether JSON is of `evaluate units`."""
    return has_keys(data, settings=dict, runs=list, summary=list) and all(
        has_keys(entry, setting=str, mean=dict) for entry in data["summary"]
    )


def is_scored_units(data: Any) -> bool:
    """Tell whether JSON is of `evaluate units --predictions`."""
    return has_keys(data, inputs=str, predictions=str, scores=dict)


def is_study(data: Any) -> bool:
    """Tell whether JSON is of `study`."""
    return has_keys(data, study=dict, runs=list) and "domains" in data["study"]


def lay_out_evaluations(sources: Sequence[Source]) -> list[Part]:
    """Lay out what `evaluate units` found: the files side by side, means over models' seeds."""
    entries = [entry for source in sources for entry in _list_entries(source)]
    notes = [NOTE]
    for source in sources:
        about = source.data["settings"]
        notes.append(
            f"{source.name}: {about.get('model', 'a pipeline')} on {about.get('treebank', '?')}, "
            f"{about.get('units', 0):,} units, joined by: {about.get('layout', '?')}."
        )
    return [_chart(entries), *_tables(entries, "setting", notes)]


def lay_out_scored_units(sources: Sequence[Source]) -> list[Part]:
    """Lay out what `evaluate units --predictions` found: means over seeds."""
    names = name_paths(source.data["inputs"] for source in sources)
    entries = []
    for source in sources:
        inputs, model, scores = (source.data[key] for key in ("inputs", "predictions", "scores"))
        entries.append(Entry(source.name, names[inputs], 1, scores, {}, model, inputs))
    return [_chart(entries), *_tables(entries, "inputs", [NOTE])]


def _list_entries(source: Source) -> Iterator[Entry]:
    """List the settings of one file of `evaluate units`."""
    settings = source.data["settings"]
    model = str(settings.get("model"))
    for entry in source.data["summary"]:
        setting = entry["setting"]
        draws = [run.get("seed") for run in source.data["runs"] if run["setting"] == setting]
        about = [setting, draws, *(settings.get(key) for key in ALIKE)]
        yield Entry(
            source.name, _name_setting(setting), len(draws), entry["mean"], entry.get("sd", {}),
            model, about,
        )  # fmt: skip


def lay_out_studies(sources: Sequence[Source]) -> list[Part]:
    """Lay out the tables of studies in one, their rows one below the other; Table 5 is drawn."""
    from studies.identifier import tables

    several = len(sources) > 1
    notes = [
        with_name(source.name, " ".join(tables.caption(source.data["study"]).split()),
                  several=several)
        for source in sources
    ]  # fmt: skip
    scores = {source.name: tables.collect_scores(source.data["runs"]) for source in sources}
    parts: list[Part] = []
    for table in tables.list_tables():
        rows = [["trained", "system", "seeds"]]
        for name, found in scores.items():
            head, *others = tables.table_rows(table, found)
            rows[0] = head
            rows += [[row[0], with_name(name, row[1], several=several), *row[2:]] for row in others]
        if len(rows) > 1:
            parts.append(Table(table.title, rows, notes if not parts else (), n_left=2))
    return [*_draw_systems(scores), *_draw_rates(scores), *parts]


def _draw_systems(scores: Mapping[str, Any]) -> Iterator[Dots]:
    """Draw Table 5 on word level: one chart for each domain of training."""
    from studies.identifier import tables
    from studies.identifier.systems import DOMAINS, IN_DOMAIN

    several = len(scores) > 1
    overall = next(iter(tables.list_tables()))
    for domain in DOMAINS:
        rows = [
            (name, row)
            for name, found in scores.items()
            for trained, row, _ in overall.rows
            if trained == domain
            and any((domain, row, IN_DOMAIN, setting) in found for setting in tables.SETTINGS)
        ]
        panels = []
        for label, key in tables.OVERALL.items():
            series = [
                Series(
                    tables.HEADINGS[setting],
                    [
                        summarise(
                            [
                                run[key]
                                for run in scores[name].get((domain, row, IN_DOMAIN, setting), [])
                            ]
                        )
                        for name, row in rows
                    ],
                )
                for setting in tables.SETTINGS
            ]
            panels.append(Panel(f"{label} F1", [one for one in series if any(one.values)]))
        if rows:
            labels = [with_name(name, row, several=several) for name, row in rows]
            yield Dots(f"Trained {domain}: F1 of words and of SUs", labels, panels)


def _draw_rates(scores: Mapping[str, Any]) -> Iterator[Lines]:
    """Draw Figure 3 where there are runs of it."""
    from studies.identifier import tables
    from studies.identifier.runs import unidirectional_weight_row
    from studies.identifier.systems import DOMAINS, IN_DOMAIN, SYSTEMS, UNIDIRECTIONAL_WEIGHTS

    row = next(iter(SYSTEMS["uni-aug"].rows))
    for name, found in scores.items():
        for domain in DOMAINS:
            keys = {
                setting: [
                    (domain, unidirectional_weight_row(row, x), IN_DOMAIN, setting)
                    for x in UNIDIRECTIONAL_WEIGHTS
                ]
                for setting in tables.SETTINGS
            }
            panels = [
                Panel(
                    f"{label} F1",
                    [
                        Series(
                            tables.HEADINGS[setting],
                            [summarise([run[score] for run in found.get(k, [])]) for k in of],
                        )
                        for setting, of in keys.items()
                        if any(key in found for key in of)
                    ],
                )
                for label, score in tables.OVERALL.items()
            ]
            if panels[0].series:
                title = f"Lambda of the unidirectional model, trained {domain} (as Figure 3)"
                title = with_name(name, title, several=len(scores) > 1)
                yield Lines(title, UNIDIRECTIONAL_WEIGHTS, "lambda", panels)


def _tables(entries: Sequence[Entry], heading: str, notes: Sequence[str]) -> Iterator[Table]:
    several = len({entry.file for entry in entries}) > 1
    for level, prefix in LEVELS.items():
        rows = [[*(["file"] if several else []), heading, "seeds", *SCORES]]
        for entry in entries:
            cells = [percent_of(entry.value(prefix + key)) for key in SCORES.values()]
            head = [entry.file] if several else []
            rows.append([*head, entry.setting, str(entry.n_seeds), *cells])
        for places in seeds.group_seeds([(entry.model, entry.about) for entry in entries]):
            found = [entries[place] for place in places]
            cells = [percent_of(_mean(found, prefix + key)) for key in SCORES.values()]
            label = f"mean of {', '.join(entry.file for entry in found)}"
            rows.append([label, found[0].setting, "", *cells])
        about = [*notes, *([seeds.NOTE] if several else [])] if level == "word" else []
        yield Table(f"By {level}", rows, about, n_left=2 if several else 1)


def _mean(entries: Sequence[Entry], key: str) -> Value | None:
    """Take mean and deviation of a score over files; None where one of them has none."""
    values = [entry.mean.get(key) for entry in entries]
    found = [value for value in values if value is not None]
    return summarise(found) if len(found) == len(values) else None


def _chart(entries: Sequence[Entry]) -> Dots:
    """Draw the files in rows, the settings beside each other; a single file by its settings."""
    files = list(dict.fromkeys(entry.file for entry in entries))
    settings = list(dict.fromkeys(entry.setting for entry in entries))
    found = {(entry.file, entry.setting): entry for entry in entries}

    def series(name: str, key: str, places: Sequence[tuple[str, str]]) -> Series:
        return Series(name, [found[at].value(key) if at in found else None for at in places])

    if len(files) == 1:
        places = [(files[0], setting) for setting in settings]
        panels = [
            Panel(label, [series("", SCORES[score], places)]) for label, score in DRAWN.items()
        ]
        return Dots("F1 of words and units", settings, panels)

    panels = [
        Panel(
            label,
            [
                series(setting, SCORES[score], [(file, setting) for file in files])
                for setting in settings
            ],
        )
        for label, score in DRAWN.items()
    ]
    return Dots("F1 of words and units", files, panels)


def _name_setting(setting: str) -> str:
    """Name a setting as the tables do: numbers are p_CC.

    >>> _name_setting("0.5"), _name_setting("sentencizer")
    ('p_CC=0.5', 'sentencizer')
    """
    return f"p_CC={setting}" if setting.replace(".", "", 1).isdigit() else setting
