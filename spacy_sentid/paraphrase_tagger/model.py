"""The model of the tagger: features of word matches, or any encoder, and windows over each text.

docs of pairs -> parts of bounded length -> one row a word -> windows -> support -> merged

Support is G[0] - G[1] of equation (4): the logit that a word is paraphrased in the other text minus
the logit that it is not. One number a word says what the paper's two logits say.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from spacy.tokens import Doc
from thinc.api import Linear, Maxout, Model

from ..arrays import Floats1d, Floats2d
from ..layers import run_on_cpu
from ..windows import build_residual_window, run_hidden
from .feature_layer import Encoder, pair_words
from .long_pairs import Part, block_parts, cut_long_pairs, merge_parts


def build_pair_tagger(
    features: Encoder | None,
    encoder: Encoder | None,
    window: int,
    width: int | None,
    maxout_pieces: int,
    dilations: list[int],
) -> Model[list[Doc], list[Floats1d]]:
    """Build the model of the paraphrase tagger.

    features: The features of matches, `spacy_sentid.PairFeatures.v1`; None = none.
    encoder: An encoder that sees both texts, as `spacy_sentid.PairTransformer.v1`; None = none. One
        of the two is needed; of both, the vectors are laid side by side.
    window: Tokens of one text that are compared at a time; a longer text is cut into stretches, and
        each word takes the one that supports it best.
    width: Length of the vectors of the hidden layers; None = no hidden layer, as in section 5.1.
    maxout_pieces, dilations: One residual window over each text for each dilation; a window sees
        the words at -d, 0 and +d.
    RETURNS: docs of `make_pair` -> (n_tokens,) for each: support of each token, 0 for white space.
    """
    sources = [layer for layer in (features, encoder) if layer is not None]
    if not sources:
        raise ValueError(
            "Found neither 'features' nor 'encoder' for the paraphrase tagger, expected one or "
            "both. Mend the block of the model."
        )
    if window < 1:
        raise ValueError(f"'window' is {window}, expected 1 or more tokens.")
    hidden: list[Model] = []
    if width is not None:
        hidden = [Maxout(width, nP=maxout_pieces, normalize=True)]
        hidden += [build_residual_window(width, maxout_pieces, d) for d in dilations]
    output: Model[Floats2d, Floats2d] = Linear(1)
    for layer in (*hidden, output):
        run_on_cpu(layer)
    return Model(
        "pair_tagger",
        forward_tagger,
        init=init_tagger,
        layers=[*sources, *hidden, output],
        refs={"features": features, "encoder": encoder, "output": output},
        attrs={"window": window, "dropout_rate": 0.0},
        ops=output.ops,
    )


def _layers(model: Model) -> tuple[list[Encoder], list[Model], Model]:
    """Tell the encoders, the hidden layers and the output apart."""
    n = sum(model.has_ref(name) is True for name in ("features", "encoder"))
    return model.layers[:n], model.layers[n:-1], model.layers[-1]


def init_tagger(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all layers.

    X: A sample of pairs; needed where the width of an encoder is known only then.
    """
    sources, hidden, output = _layers(model)
    parts = [part.doc for part in cut_long_pairs(X or [], model.attrs["window"])]
    for source in sources:
        source.initialize(X=parts)
    n_columns = sum(source.get_dim("nO") for source in sources)
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


def forward_tagger(
    model: Model[list[Doc], list[Floats1d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats1d], Callable]:
    """Forward pass of `build_pair_tagger`. In training all parts are one batch."""
    cut = cut_long_pairs(docs, model.attrs["window"])
    if not is_train:
        merged, _ = merge_parts(docs, _predict_parts(model, cut))
        return merged, _no_backprop
    parts = list(cut)
    supports, backprop_parts = _score_parts(model, [part.doc for part in parts], is_train)
    merged, origins = merge_parts(docs, zip(parts, supports, strict=True))

    def backprop(d_docs: list[Floats1d]) -> list[Doc]:
        d_parts = []
        for k, part in enumerate(parts):
            d_part = d_docs[part.number][part.tokens].copy()
            d_part[origins[part.number][part.tokens] != k] = 0
            d_parts.append(d_part)
        backprop_parts(d_parts)
        return docs

    return merged, backprop


def _predict_parts(model: Model, parts: Iterable[Part]) -> Iterator[tuple[Part, Floats1d]]:
    for block in block_parts(parts):
        supports, _ = _score_parts(model, [part.doc for part in block], False)
        yield from zip(block, supports, strict=True)


def _no_backprop(d_docs: list[Floats1d]) -> list[Doc]:
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")


def _score_parts(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats1d], Callable[[list[Floats1d]], None]]:
    """Compute the support of each token of pairs that fit the window."""
    ops: Any = model.ops
    sources, hidden, output = _layers(model)
    columns, backprops = [], []
    pairs = [pair_words(doc) for doc in docs]
    indices = [pair.indices for pair in pairs]
    # Windows do not go from one text to the other.
    lengths = [len(side) for pair in pairs for side in (pair.first, pair.second)]
    for source in sources:
        rows, backprop_source = source(docs, is_train)
        backprops.append(backprop_source)
        picked = [source.ops.to_numpy(row)[i] for row, i in zip(rows, indices, strict=True)]
        columns.append(np.concatenate(picked) if picked else ops.alloc2f(0, source.get_dim("nO")))
    X: Any = columns[0] if len(columns) == 1 else np.concatenate(columns, axis=1)
    inputs, backprop_hidden = X, None
    if hidden:
        text_lengths = np.asarray(lengths, dtype="int32")
        rate = model.attrs["dropout_rate"]
        Y, backprop_hidden = run_hidden(hidden, X, text_lengths, rate, is_train)
        inputs = np.concatenate([Y, X], axis=1)
    logits, backprop_output = output(inputs, is_train)
    supports = []
    ends = np.cumsum([len(i) for i in indices])
    for doc, i, row in zip(docs, indices, np.split(logits[:, 0], ends[:-1]), strict=True):
        if len(i) < len(doc):
            full: Floats1d = ops.alloc1f(len(doc))
            full[i] = row
            row = full
        supports.append(row)

    def backprop(d_docs: list[Floats1d]) -> None:
        d_rows = [d_doc[i] for d_doc, i in zip(d_docs, indices, strict=True)]
        d_inputs = backprop_output(np.concatenate(d_rows).reshape(-1, 1).astype("float32"))
        dX = d_inputs
        if backprop_hidden is not None:
            width = d_inputs.shape[1] - X.shape[1]
            dX = d_inputs[:, width:] + backprop_hidden(np.ascontiguousarray(d_inputs[:, :width]))
        start = 0
        for source, backprop_source in zip(sources, backprops, strict=True):
            n_columns = source.get_dim("nO")
            dY = np.split(dX[:, start : start + n_columns], ends[:-1])
            start += n_columns
            d_source = []
            for doc, i, part in zip(docs, indices, dY, strict=True):
                d_row = ops.alloc2f(len(doc), n_columns)
                d_row[i] = part
                d_source.append(source.ops.asarray2f(d_row))
            backprop_source(d_source)

    return supports, backprop
