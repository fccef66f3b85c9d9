"""Hash keys of words and n-grams, and the vocabulary of n-grams with a vector of their own.

folded code points -> a key for each position and length -> the row of the key in a table
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Bools1d, Ints1d, Ints2d
from ..characters import EDGE, Characters, find_new, fold

BITS = np.uint64(21)  # a code point; three of them fit 64 bits
# The rows of a character: alone, with the one before, with the one after, and with both.
ONE, LEFT, RIGHT, BOTH = range(4)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
# By length: (n - length + 1,) keys of the n-grams that start at each character, and a flag that is
# True if there is no white space or text boundary inside.
Ngrams = dict[int, tuple[Ints1d, Bools1d]]


def hash_ngrams(codes: Ints1d, must_end: Bools1d, lengths: Iterable[int]) -> Ngrams:
    """Compute the keys of all n-grams of some lengths: uint32.

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
            # The higher bits are mixed better.
            keys = ((hashes * FACTOR) >> np.uint64(32)).astype("uint32")
            whole = broken[length - 1 : length - 1 + n] == broken[:n]
            found[length] = keys, whole
    return found


def hash_words(words: Sequence[str], *, folded: bool = True) -> Ints1d:
    """Compute the keys of words, (n_words,) uint32, which equal those of `hash_ngrams`.

    folded: If False, words that are equal for the model, such as numbers, have different keys.
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
    """An index of the keys of a table, in buckets, which finds each key in a few steps.

    It is faster than a binary search of a long table, which waits for memory at each step.

    keys: (n,) unsigned integers, all different.
    rows: (n,) the row to return for each key. None = its position.
    """

    def __init__(self, keys: Ints1d, rows: Ints1d | None = None) -> None:
        # Multiplication by an odd number keeps all keys different and spreads them evenly.
        mixed = keys.astype("uint64") * FACTOR
        order = np.argsort(mixed)
        n_bits = len(keys).bit_length() + 1  # two to four buckets per key
        self.shift = np.uint64(64 - n_bits)
        # An additional entry at the end is larger than any key.
        self.mixed = np.append(mixed[order], np.uint64(2**64 - 1))
        self.rows = np.append(order if rows is None else rows[order], -1)
        starts = np.arange(2**n_bits, dtype="uint64") << self.shift
        self.starts = np.searchsorted(self.mixed, starts).astype("int32")

    def find(self, wanted: Ints1d) -> Ints1d:
        """Find the rows of keys; -1 for keys that are not in the table."""
        mixed = wanted.astype("uint64") * FACTOR
        places = self.starts[mixed >> self.shift]
        late = np.flatnonzero(self.mixed[places] < mixed)
        while len(late):
            places[late] += 1
            late = late[self.mixed[places[late]] < mixed[late]]
        return np.where(self.mixed[places] == mixed, self.rows[places], -1)

    def find_ngrams(self, ngrams: Ngrams) -> Ngrams:
        """Replace the keys of n-grams by their rows."""
        rows = self.find(np.concatenate([keys for keys, _ in ngrams.values()]))
        cuts = np.cumsum([len(keys) for keys, _ in ngrams.values()])[:-1]
        parts = zip(ngrams.items(), np.split(rows, cuts), strict=True)
        return {length: (part, whole) for (length, (_, whole)), part in parts}


def find_neighbours(values: Ints1d, must_end: Bools1d, edge: Any) -> tuple[Ints1d, Ints1d]:
    """Find the value before and after each value; `edge` is used at boundaries."""
    before, after = (np.full(len(values), edge, dtype=values.dtype) for _ in range(2))
    whole = ~must_end[:-1]
    before[1:][whole] = values[:-1][whole]
    after[:-1][whole] = values[1:][whole]
    return before, after


# The vocabulary: characters, pairs and triples with a vector of their own.


class Vocabulary(NamedTuple):
    """The keys of n-grams seen in training, ascending; the row of a key is its position plus 1."""

    one: Ints1d
    two: Ints1d
    three: Ints1d


def learn_vocabulary(batches: Iterable[Characters], min_count: int) -> Vocabulary:
    """Collect the characters, and the pairs and triples seen at least `min_count` times.

    Repeated texts, perhaps without punctuation, are not counted.
    """
    texts: set[bytes] = set()
    seen = [[np.zeros(0, dtype="uint64")] for _ in range(3)]
    for batch in batches:
        new = find_new(batch, texts)
        keys = make_keys(batch)
        ends = keys[RIGHT][batch.must_end & new]  # other pairs are the left pair of the next one
        pairs = np.append(keys[LEFT][new], ends)
        for own, part in zip(seen, (keys[ONE][new], pairs, keys[BOTH][new]), strict=True):
            own.append(part)
    tables = []
    for k, parts in enumerate(seen):
        found, counts = np.unique(np.concatenate(parts), return_counts=True)
        tables.append(found[counts >= (min_count if k else 1)])
    return Vocabulary(*tables)


def make_keys(batch: Characters) -> Ints2d:
    """Compute the keys of a batch: (4, n) uint64. White space and ends of texts are EDGE."""
    here = batch.codes.astype("uint64")
    before, after = find_neighbours(here, batch.must_end, EDGE)
    left = (before << BITS) | here
    return np.stack([here, left, (here << BITS) | after, (left << BITS) | after])


def index_vocabulary(vocabulary: Vocabulary) -> KeyIndex:
    """Build one index of all keys, as n-grams of different lengths have different keys."""
    rows = [np.arange(len(keys)) + 1 for keys in vocabulary]
    return KeyIndex(np.concatenate(vocabulary), np.concatenate(rows))


def find_rows(index: KeyIndex, batch: Characters) -> Ints2d:
    """Find the rows of a batch in an index of `index_vocabulary`: (4, n)."""
    keys = make_keys(batch)
    return np.maximum(index.find(keys.reshape(-1)), 0).reshape(keys.shape)
