"""The tables of the pause study: Tables 3 and 4, comparisons of systems, and simulated pauses.

settings, rows -> tables with notes
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from studies.paper_figures import PAUSES
from studies.pauses.comparisons import SAME_SENTENCES, list_simulated
from studies.pauses.data_tables import make_data_table, make_filter_table, make_held_out_table
from studies.pauses.runs import half_name
from studies.pauses.systems import (
    BASE,
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
    f"b+ b-: F1 above or below that of the base of the same seeds, p < {LEVEL:g}. s+ s-: above or "
    "below that of self-training. p: paired bootstrap over the sentences, with counts summed over "
    f"the seeds, {DRAWS:,} draws, two-sided. It reflects the choice of the test sentences, and the "
    "deviation reflects the choice of the seed. Many pairs are compared, so some p below "
    f"{LEVEL:g} are expected by chance.",
]
SCORES = {"P": "word_p", "R": "word_r", "F1": "word_f"}
ITERATIONS = {"best": "best iteration by the target dev set", "last": "last iteration"}


def make_results(settings: Mapping[str, Any], rows: Sequence[Row]) -> Results:
    """Make the results, with their tables.

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
    """List the paper's figures for the test sets in the rows."""
    tests = _list_values(rows, "test")
    return [
        row
        for system, figures in PAUSES.items()
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
    """List the values of a key of the settings, in the order of the rows."""
    return list(dict.fromkeys(row.setting[key] for row in rows if key in row.setting))


def list_tables(results: Results) -> list[Table]:
    """List all tables. Tables without runs are empty."""
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
        titles = {name: f"paper: {SYSTEMS[name].title}" for name in PAUSES}
        lines += [Line(labels=[title], system=f"paper: {name}") for name, title in titles.items()]
    return lines


def list_differences(setting: Setting, title: str) -> list[Column]:
    """List the columns of a difference in F1, and of its p-value."""
    return [
        Column(title=title, metric="difference", setting=setting, digits=2, signed=True),
        Column(
            title="p", metric="p", setting=setting, percent=False, digits=3, higher_is_better=False
        ),
    ]


def make_overview(results: Results, tests: Sequence[str]) -> Table:
    """Make the table with the F1 of all systems on all test sets, and the paper's rows."""
    steps, tune_steps = results.settings["steps"], results.settings["tune_steps"]
    iteration = ITERATIONS[results.settings.get("iteration", "best")]
    notes = [
        f"base: trained only on the source, {steps:,} updates, best iteration by the source dev "
        f"set. All others start from the base of their seed, with {tune_steps:,} updates on source "
        f"and target together, {iteration}. source only: the same without target. p is the p_B of "
        "the base of the same seed, which filters and completes.",
        "paper: BERT, CTB5, other speech and other target text, so the scores are not comparable.",
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
    """Make the table with precision, recall and F1 of all systems on a test set."""
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
        f"{n_sentences:,.0f} sentences. OOV R: recall of words that are not in the training data "
        "of the base. S: share of characters that are words of one character. -base, -self: F1 "
        "minus that of the base, and minus that of self-training."
    ]
    return Table(
        title=f"Table 3: {test}",
        heads=["system"],
        lines=list_systems(with_paper=True),
        columns=columns,
        notes=notes,
    )


def make_pair_table(tests: Sequence[str]) -> Table:
    """Make the table of comparisons that show the effect of filter, completion and speech."""
    lines = [
        Line(
            labels=[" minus ".join(SYSTEMS[name].title for name in (a, b))],
            system=a,
            setting={"versus": b},
        )
        for a, b in PAIRS
    ]
    notes = [
        "Percentage points. Minus source only: the gain from the target text and the pauses, with "
        f"the same number of updates. Minus {SYSTEMS[PUNCTUATION].title}: the gain from speech "
        "over the punctuation of the same sentences."
    ]
    return Table(
        title="What is it that helps?",
        heads=["difference of F1"],
        lines=lines,
        columns=[column for test in tests for column in list_differences({"test": test}, test)],
        notes=notes,
    )


def make_interval_table(tests: Sequence[str]) -> Table:
    """Make the table like Table 4, with and without the pauses of an interval of p_B."""
    columns = [
        Column(title=name, metric=f"target_{name}", percent=False, digits=0)
        for name in ("sentences", "boundaries")
    ]
    for test in tests:
        columns.append(Column(title=test, metric="word_f", setting={"test": test}, digits=2))
        columns += list_differences({"test": test, "versus": SAME_SENTENCES}, "")[1:]
    notes = [
        "F1. Trained on the source and on the target sentences that have a pause with p_B in the "
        "interval. Our method uses these pauses as boundaries. Self-training uses the same "
        "sentences without them."
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
    """Make the table of the scores on one half of a file, after training on the other half."""
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
        f"Pauses are drawn at {100 * results.settings['rate']:g} % of the gold boundaries in a "
        "fixed half of the sentences, without their punctuation. Noise: share of false pauses "
        "(inside gold words) in all pauses. Scored on the other half with its punctuation. No "
        "sentence is in both halves. The draw changes with the seed."
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
