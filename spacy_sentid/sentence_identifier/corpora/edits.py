"""Text edits that return an offset map. No spaCy, no numpy.

Words are those of `units.word_spans`.
"""

from collections.abc import Mapping
from random import Random

from ...text.marks import END_MARKS
from ...text.offsets import MappedText, apply_edits, keep_spans
from ...text.units import word_spans

# The set P_e of Appendix D; END_MARKS are its set P, with their equivalents in other scripts.
CLOSING_MARKS = END_MARKS + '"”'
CASES = ("lower", "upper", "title")
VOWELS, CONSONANTS = "aeiouy", "bcdfghjklmnpqrstvwxz"


def change_case(text: str, case: str) -> MappedText:
    """Change the case of all words to "lower", "upper" or "title" (first letter in upper case).

    >>> change_case("don't go to 3rd Straße", "title").text
    "Don't Go To 3rd Straße"
    >>> changed = change_case("Maß 1", "upper")
    >>> changed.text, [changed.offsets.find_char(char) for char in range(5)]
    ('MASS 1', [0, 1, 2, 4, 5])
    """
    # Convert the whole text, as Python needs whole words to recognise a final sigma. Its length is
    # the same, so the text can be split by the lengths of single characters.
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
    longer = ((i, i + 1, piece) for i, piece in enumerate(pieces) if len(piece) != 1)
    return MappedText("".join(pieces), apply_edits(text, longer).offsets)


def remove_final_marks(text: str) -> MappedText:
    """Remove the longest ending that is a sentence-ending mark and the marks after it.

    A text that only has marks is kept.

    >>> [remove_final_marks(text).text for text in ("Really?!", '"Go!"', "Go (on.)", "...")]
    ['Really', '"Go', 'Go (on.)', '...']
    """
    end = len(text.rstrip(CLOSING_MARKS))
    while end < len(text) and text[end] not in END_MARKS:
        end += 1
    rest = text[:end].rstrip()
    return keep_spans(text, [(0, len(rest) or len(text))])


def draw_alphabet(rng: Random) -> Mapping[int, int]:
    """Draw a table for `str.translate` that maps vowels to vowels and consonants to consonants.

    A translated text looks like one in an unknown language. Only letters from a to z change.

    >>> from random import Random
    >>> "Call me at 9, Ann!".translate(draw_alphabet(Random(0)))
    'Tocc zy oh 9, Oss!'
    """
    alphabet: dict[int, int] = {}
    for letters in (VOWELS, CONSONANTS):
        drawn = "".join(rng.sample(letters, len(letters)))
        alphabet |= str.maketrans(letters + letters.upper(), drawn + drawn.upper())
    return alphabet
