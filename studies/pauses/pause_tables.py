"""Tables of the pauses themselves: those held out, those the filter keeps, the target data.

runs -> rows of cells
"""

from studies.pauses.cells import Study, Table, mean_and_sd, mean_count
from studies.pauses.jobs import HELD_OUT, Variant
from studies.pauses.measures import BINS
from studies.pauses.systems import BASE, MAIN, SYSTEMS


def held_out_table(study: Study) -> Table:
    """Lay out recall at pauses that were not trained on, beside how much is split."""
    rows = [["system", "seeds", "recall", "off punctuation", "S", "boundaries"]]
    keys = ("recall", "off_recall", "single_rate", "boundary_rate")
    for system in MAIN:
        runs = study.of(Variant(system))
        if runs:
            cells = [mean_and_sd(study.values(Variant(system), HELD_OUT, key)) for key in keys]
            rows.append([SYSTEMS[system].title, str(len(runs)), *cells])
    numbers = [
        int(next(iter(study.values(Variant(BASE), HELD_OUT, key)), 0))
        for key in ("pauses", "off_punctuation", "sentences")
    ]
    notes = [
        "Percent. Share of {:,} pauses, and of the {:,} of them that are not at punctuation, at "
        "which the system has a boundary, in {:,} sentences that no system was trained on.".format(
            *numbers
        ),
        "S: share of characters that are words by themselves there; boundaries: share of all gaps "
        "that are boundaries. A recall that rises with them is bought by splitting more.",
    ]
    return Table("Pauses held out", rows, notes)


def filter_table(study: Study) -> Table:
    """Lay out what the filter keeps of real pauses and drops of noise, by seed."""
    ends = [*(f"{end:g}" for end in BINS[1:]), "1"]
    bins = [f"[{start:g}, {end})" for start, end in zip(BINS, ends, strict=True)]
    rows = [["seed", "pauses", *bins, "kept at .5", "noise", "dropped at .5"]]
    for run in study.of(Variant(BASE)):
        found = run["filter"]
        shares = [f"{100 * share:.1f}" for share in (*found["pause_bins"], found["kept"])]
        dropped = f"{100 * found['dropped']:.1f}"
        rows.append(
            [str(run["seed"]), f"{found['pauses']:,}", *shares, f"{found['noise']:,}", dropped]
        )
    notes = [
        "Percent of the real pauses by the p_B of the base, and of noise. The last interval has 1 "
        "in it. Noise: as many gaps without a pause, drawn inside the words that the base finds; "
        "as the base chose these words, its p_B there is below .5 nearly by construction. The "
        "simulated tables have noise inside gold words."
    ]
    return Table("What the filter keeps and drops", rows, notes)


def data_table(study: Study) -> Table:
    """Lay out how much target data each system had."""
    keys = ("sentences", "characters", "pauses", "boundaries", "changed")
    rows = [["system", *keys]]
    for system in MAIN:
        runs = [run for run in study.of(Variant(system)) if run.get("target")]
        if runs:
            rows.append([SYSTEMS[system].title, *(mean_count(runs, key) for key in keys)])
    notes = [
        "Mean over the seeds. boundaries: gaps that were taken as boundaries; changed: sentences "
        "whose completed words differ from those of self-training (not counted for a partial CRF)."
    ]
    return Table("Target data", rows, notes)
