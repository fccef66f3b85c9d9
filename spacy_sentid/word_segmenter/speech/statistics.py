"""Statistics of pauses by boundary probability and duration (Figure 2).

(p_B, duration, is it a boundary) of each pause -> shares of the bins -> table, JSON, SVG
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from ...arrays import Floats1d
from ...plotting import SVG_METADATA, import_matplotlib, use_own_settings
from ..boundary_probs import boundary_probs
from .pauses import MIN_PAUSE_MS, PauseRecord, read_pauses

# The paper's "1.0" are probabilities that are printed so: with floats none need be exactly 1.
CERTAIN_PROB = 0.9999
PROB_BINS = {"[0.0, 0.1)": 0.0, "[0.1, 0.9)": 0.1, "[0.9, 1.0)": 0.9, "1.0": CERTAIN_PROB}
DURATION_BINS = {"[10, 50)": 10, "[50, 150)": 50, "[150, 500)": 150, "[500, INF)": 500}  # ms
# From light to dark: longer pauses are darker, and the figure can be read without colour.
COLORS = ("#c6dbef", "#6baed6", "#2171b5", "#08306b")


class Pause(NamedTuple):
    """What the figure needs to know of a pause."""

    prob: float  # p_B of the gap, in [0, 1]
    duration_ms: float
    is_boundary: bool | None = None  # None: there is no gold


class ProbBin(NamedTuple):
    """The pauses whose probability is in a bin; shares are in [0, 1]."""

    name: str
    n: int
    overall: float  # of all pauses
    internal: list[float]  # of the bin's pauses, by DURATION_BINS; all 0 for none
    n_gold: int
    accuracy: float | None  # of those with gold, how many are boundaries; None for none


class PauseStatistics(NamedTuple):
    """The bins of a file of pauses, and how many of its utterances have gold."""

    bins: list[ProbBin]
    n_records: int
    n_gold: int


def read_statistics(
    nlp: Language,
    path: Path,
    *,
    gold: Iterable[Sequence[str]] | None = None,
    on_record: Callable[[], object] = lambda: None,
) -> PauseStatistics:
    """Count the pauses of a file by the probabilities of a word segmenter.

    gold: Words of segmented sentences, some of which are those of the utterances.

    Raises ValueError without pauses.
    """
    ends = dict(map(gold_boundaries, gold or ()))
    found: list[Pause] = []
    n_records = n_gold = 0
    # The file is read twice, so that no more than a batch is in memory.
    texts = ("".join(record.chars) for record in read_pauses(path))
    for record, probs in zip(read_pauses(path), boundary_probs(nlp, texts), strict=True):
        gold_ends = ends.get("".join(record.chars))
        n_records += 1
        n_gold += gold_ends is not None
        found += list_pauses(record, probs, gold_ends)
        on_record()
    bins = count_pauses(found)
    if not any(row.n for row in bins):
        raise ValueError(f"{path} must have pauses of {MIN_PAUSE_MS} ms or more, got none.")
    return PauseStatistics(bins, n_records, n_gold)


def count_pauses(
    pauses: Iterable[tuple[float, float] | tuple[float, float, bool | None]],
) -> list[ProbBin]:
    """Sort pauses into the bins of Figure 2, in the order of PROB_BINS.

    pauses: Pause, or (probability, duration in milliseconds[, is it a boundary]). A probability
        from 0.9999 on counts as 1.0; what is shorter than 10 ms is no pause and passed over.

    Raises ValueError for a probability outside of [0, 1].

    >>> found = count_pauses([(0.05, 20, False), (0.95, 300, True), (1.0, 600, True), (0.99, 10)])
    >>> [(row.name, row.n, row.accuracy) for row in found]
    [('[0.0, 0.1)', 1, 0.0), ('[0.1, 0.9)', 0, None), ('[0.9, 1.0)', 2, 1.0), ('1.0', 1, 1.0)]
    >>> found[2].overall, found[2].internal
    (0.5, [0.5, 0.0, 0.5, 0.0])
    """
    counts = [[0] * len(DURATION_BINS) for _ in PROB_BINS]
    n_gold, n_right = [0] * len(PROB_BINS), [0] * len(PROB_BINS)
    for pause in map(Pause._make, map(_with_gold, pauses)):
        if not 0 <= pause.prob <= 1:
            raise ValueError(f"Found a probability of {pause.prob}, expected one in [0, 1].")
        column = _find_bin(pause.duration_ms, DURATION_BINS.values())
        if column < 0:
            continue
        row = _find_bin(pause.prob, PROB_BINS.values())
        counts[row][column] += 1
        if pause.is_boundary is not None:
            n_gold[row] += 1
            n_right[row] += pause.is_boundary
    total = sum(map(sum, counts))
    return [
        ProbBin(
            name=name,
            n=sum(row),
            overall=sum(row) / total if total else 0.0,
            internal=[n / sum(row) if n else 0.0 for n in row],
            n_gold=gold,
            accuracy=right / gold if gold else None,
        )
        for name, row, gold, right in zip(PROB_BINS, counts, n_gold, n_right, strict=True)
    ]


def list_pauses(
    record: PauseRecord, probs: Floats1d | Sequence[float], gold_ends: frozenset[int] | None = None
) -> list[Pause]:
    """List the pauses of a record with their probabilities.

    probs: p_B of each gap, (n_chars - 1,).
    gold_ends: The gaps where a word ends; None without gold.
    """
    if len(probs) != len(record.pause_ms):
        raise ValueError(
            f"Found {len(probs)} probabilities of the {len(record.pause_ms)} gaps of {record.id}, "
            "expected one each."
        )
    return [
        Pause(float(prob), pause, None if gold_ends is None else gap in gold_ends)
        for gap, (pause, prob) in enumerate(zip(record.pause_ms, probs, strict=True))
        if pause > 0
    ]


def gold_boundaries(words: Iterable[str]) -> tuple[str, frozenset[int]]:
    """Give the spoken characters of a segmented sentence, and the gaps where a word ends.

    Symbols are passed over as in transcripts, so that the characters can be looked up by those of
    a record (footnote 7).

    >>> text, ends = gold_boundaries(["有", "人", "，", "细细", "地", "倾听", "。"])
    >>> text, sorted(ends)
    ('有人细细地倾听', [0, 1, 3, 4])
    """
    from .transcripts import clean_transcript

    pieces = ["".join(found.char for found in clean_transcript(word)) for word in words]
    text = "".join(pieces)
    ends, place = set(), 0
    for piece in pieces:
        place += len(piece)
        ends.add(place - 1)
    return text, frozenset(ends - {-1, len(text) - 1})


def table_rows(bins: Sequence[ProbBin]) -> list[list[str]]:
    """Lay out the bins as rows of cells, the heading first; shares in percent."""
    rows = [["p_B", "pauses", "overall", *(f"{name} ms" for name in DURATION_BINS), "accuracy"]]
    for row in bins:
        internal = [f"{100 * share:.1f}" if row.n else "-" for share in row.internal]
        accuracy = "-" if row.accuracy is None else f"{100 * row.accuracy:.1f}"
        rows.append([row.name, f"{row.n:,}", f"{100 * row.overall:.1f}", *internal, accuracy])
    return rows


def bins_to_json(bins: Sequence[ProbBin]) -> list[dict[str, Any]]:
    """Make the bins ready for JSON; shares stay in [0, 1]."""
    names = list(DURATION_BINS)
    return [
        {**row._asdict(), "internal": dict(zip(names, row.internal, strict=True))} for row in bins
    ]


def draw_pauses(bins: Sequence[ProbBin], path: Path) -> None:
    """Draw Figure 2 as SVG: a bar for each probability bin, stacked by duration, in percent.

    Under a bar stand its bin and its share of all pauses; above it its accuracy, where there is
    gold. Raises ValueError without matplotlib.
    """
    matplotlib = import_matplotlib()
    with use_own_settings():
        figure = matplotlib.figure.Figure(figsize=(6.4, 4.2), layout="constrained")
        axis = figure.subplots()
        places = range(len(bins))
        bottoms = [0.0] * len(bins)
        for column, (name, color) in enumerate(zip(DURATION_BINS, COLORS, strict=True)):
            heights = [100 * row.internal[column] for row in bins]
            bars = axis.bar(places, heights, 0.6, bottom=bottoms, color=color, label=f"{name} ms")
            # A share that is too small for its number has none.
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


def _with_gold(pause: Sequence[Any]) -> tuple[Any, ...]:
    return (*pause, None)[:3]


def _find_bin(value: float, starts: Iterable[float]) -> int:
    """Find the last bin that starts at a value or below; -1 if none does."""
    return sum(value >= start for start in starts) - 1
