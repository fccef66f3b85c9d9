"""Make the record of a document of what was found in its text.

document, rows -> {"id", "units"}, in offsets of the file where the text comes from one
"""

from typing import Any

from ..files.records import BYTE_ORDER_MARK, SURROGATE
from ..offsets import keep_spans
from ..units import SU
from .documents import Document
from .tasks import Rows, map_rows


def make_record(
    document: Document,
    rows: Rows,
    task: str,
    *,
    keep: str | None = None,
    with_text: bool = False,
) -> dict[str, Any]:
    """Make the record of a document.

    rows: What was found in its text, in offsets of the whole text.
    keep, with_text: See `WorkSettings`.

    >>> rows = [{"start_char": 0, "end_char": 8, "label": "SU"}]
    >>> make_record(Document(7, "I sleep. Page 3"), rows, "units", with_text=True)
    {'id': 7, 'units': [{'start_char': 0, 'end_char': 8, 'label': 'SU', 'text': 'I sleep.'}]}
    """
    start, origin = document.start_char, document.origin
    record: dict[str, Any] = {"id": document.id}
    if document.part is not None:
        record["part"] = document.part
    spans = [(row["start_char"] - start, row["end_char"] - start) for row in rows]
    if keep is not None:
        # The SUs, joined by spaces; where each starts: there, and in the original.
        labels = [row["label"] for row in rows]
        sus = [span for span, label in zip(spans, labels, strict=True) if label == SU]
        kept = keep_spans(document.text, sus)
        places = [(at, original) for at, original, length in kept.offsets.pieces if length]
        if origin is not None and origin.offsets is not None:
            places = [(at, origin.offsets.map_offset(original)) for at, original in places]
        offsets = [[at, original + start] for at, original in places]
        return {**record, "text": kept.text, "offsets": offsets}
    if with_text:
        # Half characters are in no file of texts, and Arrow takes none.
        texts = [SURROGATE.sub("\ufffd", document.text[slice(*span)]) for span in spans]
        rows = [{**row, "text": text} for row, text in zip(rows, texts, strict=True)]
    if origin is not None and origin.offsets is not None:
        rows = map_rows(rows, origin.offsets)
    elif origin is not None:
        record["text"] = document.text
    return {**record, task: rows}


def readable_text(text: str) -> str:
    """Replace what spaCy cannot take by other characters, one for one, so that offsets hold."""
    if text.startswith(BYTE_ORDER_MARK):
        text = " " + text[1:]
    return SURROGATE.sub("\ufffd", text)
