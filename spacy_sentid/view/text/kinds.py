"""The kinds of NSU in plain words, and the score of an unsure unit, for all views."""

from typing import NamedTuple

from ...text.units import NSU_KINDS

# A unit with a lower score is shown as unsure.
UNSURE = 0.5


class KindName(NamedTuple):
    """The name of a kind, with examples, as shown on a page."""

    css: str  # class in the style sheet
    name: str
    examples: str


KIND_NAMES = {
    "HEADING": KindName("k-heading", "heading", "titles, headings, menu entries, buttons"),
    "LIST_ITEM": KindName("k-item", "list item", "list items, table rows, form fields"),
    "METADATA": KindName("k-meta", "metadata", "mail headers, dates, speakers, page numbers"),
    "SALUTATION": KindName("k-greeting", "greeting", "greetings, closings, names, addresses"),
    "REFERENCE": KindName("k-reference", "reference", "web addresses, file names, sources"),
    "CODE": KindName("k-code", "code", "program code, logs, mark-up"),
    "FRAGMENT": KindName("k-fragment", "fragment", "short answers, exclamations, captions"),
}


def format_short_score(score: float) -> str:
    """Format a score with two digits. A score below UNSURE is not rounded up to it.

    >>> format_short_score(0.4972), format_short_score(0.5), format_short_score(0.996)
    ('0.49', '0.50', '1.00')
    """
    return f"{min(score, UNSURE - 0.01) if score < UNSURE else score:.2f}"


def name_kind(label: str) -> str:
    """Name a kind in plain words; other labels are returned unchanged.

    >>> name_kind("LIST_ITEM"), name_kind("NSU")
    ('list item', 'NSU')
    """
    return KIND_NAMES[label].name if label in NSU_KINDS else label
