"""The tables of the pause study: the paper's 3 and 4, what helps, simulated pauses.

runs, comparisons -> rows of cells, and notes that say what is compared
"""

from studies.pauses.cells import Study, Table, format_difference, mark, mean_and_sd, mean_count
from studies.pauses.comparisons import Pair, list_simulated
from studies.pauses.jobs import Variant, half_name
from studies.pauses.pause_tables import data_table, filter_table, held_out_table
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

# P, R, F1 of Table 3 (BERT, CTB5 as source, the paper's own speech), for test sets so named.
PAPER = {
    BASE: {"zx-test": (93.16, 93.82, 93.49), "aishell2-dev": (89.08, 90.10, 89.58)},
    FILTERED: {"zx-test": (93.59, 94.22, 93.90), "aishell2-dev": (90.82, 90.84, 90.83)},
}
SCORES = {"P": "word_p", "R": "word_r", "F1": "word_f"}
MARKS = {BASE: "b", SELF_TRAINING: "s"}
ITERATIONS = {"best": "best iteration by the target dev set", "last": "last iteration"}


def list_tables(study: Study) -> list[Table]:
    """Lay out all tables; those without runs are left out."""
    tables = [
        overview(study),
        *(detail_table(study, test) for test in study.plan.tests),
        pair_table(study),
        interval_table(study),
        *(simulated_table(study, file) for file in study.plan.simulate),
        held_out_table(study),
        filter_table(study),
        data_table(study),
    ]
    return [table for table in tables if len(table.rows) > 1]


def overview(study: Study) -> Table:
    """Lay out F1 of all systems on all test sets, with marks, and the paper's rows."""
    tests = list(study.plan.tests)
    rows = [["system", "seeds", *tests]]
    for system in MAIN:
        runs = study.of(Variant(system))
        if runs:
            cells = [_marked_f(study, system, test) for test in tests]
            rows.append([SYSTEMS[system].title, str(len(runs)), *cells])
    if len(rows) > 1:
        for system, figures in PAPER.items():
            if any(test in figures for test in tests):
                cells = [f"{figures[test][2]:.2f}" if test in figures else "-" for test in tests]
                rows.append([f"paper: {SYSTEMS[system].title}", "3", *cells])
    base_steps, steps = study.plan.steps, study.plan.tune_steps
    notes = [
        f"base: trained on the source alone, {base_steps:,} updates, best iteration by the source "
        f"dev set. All others start from the base of their seed, {steps:,} updates on source and "
        f"target together, {ITERATIONS[study.plan.iteration]}; source only: the same without "
        "target. p is the base's p_B; the base of the same seed filters and completes."
    ]
    if rows[-1][0].startswith("paper"):
        notes.append(
            "paper: BERT, CTB5, other speech and other target text; not to be compared in height."
        )
    return Table("Table 3: F1", rows, notes)


def _marked_f(study: Study, system: str, test: str) -> str:
    text = mean_and_sd(study.values(Variant(system), test, "word_f"))
    marks = [
        mark(study.comparisons.get(Pair(test, Variant(system), Variant(reference))), letter)
        for reference, letter in MARKS.items()
    ]
    return " ".join([text, *filter(None, marks)])


def detail_table(study: Study, test: str) -> Table:
    """Lay out precision, recall and F1 of all systems on a test set."""
    rows = [["system", "seeds", *SCORES, "OOV R", "S", "-base", "p", "-self", "p"]]
    for system in MAIN:
        variant = Variant(system)
        n_seeds = len(study.values(variant, test, "word_f"))
        if not n_seeds:
            continue
        cells = [mean_and_sd(study.values(variant, test, key)) for key in SCORES.values()]
        cells += [mean_and_sd(study.values(variant, test, k), 1) for k in ("oov_r", "single_rate")]
        for reference in MARKS:
            pair = Pair(test, variant, Variant(reference))
            cells += format_difference(study.comparisons.get(pair))
        rows.append([SYSTEMS[system].title, str(n_seeds), *cells])
    n_sentences = next(iter(study.values(Variant(BASE), test, "sentences")), 0)
    if len(rows) > 1:
        for system, figures in PAPER.items():
            if test in figures:
                cells = [f"{value:.2f}" for value in figures[test]]
                rows.append([f"paper: {SYSTEMS[system].title}", "3", *cells, *["-"] * 6])
    notes = [
        f"{n_sentences:,} sentences. OOV R: recall of words that the base's training data lacks. "
        "S: share of characters that are words by themselves. -base, -self: F1 minus that of the "
        "base, of self-training."
    ]
    return Table(f"Table 3: {test}", rows, notes)


