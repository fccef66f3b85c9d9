"""Filter pauses and complete them to words: training data without annotation (sections 2.3, 3).

PauseRecords -> p_B of their gaps by a source model -> likely boundaries -> best words that end
there -> segmented text
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import tee
from pathlib import Path

from spacy.language import Language

from ...components.settings import check_range
from ...files.atomic import open_output
from ...files.records import format_record
from ..boundary_probs import boundary_probs, segment_texts
from .pauses import MIN_P, PauseRecord, pause_gaps


def find_boundaries(
    nlp: Language, records: Iterable[PauseRecord], *, min_p: float = MIN_P
) -> Iterator[tuple[PauseRecord, list[int]]]:
    """Find the pauses of records that are probable boundaries: their gaps, for each record.

    nlp: The source model, with a word segmenter.
    min_p: Minimum p_B of the source model in the gap, in [0, 1]. With 0, all pauses are boundaries.
    """
    records, ahead = tee(records)
    found = boundary_probs(nlp, ("".join(record.chars) for record in ahead))
    for record, probs in zip(records, found, strict=True):
        yield record, [gap for gap in pause_gaps(record) if probs[gap] >= min_p]


def complete(
    nlp: Language, records: Iterable[tuple[PauseRecord, list[int]]]
) -> Iterator[list[str]]:
    """Complete records to the best words that end at the given gaps (section 3.2).

    records: Records with the gaps that are boundaries, as from `find_boundaries`. Without any gaps,
        this is self-training.
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


def write_completed(
    nlp: Language,
    records: Iterable[PauseRecord],
    output: Path,
    *,
    min_p: float = MIN_P,
    on_record: Callable[[], object] = lambda: None,
) -> tuple[int, int, int]:
    """Write records as training data of a word segmenter.

    output: OUT.txt for segmented text, or OUT.jsonl for the chunks between the boundaries, from
        which a partial CRF learns.
    RETURNS: Numbers of sentences, of their pauses, and of the pauses that are boundaries.

    Raises ValueError for another name of the output, and if there are no records. An existing
    output is then unchanged.
    """
    check_range("min_p", min_p, high=1)
    if output.suffix not in (".txt", ".jsonl"):
        raise ValueError(f"The name of the output must end in .txt or .jsonl, got {output}.")
    n_records = n_pauses = n_kept = 0

    def count() -> Iterator[tuple[PauseRecord, list[int]]]:
        nonlocal n_records, n_pauses, n_kept
        for record, gaps in find_boundaries(nlp, records, min_p=min_p):
            n_records += 1
            n_pauses += len(pause_gaps(record))
            n_kept += len(gaps)
            on_record()
            yield record, gaps

    with open_output(output) as file:
        if output.suffix == ".txt":
            file.writelines(" ".join(words) + "\n" for words in complete(nlp, count()))
        else:
            for record, gaps in count():
                file.write(format_record({"chunks": cut_chunks(record, gaps)}) + "\n")
        if not n_records:
            raise ValueError("There must be at least one utterance with pauses, got none.")
    return n_records, n_pauses, n_kept
