"""Extension attributes: doc._.units, span._.score, span._.kind, span._.is_nsu, token._.unit.

span groups of the Doc -> the unit of a Doc, span or token, whenever the attribute is read
"""

from collections.abc import Callable
from typing import Any

from spacy.tokens import Doc, Span, Token

from .units import UnitSpan, find_unit, iter_units


def set_extensions() -> None:
    """Register the extension attributes, except those whose names others have registered."""
    for owner, getters in EXTENSIONS.items():
        for name, getter in getters.items():
            if not owner.has_extension(name):
                owner.set_extension(name, getter=getter)


def get_units(doc: Doc) -> list[Span]:
    """Return the units of a Doc in text order. Raises ValueError if it has no span groups."""
    return [unit.span for unit in iter_units(doc)]


def get_unit(token: Token) -> Span | None:
    """Return the unit that contains a token; None for white space between units.

    Raises ValueError if the Doc has no span groups of units.
    """
    unit = find_unit(token.doc, token.i)
    return None if unit is None else unit.span


def get_score(span: Span) -> float | None:
    """Return the score of a unit; None if the span is not a unit, or has no score."""
    unit = _find_exact(span)
    return None if unit is None else unit.score


def get_kind(span: Span) -> str | None:
    """Return the kind of an NSU; None if the span is not an NSU, or its kind is not known."""
    unit = _find_exact(span)
    return None if unit is None else unit.kind


def is_su(span: Span) -> bool:
    """Check if a span is an SU."""
    unit = _find_exact(span)
    return unit is not None and unit.is_sentence


def is_nsu(span: Span) -> bool:
    """Check if a span is an NSU."""
    unit = _find_exact(span)
    return unit is not None and not unit.is_sentence


def _find_exact(span: Span) -> UnitSpan | None:
    """Find the unit with the same words as a span. White space at its ends makes no difference."""
    doc, start, end = span.doc, span.start, span.end
    while start < end and doc[start].is_space:
        start += 1
    while start < end and doc[end - 1].is_space:
        end -= 1
    unit = find_unit(doc, start) if start < end else None
    return unit if unit is not None and (unit.span.start, unit.span.end) == (start, end) else None


EXTENSIONS: dict[Any, dict[str, Callable]] = {
    Doc: {"units": get_units},
    Span: {"score": get_score, "kind": get_kind, "is_su": is_su, "is_nsu": is_nsu},
    Token: {"unit": get_unit},
}
