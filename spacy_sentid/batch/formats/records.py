"""Build the record of a document from what was found in its text.

document, rows -> {"id", "units"}, in offsets of the input file if the text comes from one
{"id", "text", "units"} -> a task of an annotation tool
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ...files.records import BYTE_ORDER_MARK, SURROGATE
from ...sentence_identifier.data.annotation_tasks import make_task, make_task_span, mean_score
from ...text.units import SU
from ..input.documents import Document
from ..tasks import UNITS, Rows, map_rows, move_rows
from .spool import RowSpool, spool_rows


def make_record(
    document: Document,
    blocks: Iterable[Rows],
    task: str,
    *,
    keep: str | None = None,
    with_text: bool = False,
    with_source: bool = False,
) -> dict[str, Any]:
    """Build the record of a document.

    blocks: The rows found in its text, with offsets in the whole text. A short text has one block;
        the rows of several blocks become a RowSpool.
    keep, with_text: See `WorkSettings`.
    with_source: Offsets refer to the text of the document, which the record includes.

    >>> rows = [{"start_char": 0, "end_char": 8, "label": "SU"}]
    >>> make_record(Document(7, "I sleep. Page 3"), [rows], "units", with_text=True)
    {'id': 7, 'units': [{'start_char': 0, 'end_char': 8, 'label': 'SU', 'text': 'I sleep.'}]}
    """
    record: dict[str, Any] = {"id": document.id}
    if document.part is not None:
        record["part"] = document.part
    if keep is not None:
        texts: list[str] = []
        offsets = spool_rows(_keep_units(document, blocks, texts))
        return {**record, "text": " ".join(texts), "offsets": offsets}
    if with_source:
        moved = (move_rows(rows, -document.start_char) for rows in blocks)
        return {**record, "text": readable_text(document.text), task: spool_rows(moved)}
    if document.origin is not None and document.origin.offsets is None:
        record["text"] = document.text
    return {**record, task: spool_rows(_finish_rows(document, blocks, with_text=with_text))}


def make_tool_task(record: dict[str, Any], tool: str) -> dict[str, Any]:
    """Convert a record with its text to a task of an annotation tool.

    >>> unit = {"start_char": 0, "end_char": 8, "label": "SU", "score": 0.9}
    >>> make_tool_task({"id": 7, "text": "I sleep.", "units": [unit]}, "doccano")
    {'id': 7, 'text': 'I sleep.', 'score': 0.9, 'label': [[0, 8, 'SU']]}
    """
    source: dict[str, Any] = {key: record[key] for key in ("id", "part") if key in record}
    text, units = record["text"], record[UNITS]
    blocks = units.blocks() if isinstance(units, RowSpool) else [units]
    spans = spool_rows([make_task_span(tool, text, unit) for unit in block] for block in blocks)
    return make_task(tool, source, text, spans, mean_score(units))


def _finish_rows(document: Document, blocks: Iterable[Rows], *, with_text: bool) -> Iterator[Rows]:
    """Add the text of each row, and map offsets to the file."""
    text, start, origin = document.text, document.start_char, document.origin
    for rows in blocks:
        if with_text:
            # A lone surrogate cannot be encoded in UTF-8, and Arrow rejects it.
            spans = (slice(row["start_char"] - start, row["end_char"] - start) for row in rows)
            texts = [SURROGATE.sub("\ufffd", text[span]) for span in spans]
            rows = [{**row, "text": found} for row, found in zip(rows, texts, strict=True)]
        if origin is not None and origin.offsets is not None:
            rows = map_rows(rows, origin.offsets)
        yield rows


def _keep_units(
    document: Document, blocks: Iterable[Rows], texts: list[str]
) -> Iterator[list[list[int]]]:
    """Yield the start of each SU, in the SUs joined by spaces and in the original text.

    texts: A list, to which the joined SUs of each block are appended.
    """
    start, origin = document.start_char, document.origin
    at = 0
    for rows in blocks:
        offsets, found = [], []
        for row in rows:
            if row["label"] == SU:
                original = row["start_char"]
                found.append(document.text[original - start : row["end_char"] - start])
                if origin is not None and origin.offsets is not None:
                    original = origin.offsets.map_offset(original)
                offsets.append([at, original])
                at += len(found[-1]) + 1
        if found:
            texts.append(" ".join(found))
        yield offsets


def readable_text(text: str) -> str:
    """Replace each character that spaCy cannot process by a single one, so offsets stay valid."""
    if text.startswith(BYTE_ORDER_MARK):
        text = " " + text[1:]
    return SURROGATE.sub("\ufffd", text)
