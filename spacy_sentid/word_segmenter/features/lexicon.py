"""Lexicons of words, looked up at all positions of a batch at once.

words with counts -> hashes, sorted -> the weight of the word at each position and length

Two lexicons are features: the words of the training data, and a dictionary. The characters of words
are folded as in the model, so all numbers of the same length are equal.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...files.records import read_good_lines
from .hashing import KeyIndex, Ngrams, hash_words

# Lengths of the words that are features. Words of one character occur everywhere, and words of more
# than five are rare.
LENGTHS = (2, 3, 4, 5)
# For each length, a column for words that begin and one for words that end at the character. For
# each but the shortest, also one for words that continue.
N_COLUMNS = 3 * len(LENGTHS) - 1
# Weight of a word of a dictionary without counts.
NO_COUNT = 0.7


class WordWeights(NamedTuple):
    """Words by hash, with their weights."""

    keys: Ints1d  # (n_words,) uint32, ascending
    values: Ints1d  # (n_words,) uint16: counts, or weights in thousandths


EMPTY = WordWeights(np.zeros(0, dtype="uint32"), np.zeros(0, dtype="uint16"))


def count_words(words: Iterable[str]) -> WordWeights:
    """Build the lexicon of training data: each word with its count."""
    counts = Counter(words)
    keys, inverse = np.unique(hash_words(list(counts)), return_inverse=True)
    values = np.bincount(inverse, weights=list(counts.values()), minlength=len(keys))
    return WordWeights(keys, np.minimum(values, np.iinfo("uint16").max).astype("uint16"))


def make_dictionary(counts: Mapping[str, int | None]) -> WordWeights:
    """Build the lexicon of a dictionary: the weight of each word, in (0, 1], in thousandths.

    counts: The number of occurrences of each word, or None if unknown.
    """
    usable = [word for word in counts if len(word) in LENGTHS]
    weights = np.array([weigh_word(counts[word]) for word in usable]) * 1000
    return _sort(hash_words(usable), weights.astype("uint16"))


def weigh_word(count: int | None) -> float:
    """Compute the weight of a dictionary word: 0.3 to 1.

    >>> round(weigh_word(1), 2), round(weigh_word(1000), 2), weigh_word(None)
    (0.3, 0.85, 0.7)
    """
    return NO_COUNT if count is None else min(1.0, 0.3 + 0.08 * float(np.log(max(count, 1))))


def merge(lexicon: WordWeights, more: WordWeights) -> WordWeights:
    """Merge two dictionaries; a word of both has the higher value."""
    return _sort(*(np.concatenate(parts) for parts in zip(lexicon, more, strict=True)))


def _sort(keys: Ints1d, values: Ints1d) -> WordWeights:
    """Sort by key; of equal keys, keep the one with the highest value."""
    order = np.lexsort((values, keys))
    keys, values = keys[order], values[order]
    last = np.append(keys[1:] != keys[:-1], True)[: len(keys)]
    return WordWeights(keys[last], values[last])


def read_dictionary(path: Path) -> dict[str, int | None]:
    """Read a dictionary: one word per line, optionally followed by a count and other columns.

    This is also the format of jieba's user dictionaries. Other columns are ignored.

    Raises ValueError with file and line if it is not UTF-8, and for a file without words.
    """
    counts: dict[str, int | None] = {}
    for line in read_good_lines(path):
        word, count = [*line.text.split(), ""][:2]
        counts[word] = int(count) if count.isascii() and count.isdigit() else None
    if not counts:
        raise ValueError(f"{path}: a dictionary must have one word per line, got no words.")
    return counts


class OwnWords(NamedTuple):
    """The words of each text of a batch, by hash, which training subtracts from the counts."""

    docs: Ints1d  # (n,) index of the text of each character
    keys: KeyIndex
    counts: Ints1d  # by the rows of the keys; the last one, for other words, is 0


def count_own_words(words: Sequence[Sequence[str]], lengths: Ints1d) -> OwnWords:
    """Count the words of each text of a batch.

    lengths: (n_texts,) number of characters of each text.
    """
    numbers = np.arange(len(words))
    hashes = hash_words([word for part in words for word in part])
    keys = _with_text(hashes, np.repeat(numbers, [len(part) for part in words]))
    own, counts = np.unique(keys, return_counts=True)
    return OwnWords(np.repeat(numbers, lengths), KeyIndex(own), np.append(counts, 0))


def _with_text(keys: Ints1d, numbers: Ints1d) -> Ints1d:
    """Combine the keys of words with the indices of their texts: uint64."""
    return (numbers.astype("uint64") << np.uint64(32)) | keys.astype("uint64")


def find_words(values: Ints1d, rows: Ngrams) -> Iterator[Ints1d]:
    """Look up, for each of LENGTHS, the word that starts at each character.

    values: By row; the last one, for row -1, is 0.
    RETURNS: For each length, the values, (n - length + 1,). 0 = the word is not in the lexicon.
    """
    for length in LENGTHS:
        found, whole = rows[length]
        yield np.where(whole, values[found], 0).astype("int64")


def subtract_own(counts: Iterable[Ints1d], own: OwnWords, ngrams: Ngrams) -> Iterator[Ints1d]:
    """Subtract the words of each text from the counts of `find_words`."""
    for length, found in zip(LENGTHS, counts, strict=True):
        keys, _ = ngrams[length]
        rows = own.keys.find(_with_text(keys, own.docs[: len(keys)]))
        yield np.maximum(found - own.counts[rows], 0)


def lay_out(weights: Iterable[Any], n: int) -> Floats2d:
    """Compute the columns of characters from the weights of words: (n, N_COLUMNS).

    weights: For each of LENGTHS, (n - length + 1,), by the first character of the word.
    """
    columns = np.zeros((n, N_COLUMNS), dtype="float32")
    n_lengths = len(LENGTHS)
    for k, (length, values) in enumerate(zip(LENGTHS, weights, strict=True)):
        if not len(values):
            continue
        columns[: len(values), k] = values
        columns[length - 1 :, n_lengths + k] = values
        for step in range(1, length - 1):
            inside = columns[step : step + len(values), 2 * n_lengths + k - 1]
            np.maximum(inside, values, out=inside)
    return columns
