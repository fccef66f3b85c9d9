"""Table rows of characters and their neighbours: n-grams of one, two and three characters.

characters -> keys -> row numbers; 0 is for n-grams that were not seen in training
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...arrays import Ints1d, Ints2d
from ..characters import EDGE, Characters, find_new
from .hashing import KeyIndex, find_neighbours

BITS = np.uint64(21)  # a code point; three of them fit 64 bits
# The rows of a character: alone, with the one before, with the one after, and with both.
ONE, LEFT, RIGHT, BOTH = range(4)


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
    seen: list[list[Ints1d]] = [[], [], []]
    for batch in batches:
        new = find_new(batch, texts)
        keys = make_keys(batch)
        ends = keys[RIGHT][batch.must_end & new]  # other pairs are the left pair of the next one
        pairs = np.append(keys[LEFT][new], ends)
        for k, part in enumerate((keys[ONE][new], pairs, keys[BOTH][new])):
            seen[k].append(part)
    tables = []
    for k, parts in enumerate(seen):
        keys_of_size = np.concatenate(parts) if parts else np.zeros(0, dtype="uint64")
        found, counts = np.unique(keys_of_size, return_counts=True)
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
