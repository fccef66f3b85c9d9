"""Embedding layer for tokens, which only depends on their word types. thinc only.

tokens -> word types -> hash embeddings, abbreviation class, word vectors -> one row for each token

In prediction, the vectors of types are cached in a table, as most words of a text occur again.
"""

import operator
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from thinc.api import HashEmbed, Maxout, Model, chain, concatenate, glorot_uniform_init

from ...arrays import Floats2d, Ints2d
from ...layers.cpu import no_backprop
from ...layers.window_updates import find_largest
from .abbreviations import N_ABBREVIATION_CLASSES, classify_types
from .tokens import BatchTokens, describe_types, find_types, type_keys
from .word_vectors import forget_word_vectors, get_word_vectors

# Maximum number of types in the table before it is cleared. Each takes 4 bytes times the width.
TABLE_TYPES = 20_000

TypeLayer = Model[BatchTokens, Floats2d]


def embed_types(
    width: int, rows: list[int], maxout_pieces: int, *, abbreviations: bool, vector_width: int
) -> TypeLayer:
    """Build the embedding layer.

    rows, abbreviations, vector_width: See `build_dilated_encoder`.
    RETURNS: A layer: BatchTokens -> (n_tokens, width).
    """
    tables: list[Model] = [HashEmbed(width, n, column=i, seed=8 + i) for i, n in enumerate(rows)]
    mix = Maxout(width, width * len(tables), nP=maxout_pieces, normalize=True)
    params = ["abbreviations"] if abbreviations else []
    if vector_width:
        params.append("word_projection")
    embed: Model = chain(concatenate(*tables), mix)
    return Model(
        "embed_types",
        partial(forward_types, table=TypeTable()),
        init=init_types,
        layers=[embed],
        params=dict.fromkeys(params),
        dims={"nO": width},
        attrs={"vector_width": vector_width},
    )


def init_types(model: TypeLayer, X: object = None, Y: object = None) -> None:
    """Initialise all parameters, without word vectors; no sample is needed."""
    forget_word_vectors(model)
    model.layers[0].initialize()
    width = model.get_dim("nO")
    if "abbreviations" in model.param_names:
        model.set_param("abbreviations", model.ops.alloc2f(N_ABBREVIATION_CLASSES, width))
    if "word_projection" in model.param_names:
        shape = (model.attrs["vector_width"], width)
        model.set_param("word_projection", glorot_uniform_init(model.ops, shape))