def pair_table(study: Study) -> Table:
    """Lay out the comparisons that tell what the filter, the completion and the speech do."""
    tests = list(study.plan.tests)
    rows = [["difference of F1", *(part for test in tests for part in (test, "p"))]]
    for names in PAIRS:
        a, b = map(Variant, names)
        found = [study.comparisons.get(Pair(test, a, b)) for test in tests]
        if any(found):
            title = " minus ".join(SYSTEMS[name].title for name in names)
            rows.append([title, *(cell for one in found for cell in format_difference(one))])
    notes = [
        "Points of percent. Against source only: what the target text and the pauses add to as "
        f"many updates. Against {SYSTEMS[PUNCTUATION].title}: whether speech adds anything to "
        "what the punctuation of the same sentences says."
    ]
    return Table("What is it that helps?", rows, notes)


def interval_table(study: Study) -> Table:
    """Lay out Table 4: pauses of an interval of p_B, against none in the same sentences."""
    tests = list(study.plan.tests)
    head = ["pauses", "system", "seeds", "sentences", "boundaries"]
    rows = [[*head, *(part for test in tests for part in (test, "p"))]]
    for interval, *names in INTERVALS:
        for name in names:
            runs = study.of(Variant(name))
            if not runs:
                continue
            counts = [mean_count(runs, key) for key in ("sentences", "boundaries")]
            cells = []
            for test in tests:
                cells.append(mean_and_sd(study.values(Variant(name), test, "word_f")))
                found = study.comparisons.get(Pair(test, Variant(name), Variant(names[0])))
                cells.append(format_difference(found)[1])
            rows.append([interval, SYSTEMS[name].title, str(len(runs)), *counts, *cells])
    notes = [
        "F1. Trained on the source and only those target sentences that have a "
        "pause with p_B in the interval; our method takes these pauses as boundaries, "
        "self-training takes none, in the same sentences."
    ]
    return Table("Table 4: intervals of p_B", rows, notes, n_left=2)


def simulated_table(study: Study, file: str) -> Table:
    """Lay out what simulated pauses do to the other half of a file."""
    test = half_name(file)
    rows = [["noise", "system", "seeds", *SCORES, "true kept", "noise dropped"]]
    rows[0] += ["-base", "p", "-source only", "p", "-self", "p", "-no filter", "p"]
    for variant in list_simulated(study.plan, file):
        runs = study.of(variant)
        if not runs:
            continue
        cells = [mean_and_sd(study.values(variant, test, key)) for key in SCORES.values()]
        shares = [run["target"] for run in runs if run.get("target") and variant.noise is not None]
        cells.append(mean_and_sd([t["true_kept"] / t["true"] for t in shares if t["true"]], 1))
        cells.append(
            mean_and_sd([1 - t["noise_kept"] / t["noise"] for t in shares if t["noise"]], 1)
        )
        references = (
            Variant(BASE), Variant(SOURCE_ONLY), Variant(SELF_TRAINING, file),
            Variant(NO_FILTER, file, variant.noise),
        )  # fmt: skip
        for reference in references:
            cells += format_difference(study.comparisons.get(Pair(test, variant, reference)))
        noise = "-" if variant.noise is None else f"{100 * variant.noise:g} %"
        rows.append([noise, SYSTEMS[variant.system].title, str(len(runs)), *cells])
    notes = [
        f"Pauses drawn at {100 * study.plan.rate:g} % of the gold boundaries of a half"
        " of the sentences, fixed, without their punctuation; noise: share of false pauses, inside "
        "gold words, in all pauses. Scored on the other half as it is written; no sentence is in "
        "both. The draw changes with the seed."
    ]
    return Table(f"Simulated pauses: {file}", rows, notes, n_left=2)
