"""Statistics of n-grams in raw text, as evidence for words without annotation.

raw text -> n-grams seen twice or more -> their counts and the variety of their neighbours
-> for each gap: the association of the characters around it, and the variety of their neighbours

Many different characters can follow the end of a word, but only a few its first character. Names
and terms of a new domain are in no lexicon, but they are often repeated in its text.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d, Ints2d
from ..characters import SYMBOL, Characters, find_new
from .hashing import Ngrams, find_neighbours, hash_ngrams

LENGTHS = (1, 2, 3, 4)
MIN_COUNT = 2
# Number of n-grams to keep, the most frequent ones. Their table has 8 bytes per row.
MAX_NGRAMS = 300_000
# Columns of a table: log count of an n-gram, entropy of the characters before and after it, and log
# of the number of different neighbours, on the side with fewer. In steps of 1 / STEPS, at most 255.
COUNT, BEFORE, AFTER, VARIETY = range(4)
STEPS = 16
# Columns of a gap: association of the two characters around it, and the count of this pair; for
# each length, entropies after the n-gram that ends at the gap and before the one that starts there;
# for each length, variety of n-grams across the gap.
N_GAP_COLUMNS = 2 + 2 * len(LENGTHS) + len(LENGTHS) - 1
N_COLUMNS = 2 * N_GAP_COLUMNS  # for each character, the gaps before and after it


class RawText(NamedTuple):
    """The statistics of raw text."""

    keys: Ints1d  # (n_ngrams,) uint32, ascending
    values: Ints2d  # (n_ngrams, 4) uint8, in STEPS
    size: Ints1d  # (1,) number of characters of the text


EMPTY = RawText(np.zeros(0, "uint32"), np.zeros((0, 4), "uint8"), np.zeros(1, "int64"))


def learn_raw_text(batches: Iterable[Characters]) -> RawText:
    """Compute the statistics of raw text.

    batches: Characters of Docs. All of them are held in memory. Repeated texts count once.
    """
    seen: set[bytes] = set()
    parts = []
    for batch in batches:
        new = find_new(batch, seen)
        parts.append((batch.codes[new], (batch.kinds == SYMBOL)[new], batch.must_end[new]))
    if not parts or not sum(len(codes) for codes, _, _ in parts):
        return EMPTY
    codes, is_symbol, must_end = (np.concatenate(column) for column in zip(*parts, strict=True))
    # Each boundary and each sign counts as a different neighbour.
    other = np.arange(len(codes)) + 0x110000
    own = np.where(is_symbol, other, codes)
    before, after = find_neighbours(own, must_end, other + len(codes))
    keys, values = [], []
    for length, (found, whole) in hash_ngrams(codes, must_end, LENGTHS).items():
        starts = np.flatnonzero(whole)
        known, inverse, counts = np.unique(found[whole], return_inverse=True, return_counts=True)
        kept = counts >= MIN_COUNT
        rows = (np.cumsum(kept) - 1)[inverse]
        rows, starts = rows[kept[inverse]], starts[kept[inverse]]
        before_entropy, n_before = _measure_neighbours(rows, before[starts], kept.sum())
        after_entropy, n_after = _measure_neighbours(rows, after[starts + length - 1], kept.sum())
        keys.append(known[kept])
        variety = np.log(np.maximum(np.minimum(n_before, n_after), 1))
        values.append(
            np.stack([np.log(counts[kept]), before_entropy, after_entropy, variety], axis=1)
        )
    table = np.minimum(np.round(np.concatenate(values) * STEPS), 255).astype("uint8")
    size = np.array([len(codes)], dtype="int64")
    return _sort(np.concatenate(keys), table, size)


def merge(first: RawText, second: RawText) -> RawText:
    """Merge two statistics. Counts are added; for the other columns, the larger value is used."""
    keys = np.concatenate([first.keys, second.keys])
    values = np.concatenate([first.values, second.values])
    known, inverse = np.unique(keys, return_inverse=True)
    table = np.zeros((len(known), values.shape[1]), dtype="uint8")
    np.maximum.at(table, inverse, values)
    counts = np.bincount(inverse, weights=np.exp(values[:, COUNT] / STEPS), minlength=len(known))
    table[:, COUNT] = np.minimum(np.round(np.log(np.maximum(counts, 1)) * STEPS), 255)
    return _sort(known, table, first.size + second.size)


def _sort(keys: Ints1d, values: Ints2d, size: Ints1d) -> RawText:
    """Keep the most frequent n-grams, sorted by key; of equal keys, only one."""
    most = np.argsort(-values[:, COUNT].astype("int64"), kind="stable")[:MAX_NGRAMS]
    keys, values = keys[most], values[most]
    keys, first = np.unique(keys, return_index=True)
    return RawText(keys, values[first], size)


def _measure_neighbours(rows: Ints1d, neighbours: Ints1d, n_rows: int) -> tuple[Floats1d, Ints1d]:
    """Compute the entropy (natural log) and the number of different neighbours of each n-gram."""
    pairs = (rows.astype("int64") << 32) | neighbours
    different, counts = np.unique(pairs, return_counts=True)
    owner = different >> 32
    total = np.bincount(owner, weights=counts, minlength=n_rows)
    spread = np.bincount(owner, weights=counts * np.log(counts), minlength=n_rows)
    entropy = np.log(np.maximum(total, 1)) - spread / np.maximum(total, 1)
    return entropy, np.bincount(owner, minlength=n_rows)


def lay_out(raw: RawText, rows: Ngrams, must_end: Bools1d) -> Floats2d:
    """Compute the features of the gaps before and after each character: (n, N_COLUMNS).

    rows: The rows of n-grams in the values; those of row -1 are 0.
    RETURNS: Values of about 0 to 2; 0 at gaps where a word must end, and without statistics.
    """
    n = len(must_end)
    columns = np.zeros((n, N_COLUMNS), dtype="float32")
    if n < 2 or not len(raw.values):
        return columns
    gaps = np.zeros((n + 1, N_GAP_COLUMNS), dtype="float32")  # gap i is before character i
    found = {}
    for length in LENGTHS:
        own_rows, whole = rows[length]
        found[length] = raw.values[own_rows].astype("float32") / STEPS
        found[length][~whole] = 0
    one, two = found[1][:, COUNT], found[2][:, COUNT]
    size = np.log(max(int(raw.size[0]), 1))
    gaps[1:n, 0] = np.where(two > 0, (two + size - one[:-1] - one[1:]) / 4, -0.5)
    gaps[1:n, 1] = two / 3
    column = 2
    for length in LENGTHS:
        values = found[length]
        if len(values):
            gaps[length:n, column] = values[: n - length, AFTER] / 2
            gaps[1 : n - length + 1, column + 1] = values[1:, BEFORE] / 2
        column += 2
    for length in LENGTHS[1:]:
        values = found[length][:, VARIETY] / 2
        for start in range(1, length):
            over = gaps[start : start + len(values), column]
            np.maximum(over, values, out=over)
        column += 1
    gaps[1:][must_end] = 0
    columns[:, :N_GAP_COLUMNS] = gaps[:-1]
    columns[:, N_GAP_COLUMNS:] = gaps[1:]
    return columns
