"""Filter pauses and complete them to words: training data without annotation (sections 2.3, 3).

PauseRecords -> p_B of their gaps by a source model -> accepted gaps -> best words that end there
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import tee

from spacy.language import Language

from ...arrays import Floats1d
from ...components.settings import check_range
from ..boundary_probs import boundary_probs, segment_texts
from .pauses import MIN_PAUSE_MS, PauseRecord, pause_gaps


@dataclass(frozen=True)
class Filter:
    """A range of pauses that are accepted as word boundaries.

    Raises ValueError for an invalid range.
    """

    # Range of p_B of a source model, in [0, 1], both ends included. The final choice of the paper
    # is 0.5 to 1. With 0 to 1, all pauses are accepted.
    min_p: float = 0.5
    max_p: float = 1.0
    min_ms: int = MIN_PAUSE_MS  # for comparison: the threshold of section 2.3

    def __post_init__(self) -> None:
        check_range("min_p", self.min_p, high=1)
        check_range("max_p", self.max_p, low=self.min_p, high=1)
        check_range("min_ms", self.min_ms, low=1)


def filter_gaps(record: PauseRecord, probs: Floats1d, keep: Filter) -> list[int]:
    """List the gaps of a record whose pauses are accepted as word boundaries.

    probs: (n_characters - 1,), p_B of each gap.

    >>> record = PauseRecord("a", list("有人在细细地"), [0, 230, 0, 110, 0])
    >>> filter_gaps(record, [0.4, 0.9, 0.8, 0.1, 0.9], Filter(min_p=0.5))
    [1]
    """
    gaps = pause_gaps(record, min_ms=keep.min_ms)
    return [gap for gap in gaps if keep.min_p <= probs[gap] <= keep.max_p]


def find_gaps(
    nlp: Language, records: Iterable[PauseRecord], keep: Filter
) -> Iterator[tuple[PauseRecord, list[int]]]:
    """Filter the pauses of records with a source model; return each record with its gaps."""
    records, ahead = tee(records)
    found = boundary_probs(nlp, ("".join(record.chars) for record in ahead))
    for record, probs in zip(records, found, strict=True):
        yield record, filter_gaps(record, probs, keep)


def complete(
    nlp: Language, records: Iterable[tuple[PauseRecord, list[int]]]
) -> Iterator[list[str]]:
    """Complete records to the best words that end at the given gaps (section 3.2).

    records: Records with the gaps that are boundaries, as from `find_gaps`. Without any gaps, this
        is self-training.
    """
    records, copies = tee(records)
    texts = ("".join(record.chars) for record, _ in records)
    return segment_texts(nlp, texts, (gaps for _, gaps in copies))


def cut_chunks(record: PauseRecord, gaps: list[int]) -> list[str]:
    """Split the characters of a record at gaps, as input for a partial CRF (section 3.1).

    >>> cut_chunks(PauseRecord("a", list("有人在细细地倾听"), [0] * 7), [1, 5])
    ['有人', '在细细地', '倾听']
    """
    text = "".join(record.chars)
    stops = [gap + 1 for gap in gaps]
    return [text[a:b] for a, b in zip([0, *stops], [*stops, len(text)], strict=True)]
