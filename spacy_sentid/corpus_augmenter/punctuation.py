"""End punctuation of units (section 5.1). This module needs no spaCy or numpy."""

from collections.abc import Collection, Container, Iterable, Sequence

from ..text import marks

# The marks of the paper (. ! ?) and those of other scripts. Only words of one such mark count, so
# "!!", "?!" and "..." do not.
END_MARKS = frozenset(marks.END_MARKS) - {"…"}


def count_end_marks(words: Iterable[tuple[str, str]], marks: Collection[str] = END_MARKS) -> int:
    """Count the marks at the end of a unit, which are words tagged PUNCT with a form in `marks`.

    words: (form, UPOS) of the words in reverse order.

    >>> count_end_marks([(".", "PUNCT"), (".", "PUNCT"), ("Yes", "INTJ")])
    2
    >>> count_end_marks([("!!", "PUNCT"), ("Yes", "INTJ")])
    0
    """
    n_marks = 0
    for form, upos in words:
        if upos != "PUNCT" or form not in marks:
            break
        n_marks += 1
    return n_marks


def find_removable(n_marks: int, heads: Sequence[int], needed: Container[int] = ()) -> int | None:
    """Find the first word of the end punctuation that can be removed from a unit.

    All marks at the end are removed together (". ." is two). A mark is not removed if a remaining
    word depends on it, or if it is the only word of the unit.

    n_marks: Number of marks at the end (see `count_end_marks`).
    heads: Index of the head of each word; the root is its own head.
    needed: Other words that must not be removed.
    RETURNS: Index of the first word to remove, together with all words after it. None if nothing
        can be removed.

    >>> find_removable(1, [0, 0])
    1
    >>> find_removable(2, [0, 0, 0])
    1
    >>> find_removable(1, [1, 1])
    """
    end = first = len(heads)
    candidates = range(max(1, end - n_marks), end)
    # First dependent of each candidate. Dependents after the candidate are removed before it.
    dependents = dict.fromkeys(candidates, end)
    for word in range(end - 1, -1, -1):
        if heads[word] in dependents:
            dependents[heads[word]] = word
    for mark in reversed(candidates):
        if mark in needed or dependents[mark] <= mark:
            break
        first = mark
    return first if first < end else None
