"""The tables of the pause study: the paper's 3 and 4, what helps, simulated pauses.

settings, rows -> tables, with notes that say what is compared
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from studies.pauses.comparisons import SAME_SENTENCES, list_simulated
from studies.pauses.data_tables import make_data_table, make_filter_table, make_held_out_table
from studies.pauses.runs import half_name
from studies.pauses.systems import (
    BASE,
    FILTERED,
    INTERVALS,
    MAIN,
    NO_FILTER,
    PAIRS,
    PUNCTUATION,
    SELF_TRAINING,
    SOURCE_ONLY,
    SYSTEMS,
)
from studies.pauses.targets import HELD_OUT
from studies.results import LEVEL, Column, Line, Results, Row, Setting, Table, list_rows
from studies.significance import DRAWS

ABOUT = [
    "Percent; mean±standard deviation (n - 1) over the seeds.",
    f"b+ b-: F1 above, below that of the base of the same seeds, p < {LEVEL:g}; s+ s-: that of "
    "self-training. p: paired bootstrap over the sentences, counts summed over the seeds, "
    f"{DRAWS:,} draws, two-sided. It is about the choice of the test sentences; what the choice of "
    "the seed does is the deviation. Many pairs are compared: some p below "
    f"{LEVEL:g} are to be expected by chance.",
]
# P, R, F1 of Table 3 (BERT, CTB5 as source, the paper's own speech), for test sets so named.
PAPER = {
    BASE: {"zx-test": (0.9316, 0.9382, 0.9349), "aishell2-dev": (0.8908, 0.9010, 0.8958)},
    FILTERED: {"zx-test": (0.9359, 0.9422, 0.9390), "aishell2-dev": (0.9082, 0.9084, 0.9083)},
}
SCORES = {"P": "word_p", "R": "word_r", "F1": "word_f"}
ITERATIONS = {"best": "best iteration by the target dev set", "last": "last iteration"}


def make_results(settings: Mapping[str, Any], rows: Sequence[Row]) -> Results:
    """Put rows and tables together.

    settings: See `harness.Plan.to_dict`.
    """
    results = Results(
        study="pauses",
        title="Pauses as word boundaries",
        about=ABOUT,
        command="python -m studies pauses",
        version=settings["version"],
        settings=dict(settings),
        rows=[*rows, *list_paper(rows)],
    )
    results.tables = list_tables(results)
    return results


def list_paper(rows: Iterable[Row]) -> list[Row]:
    """List the paper's figures for the test sets that there are."""
    tests = _list_values(rows, "test")
    return [
        row
        for system, figures in PAPER.items()
        for test, values in figures.items()
        if test in tests
        for row in list_rows(
            f"paper: {system}",
            None,
            {"test": test},
            dict(zip(SCORES.values(), values, strict=True)),
        )
    ]


def _list_values(rows: Iterable[Row], key: str) -> list[Any]:
    """List the values of a part of the settings, in the order of the rows."""
    return list(dict.fromkeys(row.setting[key] for row in rows if key in row.setting))


def list_tables(results: Results) -> list[Table]:
    """List all tables; those without runs show nothing."""
    files = [str(file) for file in _list_values(results.rows, "simulated")]
    noises = tuple(_list_values(results.rows, "noise"))
    names = [str(test) for test in _list_values(results.rows, "test")]
    tests = [test for test in names if test != HELD_OUT and not test.startswith(half_name(""))]
    return [
        make_overview(results, tests),
        *(make_detail_table(results, test) for test in tests),
        make_pair_table(tests),
        make_interval_table(tests),
        *(make_simulated_table(results, file, noises) for file in files),
        make_held_out_table(results, list_systems()),
        make_filter_table(_list_values(results.rows, "by_seed")),
        make_data_table(list_systems()),
    ]


def list_systems(*, with_paper: bool = False) -> list[Line]:
    """List a line for each system on real pauses."""
    lines = [Line(labels=[SYSTEMS[name].title], system=name) for name in MAIN]
    if with_paper:
        titles = {name: f"paper: {SYSTEMS[name].title}" for name in PAPER}
        lines += [Line(labels=[title], system=f"paper: {name}") for name, title in titles.items()]
    return lines


def list_differences(setting: Setting, title: str) -> list[Column]:
    """List the columns of a difference of F1, and of its p."""
    return [
        Column(title=title, metric="difference", setting=setting, digits=2, signed=True),
        Column(
            title="p", metric="p", setting=setting, percent=False, digits=3, higher_is_better=False
        ),
    ]


