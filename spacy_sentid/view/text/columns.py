"""Find the lines of a text whose columns are aligned by spaces or tabs, such as tables in mails.

text -> lines with wide gaps between words -> stretches of neighbouring lines
"""

import re
from collections.abc import Iterator
from itertools import pairwise

from ...text.marks import ENDS

# White space that may be a gap between two columns.
RUN = re.compile("\t[ \t\xa0]*|[ \xa0]{2,}[ \t\xa0]*")
SENTENCE_MARKS = ENDS + ":;"  # two spaces after one of them are no gap
# Marks of quotes and of list items, which spaces may follow.
MARKS = re.compile(r"\s*(?:(?:[>|#*•·–—+-]+|\(?\w{1,3}[.)])\s+)*")
MIN_LINES = 2
MAX_BREAK = 1  # lines without a gap, such as rules, between two lines of a table


def find_columns(text: str) -> list[tuple[int, int]]:
    r"""Find the stretches of a text that are tables: lines with gaps, next to each other.

    RETURNS: (start, end) in characters, in text order. Each is of whole lines, with their ends.

    >>> text = "Dear all,\noak     20 Sept\nglass   27 Sept\nBest"
    >>> [text[start:end] for start, end in find_columns(text)]
    ['oak     20 Sept\nglass   27 Sept\n']
    >>> find_columns("I sleep.  You too.\nWe  all.\n\n-   item")
    []
    """
    if "  " not in text and "\t" not in text and "\xa0" not in text:
        return []
    found: list[tuple[int, int]] = []
    rows: list[int] = []  # numbers of the lines with gaps that may form a table
    ends = [0, *(match.end() for match in re.finditer("\r\n|\r|\n", text)), len(text)]
    for n in [*_list_gapped(text, ends), len(ends) + MAX_BREAK + 1]:
        if rows and not _continues(text, ends, rows[-1], n):
            if len(rows) >= MIN_LINES:
                found.append((ends[rows[0]], ends[rows[-1] + 1]))
            rows = []
        rows.append(n)
    return found


def _list_gapped(text: str, ends: list[int]) -> Iterator[int]:
    """Yield the number of each line with a gap."""
    for n, (start, end) in enumerate(pairwise(ends)):
        marks = MARKS.match(text, start, end)
        first = marks.end() if marks else start
        if any(_is_gap(text, *run.span(), end) for run in RUN.finditer(text, first, end)):
            yield n


def _is_gap(text: str, start: int, stop: int, end: int) -> bool:
    """Check that a run of white space is between two words of a line, which ends at `end`."""
    if stop == end or text[stop] in "\r\n":
        return False
    return stop - start > 2 or text[start] == "\t" or text[start - 1] not in SENTENCE_MARKS


def _continues(text: str, ends: list[int], last: int, n: int) -> bool:
    """Check that only lines that may be part of a table are between two lines with gaps."""
    between = range(last + 1, min(n, len(ends) - 1))
    return n - last - 1 <= MAX_BREAK and all(text[ends[i] : ends[i + 1]].strip() for i in between)
