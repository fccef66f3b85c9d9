"""Results of the word segmenter: `evaluate words`, `pause-study`, `speech statistics`, benchmarks.

JSON -> rows in percent, charts
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from studies.report import seeds
from studies.report.files import name_paths
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
    percent,
    percent_of,
    summarise,
    with_name,
)

if TYPE_CHECKING:
    from studies.pauses.cells import Study

DRAWN = {"F1": "word_f", "OOV R": "oov_r"}
SCORES = {"P": "word_p", "R": "word_r", "F1": "word_f", "OOV R": "oov_r", "S": "single_rate"}
NOTE = (
    "Percent. P, R, F1: words of exact spans. OOV R: recall of words that are not known, OOV: "
    "their share. S: share of the characters that are words by themselves."
)


def is_words(data: Any) -> bool:
    """Tell whether JSON is of `evaluate words`."""
    return has_keys(data, files=list, model=str) and all(
        has_keys(entry, file=str, word_f=float) for entry in data["files"]
    )


def is_word_benchmark(data: Any) -> bool:
    """Tell whether JSON is of benchmarks/words.py."""
    return has_keys(data, models=dict, sets=dict)


def is_word_speed(data: Any) -> bool:
    """Tell whether JSON is of benchmarks/words_speed.py."""
    return has_keys(data, texts=dict, rounds=int) and all(
        has_keys(entry, systems=dict, characters=int) for entry in data["texts"].values()
    )


def is_pause_study(data: Any) -> bool:
    """Tell whether JSON is of `pause-study`."""
    return has_keys(data, study=dict, runs=list, comparisons=list)


def is_pause_statistics(data: Any) -> bool:
    """Tell whether JSON is of `speech statistics`."""
    return has_keys(data, pauses=str, bins=list, n_pauses=int)


def lay_out_words(sources: Sequence[Source]) -> list[Part]:
    """Lay out what `evaluate words` found: models side by side for each file, means over seeds."""
    from spacy_sentid.word_segmenter.evaluation import score_rows

    several = len(sources) > 1
    models = {s.name: (s.data["model"], s.data.get("train")) for s in sources}
    found: dict[tuple[Any, ...], dict[str, Mapping[str, Any]]] = {}
    for source in sources:
        for entry in source.data["files"]:
            # Paths may be those of several machines: files are the same if their sizes are, too.
            file = (entry["file"], *(entry[key] for key in ("sentences", "words", "characters")))
            found.setdefault(file, {})[source.name] = entry
    names = name_paths(path for path, *_ in found)
    rows = score_rows([])
    for (path, *_), by_source in found.items():
        for name, entry in by_source.items():
            label = with_name(name, names[path], several=several)
            rows += score_rows([{**entry, "file": label}])[1:]
        for places in seeds.group_seeds([models[name] for name in by_source]):
            of = [list(by_source)[place] for place in places]
            label = f"{names[path]}: mean of {', '.join(of)}"
            rows.append([label, "", "", *_average([by_source[name] for name in of]), ""])
    panels = [
        Panel(
            label,
            [
                Series(source.name, [
                    in_percent(by_source.get(source.name, {}).get(key))
                    for by_source in found.values()
                ])
                for source in sources
            ],
        )
        for label, key in DRAWN.items()
    ]  # fmt: skip
    chart = Dots("Words", [names[path] for path, *_ in found], panels)
    about = [f"{name}: {model}." for name, (model, _) in models.items()]
    notes = [NOTE, *about, *([seeds.NOTE] if several else [])]
    return [chart, Table("Words", rows, notes)]


def _average(entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Write the means of scores; none where an entry has none."""
    for key in ("word_p", "word_r", "word_f", "oov_r", "oov_rate", "single_rate"):
        found = [entry[key] for entry in entries if entry.get(key) is not None]
        yield percent_of(summarise(found)) if len(found) == len(entries) else NONE


def lay_out_word_benchmarks(sources: Sequence[Source]) -> list[Part]:
    """Lay out benchmarks of words: a row a set and system; the systems are drawn by set."""
    parts: list[Part] = []
    for source in sources:
        sets = source.data["sets"]
        systems = list(dict.fromkeys(name for entry in sets.values() for name in entry["systems"]))
        rows = [["set", "system", "seeds", *SCORES]]
        for title, entry in sets.items():
            label = f"{title} (in training)" if entry.get("in_training") else title
            for name, scores in entry["systems"].items():
                cells = [percent_of(_of_seeds(scores, key)) for key in SCORES.values()]
                rows.append([label, name, str(scores["seeds"]), *cells])
        panels = [
            Panel(
                label,
                [
                    Series(name, [
                        _of_seeds(entry["systems"].get(name, {}), key) for entry in sets.values()
                    ])
                    for name in systems
                ],
            )
            for label, key in DRAWN.items()
        ]  # fmt: skip
        title = with_name(source.name, "Words of all sets", several=len(sources) > 1)
        parts += [Dots(title, list(sets), panels), Table(title, rows, [NOTE], n_left=2)]
    return parts


