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
from .hashing import KeyIndex, find_rows, hash_ngrams, hash_words
from .lexicon import WordWeights, count_own_words, count_words, find_words
from .ngrams import Vocabulary, index_vocabulary, learn_vocabulary
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
    # Indices of the vocabulary and of the n-grams of the other tables, which then have no keys.
    vocabulary_index: KeyIndex | None = None
    ngram_index: KeyIndex | None = None


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

    Training subtracts a sentence's own words from the counts. This would not hide the words of a
    sentence that was counted twice.
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


class IndexedTables:
    """A cache of the tables of a layer, with indices of their keys.

    It is renewed when the tables change. One index has the n-grams of all tables, so that each
    n-gram is looked up once.
    """

    def __init__(self) -> None:
        self.arrays: list[Any] = []
        self.tables: LexicalTables | None = None

    def __reduce__(self) -> tuple[type, tuple]:
        return IndexedTables, ()  # the arrays are saved with the weights

    def read(self, model: Model) -> LexicalTables:
        """Read the tables from the params of a layer."""
        arrays = [model.get_param(name) for name in NAMES]
        if self.tables is None or not all(map(is_, arrays, self.arrays)):
            found = get_tables(model)
            keys = np.unique(
                np.concatenate([found.words.keys, found.dictionary.keys, found.raw.keys])
            )
            self.tables = LexicalTables(
                found.vocabulary,
                _without_keys(found.words, keys),
                found.spellings,
                _without_keys(found.dictionary, keys),
                _without_keys(found.raw, keys),
                index_vocabulary(found.vocabulary),
                KeyIndex(keys),
            )
            self.arrays = arrays
        return self.tables


def _without_keys(table: Any, keys: Ints1d) -> Any:
    """Reorder the values of a table by the rows of `keys`, which include the table's keys."""
    values = np.zeros((len(keys) + 1, *table.values.shape[1:]), dtype=table.values.dtype)
    values[np.searchsorted(keys, table.keys)] = table.values
    return table._replace(keys=None, values=values if len(table.values) else table.values)


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
    (spellings,) = get_tables(model).spellings
    return bool(find_rows(spellings, hash_words([word], folded=False))[0] >= 0)


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


def lay_out(tables: LexicalTables, batch: Characters, *, without_own: bool) -> Floats2d:
    """Compute the features of the words around each character: (n, N_COLUMNS), about 0 to 2.

    without_own: Do not count the gold words of the text itself, as in training. Tables with an
        index do not support it.
    """
    n = len(batch.codes)
    ngrams = hash_ngrams(batch.codes, batch.must_end, LENGTHS)
    if tables.ngram_index is not None:
        ngrams = tables.ngram_index.find_ngrams(ngrams)
    own = None
    if without_own and batch.words is not None:
        own = count_own_words(batch.words, batch.lengths)
    counts = find_words(tables.words, ngrams, own)
    weights = find_words(tables.dictionary, ngrams)
    return np.concatenate(
        [
            lexicon.lay_out((_scale_counts(part) for part in counts), n),
            lexicon.lay_out((part / 1000 for part in weights), n),
            raw_text.lay_out(tables.raw, ngrams, batch.must_end),
        ],
        axis=1,
    )


def _scale_counts(counts: Ints1d) -> Floats1d:
    """Scale counts to features: 0 for 0, 0.4 for 1, and 1 from 20 on."""
    return np.where(counts, np.minimum(0.4 + 0.2 * np.log(np.maximum(counts, 1)), 1.0), 0.0)
