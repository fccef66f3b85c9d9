"""Read the span groups of a Doc that hold its units.

doc.spans -> units in characters
"""

from spacy.language import Language
from spacy.tokens import Doc

from ...components.pipelines import find
from ...text.units import Unit
from .units import Keys, iter_units

FACTORY = "sentence_identifier"


def units_from_doc(doc: Doc, keys: tuple[str, str] = Keys()) -> list[Unit]:
    """Read the units of a Doc in characters, in text order. The label of an NSU is its kind.

    Raises ValueError if the Doc has no group of SUs.
    """
    return [
        Unit(unit.start_char, unit.end_char, unit.kind or unit.label)
        for unit in iter_units(doc, keys)
    ]


def find_span_keys(nlp: Language) -> Keys:
    """Find the keys of the span groups that a pipeline writes.

    Raises ValueError if it has no sentence identifier.
    """
    keys: Keys = find(nlp, FACTORY).keys
    return keys