def _of_seeds(scores: Mapping[str, Any], key: str) -> Value | None:
    found = scores.get(key)
    return None if found is None else in_percent(found["mean"], found["sd"])


def lay_out_word_speed(sources: Sequence[Source]) -> list[Part]:
    """Lay out characters a second."""
    parts: list[Part] = []
    for source in sources:
        texts = source.data["texts"]
        systems = list(dict.fromkeys(name for text in texts.values() for name in text["systems"]))
        rows = [["system", *texts]]
        rows += [
            [name, *(_count(text["systems"].get(name)) for text in texts.values())]
            for name in systems
        ]
        series = [
            Series(title, [
                make_value(text["systems"].get(name)) for name in systems
            ])
            for title, text in texts.items()
        ]  # fmt: skip
        title = with_name(source.name, "Characters a second", several=len(sources) > 1)
        chart = Dots(
            title, systems, [Panel("", series)], axis="characters/s, one core", is_log=True
        )
        machine = source.data.get("machine", "?")
        note = f"Characters a second, the best of {source.data['rounds']} rounds; {machine}."
        parts += [chart, Table(title, rows, [note])]
    return parts


def _count(number: float | None) -> str:
    return NONE if number is None else f"{number:,.0f}"


def lay_out_pause_studies(sources: Sequence[Source]) -> list[Part]:
    """Lay out the tables of pause studies, one study below the other; F1 is drawn."""
    from studies.pauses.cells import NOTES
    from studies.pauses.report import study_from_json
    from studies.pauses.tables import list_tables

    parts: list[Part] = []
    for source in sources:
        study = study_from_json(source.data)
        name = with_name(source.name, "", several=len(sources) > 1)
        parts += [chart._replace(title=name + chart.title) for chart in _draw_pause_study(study)]
        for n, table in enumerate(list_tables(study)):
            notes = [*table.notes, *([] if n else NOTES)]
            parts.append(Table(name + table.title, table.rows, notes, table.n_left))
    return parts


def _draw_pause_study(study: "Study") -> Iterator[Dots]:
    """Draw F1 by test set, and on each half with simulated pauses; the band is the base."""
    from studies.pauses.comparisons import list_simulated
    from studies.pauses.jobs import Variant, half_name
    from studies.pauses.systems import BASE, MAIN, SYSTEMS

    base = Variant(BASE)

    def panel(title: str, test: str, variants: Sequence[Variant]) -> Panel:
        values = [summarise(study.values(variant, test, "word_f")) for variant in variants]
        band = summarise(study.values(base, test, "word_f"))
        return Panel(title, [Series("", values)], band=band)

    found = [Variant(name) for name in MAIN if name != BASE and study.of(Variant(name))]
    tests = [test for test in study.plan.tests if study.values(base, test, "word_f")]
    if found and tests:
        yield Dots(
            "F1 of words; the band is the base and its sd",
            [SYSTEMS[variant.system].title for variant in found],
            [panel(test, test, found) for test in tests],
        )
    for file in study.plan.simulate:
        simulated = [v for v in list_simulated(study.plan, file) if v != base and study.of(v)]
        if simulated:
            labels = [
                SYSTEMS[v.system].title + ("" if v.noise is None else f", noise {100 * v.noise:g}%")
                for v in simulated
            ]
            yield Dots(
                "F1 of words with simulated pauses; the band is the base and its sd",
                labels,
                [panel(file, half_name(file), simulated)],
            )


def lay_out_pause_statistics(sources: Sequence[Source]) -> list[Part]:
    """Lay out pauses by boundary probability and duration (Figure 2)."""
    parts: list[Part] = []
    for source in sources:
        bins = source.data["bins"]
        durations = list(bins[0]["internal"]) if bins else []
        rows = [["p_B", "pauses", "overall", *(f"{name} ms" for name in durations), "accuracy"]]
        for row in bins:
            inside = [percent(share) if row["n"] else NONE for share in row["internal"].values()]
            counts = [f"{row['n']:,}", percent(row["overall"])]
            rows.append([row["name"], *counts, *inside, percent(row["accuracy"])])
        labels = [f"p_B {row['name']}" for row in bins]
        series = [
            Series(f"{name} ms", [
                in_percent(row["internal"][name]) if row["n"] else None for row in bins
            ])
            for name in durations
        ]  # fmt: skip
        title = with_name(source.name, "Pauses by probability", several=len(sources) > 1)
        axis = "percent of the pauses of the row"
        note = (
            f"Percent of {source.data['n_pauses']:,} pauses. p_B: probability of a word boundary. "
            "Overall: share of all pauses; the durations: shares of the row; accuracy: how many "
            "are boundaries."
        )
        parts += [
            Dots(title, labels, [Panel("", series)], axis=axis, from_zero=True),
            Table(title, rows, [note]),
        ]
    return parts
