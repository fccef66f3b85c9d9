"""Lexical features: n-grams and words of the training data, a dictionary, raw text.

training data, dictionary, raw text -> arrays, kept with the weights -> columns of each character
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from operator import is_
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Model

from ...arrays import Floats1d, Floats2d, Ints1d
from ..characters import Characters, without_symbols
from . import lexicon, raw_text
from .hashing import (
    KeyIndex,
    Vocabulary,
    hash_ngrams,
    hash_words,
    index_vocabulary,
    learn_vocabulary,
)
from .lexicon import WordWeights, count_own_words, count_words, find_words, subtract_own
from .raw_text import RawText

# Names of the arrays among the params of the layer, by field.
ARRAYS = {
    "vocabulary": ("one", "two", "three"),
    "words": ("words", "counts"),
    "spellings": ("spellings",),
    "dictionary": ("dictionary", "worths"),
    "raw": ("raw_keys", "raw_values", "raw_size"),
}
NAMES = tuple(chain.from_iterable(ARRAYS.values()))
LENGTHS = sorted({*lexicon.LENGTHS, *raw_text.LENGTHS})
# Columns of each character: two lexicons and raw text.
N_COLUMNS = 2 * lexicon.N_COLUMNS + raw_text.N_COLUMNS


class LexicalTables(NamedTuple):
    """The tables in which the features are looked up."""

    vocabulary: Vocabulary
    words: WordWeights  # words of the training data, with counts
    spellings: tuple[Ints1d]  # keys of the same words without folding, ascending
    dictionary: WordWeights
    raw: RawText


def learn_tables(batches: list[Characters], min_count: int) -> LexicalTables:
    """Learn the tables from training data.

    batches: Characters, with their gold words where they are known.
    min_count: Minimum count of pairs and triples of characters with a vector.
    """
    words = list(chain.from_iterable(_different_sentences(batches)))
    return LexicalTables(
        learn_vocabulary(batches, min_count),
        count_words(words),
        (np.unique(hash_words(list(set(words)), folded=False)),),
        lexicon.EMPTY,
        raw_text.EMPTY,
    )


def _different_sentences(batches: Iterable[Characters]) -> Iterator[list[str]]:
    """Iterate over the words of each different sentence, ignoring punctuation.

    Training subtracts a sentence's own words from the counts, so no sentence may count twice.
    """
    seen = set()
    for batch in batches:
        for words in batch.words or ():
            key = " ".join(without_symbols(words))
            if key not in seen:
                seen.add(key)
                yield words


def set_tables(model: Model, tables: LexicalTables) -> None:
    """Write the arrays into the params of a layer."""
    for field, names in ARRAYS.items():
        for name, array in zip(names, getattr(tables, field), strict=True):
            model.set_param(name, array)


def get_tables(model: Model) -> LexicalTables:
    """Read the arrays from the params of a layer."""
    found: Any = [tuple(map(model.get_param, names)) for names in ARRAYS.values()]
    vocabulary, words, spellings, dictionary, raw = found
    return LexicalTables(
        Vocabulary(*vocabulary),
        WordWeights(*words),
        spellings,
        WordWeights(*dictionary),
        RawText(*raw),
    )


class TableIndex(NamedTuple):
    """Indices of the keys of tables, and the values by the rows of the second index.

    The second index has the n-grams of all tables, so that each n-gram is looked up once.
    """

    vocabulary: KeyIndex
    ngrams: KeyIndex
    words: Ints1d
    dictionary: Ints1d
    raw: RawText


class IndexCache:
    """A cache of the indices of a layer, which is renewed when the tables change."""

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.index: TableIndex | None = None

    def __reduce__(self) -> tuple[type, tuple]:
        return IndexCache, ()  # the arrays are saved with the weights

    def read(self, model: Model) -> TableIndex:
        """Build the indices of the tables among the params of a layer."""
        arrays = [model.get_param(name) for name in NAMES]
        if self.index is None or not all(map(is_, arrays, self.arrays)):
            found = get_tables(model)
            words, dictionary, raw = found.words, found.dictionary, found.raw
            keys = np.unique(np.concatenate([words.keys, dictionary.keys, raw.keys]))
            self.index = TableIndex(
                index_vocabulary(found.vocabulary),
                KeyIndex(keys),
                _spread(words, keys),
                _spread(dictionary, keys),
                raw._replace(values=_spread(raw, keys)) if len(raw.keys) else raw,
            )
            self.arrays = arrays
        return self.index


def _spread(table: WordWeights | RawText, keys: Ints1d) -> Any:
    """Get the values of a table by the rows of `keys`, which include its keys, and 0 for row -1."""
    values = np.zeros((len(keys) + 1, *table.values.shape[1:]), dtype=table.values.dtype)
    values[np.searchsorted(keys, table.keys)] = table.values
    return values


def add_words(model: Model, counts: dict[str, int | None] | Iterable[str]) -> None:
    """Add words to the dictionary of a layer.

    counts: The number of occurrences of each word, or None if unknown; or just words.
    """
    if isinstance(counts, str):
        raise ValueError(f"'counts' must be words, got the string {counts!r}. Put it into a list.")
    tables = get_tables(model)
    more = lexicon.make_dictionary(counts if isinstance(counts, dict) else dict.fromkeys(counts))
    set_tables(model, tables._replace(dictionary=lexicon.merge(tables.dictionary, more)))


def in_vocabulary(model: Model, word: str) -> bool:
    """Check if a word was in the training data. Here, different numbers are different words."""
    return bool(hash_words([word], folded=False)[0] in model.get_param("spellings"))


def has_raw_text(model: Model) -> bool:
    """Check if a layer has statistics of raw text."""
    return len(get_tables(model).raw.keys) > 0


def add_raw_text(model: Model, batches: Iterable[Characters]) -> None:
    """Add the statistics of raw text to those of a layer."""
    tables = get_tables(model)
    raw = raw_text.merge(tables.raw, raw_text.learn_raw_text(batches))
    set_tables(model, tables._replace(raw=raw))


@contextmanager
def reading(model: Model, batches: Iterable[Characters]) -> Iterator[None]:
    """Add the statistics of texts to those of a layer inside the context only."""
    before = get_tables(model)
    add_raw_text(model, batches)
    try:
        yield
    finally:
        set_tables(model, before)


def lay_out(index: TableIndex, batch: Characters, *, without_own: bool) -> Floats2d:
    """Compute the features of the words around each character: (n, N_COLUMNS), about 0 to 2.

    without_own: Do not count the gold words of the text itself, as in training.
    """
    n = len(batch.codes)
    ngrams = hash_ngrams(batch.codes, batch.must_end, LENGTHS)
    rows = index.ngrams.find_ngrams(ngrams)
    counts = find_words(index.words, rows)
    if without_own and batch.words is not None:
        counts = subtract_own(counts, count_own_words(batch.words, batch.lengths), ngrams)
    weights = find_words(index.dictionary, rows)
    return np.concatenate(
        [
            lexicon.lay_out((_scale_counts(part) for part in counts), n),
            lexicon.lay_out((part / 1000 for part in weights), n),
            raw_text.lay_out(index.raw, rows, batch.must_end),
        ],
        axis=1,
    )


def _scale_counts(counts: Ints1d) -> Floats1d:
    """Scale counts to features: 0 for 0, 0.4 for 1, and 1 from 20 on."""
    return np.where(counts, np.minimum(0.4 + 0.2 * np.log(np.maximum(counts, 1)), 1.0), 0.0)