def forward_types(
    model: TypeLayer, X: BatchTokens, is_train: bool, *, table: "TypeTable"
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Run the forward pass of `embed_types`."""
    if not is_train:
        return table.find(model, X), no_backprop
    table.clear()  # the parameters will change
    types, rows = find_types(X)
    vectors, backprop_types = _embed(model, types, X)

    def backprop(d_rows: Floats2d) -> None:
        ops: Any = model.ops
        d_types = ops.alloc2f(*vectors.shape)
        ops.scatter_add(d_types, rows, d_rows)
        backprop_types(d_types)

    return vectors[rows], backprop


def _embed(
    model: TypeLayer, types: Ints2d, tokens: BatchTokens
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Compute the vectors of types in training, (n_types, width)."""
    ops: Any = model.ops
    vectors, backprop_embed = model.layers[0](ops.asarray(types), True)
    classes, known = _look_up(model, types, tokens)
    if classes is not None:
        vectors = vectors + model.get_param("abbreviations")[classes]
    if known is not None:
        vectors = vectors + known @ model.get_param("word_projection")

    def backprop(d_vectors: Floats2d) -> None:
        if known is not None:
            model.inc_grad("word_projection", known.T @ d_vectors)
        if classes is not None:
            d_classes = ops.alloc2f(N_ABBREVIATION_CLASSES, d_vectors.shape[1])
            ops.scatter_add(d_classes, classes, d_vectors)
            model.inc_grad("abbreviations", d_classes)
        backprop_embed(d_vectors)

    return vectors, backprop


class _WideWeights(NamedTuple):
    """The weights of matrix products with word types, in 64 bits.

    BLAS rounds a row differently, depending on its position and the number of rows. Rounding a
    64-bit product to 32 bits removes these differences. So scores do not depend on earlier texts.
    """

    mix: Floats2d  # (n_inputs, pieces * width), one piece after the other
    projection: Floats2d | None  # (vector_width, width); None = no word vectors


def _widen_weights(model: TypeLayer) -> _WideWeights:
    W: Any = model.layers[0].layers[1].layers[0].get_param("W")
    mix = np.ascontiguousarray(W.T, dtype="float64").reshape(W.shape[-1], -1)
    if "word_projection" not in model.param_names:
        return _WideWeights(mix, None)
    projection: Any = model.get_param("word_projection")
    return _WideWeights(mix, projection.astype("float64"))


def _predict(
    model: TypeLayer, types: Ints2d, tokens: BatchTokens, weights: _WideWeights
) -> Floats2d:
    """Compute the vectors of types in prediction, (n_types, width)."""
    tables, mix = model.layers[0].layers
    maxout, norm = mix.layers
    b: Any = maxout.get_param("b")
    product = (tables.predict(types) @ weights.mix).astype("float32")
    vectors: Any = norm.predict(find_largest(product, b))
    classes, known = _look_up(model, types, tokens)
    if classes is not None:
        vectors += model.get_param("abbreviations")[classes]
    if known is not None:
        vectors += (known @ weights.projection).astype("float32")
    return vectors


def _look_up(model: TypeLayer, types: Ints2d, tokens: BatchTokens) -> tuple[Any, Any]:
    """Look up abbreviation classes and word vectors; None = the layer does not use them."""
    classes = known = None
    if "abbreviations" in model.param_names and tokens.docs:
        vocab: Any = tokens.docs[0].vocab
        classes = classify_types(types, vocab.strings, vocab.lang or "")
    if "word_projection" in model.param_names:
        known = get_word_vectors(model).find(types[:, 0])
    return classes, known


class TypeTable(threading.local):
    """Cache of the vectors of word types of one model; each thread has its own table."""

    def __init__(self) -> None:
        self.clear()

    def __reduce__(self) -> tuple[type, tuple]:
        """Copy and pickle without the vectors, which are computed again when needed."""
        return TypeTable, ()

    def clear(self) -> None:
        """Remove all vectors."""
        self._made_of: list[object] = []
        self._rows: dict[int, int] = {}
        self._vectors: Floats2d = np.zeros((0, 0), dtype="float32")
        self._weights: Any = None  # _WideWeights

    def find(self, model: TypeLayer, tokens: BatchTokens) -> Floats2d:
        """Find the vectors of the types of tokens, (n_tokens, width); compute new ones."""
        made_of = _list_parts(model, tokens)
        if len(self._rows) > TABLE_TYPES or not _are_same(made_of, self._made_of):
            self.clear()
            self._made_of = made_of
            self._vectors = np.zeros((0, model.get_dim("nO")), dtype="float32")
            self._weights = _widen_weights(model)
        keys = type_keys(tokens).tolist()
        rows = list(map(self._rows.get, keys))
        if None in rows:
            new = {
                key: n for n, (key, row) in enumerate(zip(keys, rows, strict=True)) if row is None
            }
            self._add(model, tokens, new)
            rows = list(map(self._rows.get, keys))
        return self._vectors[np.asarray(rows, dtype="int64")]

    def _add(self, model: TypeLayer, tokens: BatchTokens, new: dict[int, int]) -> None:
        """Compute and store the vectors of new types.

        new: Key of each type -> index of one of its tokens.
        """
        n_known = len(self._rows)
        types = describe_types(tokens, np.fromiter(new.values(), dtype="int64"))
        n_rows = n_known + len(types)
        if n_rows > len(self._vectors):
            size = max(n_rows, 2 * len(self._vectors))
            grown = np.empty((size, self._vectors.shape[1]), dtype="float32")
            grown[:n_known] = self._vectors[:n_known]
            self._vectors = grown
        self._vectors[n_known:n_rows] = _predict(model, types, tokens, self._weights)
        self._rows.update(zip(new, range(n_known, n_rows), strict=True))


def _list_parts(model: TypeLayer, tokens: BatchTokens) -> list[object]:
    """List the objects that the vectors depend on. Training replaces the arrays of parameters."""
    # The string store determines the language of the abbreviations.
    parts: list[object] = [tokens.docs[0].vocab.strings if tokens.docs else None]
    parts.append(model.attrs.get("vector_rows"))
    for node in (model, *model.layers[0].walk()):
        parts += [node.get_param(name) for name in node.param_names if node.has_param(name)]
    return parts


def _are_same(first: list[object], second: list[object]) -> bool:
    return len(first) == len(second) and all(map(operator.is_, first, second))
