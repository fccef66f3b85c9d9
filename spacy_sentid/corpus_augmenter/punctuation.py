"""End punctuation of units (section 5.1). No spaCy, no numpy."""

from collections.abc import Collection, Container, Sequence

# Full stop, exclamation mark, question mark: Latin as in the paper, then CJK (full and half width),
# Devanagari, Arabic and Urdu, Armenian, Ethiopic, Myanmar, Khmer, Tibetan. Each is a whole word:
# "!!", "?!" and "..." are others.
END_MARKS = frozenset(".!?。！？．｡।॥؟۔։՜՞።፧፨၊။។៕།༎")


def find_end_marks(
    forms: Sequence[str],
    upos: Sequence[str],
    heads: Sequence[int],
    *,
    marks: Collection[str] = END_MARKS,
    needed: Container[int] = (),
) -> int | None:
    """Find the end punctuation that a unit can lose: the index of its first word, None without.

    A mark is a word tagged PUNCT whose form is in `marks`. Those that end the unit go together
    (". ." is two), but never one with dependents, nor the only word of the unit.

    heads: Index of the head of each word.
    needed: Words that must stay for another reason.

    >>> find_end_marks(["Yes", "!"], ["INTJ", "PUNCT"], [0, 0])
    1
    >>> find_end_marks(["Yes", ".", "."], ["INTJ", "PUNCT", "PUNCT"], [0, 0, 0])
    1
    >>> find_end_marks(["Yes", "!!"], ["INTJ", "PUNCT"], [0, 0])
    """
    first = len(forms)
    while (
        first > 1
        and upos[first - 1] == "PUNCT"
        and forms[first - 1] in marks
        and first - 1 not in needed
        # Marks behind it that depend on it go too.
        and not any(heads[word] == first - 1 for word in range(first - 1))
        and heads[first - 1] != first - 1
    ):
        first -= 1
    return first if first < len(forms) else None
