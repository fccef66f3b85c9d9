"""Extension attributes: doc._.units, span._.score, span._.kind, span._.is_nsu, token._.unit.

span groups of the Doc -> the unit of a Doc, span or token, whenever the attribute is read
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from spacy.tokens import Doc, Span, Token

from ...text.units import NSU, SU
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


def get_field(span: Span, name: str) -> Any:
    """Return a field of the unit that a span is; None if the span is not a unit."""
    return getattr(_find_exact(span), name, None)


def has_label(span: Span, label: str) -> bool:
    """Check if a span is a unit with the label SU or NSU."""
    return get_field(span, "label") == label


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
    Span: {
        "score": partial(get_field, name="score"),
        "kind": partial(get_field, name="kind"),
        "is_su": partial(has_label, label=SU),
        "is_nsu": partial(has_label, label=NSU),
    },
    Token: {"unit": get_unit},
}
