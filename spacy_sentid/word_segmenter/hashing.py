"""Stretches of characters as numbers: the keys of words and n-grams.

folded code points -> for each place and length a key; tables of keys are sorted
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..arrays import Bools1d, Ints1d
from .characters import fold

FACTOR = np.uint64(0x9E3779B97F4A7C15)
# By length: (n - length + 1,) keys of the n-grams from each character on, and whether they are in
# one piece, without white space or a border of texts inside.
Ngrams = dict[int, tuple[Ints1d, Bools1d]]


def hash_ngrams(codes: Ints1d, must_end: Bools1d, lengths: Iterable[int]) -> Ngrams:
    """Make the keys of all n-grams of some lengths: uint32.

    codes, must_end: See `Characters`.
    """
    codes = codes.astype("uint64")
    mixed = (codes + np.uint64(1)) * FACTOR
    mixed ^= mixed >> np.uint64(29)
    broken = np.concatenate([[0], np.cumsum(must_end)])
    found: Ngrams = {}
    hashes = np.zeros(len(codes), dtype="uint64")
    wanted = set(lengths)
    for length in range(1, max(wanted) + 1):
        n = max(len(codes) - length + 1, 0)
        hashes = hashes[:n] * FACTOR
        hashes += mixed[length - 1 : length - 1 + n]
        hashes ^= hashes >> np.uint64(32)
        if length in wanted:
            # The high half of the bits is mixed best.
            keys = ((hashes * FACTOR) >> np.uint64(32)).astype("uint32")
            whole = broken[length - 1 : length - 1 + n] == broken[:n]
            found[length] = keys, whole
    return found


def hash_words(words: Sequence[str], *, folded: bool = True) -> Ints1d:
    """Make the keys of words as `hash_ngrams` makes those of their characters: (n_words,) uint32.

    folded: False tells words apart that are the same to the model, such as numbers.
    """
    keys = np.zeros(len(words), dtype="uint32")
    lengths = np.array([len(word) for word in words], dtype="int64")
    for length in np.unique(lengths[lengths > 0]).tolist():
        which = np.flatnonzero(lengths == length).tolist()
        codes = [fold(c)[0] if folded else ord(c) for k in which for c in words[k]]
        nowhere = np.zeros(len(codes), dtype=bool)
        ngrams = hash_ngrams(np.array(codes, dtype="int64"), nowhere, [length])
        keys[which] = ngrams[length][0][::length]
    return keys


class KeyIndex:
    """The keys of a table in buckets, so that many keys are found in a few steps each.

    A binary search of a long table waits for memory at each of its steps.

    keys: (n,) unsigned integers, all different.
    rows: (n,) what is found for each; None = its place.
    """

    def __init__(self, keys: Ints1d, rows: Ints1d | None = None) -> None:
        # Multiplied by an odd number, all keys stay different, and are spread evenly.
        mixed = keys.astype("uint64") * FACTOR
        order = np.argsort(mixed)
        n_bits = len(keys).bit_length() + 1  # two to four buckets a key
        self.shift = np.uint64(64 - n_bits)
        # The last place, which is no key's, is after all that can be looked for.
        self.mixed = np.append(mixed[order], np.uint64(2**64 - 1))
        self.rows = np.append(order if rows is None else rows[order], -1)
        starts = np.arange(2**n_bits, dtype="uint64") << self.shift
        self.starts = np.searchsorted(self.mixed, starts).astype("int32")

    def find(self, wanted: Ints1d) -> Ints1d:
        """Find the rows of keys, -1 for those that are not there."""
        mixed = wanted.astype("uint64") * FACTOR
        places = self.starts[mixed >> self.shift]
        late = np.flatnonzero(self.mixed[places] < mixed)
        while len(late):
            places[late] += 1
            late = late[self.mixed[places[late]] < mixed[late]]
        return np.where(self.mixed[places] == mixed, self.rows[places], -1)

    def find_ngrams(self, ngrams: Ngrams) -> Ngrams:
        """Find the rows of n-grams, in place of their keys."""
        rows = self.find(np.concatenate([keys for keys, _ in ngrams.values()]))
        cuts = np.cumsum([len(keys) for keys, _ in ngrams.values()])[:-1]
        parts = zip(ngrams.items(), np.split(rows, cuts), strict=True)
        return {length: (part, whole) for (length, (_, whole)), part in parts}


def find_rows(keys: Ints1d, wanted: Ints1d) -> Ints1d:
    """Find keys in a table of keys, ascending: their rows, -1 for those that are not there."""
    rows: Ints1d = np.searchsorted(keys, wanted)
    if not len(keys):
        return rows - 1
    rows[rows == len(keys)] = 0
    return np.where(keys[rows] == wanted, rows, -1)


def look_up(keys: Ints1d | None, values: Any, wanted: Ints1d) -> Any:
    """Find the values of keys in a table; 0 for those that are not there.

    keys: (n,) ascending; None = `wanted` are rows, and the values of row -1 are 0.
    """
    if not len(values):
        return np.zeros((len(wanted), *values.shape[1:]), dtype=values.dtype)
    if keys is None:
        return values[wanted]
    rows = find_rows(keys, wanted)
    found = values[rows]
    found[rows < 0] = 0
    return found


def find_neighbours(
    values: Ints1d, must_end: Bools1d, before: Any, after: Any
) -> tuple[Ints1d, Ints1d]:
    """Find the value before and the one after each; `before` and `after` stand at borders."""
    before, after = (
        np.broadcast_to(edge, len(values)).astype(values.dtype) for edge in (before, after)
    )
    whole = ~must_end[:-1]
    before[1:][whole] = values[:-1][whole]
    after[:-1][whole] = values[1:][whole]
    return before, after
