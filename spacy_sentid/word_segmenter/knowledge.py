"""What the features know beside vectors: n-grams and words of the training data, and more.

training data, dictionary, raw text -> arrays, kept with the weights -> columns of each character
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from thinc.api import Model

from ..arrays import Floats1d, Floats2d, Ints1d
from . import lexicon, raw_text
from .characters import Characters, without_symbols
from .hashing import find_rows, hash_ngrams, hash_words
from .lexicon import Lexicon, count_own_words, count_words, find_words
from .ngrams import Vocabulary, learn_vocabulary
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
# Of each character: two lexicons, raw text.
N_COLUMNS = 2 * lexicon.N_COLUMNS + raw_text.N_COLUMNS


class Knowledge(NamedTuple):
    """What the features know."""

    vocabulary: Vocabulary
    words: Lexicon  # of the training data, with counts
    spellings: tuple[Ints1d]  # keys of the same words, not folded, ascending
    dictionary: Lexicon
    raw: RawText


def learn(batches: list[Characters], min_count: int) -> Knowledge:
    """Learn from training data.

    batches: With their gold words, where known.
    min_count: How often a pair or triple of characters must be seen to have a vector.
    """
    words = list(chain.from_iterable(_different_sentences(batches)))
    return Knowledge(
        learn_vocabulary(batches, min_count),
        count_words(words),
        (np.unique(hash_words(list(set(words)), folded=False)),),
        lexicon.EMPTY,
        raw_text.EMPTY,
    )


def _different_sentences(batches: Iterable[Characters]) -> Iterator[list[str]]:
    """List the words of each sentence once: not again without its punctuation, or copied.

    Leaving a sentence's own words out of the counts would not hide them if it were there twice.
    """
    seen = set()
    for batch in batches:
        for words in batch.words or ():
            key = " ".join(without_symbols(words))
            if key not in seen:
                seen.add(key)
                yield words


def write_knowledge(model: Model, known: Knowledge) -> None:
    """Write the arrays into the params of a layer."""
    for field, names in ARRAYS.items():
        for name, array in zip(names, getattr(known, field), strict=True):
            model.set_param(name, array)


def read_knowledge(model: Model) -> Knowledge:
    """Read the arrays from the params of a layer."""
    found: dict[str, Any] = {
        field: [model.get_param(name) for name in names] for field, names in ARRAYS.items()
    }
    return Knowledge(
        Vocabulary(*found["vocabulary"]),
        Lexicon(*found["words"]),
        tuple(found["spellings"]),
        Lexicon(*found["dictionary"]),
        RawText(*found["raw"]),
    )


def add_words(model: Model, counts: dict[str, int | None] | Iterable[str]) -> None:
    """Add words to the dictionary of a layer.

    counts: How often each was seen, or None; or words alone.
    """
    if isinstance(counts, str):
        raise ValueError(f"Found the string {counts!r}, expected words. Put it into a list.")
    known = read_knowledge(model)
    more = lexicon.make_dictionary(counts if isinstance(counts, dict) else dict.fromkeys(counts))
    write_knowledge(model, known._replace(dictionary=lexicon.merge(known.dictionary, more)))


def knows_word(model: Model, word: str) -> bool:
    """Tell if a word was in the training data; numbers are told apart here."""
    (spellings,) = read_knowledge(model).spellings
    return bool(find_rows(spellings, hash_words([word], folded=False))[0] >= 0)


def has_raw_text(model: Model) -> bool:
    """Tell if a layer has statistics of raw text."""
    return len(read_knowledge(model).raw.keys) > 0


def add_raw_text(model: Model, batches: Iterable[Characters]) -> None:
    """Add the statistics of raw text to those of a layer."""
    known = read_knowledge(model)
    raw = raw_text.merge(known.raw, raw_text.learn_raw_text(batches))
    write_knowledge(model, known._replace(raw=raw))


@contextmanager
def hidden_arrays(model: Model) -> Iterator[None]:
    """Let a layer look, in the block, as if it had learned nothing yet: of no shape."""
    arrays: dict[str, Any] = {
        name: model.get_param(name) for name in model.param_names if model.has_param(name)
    }
    nothing: Any = None
    for name in arrays:
        model.set_param(name, nothing)
    try:
        yield
    finally:
        for name, array in arrays.items():
            model.set_param(name, array)


def lay_out(known: Knowledge, batch: Characters, *, leave_out: bool) -> Floats2d:
    """Write what is known of the words around each character: (n, N_COLUMNS), about 0 to 2.

    leave_out: Leave the gold words of each text out of the counts, as in training.
    """
    n = len(batch.codes)
    ngrams = hash_ngrams(batch.codes, batch.must_end, LENGTHS)
    own = None
    if leave_out and batch.words is not None:
        own = count_own_words(batch.words, batch.lengths)
    counts = find_words(known.words, ngrams, own)
    worths = find_words(known.dictionary, ngrams)
    return np.concatenate(
        [
            lexicon.lay_out((_scale_counts(part) for part in counts), n),
            lexicon.lay_out((part / 1000 for part in worths), n),
            raw_text.lay_out(known.raw, ngrams, batch.must_end),
        ],
        axis=1,
    )


def _scale_counts(counts: Ints1d) -> Floats1d:
    """Make a feature of counts: 0 for none, 0.4 for 1, 1 from 20 on."""
    return np.where(counts, np.minimum(0.4 + 0.2 * np.log(np.maximum(counts, 1)), 1.0), 0.0)
