"""Write texts with predicted units as tasks of annotation tools. No spaCy.

text, units with scores -> a task of Prodigy, doccano or Label Studio, which people correct there;
`document_records` reads what the tool exports
"""

from collections.abc import Iterable, Mapping
from typing import Any

from ...about import __version__

PRODIGY, DOCCANO, LABEL_STUDIO = "prodigy", "doccano", "label-studio"
TOOLS = (PRODIGY, DOCCANO, LABEL_STUDIO)
# Names of the tags in the labeling interface of Label Studio, see docs/guides/train.md.
CONTROL, SOURCE = "label", "text"


def make_task_span(tool: str, text: str, unit: Mapping[str, Any]) -> Any:
    """Convert a unit to a span of a tool.

    text: The text of the document, which the offsets of the unit refer to.
    unit: A unit as `identify` writes it. The label of the span is its kind, if it has one.

    >>> unit = {"start_char": 4, "end_char": 12, "label": "SU", "score": 0.9}
    >>> make_task_span("doccano", "Hi. I am in.", unit)
    [4, 12, 'SU']
    """
    start, end = unit["start_char"], unit["end_char"]
    label = unit.get("kind") or unit["label"]
    if tool == DOCCANO:
        return [start, end, label]
    if tool == PRODIGY:
        return {"start": start, "end": end, "label": label, "score": unit["score"]}
    return {
        "id": f"unit-{start}",
        "from_name": CONTROL,
        "to_name": SOURCE,
        "type": "labels",
        "score": unit["score"],
        "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
    }


def make_task(
    tool: str, source: Mapping[str, Any], text: str, spans: Any, score: float | None
) -> dict[str, Any]:
    """Build the task of a document. Its spans come last, so that they can be written in pieces.

    source: "id" of the document, and "part" if its text was cut into several.
    spans: As many spans of `make_task_span` as the document has units, in any container.
    score: How sure the model is of the document, in [0, 1], see `mean_score`; None = unknown.

    >>> make_task("prodigy", {"id": "a.txt"}, "Hi.", [], None)
    {'id': 'a.txt', 'text': 'Hi.', 'meta': {'id': 'a.txt'}, 'spans': []}
    """
    scored = {} if score is None else {"score": score}
    if tool == PRODIGY:
        return {"id": source["id"], "text": text, "meta": {**source, **scored}, "spans": spans}
    if tool == DOCCANO:
        return {**source, "text": text, **scored, "label": spans}
    prediction = {"model_version": f"spacy-sentid {__version__}", **scored, "result": spans}
    return {"data": {"text": text, **source}, "predictions": [prediction]}


def mean_score(units: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the expected share of units that are right, rounded; None without units.

    >>> mean_score([{"score": 0.9}, {"score": 0.6}])
    0.75
    """
    scores = [unit["score"] for unit in units]
    return round(sum(scores) / len(scores), 4) if scores else None
