"""Words and what they have to do with each other: synonyms, broader words, opposites, frequency.

WordNet, frequencies, inflected forms -> arrays (one row a word form) -> keys of a batch's words

A lexicon is what lets a small model know that "probe" says "investigation" and "rose" the opposite
of "fell". It is optional; it comes with the bundled weights.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Floats1d, Ints1d
from ..files.atomic import open_binary_output

# Kinds of keys that a word form has: its lemmas, the senses of those (and of words derived from
# them), the senses that are one step broader, the lemmas of its opposites.
LEMMA, SENSE, BROADER, OPPOSITE = range(4)
N_KINDS = 4
# Frequency is the base-10 logarithm of occurrences in a billion words, at most about 8.
MAX_FREQUENCY = 8.0


class Lexicon(NamedTuple):
    """Word forms, sorted by hash; the keys of one kind of form i are a slice of `keys`."""

    forms: Ints1d  # (n_forms,) uint32 hashes of cores, ascending
    frequency: Floats1d  # (n_forms,) in [0, MAX_FREQUENCY]
    starts: Ints1d  # (n_forms * N_KINDS + 1,) where the keys of form i, kind k start: row i * 4 + k
    keys: Ints1d  # (n_keys,) int32

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
    np.zeros(0, "uint32"), np.zeros(0, "float32"), np.zeros(1, "int32"), np.zeros(0, "int32")
)


def save_lexicon(lexicon: Lexicon, path: Path) -> None:
    """Write a lexicon as a compressed numpy file."""
    with open_binary_output(path) as file:
        np.savez_compressed(file, **lexicon._asdict())


def load_lexicon(path: Path) -> Lexicon:
    """Read what `save_lexicon` wrote; ValueError if the file is none."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Lexicon(**{name: arrays[name] for name in Lexicon._fields})
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ValueError(
            f"{path} must be a lexicon, got: {error}. Build one, or set 'lexicon' to \"auto\"."
        ) from error
