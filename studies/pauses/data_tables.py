"""The tables of the data of the pause study: held-out pauses, filtered pauses, and target data.

rows of the base and of each system -> tables with notes
"""

from collections.abc import Sequence

from studies.pauses.measures import BINS
from studies.pauses.systems import BASE
from studies.pauses.targets import HELD_OUT
from studies.results import Column, Line, Results, Setting, Table


def make_held_out_table(results: Results, systems: list[Line]) -> Table:
    """Make the table of the recall at held-out pauses, with the share of boundaries."""
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
        f"Percent. Recall: share of {pauses:,.0f} pauses at which the system has a boundary, in "
        f"{sentences:,.0f} sentences that no system was trained on. Off punctuation: the same for "
        f"the {off:,.0f} pauses that are not at punctuation.",
        "S: share of characters that are words of one character. Boundaries: share of all gaps "
        "that are boundaries. If they rise with the recall, the system only splits more.",
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
    """Make the table of the real pauses that the filter keeps and the noise that it drops."""
    ends = [*(f"{end:g}" for end in BINS[1:]), "1"]
    bins = [f"[{start:g}, {end})" for start, end in zip(BINS, ends, strict=True)]
    notes = [
        "Percent of the real pauses, and of noise, by the p_B of the base. The last interval "
        "includes 1. Noise: the same number of gaps without a pause, drawn inside the words that "
        "the base predicts. Its p_B there is below .5 almost by construction. The simulated tables "
        "have noise inside gold words."
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
    """Make the table of the amount of target data of each system."""
    names = ("sentences", "characters", "pauses", "boundaries", "changed")
    notes = [
        "Mean over the seeds. boundaries: gaps that were used as boundaries. changed: sentences "
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
