"""End punctuation of units (section 5.1). No spaCy, no numpy."""

from collections.abc import Collection, Container, Iterable, Sequence

# Full stop, exclamation mark, question mark: Latin as in the paper, then CJK (full and half width),
# Devanagari, Arabic and Urdu, Armenian, Ethiopic, Myanmar, Khmer, Tibetan. Each is a whole word:
# "!!", "?!" and "..." are others.
END_MARKS = frozenset(".!?。！？．｡।॥؟۔։՜՞።፧፨၊။។៕།༎")


def count_end_marks(words: Iterable[tuple[str, str]], marks: Collection[str] = END_MARKS) -> int:
    """Count the marks that end a unit: words tagged PUNCT whose form is in `marks`.

    words: (form, UPOS) from the last word on, backwards.

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
    """Find the first of the last marks that a unit can lose, with all behind it; None without.

    Marks that end a unit go together (". ." is two), but never one that something else depends on,
    nor the only word of the unit.

    n_marks: See `count_end_marks`.
    heads: Index of the head of each word; the root's is its own.
    needed: Words that must stay for another reason.

    >>> find_removable(1, [0, 0])
    1
    >>> find_removable(2, [0, 0, 0])
    1
    >>> find_removable(1, [1, 1])
    """
    end = first = len(heads)
    if n_marks == 1 and end > 1 and end - 1 not in heads and end - 1 not in needed:
        return end - 1  # nearly always
    candidates = range(max(1, end - n_marks), end)
    # The first word that depends on each: marks behind it that do go before it.
    dependents = dict.fromkeys(candidates, end)
    for word in range(end - 1, -1, -1):
        if heads[word] in dependents:
            dependents[heads[word]] = word
    for mark in reversed(candidates):
        if mark in needed or dependents[mark] <= mark:
            break
        first = mark
    return first if first < end else None
