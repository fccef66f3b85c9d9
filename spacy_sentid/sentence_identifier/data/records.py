"""The one JSON record of units: read it, write it, and read Prodigy, doccano and Label Studio.

{"id", "text", "genre", "units": [{"start_char", "end_char", "label", "kind", "score", ...}]}

Everything that reads such records calls `read_units`: gold documents, predictions to score, and
the output of `identify` that is shown on a page. Everything that writes them calls `make_unit`.
"""

import json
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ...files.records import Line, parse_record, read_good_lines
from ...messages import shorten
from ...text.units import NSU, NSU_KINDS, SU, Unit, trim_span
from ..access.units import SCORES, iter_units
from .gold_document import GoldDocument

N_DIGITS = 4  # number of decimal places of scores
SCORE_NAMES = tuple(SCORES.values())
LABELS = (SU, NSU, *NSU_KINDS)
SPAN_KEYS = ("units", "spans", "label", "labels", "entities")
# Keys of the two offsets and the label of a span, in the formats of different tools.
NAMES = (
    ("start_char", "end_char", "label"),  # ours
    ("start_offset", "end_offset", "label"),  # doccano
    ("start", "end", "label"),  # Prodigy
    ("start", "end", "labels"),  # Label Studio
)


def read_document_records(path: Path) -> Iterator[GoldDocument]:
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
    """Yield the elements of a JSON array, each with its number."""
    text = "\n".join(line.text for line in read_good_lines(path, blank=True))
    try:
        records = json.loads(text)
        if not isinstance(records, list):
            raise ValueError(f"it must hold an array, got {shorten(records)}")
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: invalid JSON ({error}).") from error
    for number, record in enumerate(records, start=1):
        yield Line(f"{path}: record {number}", json.dumps(record))


def parse_document(line: Line) -> GoldDocument:
    """Parse a document from JSON: our format, or an export of Prodigy, doccano or Label Studio.

    "id" and "genre" are optional.

    Raises ValueError for invalid records (see `read_units`).

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
    units = read_units(record, text, line.place)
    name, genre = str(source.get("id", line.place)), str(source.get("genre") or "")
    return GoldDocument(text, units, name, genre)


def read_units(record: dict[str, Any], text: str, place: str) -> list[Unit]:
    """Read the units of a record in the format of any tool, in text order.

    The label is SU, NSU or a kind of NSU. NSU may come with a "kind". White space at the edges of a
    unit is excluded, and units of white space are skipped.

    place: File and line, for messages.

    Raises ValueError for units of another form, outside of the text, empty, or overlapping.

    >>> row = {"start_char": 0, "end_char": 4, "label": "NSU", "kind": "METADATA"}
    >>> read_units({"units": [row]}, "p. 3 ", "a.jsonl:1")
    [Unit(start=0, end=4, label='METADATA')]
    """
    return [unit for unit, _ in read_scored_units(record, text, place)]


def read_scored_units(
    record: dict[str, Any],
    text: str,
    place: str,
    *,
    offset: int = 0,
) -> list[tuple[Unit, dict[str, float | None]]]:
    """Read the units of a record like `read_units`, each with the scores that it has.

    offset: Where the text starts in the text of the record.
    RETURNS: Units with the values of "score", "label_score" and "kind_score", None if unknown.
    """
    found = []
    for start, end, label, scores in _list_spans(record, place):
        if label not in LABELS:
            raise ValueError(
                f"{place}: the label of a unit must be SU, NSU or one of {', '.join(NSU_KINDS)}, "
                f"got {shorten(label)}."
            )
        bounds = [n - offset if type(n) is int else n for n in (start, end)]
        if [type(n) for n in bounds] != [int, int] or not 0 <= bounds[0] < bounds[1] <= len(text):
            raise ValueError(
                f"{place}: the offsets of a unit must be whole numbers, from 0 to the "
                f"{len(text)} characters of the text, got [{shorten(start)}, {shorten(end)})."
            )
        said = scores.get("text")
        # Other programs may count bytes, or count emoji as two characters.
        if isinstance(said, str) and said.strip() != text[slice(*bounds)].strip():
            raise ValueError(
                f"{place}: offsets must count the characters of the text, got {shorten(said)} for "
                f"[{start}, {end}), which is {shorten(text[slice(*bounds)])}."
            )
        first, last = trim_span(text, *bounds)
        if first < last:
            found.append((Unit(first, last, label), _read_scores(scores, place)))
    found.sort(key=lambda pair: pair[0])
    for (before, _), (after, _) in pairwise(found):
        if after.start < before.end:
            one, other = (shorten(text[unit.start : unit.end]) for unit in (before, after))
            raise ValueError(f"{place}: units must not overlap, got {one} and {other}.")
    return found


def _read_scores(span: dict[str, Any], place: str) -> dict[str, float | None]:
    scores = {name: span.get(name) for name in SCORE_NAMES}
    if not all(score is None or isinstance(score, int | float) for score in scores.values()):
        raise ValueError(f"{place}: the scores of a unit must be numbers, got {shorten(span)}.")
    return scores


def _list_spans(record: dict[str, Any], place: str) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield (start, end, label, the span itself) of the spans of a record in any of the formats."""
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
        raise ValueError(f"{place}: the units of a record must be a list, got {shorten(spans)}.")
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
            yield start, end, label, span
        elif isinstance(span, list) and len(span) == 3:
            yield *span, {}
        else:
            raise ValueError(
                f"{place}: a unit must be an object or [start, end, label], got {shorten(span)}."
            )


