"""Find the lines of a text whose columns are aligned by spaces or tabs, such as tables in mails.

text -> lines with wide gaps between words -> tables of neighbouring lines
"""

import re
from itertools import groupby

from ...text.marks import ENDS

# Marks of quotes and of list items, which spaces may follow.
MARKS = re.compile(r"\s*(?:(?:[>|#*•·–—+-]+|\(?\w{1,3}[.)])\s+)*")
# Two spaces after a sentence are no gap.
GAP = re.compile(rf"\S(?:\t|\s{{3}})|[^\s{re.escape(ENDS)}:;]\s\s")
RULE = re.compile(r"\s*[^\w\s]+")
MIN_LINES = 2


def find_columns(text: str) -> list[tuple[int, int]]:
    r"""Find the tables of a text: lines with gaps, or rules, below each other.

    RETURNS: (start, end) in characters, in text order. Each is of whole lines, with their ends.

    >>> text = "Dear all,\noak     20 Sept\nglass   27 Sept\nBest"
    >>> [text[start:end] for start, end in find_columns(text)]
    ['oak     20 Sept\nglass   27 Sept\n']
    >>> find_columns("I sleep.  You too.\nWe  all.\n\n-   item")
    []
    """
    found: list[tuple[int, int]] = []
    end = 0
    for is_table, group in groupby(text.splitlines(keepends=True), key=_is_row):
        lines = list(group)
        start, end = end, end + sum(map(len, lines))
        if is_table and len(lines) >= MIN_LINES:
            found.append((start, end))
    return found


def _is_row(line: str) -> bool:
    line = line.rstrip()
    return bool(GAP.search(MARKS.sub("", line, count=1)) or RULE.fullmatch(line))
