"""Read and write documents as JSON, and read Prodigy, doccano and Label Studio. No spaCy.

JSON lines, or a JSON array <-> documents: text, units in characters
"""

import json
import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from ...files.records import Line, parse_record, read_good_lines
from ...messages import shorten
from ...text.units import NSU, NSU_KINDS, SU, Unit, trim_span
from .marked_text import MarkedDocument

LABELS = (SU, NSU, *NSU_KINDS)
BETWEEN = re.compile(r"[\s,]*")
SPAN_KEYS = ("units", "spans", "label", "labels", "entities")
# Keys of the two offsets and the label of a span, in the formats of different tools.
NAMES = (
    ("start_char", "end_char", "label"),  # ours
    ("start_offset", "end_offset", "label"),  # doccano
    ("start", "end", "label"),  # Prodigy
    ("start", "end", "labels"),  # Label Studio
)


def read_document_records(path: Path) -> Iterator[MarkedDocument]:
    """Read the documents of a .jsonl file, or of a .json file with an array of them.

    Records that annotators rejected or ignored in Prodigy are skipped, with a warning.

    Raises ValueError with file and line for invalid documents.
    """
    n_rejected = 0
    for line in _read_array(path) if path.suffix == ".json" else read_good_lines(path):
        if parse_record(line).get("answer", "accept") == "accept":
            yield parse_document(line)
        else:
            n_rejected += 1
    if n_rejected:
        warnings.warn(
            f"Skipped {n_rejected:,} records of {path} that were not accepted.", stacklevel=2
        )


def is_array(path: Path) -> bool:
    """Check if a .json file holds an array."""
    with path.open("rb") as file:
        return file.read(1000).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _read_array(path: Path) -> Iterator[Line]:
    """Yield the elements of a JSON array, each with the line on which it starts."""
    text = "\n".join(line.text for line in read_good_lines(path, blank=True))
    decoder = json.JSONDecoder()
    position, line = text.find("[") + 1, 1 + text.count("\n", 0, text.find("[") + 1)
    while True:
        found = BETWEEN.match(text, position)
        start = position if found is None else found.end()
        line += text.count("\n", position, start)
        place = f"{path}:{line}"
        if text[start : start + 1] == "]":
            return
        try:
            _, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError) as error:
            raise ValueError(
                f"{place}: invalid JSON ({error}). The file must be an array of documents."
            ) from error
        yield Line(place, text[start:position])
        line += text.count("\n", start, position)


def parse_document(line: Line) -> MarkedDocument:
    """Parse a document from JSON: our format, or an export of Prodigy, doccano or Label Studio.

    Our format is {"id", "text", "units": [{"start_char", "end_char", "label", "kind"}]}, as
    `identify` writes it. "genre" and "kind" are optional. Labels are SU, NSU, and the kinds of NSU.

    Raises ValueError for invalid records, and for spans that overlap.

    >>> row = '{"text": "Hi. I am in.", "spans": [{"start": 4, "end": 12, "label": "SU"}]}'
    >>> parse_document(Line("a.jsonl:1", row)).units
    [Unit(start=4, end=12, label='SU')]
    """
    record = parse_record(line)
    text = record.get("text", record.get("data"))
    source = record
    if isinstance(text, dict):  # Label Studio, whose own ids are numbers of the project
        source = {"id": record.get("id", line.place), **text}
        text = source.get("text")
    if not isinstance(text, str):
        if text is None:
            got = f"none. It has the keys {shorten(list(record))}"
            if "units" in record:
                got += "; pass output of 'identify' together with its input"
        else:
            got = shorten(text)
        raise ValueError(f"{line.place}: the 'text' of a record must be a string, got {got}.")
    units = []
    for start, end, label in _list_spans(record, text, line.place):
        if label not in LABELS:
            raise ValueError(
                f"{line.place}: the label of a span must be SU, NSU or one of "
                f"{', '.join(NSU_KINDS)}, got {shorten(label)}."
            )
        if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
            raise ValueError(
                f"{line.place}: a span must be within the {len(text)} characters of the text, got "
                f"[{shorten(start)}, {shorten(end)})."
            )
        start, end = trim_span(text, start, end)
        if end > start:
            units.append(Unit(start, end, label))
    units.sort()
    for before, after in pairwise(units):
        if after.start < before.end:
            first, second = (shorten(text[unit.start : unit.end]) for unit in (before, after))
            raise ValueError(f"{line.place}: spans must not overlap, got {first} and {second}.")
    return MarkedDocument(
        text, units, str(source.get("id", line.place)), str(source.get("genre") or "")
    )


def _list_spans(record: dict[str, Any], text: str, place: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (start, end, label) of the spans of a record in any of the formats."""
    spans: Any = []
    if "annotations" in record:  # Label Studio: the first annotation that was not cancelled
        found = record["annotations"] or []
        if not all(isinstance(one, dict) for one in found):
            raise ValueError(f"{place}: annotations must be objects, got {shorten(found)}.")
        done = [one for one in found if not one.get("was_cancelled")]
        results = (done[0].get("result") or ()) if done else ()
        spans = [result["value"] for result in results if "labels" in result.get("value", {})]
    else:
        key = next((key for key in SPAN_KEYS if key in record), None)
        spans = [] if key is None or record[key] is None else record[key]
    if not isinstance(spans, list):
        raise ValueError(f"{place}: the spans of a document must be a list, got {shorten(spans)}.")
    for span in spans:
        if isinstance(span, dict):
            names = next((names for names in NAMES if set(names) <= set(span)), NAMES[0])
            start, end, label = (span.get(name) for name in names)
            label = label[0] if isinstance(label, list) and label else label
            if span.get("kind") is not None:
                if label != NSU or span["kind"] not in NSU_KINDS:
                    raise ValueError(
                        f"{place}: 'kind' must be one of {', '.join(NSU_KINDS)}, with the label "
                        f"NSU, got {shorten(span['kind'])} with {shorten(label)}."
                    )
                label = span["kind"]
            # Other programs may count bytes, or count emoji as two characters.
            said: Any = span.get("text")
            are_known = isinstance(said, str) and isinstance(start, int) and isinstance(end, int)
            if are_known and said.strip() != text[start:end].strip():
                raise ValueError(
                    f"{place}: offsets must count the characters of the text, got {shorten(said)} "
                    f"for [{start}, {end}), which is {shorten(text[start:end])}."
                )
            yield start, end, label
        elif isinstance(span, list) and len(span) == 3:
            yield span[0], span[1], span[2]
        else:
            raise ValueError(
                f"{place}: a span must be an object or [start, end, label], got {shorten(span)}."
            )


def make_document_record(document: MarkedDocument) -> dict[str, Any]:
    """Convert a document to a record that `parse_document` reads.

    >>> make_document_record(MarkedDocument("Page 3", [Unit(0, 6, "METADATA")], "a"))["units"]
    [{'start_char': 0, 'end_char': 6, 'label': 'NSU', 'kind': 'METADATA'}]
    """
    units = []
    for start, end, label in document.units:
        unit = {"start_char": start, "end_char": end, "label": SU if label == SU else NSU}
        units.append({**unit, "kind": label} if label in NSU_KINDS else unit)
    record: dict[str, Any] = {"id": document.id, "text": document.text, "units": units}
    return {**record, "genre": document.genre} if document.genre else record
