"""The tables of the pauses themselves: those held out, what the filter keeps, the target data.

rows of the base and of each system -> tables, with notes that say what is counted
"""

from collections.abc import Sequence

from studies.pauses.measures import BINS
from studies.pauses.systems import BASE
from studies.pauses.targets import HELD_OUT
from studies.results import Column, Line, Results, Setting, Table


def make_held_out_table(results: Results, systems: list[Line]) -> Table:
    """Lay out recall at pauses that were not trained on, next to how much is split."""
    place: Setting = {"test": HELD_OUT}
    titles = {
        "recall": "recall",
        "off_recall": "off punctuation",
        "single_rate": "S",
        "boundary_rate": "boundaries",
    }
    pauses, off, sentences = (
        next(iter(results.values(BASE, key, place)), 0)
        for key in ("pauses", "off_punctuation", "sentences")
    )
    notes = [
        f"Percent. Share of {pauses:,.0f} pauses, and of the {off:,.0f} of them that are not at "
        f"punctuation, at which the system has a boundary, in {sentences:,.0f} sentences that no "
        "system was trained on.",
        "S: share of characters that are words by themselves there; boundaries: share of all gaps "
        "that are boundaries. A recall that rises with them is bought by splitting more.",
    ]
    return Table(
        title="Pauses held out",
        heads=["system"],
        lines=systems,
        columns=[
            Column(title=title, metric=metric, setting=place, digits=2)
            for metric, title in titles.items()
        ],
        notes=notes,
    )


def make_filter_table(seeds: Sequence[int]) -> Table:
    """Lay out what the filter keeps of real pauses and drops of noise, by seed."""
    ends = [*(f"{end:g}" for end in BINS[1:]), "1"]
    bins = [f"[{start:g}, {end})" for start, end in zip(BINS, ends, strict=True)]
    notes = [
        "Percent of the real pauses by the p_B of the base, and of noise. The last interval has 1 "
        "in it. Noise: as many gaps without a pause, drawn inside the words that the base finds; "
        "as the base chose these words, its p_B there is below .5 nearly by construction. The "
        "simulated tables have noise inside gold words."
    ]
    return Table(
        title="What the filter keeps and drops",
        heads=["seed of the base"],
        lines=[Line(labels=[str(seed)], system=BASE, setting={"by_seed": seed}) for seed in seeds],
        columns=[
            Column(title="pauses", metric="filter_pauses", percent=False, digits=0),
            *(Column(title=name, metric=f"filter_pause_bins_{n}") for n, name in enumerate(bins)),
            Column(title="kept at .5", metric="filter_kept"),
            Column(title="noise", metric="filter_noise", percent=False, digits=0),
            Column(title="dropped at .5", metric="filter_dropped"),
        ],
        notes=notes,
    )


def make_data_table(systems: list[Line]) -> Table:
    """Lay out how much target data each system had."""
    names = ("sentences", "characters", "pauses", "boundaries", "changed")
    notes = [
        "Mean over the seeds. boundaries: gaps that were taken as boundaries; changed: sentences "
        "whose completed words differ from those of self-training (not counted for a partial CRF)."
    ]
    return Table(
        title="Target data",
        heads=["system"],
        lines=systems,
        columns=[
            Column(title=name, metric=f"target_{name}", percent=False, digits=0) for name in names
        ],
        notes=notes,
    )
