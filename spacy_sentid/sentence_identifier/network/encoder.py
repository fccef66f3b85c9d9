"""The CPU encoder: hash embeddings of word types, gaps, and residual dilated windows. thinc only.

tokens -> types, gaps -> vectors of the distinct types -> one row a token -> windows -> vectors
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model

from ...arrays import Floats2d, Ints1d
from ...components.settings import check_range
from ...layers.cpu import run_on_cpu
from ...layers.dilated import forward_windows, residual_dilated_maxout
from .line_features import (
    N_LINE_CLASSES,
    N_STYLE_CLASSES,
    LineFeatures,
    read_line_features,
)
from .tokens import N_GAPS, N_TYPE_ATTRS, START, BatchTokens, read_tokens
from .word_types import embed_types

# Name of the layer. If an encoder has it, the unit tagger passes BatchTokens instead of Docs.
DILATED_ENCODER = "dilated_encoder"


def build_dilated_encoder(
    width: int,
    rows: list[int],
    dilations: list[int],
    maxout_pieces: int,
    word_dropout: float,
    line_features: bool = False,
    abbreviations: bool = False,
    vector_width: int = 0,
    neighbour_width: int | None = None,
    window_norm: bool = True,
) -> Model[list[Doc], list[Floats2d]]:
    """Build the encoder: a tok2vec layer that uses the white space between tokens.

    width: Length of a token vector.
    rows: Number of rows in the hash tables of NORM, prefix, SUFFIX and SHAPE.
    dilations: Dilation of each residual window layer. With dilation d, a window sees the tokens at
        -d, 0 and +d.
    word_dropout: Share of tokens whose vector is zeroed in training, besides the usual dropout.
    line_features: Add features of the lines and of the whole text (see `line_features`).
    abbreviations: Add classes of abbreviations in the language of the pipeline, from the data of
        `rule_sentencizer`.
    vector_width: Width of the word vectors that are passed to `initialize`; 0 = no word vectors.
    maxout_pieces, neighbour_width, window_norm: See `residual_dilated_maxout`. The layer of word
        types has at least two maxout pieces.
    RETURNS: A layer: docs -> (n_tokens, width) for each. Rows of white-space tokens are zero.
    """
    if len(rows) != N_TYPE_ATTRS:
        raise ValueError(
            f"'rows' must have {N_TYPE_ATTRS} numbers (table sizes of NORM, prefix, SUFFIX and "
            f"SHAPE), got {len(rows)}."
        )
    check_range("word_dropout", word_dropout, high=1)
    embed = embed_types(
        width, rows, max(maxout_pieces, 2), abbreviations=abbreviations, vector_width=vector_width
    )
    windows = [
        residual_dilated_maxout(
            width,
            maxout_pieces,
            dilation,
            neighbour_width=neighbour_width,
            normalize=window_norm,
        )
        for dilation in dilations
    ]
    params = ["gaps", "lines", "styles"] if line_features else ["gaps"]
    model: Model[list[Doc], list[Floats2d]] = Model(
        DILATED_ENCODER,
        encode_docs,
        init=init_encoder,
        layers=[embed, *windows],
        params=dict.fromkeys(params),
        dims={"nO": width},
        attrs={"dropout_rate": 0.0, "word_dropout": word_dropout},
    )
    run_on_cpu(model)
    return model


def init_encoder(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all parameters, without word vectors; no sample is needed."""
    for layer in model.layers:
        layer.initialize()
    width = model.get_dim("nO")
    model.set_param("gaps", model.ops.alloc3f(2, N_GAPS, width))
    if "lines" in model.param_names:
        model.set_param("lines", model.ops.alloc3f(2, N_LINE_CLASSES, width))
        model.set_param("styles", model.ops.alloc2f(N_STYLE_CLASSES, width))


def find_reach(encoder: Model) -> int:
    """Compute how many tokens on each side influence the vector of a token."""
    # One more token, as the gap after the last one is read from the token after it.
    return sum(window.attrs["dilation"] for window in encoder.layers[1:]) + 1


