"""Abbreviations in capitals and their full forms, such as "EU" and "European Union".

words of both texts -> abbreviations -> runs of capitalised words with these initials
"""

import numpy as np

from ...arrays import Bools3d
from .word_table import SideWords, WordTable
from .words import encode_letters


def find_initials(table: WordTable, first: SideWords, second: SideWords) -> Bools3d:
    """Find abbreviations and the words of their full forms, (n, m, n_pairs)."""
    found = np.zeros((len(first.words), *second.words.shape), dtype=bool)
    for own, other, cells in (
        (first, second, found),
        (second, first, found.swapaxes(0, 1)),
    ):
        codes = table.abbreviation[own.words] * own.mask
        for place, pair in np.argwhere(codes).tolist():
            initials = table.initial[other.words[:, pair]] * other.mask[:, pair]
            places = np.flatnonzero(initials)
            n = (int(codes[place, pair]).bit_length() + 7) // 8
            for start in range(len(places) - n + 1):
                run = places[start : start + n]
                if encode_letters(initials[run].tolist()) == codes[place, pair]:
                    cells[place, run, pair] = True
    return found
