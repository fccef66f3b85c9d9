"""A lexicon of word relations (synonyms, broader words, opposites), frequencies and vectors.

WordNet, frequencies, inflected forms, vectors -> arrays by word form -> rows of a batch

From the lexicon a small model learns that "probe" means "investigation" and that "rose" is the
opposite of "fell". It is optional. The bundled weights contain one.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d, Ints2d
from ...files.atomic import open_binary_output
from ...files.reading import name_file

# Kinds of keys of a word form: its lemmas, their senses (also of derived words), the senses one
# step broader, and the lemmas of its opposites.
LEMMA, SENSE, BROADER, OPPOSITE = range(4)
N_KINDS = 4
# Maximum frequency, the base-10 logarithm of occurrences in a billion words.
MAX_FREQUENCY = 8.0
# Length of the vectors, and the 8-bit integer that represents 1.
WIDTH = 48
VECTOR_SCALE = 127


class Lexicon(NamedTuple):
    """Word forms, sorted by hash. The keys of one kind of a form are a slice of `keys`."""

    forms: Ints1d  # (n_forms,) uint32 hashes of cores, ascending
    frequency: Floats1d  # (n_forms,) in [0, MAX_FREQUENCY]
    starts: Ints1d  # (n_forms * N_KINDS + 1,) start of the keys of form i, kind k: row i * 4 + k
    keys: Ints1d  # (n_keys,) int32
    vectors: Ints2d  # (n_forms, width) int8: unit vectors, times VECTOR_SCALE
    groups: Floats2d  # (N_BINS, width) maps letter groups (see `word_table`) to a vector

    def find(self, cores: Ints1d) -> Ints1d:
        """Find the row of each core; -1 if the lexicon does not have it.

        cores: (n,) hashes of cores.
        """
        if not len(self.forms):
            return np.full(len(cores), -1)
        rows = np.minimum(np.searchsorted(self.forms, cores), len(self.forms) - 1)
        return np.where(self.forms[rows] == cores, rows, -1)

    def find_frequency(self, rows: Ints1d) -> Floats1d:
        """Look up the frequency of rows, divided by MAX_FREQUENCY; 0 for row -1."""
        found = np.zeros(len(rows), dtype="float32")
        found[rows >= 0] = self.frequency[rows[rows >= 0]] / MAX_FREQUENCY
        return found

    def find_vectors(self, rows: Ints1d, letters: Floats2d) -> Floats2d:
        """Look up the vectors of words, which have length 1.

        Vectors of unknown words are estimated from their letter groups, and are shorter.

        rows: (n,) rows from `find`.
        letters: (n, N_BINS) letter groups.
        """
        known = rows >= 0
        found = np.empty((len(rows), self.groups.shape[1]), dtype="float32")
        found[known] = self.vectors[rows[known]]
        found[known] /= np.maximum(np.linalg.norm(found[known], axis=1, keepdims=True), 1)
        # 64 bits, so that a vector does not depend on the other words that are looked up.
        found[~known] = letters[~known].astype("float64") @ self.groups.astype("float64")
        return found

    def find_keys(self, rows: Ints1d, kind: int) -> tuple[Ints1d, Ints1d]:
        """List the keys of one kind.

        rows: (n,) rows from `find`.
        RETURNS: (owners, keys), (n_found,) each: an index into `rows`, and a key of that row.
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
    """Load a file of `save_lexicon`; ValueError if the file is not a lexicon."""
    advice = "Build one, or set 'lexicon' to \"auto\"."
    with (
        name_file(path, expected="a lexicon", advice=advice),
        np.load(path, allow_pickle=False) as arrays,
    ):
        return Lexicon(**{name: arrays[name] for name in Lexicon._fields})
