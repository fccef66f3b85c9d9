"""Figure 2 as SVG, drawn from the output of `spacy-sentid speech statistics --json`."""

import json
from collections.abc import Sequence
from pathlib import Path

from spacy_sentid.word_segmenter.speech.statistics import DURATION_BINS, ProbBin
from studies.plotting import SVG_METADATA, import_matplotlib, use_own_settings

# Longer pauses are darker, so that the figure can be read without colour.
COLORS = ("#c6dbef", "#6baed6", "#2171b5", "#08306b")


def read_bins(path: Path) -> list[ProbBin]:
    """Read the bins of a report. Raise ValueError if the file is not a report."""
    try:
        return [ProbBin(**row) for row in json.loads(path.read_bytes())["bins"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} must be a report of 'speech statistics --json'.") from error


def draw_pauses(bins: Sequence[ProbBin], path: Path) -> None:
    """Draw Figure 2 as SVG, with a bar for each probability bin, stacked by duration, in percent.

    The label below a bar shows its bin and its share of all pauses. The label above shows its
    accuracy if there is gold. Raises ValueError if matplotlib is not installed.
    """
    matplotlib = import_matplotlib()
    with use_own_settings():
        figure = matplotlib.figure.Figure(figsize=(6.4, 4.2), layout="constrained")
        axis = figure.subplots()
        places = range(len(bins))
        bottoms = [0.0] * len(bins)
        for column, (name, color) in enumerate(zip(DURATION_BINS, COLORS, strict=True)):
            heights = [100 * row.internal[name] for row in bins]
            bars = axis.bar(places, heights, 0.6, bottom=bottoms, color=color, label=f"{name} ms")
            # The number does not fit into a small share.
            labels = [f"{height:.1f}" if height >= 5 else "" for height in heights]
            axis.bar_label(
                bars, labels, label_type="center", fontsize=8, color="black" if column < 2 else "w"
            )
            bottoms = [below + height for below, height in zip(bottoms, heights, strict=True)]
        for place, row in enumerate(bins):
            if row.accuracy is not None:
                text = f"accuracy {100 * row.accuracy:.1f}"
                axis.text(place, 102, text, color="tab:red", ha="center", fontsize=9)
        axis.set_xticks(
            places, [f"{row.name}\n{100 * row.overall:.1f}% of all\nn = {row.n:,}" for row in bins]
        )
        axis.set_xlabel("probability of a word boundary")
        axis.set_ylabel("share of the bin's pauses (%)")
        axis.set_ylim(0, 110)
        axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, reverse=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata=SVG_METADATA)
