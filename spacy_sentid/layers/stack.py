"""The layers that all taggers share: sources, hidden layers with windows, and a linear output.

columns of all sources -> mixed -> windows -> concatenated with the columns -> scores of each row
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from spacy.tokens import Doc
from thinc.api import Linear, Maxout, Model

from ..arrays import Floats2d, Ints1d
from .cpu import run_on_cpu
from .dilated import Window, forward_windows


def build_stack(
    name: str,
    forward: Callable,
    sources: dict[str, Model | None],
    windows: list[Window],
    *,
    width: int | None,
    maxout_pieces: int,
    n_outputs: int,
    init: Callable,
    attrs: dict[str, Any] | None = None,
    params: dict[str, Any] | None = None,
) -> Model:
    """Build a model of sources, hidden layers and an output.

    sources: Layers that compute columns, by the names of their refs. None = no such layer.
    windows: Windows with `width` columns each.
    width: Width of the hidden layers. None = no hidden layers and no windows.

    Raises ValueError if there are no sources.
    """
    given = [source for source in sources.values() if source is not None]
    if not given:
        raise ValueError(
            f"The block of the model must have {' or '.join(map(repr, sources))}, got none of them."
        )
    hidden: list[Model] = []
    if width is not None:
        hidden = [Maxout(width, nP=maxout_pieces, normalize=True), *windows]
    output: Model = Linear(n_outputs)
    for layer in (*hidden, output):
        run_on_cpu(layer)
    return Model(
        name,
        forward,
        init=init,
        layers=[*given, *hidden, output],
        refs={**sources, "output": output},
        params=params or {},
        attrs={"dropout_rate": 0.0, **(attrs or {})},
        ops=output.ops,
    )


def get_source(model: Model, name: str) -> Model | None:
    """Get a source of a stack; None if the stack does not have it."""
    return model.get_ref(name) if model.has_ref(name) else None


def _layers(model: Model) -> tuple[list[Model], list[Model], Model]:
    """Get the sources, the hidden layers, and the output."""
    n = sum(model.has_ref(name) is True for name in model.ref_names) - 1
    return model.layers[:n], model.layers[n:-1], model.layers[-1]


def init_stack(model: Model) -> None:
    """Initialise the hidden layers and the output, after the sources."""
    sources, hidden, output = _layers(model)
    n_inputs = n_columns = sum(source.get_dim("nO") for source in sources)
    for n, layer in enumerate(hidden):
        if n == 0:
            layer.set_dim("nI", n_columns, force=True)
            n_inputs += layer.get_dim("nO")
        layer.initialize(X=model.ops.alloc2f(1, n_columns) if n == 0 else None)
    output.set_dim("nI", n_inputs, force=True)
    output.initialize(X=model.ops.alloc2f(1, n_inputs))


def forward_stack(
    model: Model,
    columns: list[Floats2d],
    lengths: Ints1d,
    is_train: bool,
    *,
    input_dropout: bool = False,
) -> tuple[Floats2d, Callable[[Floats2d], list[Floats2d]]]:
    """Compute the scores of rows, (n_rows, n_outputs); backprop returns the gradient of `columns`.

    columns: (n_rows, n_columns) for each source.
    lengths: (n_texts,) number of rows of each text. Windows do not cross texts.
    input_dropout: If True, dropout in training applies to the columns too, and not only to the
        outputs of hidden layers.
    """
    ops: Any = model.ops
    _, hidden, output = _layers(model)
    rate = model.attrs["dropout_rate"] if is_train else 0.0
    X: Any = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)
    inputs = X

    def drop(rows: Floats2d, wanted: bool = True) -> tuple[Floats2d, Any]:
        mask = ops.get_dropout_mask(rows.shape, rate) if rate and wanted else 1.0
        return (rows * mask if rate and wanted else rows), mask

    if hidden:
        X, keep_inputs = drop(X, input_dropout)
        Y, backprop_mix = hidden[0](X, is_train)
        Y, keep = drop(Y)
        Y, backprop_windows = forward_windows(hidden[1:], Y, lengths, is_train)
        Y, keep_last = drop(Y)
        inputs = np.concatenate([Y, X], axis=1)
    scores, backprop_output = output(inputs, is_train)

    def backprop(d_scores: Floats2d) -> list[Floats2d]:
        dX: Any = backprop_output(np.ascontiguousarray(d_scores, dtype="float32"))
        if hidden:
            width = hidden[0].get_dim("nO")
            dY, dX = np.ascontiguousarray(dX[:, :width]), dX[:, width:]
            dX = dX + backprop_mix(backprop_windows(dY * keep_last) * keep)
            dX = dX * keep_inputs
        ends = np.cumsum([part.shape[1] for part in columns])
        return np.split(dX, ends[:-1], axis=1)

    return scores, backprop


def encode_docs(
    encoder: Model, docs: list[Doc], rows: Sequence[Ints1d], is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Encode Docs and concatenate the vectors of some of their tokens: (n_rows, width).

    rows: For each Doc, the indices of the tokens, in any order and possibly repeated.
    """
    ops: Any = encoder.ops  # may run on a GPU; everything after it uses numpy
    vectors, backprop_encoder = encoder(docs, is_train)
    # For a Doc without tokens, a listener returns no width.
    picked = [ops.to_numpy(v)[own] for v, own in zip(vectors, rows, strict=True) if len(own)]
    Y = np.concatenate(picked) if picked else np.zeros((0, encoder.get_dim("nO")), "float32")

    def backprop(dY: Floats2d) -> None:
        d_vectors = []
        cuts = np.cumsum([len(own) for own in rows])[:-1]
        for part, own, d_part in zip(vectors, rows, np.split(dY, cuts), strict=True):
            d_vector = np.zeros(part.shape, dtype="float32")
            np.add.at(d_vector, own, d_part)
            d_vectors.append(ops.asarray2f(d_vector))
        backprop_encoder(d_vectors)

    return Y, backprop
