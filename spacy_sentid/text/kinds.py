"""The kinds of NSU: the only table of them, from which all others are made."""

from typing import NamedTuple


class NsuKind(NamedTuple):
    """A kind of NSU."""

    css: str  # class in the style sheets of pages
    name: str  # in plain words
    examples: str
    mark: str  # in marked text
    color: int  # number of the 256 colours of terminals; all can be read on black and on white


# If a model has learned kinds, these names are the labels of NSU spans, else their label is NSU.
KINDS = {
    "HEADING": NsuKind(
        "k-heading", "heading", "titles, headings, menu entries, buttons", "head", 98
    ),
    "LIST_ITEM": NsuKind("k-item", "list item", "list items, table rows, form fields", "item", 29),
    "METADATA": NsuKind(
        "k-meta", "metadata", "mail headers, dates, speakers, page numbers", "meta", 244
    ),
    "SALUTATION": NsuKind(
        "k-greeting", "greeting", "greetings, closings, names, addresses", "sign", 168
    ),
    "REFERENCE": NsuKind(
        "k-reference", "reference", "web addresses, file names, sources", "ref", 31
    ),
    "CODE": NsuKind("k-code", "code", "program code, logs, mark-up", "code", 64),
    "FRAGMENT": NsuKind(
        "k-fragment", "fragment", "short answers, exclamations, captions", "frag", 137
    ),
}