def index_records(path: Path) -> dict[tuple[str, int | None], deque[tuple[str, dict[str, Any]]]]:
    """Read the records that `identify` has written, to match them with documents.

    RETURNS: (id as a string, number of the part of a long document) -> (place, record) of each
        record, in order.

    Raises ValueError with file and line for a record without an id or without units.
    """
    records: dict[tuple[str, int | None], deque[tuple[str, dict[str, Any]]]] = {}
    for line in read_good_lines(path):
        record = parse_record(line)
        name = record.get("id")
        if not isinstance(record.get("units"), list) or type(name) not in (str, int):
            raise ValueError(
                f"{line.place}: the record must have 'id' and a list 'units', got the keys "
                f"{shorten(list(record))}."
            )
        key = str(name), record.get("part")
        records.setdefault(key, deque()).append((line.place, record))
    return records


def read_predictions(path: Path, documents: Iterable[GoldDocument]) -> Iterator[list[Unit]]:
    """Yield the units that any system has found in each document, matched by the id.

    path: JSON lines {"id", "units"} in any order, as `identify` writes them.

    Raises ValueError for units that do not fit the text, and if the ids differ.
    """
    records = index_records(path)
    for document in documents:
        if not (found := records.get((document.id, None))):
            raise ValueError(
                f"{path} must have a record of each document, got none for {document.id!r}. Run "
                "the system on these documents."
            )
        place, record = found.popleft()
        yield read_units(record, document.text, place)
    for (name, _), rest in records.items():
        for place, _ in rest:
            raise ValueError(f"{place}: each id must be that of one document, got {name!r}.")


def make_unit(unit: Unit, scores: Mapping[str, float | None] | None = None) -> dict[str, Any]:
    """Make the record of a unit, for JSON.

    unit: In characters. The label is SU, NSU or a kind of NSU.
    scores: Values of "score", "label_score" and "kind_score", which are rounded; None = unknown.

    >>> make_unit(Unit(0, 6, "METADATA"), {"score": 0.5})
    {'start_char': 0, 'end_char': 6, 'label': 'NSU', 'kind': 'METADATA', 'score': 0.5}
    """
    start, end, label = unit
    record: dict[str, Any] = {"start_char": start, "end_char": end, "label": label}
    if label in NSU_KINDS:
        record |= {"label": NSU, "kind": label}
    known = {name: score for name, score in (scores or {}).items() if score is not None}
    return record | {name: round(score, N_DIGITS) for name, score in known.items()}


def make_document_record(document: GoldDocument) -> dict[str, Any]:
    """Convert a document to a record that `parse_document` reads."""
    record: dict[str, Any] = {
        "id": document.id,
        "text": document.text,
        "units": list(map(make_unit, document.units)),
    }
    return {**record, "genre": document.genre} if document.genre else record


def list_units(doc: Doc, keys: tuple[str, str]) -> list[dict[str, Any]]:
    """List the records of the units of a Doc in text order.

    RETURNS: For each unit "start_char", "end_char", "label" (SU or NSU), "score" (probability that
        the unit is right) and "label_score" (probability that the label is right). If the model has
        learned kinds, NSUs also have "kind", such as "HEADING", and "kind_score" (probability that
        the kind is right).
    """
    return [
        make_unit(
            Unit(unit.start_char, unit.end_char, unit.kind or unit.label),
            {name: getattr(unit, name) for name in SCORE_NAMES},
        )
        for unit in iter_units(doc, keys)
    ]
