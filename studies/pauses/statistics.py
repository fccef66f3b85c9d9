"""Statistics of pauses by boundary probability and duration (Figure 2).

(p_B, duration, is it a boundary) of each pause -> shares of the bins -> table
"""

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from spacy_sentid.word_segmenter.boundary_probs import boundary_probs
from spacy_sentid.word_segmenter.speech.pauses import MIN_PAUSE_MS, read_pauses
from spacy_sentid.word_segmenter.speech.transcripts import clean_transcript

# The start of each bin. The paper's "1.0" is for probabilities that are printed like that, as
# computed probabilities are rarely exactly 1.
PROB_BINS = {"[0.0, 0.1)": 0.0, "[0.1, 0.9)": 0.1, "[0.9, 1.0)": 0.9, "1.0": 0.9999}
DURATION_BINS = {"[10, 50)": 10, "[50, 150)": 50, "[150, 500)": 150, "[500, INF)": 500}  # ms


class Pause(NamedTuple):
    """A pause, with the values that the statistics need."""

    prob: float  # p_B of the gap, in [0, 1]
    duration_ms: float
    is_boundary: bool | None = None  # None = unknown, without gold words


class ProbBin(NamedTuple):
    """The pauses with probabilities in a bin. Shares are in [0, 1]."""

    name: str
    n: int
    overall: float  # share of all pauses
    internal: dict[str, float]  # shares of the bin's pauses, by DURATION_BINS; all 0 if n is 0
    n_gold: int
    accuracy: float | None  # share of boundaries in the n_gold pauses; None if n_gold is 0


class PauseStatistics(NamedTuple):
    """The bins of a file of pauses, and the numbers of its utterances and of those with gold."""

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

    gold: Words of segmented sentences. Utterances with the same characters are compared with them.

    Raises ValueError if there are no pauses.
    """
    ends = dict(map(gold_boundaries, gold or ()))
    found: list[Pause] = []
    n_records = n_gold = 0
    # The file is read twice, so that only one batch is in memory.
    texts = ("".join(record.chars) for record in read_pauses(path))
    for record, probs in zip(read_pauses(path), boundary_probs(nlp, texts), strict=True):
        gold_ends = ends.get("".join(record.chars))
        n_records += 1
        n_gold += gold_ends is not None
        found += [
            Pause(float(prob), pause, None if gold_ends is None else gap in gold_ends)
            for gap, (pause, prob) in enumerate(zip(record.pause_ms, probs, strict=True))
            if pause > 0
        ]
        on_record()
    bins = count_pauses(found)
    if not any(row.n for row in bins):
        raise ValueError(f"{path} must have pauses of {MIN_PAUSE_MS} ms or more, got none.")
    return PauseStatistics(bins, n_records, n_gold)


def count_pauses(pauses: Iterable[Sequence[Any]]) -> list[ProbBin]:
    """Sort pauses into the bins of Figure 2, in the order of PROB_BINS.

    pauses: The values of `Pause`. Probabilities of 0.9999 or more count as 1.0. Pauses shorter than
        10 ms are skipped.

    Raises ValueError for a probability outside of [0, 1].

    >>> found = count_pauses([(0.05, 20, False), (0.95, 300, True), (1.0, 600, True), (0.99, 10)])
    >>> [(row.name, row.n, row.accuracy) for row in found]
    [('[0.0, 0.1)', 1, 0.0), ('[0.1, 0.9)', 0, None), ('[0.9, 1.0)', 2, 1.0), ('1.0', 1, 1.0)]
    >>> found[2].overall, list(found[2].internal.values())
    (0.5, [0.5, 0.0, 0.5, 0.0])
    """
    rows: dict[str, list[Pause]] = {name: [] for name in PROB_BINS}
    for pause in starmap(Pause, pauses):
        if not 0 <= pause.prob <= 1:
            raise ValueError(f"A probability must be in [0, 1], got {pause.prob}.")
        if pause.duration_ms >= MIN_PAUSE_MS:
            rows[_find_bin(pause.prob, PROB_BINS)].append(pause)
    total = sum(map(len, rows.values()))
    bins = []
    for name, row in rows.items():
        gold = [pause.is_boundary for pause in row if pause.is_boundary is not None]
        durations = Counter(_find_bin(pause.duration_ms, DURATION_BINS) for pause in row)
        internal = {key: durations[key] / max(len(row), 1) for key in DURATION_BINS}
        accuracy = sum(gold) / len(gold) if gold else None
        bins.append(
            ProbBin(name, len(row), len(row) / max(total, 1), internal, len(gold), accuracy)
        )
    return bins


def _find_bin(value: float, starts: dict[str, Any]) -> str:
    """Find the last bin that starts at the value or below."""
    return list(starts)[bisect(list(starts.values()), value) - 1]


def gold_boundaries(words: Iterable[str]) -> tuple[str, frozenset[int]]:
    """Find the spoken characters of a segmented sentence, and the gaps where a word ends.

    Symbols are skipped as in transcripts, so that the characters are equal to those of a record
    (footnote 7).

    >>> text, ends = gold_boundaries(["有", "人", "，", "细细", "地", "倾听", "。"])
    >>> text, sorted(ends)
    ('有人细细地倾听', [0, 1, 3, 4])
    """
    pieces = ["".join(found.char for found in clean_transcript(word)) for word in words]
    text = "".join(pieces)
    ends, place = set(), 0
    for piece in pieces:
        place += len(piece)
        ends.add(place - 1)
    return text, frozenset(ends - {-1, len(text) - 1})


def table_rows(bins: Sequence[ProbBin]) -> list[list[str]]:
    """Format the bins as rows of cells, with the heading first; shares are in percent."""
    rows = [["p_B", "pauses", "overall", *(f"{name} ms" for name in DURATION_BINS), "accuracy"]]
    for row in bins:
        internal = [f"{100 * share:.1f}" if row.n else "-" for share in row.internal.values()]
        accuracy = "-" if row.accuracy is None else f"{100 * row.accuracy:.1f}"
        rows.append([row.name, f"{row.n:,}", f"{100 * row.overall:.1f}", *internal, accuracy])
    return rows