def make_overview(results: Results, tests: Sequence[str]) -> Table:
    """Lay out F1 of all systems on all test sets, with marks, and the paper's rows."""
    steps, tune_steps = results.settings["steps"], results.settings["tune_steps"]
    iteration = ITERATIONS[results.settings.get("iteration", "best")]
    notes = [
        f"base: trained on the source alone, {steps:,} updates, best iteration by the source "
        f"dev set. All others start from the base of their seed, {tune_steps:,} updates on source "
        f"and target together, {iteration}; source only: the same without target. p is the base's "
        "p_B; the base of the same seed filters and completes.",
        "paper: BERT, CTB5, other speech and other target text; not to be compared in height.",
    ]
    return Table(
        title="Table 3: F1",
        heads=["system"],
        lines=list_systems(with_paper=True),
        columns=[
            Column(title=test, metric="word_f", setting={"test": test}, digits=2) for test in tests
        ],
        tests={"b": {"versus": BASE}, "s": {"versus": SELF_TRAINING}},
        notes=notes,
    )


def make_detail_table(results: Results, test: str) -> Table:
    """Lay out precision, recall and F1 of all systems on a test set."""
    place: Setting = {"test": test}
    columns = [
        Column(title=title, metric=metric, setting=place, digits=2)
        for title, metric in SCORES.items()
    ]
    columns += [
        Column(title="OOV R", metric="oov_r", setting=place),
        Column(title="S", metric="single_rate", setting=place),
        *list_differences({**place, "versus": BASE}, "-base"),
        *list_differences({**place, "versus": SELF_TRAINING}, "-self"),
    ]
    n_sentences = next(iter(results.values(BASE, "sentences", place)), 0)
    notes = [
        f"{n_sentences:,.0f} sentences. OOV R: recall of words that the base's training data "
        "lacks. S: share of characters that are words by themselves. -base, -self: F1 minus that "
        "of the base, of self-training."
    ]
    return Table(
        title=f"Table 3: {test}",
        heads=["system"],
        lines=list_systems(with_paper=True),
        columns=columns,
        notes=notes,
    )


def make_pair_table(tests: Sequence[str]) -> Table:
    """Lay out the comparisons that tell what the filter, the completion and the speech do."""
    lines = [
        Line(
            labels=[" minus ".join(SYSTEMS[name].title for name in (a, b))],
            system=a,
            setting={"versus": b},
        )
        for a, b in PAIRS
    ]
    notes = [
        "Points of percent. Against source only: what the target text and the pauses add to as "
        f"many updates. Against {SYSTEMS[PUNCTUATION].title}: whether speech adds anything to "
        "what the punctuation of the same sentences says."
    ]
    return Table(
        title="What is it that helps?",
        heads=["difference of F1"],
        lines=lines,
        columns=[column for test in tests for column in list_differences({"test": test}, test)],
        notes=notes,
    )


def make_interval_table(tests: Sequence[str]) -> Table:
    """Lay out Table 4: pauses of an interval of p_B, against none in the same sentences."""
    columns = [
        Column(title=name, metric=f"target_{name}", percent=False, digits=0)
        for name in ("sentences", "boundaries")
    ]
    for test in tests:
        columns.append(Column(title=test, metric="word_f", setting={"test": test}, digits=2))
        columns += list_differences({"test": test, "versus": SAME_SENTENCES}, "")[1:]
    notes = [
        "F1. Trained on the source and only those target sentences that have a "
        "pause with p_B in the interval; our method takes these pauses as boundaries, "
        "self-training takes none, in the same sentences."
    ]
    return Table(
        title="Table 4: intervals of p_B",
        heads=["pauses", "system"],
        lines=[
            Line(labels=[interval, SYSTEMS[name].title], system=name)
            for interval, *names in INTERVALS
            for name in names
        ],
        columns=columns,
        notes=notes,
    )


def make_simulated_table(results: Results, file: str, noises: tuple[float, ...]) -> Table:
    """Lay out what simulated pauses do to the other half of a file."""
    place: Setting = {"test": half_name(file)}
    columns = [
        Column(title=title, metric=metric, setting=place, digits=2)
        for title, metric in SCORES.items()
    ]
    columns += [
        Column(title="true kept", metric="true_kept", setting=place),
        Column(title="noise dropped", metric="noise_dropped", setting=place),
    ]
    for title, system in (
        ("-base", BASE),
        ("-source only", SOURCE_ONLY),
        ("-self", SELF_TRAINING),
        ("-no filter", NO_FILTER),
    ):
        columns += list_differences({**place, "versus": system}, title)
    notes = [
        f"Pauses drawn at {100 * results.settings['rate']:g} % of the gold boundaries of a half"
        " of the sentences, fixed, without their punctuation; noise: share of false pauses, inside "
        "gold words, in all pauses. Scored on the other half as it is written; no sentence is in "
        "both. The draw changes with the seed."
    ]
    return Table(
        title=f"Simulated pauses: {file}",
        heads=["noise", "system"],
        lines=[
            Line(
                labels=[
                    "-" if variant.noise is None else f"{100 * variant.noise:g} %",
                    SYSTEMS[variant.system].title,
                ],
                system=variant.system,
                setting=variant.setting,
            )
            for variant in list_simulated(file, noises)
        ],
        columns=columns,
        notes=notes,
    )