def encode_docs(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Run the forward pass of `build_dilated_encoder`."""
    tokens = read_tokens(docs)
    rows, backprop_rows = encode_tokens(model, tokens, is_train)
    ends = np.cumsum(tokens.lengths)
    outputs: list[Floats2d] = []
    for doc, indices, end in zip(docs, tokens.indices, ends.tolist(), strict=True):
        output: Any = model.ops.alloc2f(len(doc), rows.shape[1])
        output[indices] = rows[end - len(indices) : end]
        outputs.append(output)

    def backprop(d_outputs: list[Floats2d]) -> list[Doc]:
        pairs = zip(d_outputs, tokens.indices, strict=True)
        backprop_rows(model.ops.xp.concatenate([d_rows[indices] for d_rows, indices in pairs]))
        return docs

    return outputs, backprop


def encode_tokens(
    model: Model, tokens: BatchTokens, is_train: bool, *, lines: LineFeatures | None = None
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Encode the tokens of a batch that are not white space: (n_tokens, nO).

    lines: Line features, if the tokens are a stretch of a document. None = read them from the Docs.
    """
    embed, *windows = model.layers
    ops: Any = model.ops
    before = tokens.gaps
    after = np.append(before[1:], START)[: len(before)]  # START, also for the gap after a document
    gap_vectors: Any = model.get_param("gaps")
    vectors: Any
    vectors, backprop_embed = embed(tokens, is_train)
    backprop_lines = _add_lines(model, tokens, vectors, lines)
    pairs = gap_vectors[0][:, None] + gap_vectors[1]  # (N_GAPS, N_GAPS, width)
    vectors += pairs.reshape(N_GAPS * N_GAPS, -1)[before * N_GAPS + after]
    Y, backprop_windows = run_windows(model, windows, vectors, tokens.lengths, is_train)

    def backprop(dY: Floats2d) -> None:
        d_vectors: Any = backprop_windows(dY)
        d_gaps = ops.alloc3f(*gap_vectors.shape)
        for side, classes in enumerate((before, after)):
            ops.scatter_add(d_gaps[side], classes, d_vectors)
        model.inc_grad("gaps", d_gaps)
        backprop_lines(d_vectors)
        backprop_embed(d_vectors)

    return Y, backprop


def _add_lines(
    model: Model, tokens: BatchTokens, vectors: Any, lines: LineFeatures | None
) -> Callable[[Any], None]:
    """Add the features of lines and of the style of each document to the vectors, in place."""
    if "lines" not in model.param_names:
        return lambda _: None
    ops: Any = model.ops
    tables: Any = model.get_param("lines")
    style_table: Any = model.get_param("styles")
    places, classes, styles = read_line_features(tokens) if lines is None else lines
    doc_styles = style_table[styles].sum(axis=1)  # (n_docs, width)
    end = 0
    for doc_style, length in zip(doc_styles, tokens.lengths.tolist(), strict=True):
        start, end = end, end + length
        vectors[start:end] += doc_style
    sides = ((0, places), (1, places - 1))  # the token after the line break, and the one before it
    for side, rows in sides:
        # Add column by column, as numpy's sum over the middle one of three axes is slow.
        vectors[rows] += sum(tables[side][column] for column in classes.T)

    def backprop(d_vectors: Any) -> None:
        d_tables = ops.alloc3f(*tables.shape)
        for side, rows in sides:
            for column in classes.T:
                ops.scatter_add(d_tables[side], column, d_vectors[rows])
        model.inc_grad("lines", d_tables)
        doc = np.repeat(np.arange(len(styles)), tokens.lengths)
        d_docs = ops.alloc2f(len(styles), d_vectors.shape[1])
        ops.scatter_add(d_docs, doc, d_vectors)
        d_styles = ops.alloc2f(*style_table.shape)
        for column in styles.T:
            ops.scatter_add(d_styles, column, d_docs)
        model.inc_grad("styles", d_styles)

    return backprop


def run_windows(
    model: Model, windows: list[Model], X: Any, lengths: Ints1d, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    """Run windows on the rows, with the dropout of the encoder before and after them in training.

    lengths: (n_docs,) number of rows of each document.
    """
    ops: Any = model.ops
    lengths = ops.asarray1i(lengths)
    if not is_train:
        return forward_windows(windows, X, lengths, is_train)
    rate = model.attrs["dropout_rate"]
    keep = ops.get_dropout_mask(X.shape, rate)
    # Also zero whole words, without scaling up the others.
    known = ops.xp.random.random((len(X), 1)) >= model.attrs["word_dropout"]
    keep *= known.astype("float32")
    keep_last = ops.get_dropout_mask(X.shape, rate)
    X *= keep
    Y, backprop_windows = forward_windows(windows, X, lengths, is_train)

    def backprop(dY: Floats2d) -> Floats2d:
        return backprop_windows(dY * keep_last) * keep

    return Y * keep_last, backprop
