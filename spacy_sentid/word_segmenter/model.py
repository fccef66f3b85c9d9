"""The model of the segmenter: features of characters, or any encoder, windows, scores of tags.

characters -> one row a character -> windows -> scores of B, M, E, S, and of transitions -> CRF
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import Linear, Maxout, Model

from ..arrays import Floats2d, Ints1d
from ..gates import build_gated_window
from ..layers import run_on_cpu
from ..windows import run_hidden
from .characters import Characters
from .crf import N_TAGS
from .features import Source

Encoder = Model[list[Doc], list[Floats2d]]
# Characters that go through the layers at a time in prediction, and how many around a character
# the features look at: the longest word or n-gram.
MAX_CHARACTERS = 30_000
FEATURE_CONTEXT = 8


class Scores(NamedTuple):
    """What the CRF is made of; also the gradient of it."""

    emissions: Floats2d  # (n, 4)
    transitions: Floats2d  # (4, 4); illegal pairs are never looked at


def build_word_tagger(
    features: Source | None,
    encoder: Encoder | None,
    width: int | None,
    maxout_pieces: int,
    dilations: list[int],
) -> Model[Characters, Scores]:
    """Build the model of the word segmenter.

    features: `spacy_sentid.CharacterFeatures.v1`; None = none.
    encoder: Any layer that gives a vector to each token, as a listener to a transformer; None =
        none. One of the two is needed; of both, the vectors are laid side by side.
    width: Length of the vectors of the hidden layers; None = no hidden layer, as in section 2.3.
    maxout_pieces: Of the layer that mixes the columns.
    dilations: One gated window over each text for each dilation; it sees the characters at -d, 0
        and +d.
    RETURNS: characters -> Scores.
    """
    sources = [layer for layer in (features, encoder) if layer is not None]
    if not sources:
        raise ValueError(
            "Found neither 'features' nor 'encoder' for the word segmenter, expected one or both. "
            "Mend the block of the model."
        )
    hidden: list[Model] = []
    if width is not None:
        hidden = [Maxout(width, nP=maxout_pieces, normalize=True)]
        hidden += [build_gated_window(width, d) for d in dilations]
    output: Model[Floats2d, Floats2d] = Linear(N_TAGS)
    for layer in (*hidden, output):
        run_on_cpu(layer)
    return Model(
        "word_tagger",
        forward_tagger,
        init=init_tagger,
        layers=[*sources, *hidden, output],
        refs={"features": features, "encoder": encoder, "output": output},
        params={"transitions": None},
        attrs={"dropout_rate": 0.0},
        ops=output.ops,
    )


def init_tagger(model: Model, X: list[Characters] | None = None, Y: object = None) -> None:
    """Initialise all layers.

    X: All of the training data, in batches: the features learn n-grams and words of it.
    """
    features, encoder, hidden, output = _layers(model)
    n_columns = 0
    if features is not None:
        sample: Any = X
        features.initialize(X=sample)
        n_columns += features.get_dim("nO")
    if encoder is not None:
        encoder.initialize(X=[doc for batch in (X or [])[:1] for doc in batch.docs])
        n_columns += encoder.get_dim("nO")
    rows = model.ops.alloc2f(1, n_columns)
    width = n_columns
    for n, layer in enumerate(hidden):
        if n == 0:
            layer.set_dim("nI", n_columns, force=True)
            layer.initialize(X=rows)
            width = layer.get_dim("nO")
        else:
            layer.initialize()
    n_inputs = n_columns if not hidden else width + n_columns
    output.set_dim("nI", n_inputs, force=True)
    output.initialize(X=model.ops.alloc2f(1, n_inputs))
    model.set_param("transitions", model.ops.alloc2f(N_TAGS, N_TAGS))


def _layers(model: Model) -> tuple[Source | None, Encoder | None, list[Model], Model]:
    """Tell the sources, the hidden layers and the output apart."""
    features = model.get_ref("features") if model.has_ref("features") else None
    encoder = model.get_ref("encoder") if model.has_ref("encoder") else None
    n = sum(layer is not None for layer in (features, encoder))
    return features, encoder, model.layers[n:-1], model.layers[-1]


def forward_tagger(
    model: Model[Characters, Scores], batch: Characters, is_train: bool
) -> tuple[Scores, Callable[[Scores], Characters]]:
    """Forward pass of `build_word_tagger`."""
    features, encoder, hidden, output = _layers(model)
    if not is_train and encoder is None and len(batch.codes) > 2 * MAX_CHARACTERS:
        return _predict_blocks(model, batch), _no_backprop
    columns, backprops = [], []
    if features is not None:
        Y, backprop_features = features(batch, is_train)
        columns.append(Y)
        backprops.append(backprop_features)
    if encoder is not None:
        Y, backprop_encoder = _encode(encoder, batch, is_train)
        columns.append(Y)
        backprops.append(backprop_encoder)
    X: Any = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)
    inputs, backprop_hidden = X, None
    if hidden:
        rate = model.attrs["dropout_rate"]
        keep: Any = model.ops.get_dropout_mask(X.shape, rate) if is_train and rate else None
        if keep is not None:
            X = X * keep
        lengths = np.asarray(batch.lengths[batch.lengths > 0], dtype="int32")
        Y, backprop_hidden = run_hidden(hidden, X, lengths, rate, is_train)
        inputs = np.concatenate([Y, X], axis=1)
    emissions, backprop_output = output(inputs, is_train)

    def backprop(d_scores: Scores) -> Characters:
        d_transitions: Any = np.asarray(d_scores.transitions, dtype="float32")
        model.inc_grad("transitions", d_transitions)
        d_inputs = backprop_output(np.ascontiguousarray(d_scores.emissions, dtype="float32"))
        dX = d_inputs
        if backprop_hidden is not None:
            width = d_inputs.shape[1] - X.shape[1]
            dX = d_inputs[:, width:] + backprop_hidden(np.ascontiguousarray(d_inputs[:, :width]))
            if keep is not None:
                dX = dX * keep
        start = 0
        for column, backprop_source in zip(columns, backprops, strict=True):
            backprop_source(dX[:, start : start + column.shape[1]])
            start += column.shape[1]
        return batch

    transitions: Any = model.get_param("transitions")
    return Scores(emissions, transitions), backprop


def _predict_blocks(model: Model[Characters, Scores], batch: Characters) -> Scores:
    """Compute the scores of a long batch in blocks that see all that a character depends on."""
    n = len(batch.codes)
    context = FEATURE_CONTEXT + sum(layer.attrs.get("dilation", 0) for layer in model.layers)
    emissions = []
    for start in range(0, n, MAX_CHARACTERS):
        end = min(start + MAX_CHARACTERS, n)
        first, last = max(start - context, 0), min(end + context, n)
        scores = model.predict(_cut_out(batch, first, last))
        emissions.append(scores.emissions[start - first : end - first])
    transitions: Any = model.get_param("transitions")
    return Scores(np.concatenate(emissions), transitions)


def _cut_out(batch: Characters, first: int, last: int) -> Characters:
    """Make a batch of some of the characters; its Docs and tokens are left out."""
    part = slice(first, last)
    starts = batch.starts[part].copy()
    starts[0] = True
    borders = np.append(np.flatnonzero(starts), last - first)
    return Characters(
        [], batch.codes[part], batch.kinds[part], starts, batch.must_end[part],
        batch.must_not_end[part], np.diff(borders), [],
    )  # fmt: skip


def _no_backprop(d_scores: Scores) -> Characters:
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")


def _encode(
    encoder: Encoder, batch: Characters, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Give each character the vector of its token."""
    ops: Any = encoder.ops
    vectors, backprop_encoder = encoder(batch.docs, is_train)
    owners: list[Ints1d] = [
        np.repeat(np.arange(len(tokens.lengths)), tokens.lengths) for tokens in batch.tokens
    ]
    rows = [ops.to_numpy(part)[own] for part, own in zip(vectors, owners, strict=True)]
    Y = np.concatenate(rows) if rows else ops.alloc2f(0, encoder.get_dim("nO"))

    def backprop(dY: Floats2d) -> None:
        d_vectors, start = [], 0
        for part, own in zip(vectors, owners, strict=True):
            d_part = np.zeros(part.shape, dtype="float32")
            np.add.at(d_part, own, dY[start : start + len(own)])
            start += len(own)
            d_vectors.append(ops.asarray2f(d_part))
        backprop_encoder(d_vectors)

    return Y, backprop
