"""The case of words and the white space after them, which uncased encoders do not see."""

import re

import numpy as np

from ..arrays import Ints1d, Ints2d

# A word or a sign, and the white space after it.
WORD = re.compile(r"(\w+|[^\w\s])(\s*)")
N_CASES, N_GAPS = 8, 3
# Case classes of wordpieces: 0 = no text (special tokens); the others combine the case of the word
# with the white space after it.
N_CASE_CLASSES = 1 + N_CASES * N_GAPS


def find_cases(text: str, offsets: Ints2d) -> Ints1d:
    """Find the case class of each wordpiece.

    offsets: (n_pieces, 2) start and end character in `text`, which are equal without text.
    RETURNS: (n_pieces,) in [0, N_CASE_CLASSES).

    >>> find_cases("US us.", np.array([[0, 0], [0, 2], [3, 5], [5, 6]])).tolist()
    [0, 8, 1, 22]
    """
    classes = np.zeros(len(text) + 1, dtype="int64")
    for word in WORD.finditer(text):
        gap = 2 if "\n" in word[2] else 1 if word[2] else 0
        classes[word.start() : word.end(1)] = 1 + N_GAPS * find_case(word[1]) + gap
    starts, ends = np.asarray(offsets).T
    return np.where(starts < ends, classes[starts], 0)


def find_case(word: str) -> int:
    """Find the case of a word, in [0, N_CASES).

    >>> [find_case(word) for word in ("us", "Us", "US", "I", "iOS", "42", "b2b", "!")]
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    if word.isdigit():
        return 5
    if any(character.isdigit() for character in word):
        return 6
    if word.islower():
        return 0
    if word.istitle() and len(word) > 1:
        return 1
    if word.isupper():
        return 2 if len(word) > 1 else 3
    if any(character.isupper() for character in word):
        return 4
    return 7
