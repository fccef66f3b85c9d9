"""The distinct words of a batch as arrays, with one row for each word.

word forms -> keys, numbers, signs, vectors of letter groups, rows of the lexicon
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Bools1d, Bools2d, Floats1d, Floats2d, Ints1d, Ints2d
from .lexicon import Lexicon
from .words import SIGNS, describe_word

FUNCTION_WORD, PUNCT = SIGNS.index("is_function_word"), SIGNS.index("is_punct")
# Groups of 2, 3 and 4 letters are hashed into this many columns. Groups of 2 have weight 0.5.
N_BINS = 256
GROUPS = ((2, 0.5), (3, 1.0), (4, 1.0))
# Letters of a word that its letter groups are made from, with its two edges.
MAX_LETTERS = 20


class WordTable(NamedTuple):
    """The properties of words, one row for each."""

    orth: Ints1d  # (n,) keys, as in the next columns up to `prefix`
    core: Ints1d
    stem: Ints1d
    prefix: Ints1d  # -1 = none
    number: Floats1d  # (n,) NaN = none
    signs: Floats2d  # (n, n_signs)
    letters: Floats2d  # (n, N_BINS) unit vectors
    rows: Ints1d  # (n,) rows of the lexicon, -1 = none
    frequency: Floats1d  # (n,) in [0, 1]
    marker: Ints1d  # (n,) see `words.MARKERS`
    initial: Ints1d  # (n,) see `words.WordForm`
    abbreviation: Ints1d  # (n,)
    vectors: Floats2d  # (n, width) word vectors, see `Lexicon.find_vectors`

    def sign(self, column: int) -> Bools1d:
        """Get one sign of all words, by its index in `words.SIGNS`."""
        return self.signs[:, column] > 0

    def is_content(self) -> Bools1d:
        """Check which words are neither function words nor punctuation."""
        return ~(self.sign(FUNCTION_WORD) | self.sign(PUNCT))


def build_word_table(words: Sequence[str], lexicon: Lexicon) -> WordTable:
    """Build the table of some words, at least one."""
    described = [describe_word(word) for word in words]
    columns = list(zip(*described, strict=True))
    orth, core, stem, prefix = (np.asarray(column, dtype="int64") for column in columns[1:5])
    rows = lexicon.find(core)
    letters = count_letter_groups(columns[0])
    return WordTable(
        orth,
        core,
        stem,
        prefix,
        np.asarray(columns[5]),
        np.asarray(columns[6], dtype="float32"),
        letters,
        rows,
        lexicon.find_frequency(rows),
        np.asarray(columns[7], dtype="int8"),
        np.asarray(columns[8], dtype="int64"),
        np.asarray(columns[9], dtype="int64"),
        lexicon.find_vectors(rows, letters),
    )


class SideWords(NamedTuple):
    """One text of each pair of a batch, padded."""

    words: Ints2d  # (n, n_pairs) rows of the word table; 0 in padding
    mask: Bools2d  # (n, n_pairs) whether there is a word
    lengths: Ints1d  # (n_pairs,)
    numbers: Floats2d  # (n, n_pairs) the number that each word is part of, NaN = none


def count_letter_groups(cores: Sequence[str]) -> Floats2d:
    """Hash the letter groups of each core into a unit vector. Word edges are marked.

    >>> vectors = count_letter_groups(["colour", "color", "tax"])
    >>> bool(vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2])
    True
    """
    padded = [f"<{core[: MAX_LETTERS - 2]}>" for core in cores]
    letters = np.asarray(padded, dtype=f"U{MAX_LETTERS}").view("uint32")
    letters = letters.reshape(len(padded), MAX_LETTERS).astype("uint64")
    vectors = np.zeros(len(padded) * N_BINS)
    owners = np.arange(len(padded))[:, None] * N_BINS
    for size, weight in GROUPS:
        n_places = MAX_LETTERS - size + 1
        code = np.full((len(padded), n_places), size, dtype="uint64")
        for offset in range(size):
            code = code * np.uint64(0x100000001B3) + letters[:, offset : offset + n_places]
            code ^= code >> np.uint64(29)
        bins = (code % np.uint64(N_BINS)).astype("int64")
        is_group = letters[:, size - 1 :] > 0  # groups that end within the word
        places = (owners + bins)[is_group]
        vectors += weight * np.bincount(places, minlength=len(vectors))
    table = vectors.reshape(len(padded), N_BINS).astype("float32")
    return table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-6)
