"""What the small model sees of each character, as a layer of thinc.

characters -> n-grams, kind, words of the lexicons around it -> one row a character

In training a sentence is not to find its own words in the lexicon of the training data: they are
left out of the counts, as those of a new sentence would be.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from thinc.api import Model

from ..arrays import Floats1d, Floats2d, Ints1d
from ..layers import check_rate, run_on_cpu
from .characters import N_KINDS, Characters, without_symbols
from .lexicon import (
    N_COLUMNS,
    Lexicon,
    count_own_words,
    count_words,
    find_words,
    lay_out,
    make_dictionary,
    merge,
)
from .ngrams import BOTH, LEFT, ONE, RIGHT, Vocabulary, find_rows, learn_vocabulary

LEARNED = ("one", "two", "three", "words", "counts", "dictionary", "worths")
TABLES = ("E_one", "E_two", "E_three", "E_kind")
Source = Model[Characters, Floats2d]


def build_character_features(
    widths: list[int],
    min_count: int,
    character_dropout: float,
    ngram_dropout: float,
    lexicon_dropout: float,
) -> Source:
    """Build the layer that makes one row of each character.

    widths: Lengths of the vectors of a character, of a pair, of a triple, and of a kind.
    min_count: How often a pair or triple must be seen in training to have a vector of its own.
    character_dropout, ngram_dropout: Share of the characters, and of the pairs and triples, that
        training shows as unknown ones.
    lexicon_dropout: Share of the characters that training shows without the lexicons.
    RETURNS: characters -> (n, nO). It learns its n-grams and words in `initialize`.
    """
    if len(widths) != len(TABLES):
        raise ValueError(
            f"'widths' has {len(widths)} numbers, expected {len(TABLES)}: for a character, a pair, "
            "a triple, a kind."
        )
    rates = {
        "character_dropout": character_dropout,
        "ngram_dropout": ngram_dropout,
        "lexicon_dropout": lexicon_dropout,
    }
    for name, rate in rates.items():
        check_rate(name, rate)
    one, two, three, kind = widths
    model: Source = Model(
        "character_features",
        forward_features,
        init=init_features,
        params=dict.fromkeys((*LEARNED, *TABLES)),
        dims={"nO": one + 2 * two + three + kind + 2 * N_COLUMNS},
        attrs={"widths": widths, "min_count": min_count, **rates},
    )
    run_on_cpu(model)
    return model


def init_features(model: Source, X: list[Characters] | None = None, Y: object = None) -> None:
    """Learn the n-grams and words of a sample.

    X: All of the training data, with `words` where they are known; in batches.
    """
    batches = X or []
    vocabulary = learn_vocabulary(batches, model.attrs["min_count"])
    words = count_words(chain.from_iterable(_different_sentences(batches)))
    set_learned(model, vocabulary, words)
    if model.has_param("dictionary") is not True:
        set_dictionary(model, make_dictionary({}))
    sizes = [*(len(keys) + 1 for keys in vocabulary), N_KINDS]
    for name, n_rows, width in zip(TABLES, sizes, model.attrs["widths"], strict=True):
        table: Any = np.random.default_rng(np.random.randint(2**31)).normal(0, 0.1, (n_rows, width))
        model.set_param(name, table.astype("float32"))


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


def set_learned(model: Source, vocabulary: Vocabulary, words: Lexicon) -> None:
    """Write what was learned beside the vectors."""
    arrays = (*vocabulary, words.keys, words.values)
    for name, array in zip(LEARNED, arrays, strict=False):
        model.set_param(name, array)


def set_dictionary(model: Source, dictionary: Lexicon) -> None:
    """Write the dictionary, instead of the one that is there."""
    model.set_param("dictionary", dictionary.keys)
    model.set_param("worths", dictionary.values)


def add_to_dictionary(model: Source, more: Lexicon) -> None:
    """Add to the dictionary."""
    set_dictionary(model, merge(get_dictionary(model), more))


def get_dictionary(model: Source) -> Lexicon:
    """Read the dictionary."""
    found: list[Any] = [model.get_param(name) for name in ("dictionary", "worths")]
    return Lexicon(*found)


def get_words(model: Source) -> Lexicon:
    """Read the words of the training data."""
    found: list[Any] = [model.get_param(name) for name in ("words", "counts")]
    return Lexicon(*found)


def forward_features(
    model: Source, batch: Characters, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Characters]]:
    """Forward pass of `build_character_features`."""
    ops: Any = model.ops
    learned: list[Any] = [model.get_param(name) for name in LEARNED[:3]]
    rows = find_rows(Vocabulary(*learned), batch)
    lexicons = lexicon_columns(model, batch, is_train)
    if is_train:
        rng = np.random
        n = rows.shape[1]
        rows[ONE, rng.random(n) < model.attrs["character_dropout"]] = 0
        for k in (LEFT, RIGHT, BOTH):
            rows[k, rng.random(n) < model.attrs["ngram_dropout"]] = 0
        lexicons[rng.random(n) < model.attrs["lexicon_dropout"]] = 0
    tables: list[Any] = [model.get_param(name) for name in TABLES]
    one, two, three, kind = tables
    # Which table, which rows, in the order of the columns.
    looked_up = [
        ("E_one", one, rows[ONE]),
        ("E_two", two, rows[LEFT]),
        ("E_two", two, rows[RIGHT]),
        ("E_three", three, rows[BOTH]),
        ("E_kind", kind, batch.kinds),
    ]
    Y = np.concatenate([table[indices] for _, table, indices in looked_up] + [lexicons], axis=1)

    def backprop(dY: Floats2d) -> Characters:
        gradients = {name: ops.alloc2f(*table.shape) for name, table, _ in looked_up}
        start = 0
        for name, table, indices in looked_up:
            part = np.ascontiguousarray(dY[:, start : start + table.shape[1]])
            ops.scatter_add(gradients[name], indices, part)
            start += table.shape[1]
        for name, gradient in gradients.items():
            model.inc_grad(name, gradient)
        return batch

    return Y, backprop


def lexicon_columns(model: Source, batch: Characters, is_train: bool) -> Floats2d:
    """Look the words around each character up in both lexicons: (n, 2 * N_COLUMNS), 0 to 1."""
    n = len(batch.codes)
    own = None
    if is_train and batch.words is not None:
        own = count_own_words(batch.words, batch.lengths)
    counts = find_words(get_words(model), batch.codes, batch.must_end, own)
    worths = find_words(get_dictionary(model), batch.codes, batch.must_end)
    return np.concatenate(
        [
            lay_out((_scale_counts(part) for part in counts), n),
            lay_out((part / 1000 for part in worths), n),
        ],
        axis=1,
    )


def _scale_counts(counts: Ints1d) -> Floats1d:
    """Make a feature of counts: 0 for none, 0.4 for 1, 1 from 20 on."""
    return np.where(counts, np.minimum(0.4 + 0.2 * np.log(np.maximum(counts, 1)), 1.0), 0.0)
