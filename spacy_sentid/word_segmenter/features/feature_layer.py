"""Features of the small model, as a thinc layer.

characters -> n-grams, kind, lexical features of the words around it -> one row per character

In training, a sentence's own words are subtracted from the counts, so that it looks like a new one.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from thinc.api import Model

from ...arrays import Floats2d
from ...components.settings import check_range
from ...layers.cpu import run_on_cpu
from ..characters import N_KINDS, Characters
from .hashing import BOTH, LEFT, ONE, RIGHT, find_rows
from .lexical_features import (
    N_COLUMNS,
    NAMES,
    IndexCache,
    lay_out,
    learn_tables,
    set_tables,
)

TABLES = ("E_one", "E_two", "E_three", "E_kind")
Source = Model[Characters, Floats2d]


def build_character_features(
    widths: list[int],
    min_count: int,
    character_dropout: float,
    ngram_dropout: float,
    lexicon_dropout: float,
) -> Source:
    """Build the layer that computes one row for each character.

    widths: Lengths of the vectors of characters, of pairs, of triples, and of kinds of characters.
    min_count: Minimum count in training of pairs and triples with a vector of their own.
    character_dropout, ngram_dropout: Share of the characters, and of the pairs and triples, that
        are replaced by unknown ones in training.
    lexicon_dropout: Share of the characters whose lexical features are set to 0 in training.
    RETURNS: characters -> (n, nO). The layer learns its n-grams and words in `initialize`.
    """
    if len(widths) != len(TABLES):
        raise ValueError(
            f"'widths' must be {len(TABLES)} numbers, for characters, pairs, triples and kinds, "
            f"got {widths}."
        )
    rates = {
        "character_dropout": character_dropout,
        "ngram_dropout": ngram_dropout,
        "lexicon_dropout": lexicon_dropout,
    }
    for name, rate in rates.items():
        check_range(name, rate, high=1)
    one, two, three, kind = widths
    model: Source = Model(
        "character_features",
        # Settings of training are not attributes, so that weights fit models with other settings.
        partial(forward_features, rates=rates, cache=IndexCache()),
        init=partial(init_features, widths=widths, min_count=min_count),
        params=dict.fromkeys((*NAMES, *TABLES)),
        dims={"nO": one + 2 * two + three + kind + N_COLUMNS},
    )
    run_on_cpu(model)
    return model


def init_features(
    model: Source,
    X: list[Characters] | None = None,
    Y: object = None,
    *,
    widths: list[int],
    min_count: int,
) -> None:
    """Learn the n-grams and words of the training data, and draw random vectors.

    X: Batches of all of the training data, with `words` where they are known.
    """
    tables = learn_tables(X or [], min_count)
    set_tables(model, tables)
    sizes = [*(len(keys) + 1 for keys in tables.vocabulary), N_KINDS]
    for name, n_rows, width in zip(TABLES, sizes, widths, strict=True):
        table: Any = np.random.normal(0, 0.1, (n_rows, width))
        model.set_param(name, table.astype("float32"))


def forward_features(
    model: Source,
    batch: Characters,
    is_train: bool,
    *,
    rates: dict[str, float],
    cache: IndexCache,
) -> tuple[Floats2d, Callable[[Floats2d], Characters]]:
    """Run the forward pass of `build_character_features`."""
    ops: Any = model.ops
    index = cache.read(model)
    rows = find_rows(index.vocabulary, batch)
    columns = lay_out(index, batch, without_own=is_train)
    if is_train:
        random = np.random.random
        n = rows.shape[1]
        rows[ONE, random(n) < rates["character_dropout"]] = 0
        for k in (LEFT, RIGHT, BOTH):
            rows[k, random(n) < rates["ngram_dropout"]] = 0
        columns[random(n) < rates["lexicon_dropout"]] = 0
    # Tables and their rows, in the order of the columns.
    looked_up = [
        ("E_one", rows[ONE]),
        ("E_two", rows[LEFT]),
        ("E_two", rows[RIGHT]),
        ("E_three", rows[BOTH]),
        ("E_kind", batch.kinds),
    ]
    tables: dict[str, Any] = {name: model.get_param(name) for name in TABLES}
    Y = np.concatenate([*(tables[name][indices] for name, indices in looked_up), columns], axis=1)

    def backprop(dY: Floats2d) -> Characters:
        gradients = {name: ops.alloc2f(*table.shape) for name, table in tables.items()}
        start = 0
        for name, indices in looked_up:
            end = start + tables[name].shape[1]
            ops.scatter_add(gradients[name], indices, np.ascontiguousarray(dY[:, start:end]))
            start = end
        for name, gradient in gradients.items():
            model.inc_grad(name, gradient)
        return batch

    return Y, backprop
