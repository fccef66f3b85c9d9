"""Sections of a text: the headings above each of its units.

labels and texts of units -> sections, each with the path of its headings
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

HEADING = "HEADING"
MAX_DEPTH = 6  # as many levels as Markdown and HTML have
_MARKS = re.compile(r"^(#{1,6})\s+|(?<!\s)\s+#+$")
_NUMBER = re.compile(r"^(\d{1,3}(?:\.\d{1,3})*)\.?\s")


class TextSection(NamedTuple):
    """One section of a text.

    number: 0 for the text before the first heading, then one more for each sequence of headings.
    headings: The headings above its text, outermost first, without marks such as "##".
    """

    number: int
    headings: tuple[str, ...]


def find_sections(units: Iterable[tuple[str, str]]) -> list[TextSection]:
    """Find the section of each unit.

    A section starts at a heading, or at several headings in a row. A heading with a level (see
    `find_level`) replaces the earlier headings of its level and below. One without a level replaces
    the earlier ones without a level.

    units: (label, text) of each unit in text order. A label is SU, NSU or a kind.
    RETURNS: The section of each unit. A heading is in the section that it starts.

    >>> units = [("HEADING", "# A"), ("SU", "a"), ("HEADING", "## B"), ("SU", "b")]
    >>> [section.headings for section in find_sections(units)]
    [('A',), ('A',), ('A', 'B'), ('A', 'B')]
    """
    sections: list[TextSection] = []
    path: list[tuple[int | None, str]] = []
    number = 0
    after_heading = False
    for label, text in units:
        is_heading = label == HEADING and not text.startswith("|")  # the first row of a table
        if is_heading:
            level = find_level(text)
            if level is not None:
                path = [entry for entry in path if entry[0] is not None and entry[0] < level]
            elif not after_heading:
                path = [entry for entry in path if entry[0] is not None]
            path = [*path, (level, clean_heading(text))][-MAX_DEPTH:]
            number += not after_heading
        after_heading = is_heading
        sections.append(TextSection(number, tuple(heading for _, heading in path)))
    return _share_headings(sections)


def _share_headings(sections: list[TextSection]) -> list[TextSection]:
    """Copy the headings of the last unit of a section to its other units."""
    headings = {section.number: section.headings for section in sections}
    return [TextSection(section.number, headings[section.number]) for section in sections]


def find_level(heading: str) -> int | None:
    """Find the level of a heading: the number of "#" marks, or the length of a number like "2.1".

    >>> find_level("## Repairs"), find_level("2.1 Repairs"), find_level("Repairs")
    (2, 2, None)
    """
    marks = _MARKS.match(heading)
    if marks and marks[1]:
        return len(marks[1])
    number = _NUMBER.match(heading)
    return number[1].count(".") + 1 if number else None


def clean_heading(heading: str) -> str:
    """Remove the marks of Markdown from a heading, and join its lines.

    >>> clean_heading("## Broken  lamps ##")
    'Broken lamps'
    """
    return " ".join(_MARKS.sub("", heading).split())
