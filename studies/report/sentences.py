"""Results of the rule sentencizer: `ladder`, `train abbreviations`, the benchmark beside its peers.

JSON -> rows, charts
"""

from collections.abc import Mapping, Sequence
from typing import Any

from studies.report.parts import (
    Dots,
    Panel,
    Part,
    Series,
    Source,
    Table,
    has_keys,
    in_percent,
    make_value,
    percent,
    with_name,
)

MAX_ABBREVIATIONS = 100
SPEEDS = {"document": "one text", "paragraphs": "a call for each paragraph"}


def is_ladder(data: Any) -> bool:
    """Tell whether JSON is of `ladder`."""
    return has_keys(data, tables=dict, rungs=dict) and all(
        has_keys(table, title=str, header=list, rows=list, notes=list)
        and all(isinstance(note, str) for note in table["notes"])
        for table in data["tables"].values()
    )


def is_abbreviations(data: Any) -> bool:
    """Tell whether JSON is of `train abbreviations`."""
    return has_keys(data, abbreviations=list, learned=dict, words=int)


def is_peers(data: Any) -> bool:
    """Tell whether JSON is of benchmarks/sentence_peers.py."""
    return has_keys(data, accuracy=dict, machine=str) and all(
        has_keys(result, systems=dict, boundaries=int) for result in data["accuracy"].values()
    )


def lay_out_ladders(sources: Sequence[Source]) -> list[Part]:
    """Lay out the tables of the ladder; the success of the rungs is drawn beside the paper's."""
    from studies.strategies import paper_figures as paper
    from studies.strategies.tables import Table as PaperTable
    from studies.strategies.tables import format_rows

    parts: list[Part] = []
    for source in sources:
        name = with_name(source.name, "", several=len(sources) > 1)
        rungs = source.data["rungs"]
        panels = [
            Panel(
                "Success",
                [
                    Series("here", [in_percent(rung["success"]) for rung in rungs.values()]),
                    Series(
                        "paper", [in_percent(paper.SUCCESS.get(rung)) for rung in rungs],
                        is_hollow=True,
                    ),
                ],
            ),
            Panel(
                "F1 of sentence ends",
                [Series("here", [in_percent(rung["f1"]) for rung in rungs.values()])],
            ),
        ]  # fmt: skip
        parts.append(Dots(f"{name}The rungs", list(rungs), panels))
        # In their own order: the notes speak of tables below, and of the last one.
        for found in source.data["tables"].values():
            table = PaperTable(**found)
            parts.append(Table(name + table.title, format_rows(table), table.notes))
    return parts


def lay_out_abbreviations(sources: Sequence[Source]) -> list[Part]:
    """Lay out the abbreviations that raw text shows, the most frequent of each file."""
    parts: list[Part] = []
    for source in sources:
        entries = source.data["abbreviations"]
        rows = [["abbreviation", "why", "with period", "without"]]
        rows += [
            [
                f"{entry['word']}.", ", ".join(entry["reasons"]), f"{entry['n_with']:,}",
                f"{entry['n_without']:,}",
            ]
            for entry in entries[:MAX_ABBREVIATIONS]
        ]  # fmt: skip
        notes = [f"{len(entries):,} abbreviations in {source.data['words']:,} words."]
        if len(entries) > MAX_ABBREVIATIONS:
            notes[0] += f" The {MAX_ABBREVIATIONS} most frequent of them."
        title = with_name(source.name, "Abbreviations", several=len(sources) > 1)
        parts.append(Table(title, rows, notes, n_left=2))
    return parts


def lay_out_peers(sources: Sequence[Source]) -> list[Part]:
    """Lay out boundaries and speed of sentence splitters."""
    parts: list[Part] = []
    for source in sources:
        name = with_name(source.name, "", several=len(sources) > 1)
        sets = source.data["accuracy"]
        systems = list(dict.fromkeys(row for result in sets.values() for row in result["systems"]))
        rows = [["system", *sets]]
        rows += [
            [system, *(percent(_f1(result, system)) for result in sets.values())]
            for system in systems
        ]
        panels = [
            Panel(title, [Series("", [in_percent(_f1(result, system)) for system in systems])])
            for title, result in sets.items()
        ]
        sizes = [f"{title}: {result['boundaries']:,}" for title, result in sets.items()]
        notes = [f"F1 of boundaries in percent. Boundaries: {', '.join(sizes)}."]
        parts += [
            Dots(f"{name}F1 of boundaries", systems, panels),
            Table(f"{name}F1 of boundaries", rows, notes),
        ]
        if has_keys(source.data.get("speed"), systems=dict):
            parts += _speed(name, source.data["speed"]["systems"], source.data["machine"])
    return parts


def _f1(result: Mapping[str, Any], system: str) -> float | None:
    found: float | None = result["systems"].get(system, {}).get("f1")
    return found


def _speed(name: str, systems: Mapping[str, Any], machine: str) -> list[Part]:
    series = [
        Series(title, [make_value(row[key]) for row in systems.values()])
        for key, title in SPEEDS.items()
    ]
    rows = [["system", *SPEEDS.values()]]
    rows += [[key, *(f"{row[speed]:,.0f}" for speed in SPEEDS)] for key, row in systems.items()]
    axis = "characters/s, one core"
    chart = Dots(f"{name}Speed", list(systems), [Panel("", series)], axis=axis, is_log=True)
    return [chart, Table(f"{name}Speed", rows, [f"Characters a second, on one core; {machine}."])]
