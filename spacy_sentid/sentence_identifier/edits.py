"""Changes of a text that remember where each character went. No spaCy, no numpy.

text -> Edit: the new text, and the place in it of each character of the old one

Words are those of `units.word_spans`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..units import word_spans

# P and P_e of Appendix D, and what stands for them in other scripts.
END_MARKS = ".?!…。！？؟۔।"
CLOSING_MARKS = END_MARKS + '"”'
CASES = ("lower", "upper", "title")


class Edit(NamedTuple):
    """A changed text, and where in it each character of the old text is; -1 = gone."""

    text: str
    places: Sequence[int]


def change_case(text: str, case: str) -> Edit:
    """Put all words into a case: "lower", "upper", or "title" (first letter upper, rest lower).

    >>> change_case("don't go to 3rd Straße", "title").text
    "Don't Go To 3rd Straße"
    >>> change_case("Maß 1", "upper")
    Edit(text='MASS 1', places=[0, 1, 2, 4, 5])
    """
    # Only in whole words does Python know a final sigma; its length is that of any other.
    whole = text.upper() if case == "upper" else text.lower()
    pieces, position = [], 0
    for char in text:
        end = position + len(char.upper() if case == "upper" else char.lower())
        pieces.append(whole[position:end])
        position = end
    if case == "title":
        for start, end in word_spans(text):
            first = next((i for i in range(start, end) if text[i].isalnum()), None)
            if first is not None:
                pieces[first] = text[first].title()
    places, position = [], 0
    for piece in pieces:
        places.append(position)
        position += len(piece)
    return Edit("".join(pieces), places)


def remove_final_marks(text: str) -> Edit:
    """Remove the longest ending of a sentence-ending mark and the marks after it.

    Text of marks alone is kept.

    >>> [remove_final_marks(text).text for text in ("Really?!", '"Go!"', "Go (on.)", "...")]
    ['Really', '"Go', 'Go (on.)', '...']
    """
    end = len(text.rstrip(CLOSING_MARKS))
    while end < len(text) and text[end] not in END_MARKS:
        end += 1
    rest = text[:end].rstrip()
    return _cut(text, 0, len(rest) if rest else len(text))


def keep_words(text: str, start: int, end: int) -> Edit:
    """Keep words [start, end) of a text, at least one.

    >>> keep_words("I go on.", 1, 3)
    Edit(text='go on.', places=[-1, -1, 0, 1, 2, 3, 4, 5])
    """
    words = word_spans(text)
    return _cut(text, words[start][0], words[end - 1][1])


def _cut(text: str, start: int, end: int) -> Edit:
    places = [i - start if start <= i < end else -1 for i in range(len(text))]
    return Edit(text[start:end], places)


def add_marker(text: str, marker: str) -> Edit:
    """Put a marker and a space in front of a text.

    >>> add_marker("Go.", "1)")
    Edit(text='1) Go.', places=range(3, 6))
    """
    prefix = marker + " "
    return Edit(prefix + text, range(len(prefix), len(prefix) + len(text)))
