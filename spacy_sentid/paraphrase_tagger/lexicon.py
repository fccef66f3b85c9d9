"""Words and what they have to do with each other: synonyms, broader words, opposites, meanings.

WordNet, frequencies, inflected forms, vectors -> arrays, one row a word form -> those of a batch

A lexicon is what lets a small model know that "probe" says "investigation" and "rose" the opposite
of "fell". It is optional; it comes with the bundled weights.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ..files.atomic import open_binary_output
from ..files.reading import name_file

# Kinds of keys that a word form has: its lemmas, the senses of those (and of words derived from
# them), the senses that are one step broader, the lemmas of its opposites.
LEMMA, SENSE, BROADER, OPPOSITE = range(4)
N_KINDS = 4
# Frequency is the base-10 logarithm of occurrences in a billion words, at most about 8.
MAX_FREQUENCY = 8.0
# Numbers of a vector; the largest that 8 bits hold stands for 1.
WIDTH = 48
VECTOR_SCALE = 127


class Lexicon(NamedTuple):
    """Word forms, sorted by hash; the keys of one kind of form i are a slice of `keys`."""

    forms: Ints1d  # (n_forms,) uint32 hashes of cores, ascending
    frequency: Floats1d  # (n_forms,) in [0, MAX_FREQUENCY]
    starts: Ints1d  # (n_forms * N_KINDS + 1,) where the keys of form i, kind k start: row i * 4 + k
    keys: Ints1d  # (n_keys,) int32
    vectors: Ints2d  # (n_forms, width) int8: vectors of size 1, times VECTOR_SCALE
    groups: Floats2d  # (N_BINS, width) from letter groups to a vector (see `word_table`)

    def find(self, cores: Ints1d) -> Ints1d:
        """Find the row of each core; -1 for one that is not here.

        cores: (n,) hashes.
        """
        if not len(self.forms):
            return np.full(len(cores), -1)
        rows = np.minimum(np.searchsorted(self.forms, cores), len(self.forms) - 1)
        return np.where(self.forms[rows] == cores, rows, -1)

    def find_frequency(self, rows: Ints1d) -> Floats1d:
        """Give the frequency of rows, as a share of the highest; 0 for -1."""
        if not len(self.forms):
            return np.zeros(len(rows), dtype="float32")
        values = self.frequency[rows] / MAX_FREQUENCY
        return np.where(rows >= 0, values, 0).astype("float32")

    def find_vectors(self, rows: Ints1d, letters: Floats2d) -> Floats2d:
        """Give the vectors of words, of size 1; those of unknown words are guessed, and shorter.

        rows: (n,) as `find` gives them. letters: (n, N_BINS) letter groups.
        """
        # In 64 bits, so that a vector does not depend on the words that are looked up with it.
        guessed = (letters.astype("float64") @ self.groups.astype("float64")).astype("float32")
        if not len(self.forms):
            return guessed
        known = self.vectors[rows].astype("float32")
        known /= np.maximum(np.linalg.norm(known, axis=1, keepdims=True), 1)
        return np.where((rows >= 0)[:, None], known, guessed)

    def find_keys(self, rows: Ints1d, kind: int) -> tuple[Ints1d, Ints1d]:
        """List the keys of one kind.

        rows: (n,) as `find` gives them.
        RETURNS: (owners, keys), (n_found,) each: an index of `rows` and one of its keys.
        """
        known = np.flatnonzero(rows >= 0)
        slots = rows[known] * N_KINDS + kind
        starts = self.starts[slots]
        lengths = self.starts[slots + 1] - starts
        owners = np.repeat(known, lengths)
        first = np.repeat(np.cumsum(lengths) - lengths, lengths)
        places = np.repeat(starts, lengths) + np.arange(len(owners)) - first
        return owners, self.keys[places]


EMPTY = Lexicon(
    np.zeros(0, "uint32"),
    np.zeros(0, "float32"),
    np.zeros(1, "int32"),
    np.zeros(0, "int32"),
    np.zeros((0, WIDTH), "int8"),
    np.zeros((256, WIDTH), "float16"),
)


def save_lexicon(lexicon: Lexicon, path: Path) -> None:
    """Write a lexicon as a compressed numpy file."""
    with open_binary_output(path) as file:
        np.savez_compressed(file, **lexicon._asdict())


def load_lexicon(path: Path) -> Lexicon:
    """Read what `save_lexicon` wrote; ValueError if the file is none."""
    advice = "Build one, or set 'lexicon' to \"auto\"."
    with (
        name_file(path, expected="a lexicon", advice=advice),
        np.load(path, allow_pickle=False) as arrays,
    ):
        return Lexicon(**{name: arrays[name] for name in Lexicon._fields})
