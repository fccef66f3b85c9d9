"""Read the span groups of a Doc that hold its units.

doc.spans -> units in characters, or records for JSON
"""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ...components.pipelines import find
from ...text.units import NSU, NSU_KINDS, SU, Unit
from .units import NSU_KEY, SCORES, SU_KEY, UnitSpan, find_keys, iter_units

FACTORY = "sentence_identifier"
N_DIGITS = 4  # number of decimal places of the scores in records


def read_units(
    doc: Doc, *, su_key: str = SU_KEY, nsu_key: str = NSU_KEY, with_kinds: bool = False
) -> list[Unit]:
    """Read the units of a Doc in characters, in text order.

    with_kinds: Label an NSU with its kind, if its span has one of NSU_KINDS. Otherwise, the label
        is NSU.

    Raises ValueError if the Doc has no group `su_key`.
    """
    find_keys(doc, su_key, nsu_key)
    kinds = NSU_KINDS if with_kinds else ()
    units = [Unit(span.start_char, span.end_char, SU) for span in doc.spans[su_key]]
    units += [
        Unit(span.start_char, span.end_char, span.label_ if span.label_ in kinds else NSU)
        for span in doc.spans.get(nsu_key, [])
    ]
    return sorted(units)


def find_span_keys(nlp: Language) -> tuple[str, str]:
    """Find the keys of the span groups of SUs and NSUs that a pipeline writes.

    Raises ValueError if it has no sentence identifier.
    """
    pipe = find(nlp, FACTORY)
    return pipe.cfg["su_key"], pipe.cfg["nsu_key"]


def list_units(doc: Doc, *, su_key: str, nsu_key: str) -> list[dict[str, Any]]:
    """List the units of a Doc in text order, as records for JSON.

    RETURNS: For each unit "start_char", "end_char", "label" (SU or NSU), "score" (probability that
        the unit is right) and "label_score" (probability that the label is right). If the model has
        learned kinds, NSUs also have "kind", such as "HEADING", and "kind_score" (probability that
        the kind is right).
    """
    return [_make_record(unit) for unit in iter_units(doc, su_key=su_key, nsu_key=nsu_key)]


def _make_record(unit: UnitSpan) -> dict[str, Any]:
    record = {"start_char": unit.start_char, "end_char": unit.end_char, "label": unit.label}
    if unit.kind is not None:
        record["kind"] = unit.kind
    for name in SCORES.values():
        score = getattr(unit, name)
        if score is not None:
            record[name] = round(score, N_DIGITS)
    return record
