"""A text with gold units: what readers of documents return, and what scores are computed on."""

from typing import NamedTuple

from ...text.units import Unit


class GoldDocument(NamedTuple):
    """A text with its units; text outside of all units is white space, or its label is unknown."""

    text: str
    units: list[Unit]  # in characters, in text order; label: SU, NSU, or one of NSU_KINDS
    id: str = ""
    genre: str = ""  # the kind of text, such as "recipe"; "" if unknown
