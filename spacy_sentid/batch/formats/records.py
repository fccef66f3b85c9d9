"""Build the record of a document from what was found in its text.

document, rows -> {"id", "units"}, in offsets of the input file, or of the text in the record
{"id", "text", "units"} -> a task of an annotation tool
"""

from typing import Any

from ...files.records import BYTE_ORDER_MARK, SURROGATE
from ...sentence_identifier.data.annotation_tasks import make_task, make_task_span, mean_score
from ...text.units import SU
from ..input.documents import Document
from ..tasks import UNITS, Rows, move_rows


def make_record(
    document: Document,
    rows: Rows,
    task: str,
    *,
    keep: str | None = None,
    with_text: bool = False,
    with_source: bool = False,
) -> dict[str, Any]:
    """Build the record of a document.

    rows: The rows found in its text, with offsets in the whole text.
    keep, with_text: See `WorkSettings`.
    with_source: Offsets refer to the text of the document, which the record includes.

    >>> rows = [{"start_char": 0, "end_char": 8, "label": "SU"}]
    >>> make_record(Document(7, "I sleep. Page 3"), rows, "units", with_text=True)
    {'id': 7, 'units': [{'start_char': 0, 'end_char': 8, 'label': 'SU', 'text': 'I sleep.'}]}
    """
    record: dict[str, Any] = {"id": document.id}
    if document.part is not None:
        record["part"] = document.part
    if keep is not None:
        return {**record, **_keep_units(document, rows)}
    if with_source:
        rows = move_rows(rows, -document.start_char)
        return {**record, "text": readable_text(document.text), task: rows}
    if document.left_out is not None:
        record["text"] = document.text
    if with_text:
        text, start = document.text, document.start_char
        # A lone surrogate cannot be encoded in UTF-8, and Arrow rejects it.
        spans = (slice(row["start_char"] - start, row["end_char"] - start) for row in rows)
        texts = [SURROGATE.sub("\ufffd", text[span]) for span in spans]
        rows = [{**row, "text": found} for row, found in zip(rows, texts, strict=True)]
    return {**record, task: rows}


def make_tool_task(record: dict[str, Any], tool: str) -> dict[str, Any]:
    """Convert a record with its text to a task of an annotation tool.

    >>> unit = {"start_char": 0, "end_char": 8, "label": "SU", "score": 0.9}
    >>> make_tool_task({"id": 7, "text": "I sleep.", "units": [unit]}, "doccano")
    {'id': 7, 'text': 'I sleep.', 'score': 0.9, 'label': [[0, 8, 'SU']]}
    """
    source: dict[str, Any] = {key: record[key] for key in ("id", "part") if key in record}
    text, units = record["text"], record[UNITS]
    spans = [make_task_span(tool, text, unit) for unit in units]
    return make_task(tool, source, text, spans, mean_score(units))


def _keep_units(document: Document, rows: Rows) -> dict[str, Any]:
    """Join the SUs by spaces, and list the start of each in this text and in the original."""
    texts, offsets, at = [], [], 0
    for row in rows:
        if row["label"] == SU:
            start, end = (row[name] - document.start_char for name in ("start_char", "end_char"))
            texts.append(document.text[start:end])
            offsets.append([at, row["start_char"]])
            at += len(texts[-1]) + 1
    return {"text": " ".join(texts), "offsets": offsets}


def readable_text(text: str) -> str:
    """Replace each character that spaCy cannot process by a single one, so offsets stay valid."""
    if text.startswith(BYTE_ORDER_MARK):
        text = " " + text[1:]
    return SURROGATE.sub("\ufffd", text)
