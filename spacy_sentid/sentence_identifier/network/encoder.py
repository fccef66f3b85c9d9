"""The CPU encoder: hash embeddings of word types, gaps, and residual dilated windows. thinc only.

tokens -> types, gaps -> vectors of the distinct types -> one row a token -> windows -> vectors

The unidirectional model (section 6.1.2) adds two stacks of windows on the same embeddings. One sees
only a token and the text to its left, the other only a token and the text to its right.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model

from ...arrays import Floats2d, Ints1d
from ...components.settings import check_range
from ...layers.cpu import run_on_cpu
from ...layers.dilated import BOTH, LEFT, RIGHT, forward_windows, residual_dilated_maxout
from .line_features import (
    N_LINE_CLASSES,
    N_STYLE_CLASSES,
    LineFeatures,
    read_line_features,
)
from .tokens import LINE_GAPS, N_GAPS, N_TYPE_ATTRS, BatchTokens, read_tokens
from .word_types import embed_types

# Name of the layer. If an encoder has it, the unit tagger passes BatchTokens instead of Docs.
DILATED_ENCODER = "dilated_encoder"


def build_dilated_encoder(
    width: int,
    rows: list[int],
    dilations: list[int],
    maxout_pieces: int,
    word_dropout: float,
    unidirectional: bool = False,
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
    unidirectional: Return three vectors for each token, concatenated: one of the whole text, one of
        the text up to the token, one of the text from the token on. The last two do not include the
        white space on the other side of the token.
    line_features: Add features of the lines and of the whole text (see `line_features`).
    abbreviations: Add classes of abbreviations in the language of the pipeline, from the data of
        `rule_sentencizer`.
    vector_width: Width of the word vectors that are passed to `initialize`; 0 = no word vectors.
    maxout_pieces, neighbour_width, window_norm: See `residual_dilated_maxout`. The layer of word
        types has at least two maxout pieces.
    RETURNS: A layer: docs -> (n_tokens, width) for each, or 3 * width if unidirectional. Rows of
        white-space tokens are zero.
    """
    if len(rows) != N_TYPE_ATTRS:
        raise ValueError(
            f"'rows' must have {N_TYPE_ATTRS} numbers (table sizes of NORM, prefix, SUFFIX and "
            f"SHAPE), got {len(rows)}."
        )
    check_range("word_dropout", word_dropout, high=1)
    if unidirectional and line_features:
        raise ValueError(
            "'line_features' must be false for a unidirectional encoder, got true. They would show "
            "text on the other side of a token."
        )
    embed = embed_types(
        width, rows, max(maxout_pieces, 2), abbreviations=abbreviations, vector_width=vector_width
    )
    stacks = (BOTH, LEFT, RIGHT) if unidirectional else (BOTH,)
    windows = [
        residual_dilated_maxout(
            width,
            maxout_pieces,
            dilation,
            offsets,
            neighbour_width=neighbour_width,
            normalize=window_norm,
        )
        for offsets in stacks
        for dilation in dilations
    ]
    params = ["gaps", "lines", "styles"] if line_features else ["gaps"]
    model: Model[list[Doc], list[Floats2d]] = Model(
        DILATED_ENCODER,
        encode_docs,
        init=init_encoder,
        layers=[embed, *windows],
        params=dict.fromkeys(params),
        dims={"nO": width * len(stacks)},
        attrs={
            "dropout_rate": 0.0,
            "word_dropout": word_dropout,
            "n_stacks": len(stacks),
        },
    )
    run_on_cpu(model)
    return model


def init_encoder(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all parameters, without word vectors; no sample is needed."""
    for layer in model.layers:
        layer.initialize()
    width = model.get_dim("nO") // model.attrs["n_stacks"]
    model.set_param("gaps", model.ops.alloc3f(2, N_GAPS, width))
    if "lines" in model.param_names:
        model.set_param("lines", model.ops.alloc3f(2, N_LINE_CLASSES, width))
        model.set_param("styles", model.ops.alloc2f(N_STYLE_CLASSES, width))


def find_reach(encoder: Model) -> int:
    """Compute how many tokens on each side influence the vector of a token."""
    windows = encoder.layers[1:]
    # One more token, as the gap after the last one is read from the token after it.
    return sum(w.attrs["dilation"] for w in windows) // encoder.attrs["n_stacks"] + 1


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
    n_stacks = model.attrs["n_stacks"]
    before = tokens.gaps
    after = np.zeros_like(before)  # START, also for the gap after a document
    after[:-1] = before[1:]
    gap_vectors: Any = model.get_param("gaps")
    vectors: Any
    vectors, backprop_embed = embed(tokens, is_train)
    backprop_lines = _add_lines(model, tokens, vectors, lines)
    # (gaps before, gaps after) that each stack may see; None = no gaps.
    seen: list[tuple[Ints1d | None, Ints1d | None]] = [(before, after)]
    if n_stacks > 1:
        # The class of a line break depends on the length of the line before it. The stack that only
        # sees the text to the right must not see that length.
        line_end = np.where(np.isin(after, LINE_GAPS), LINE_GAPS[0], after)
        seen += [(before, None), (None, line_end)]
    lengths = ops.asarray1i(tokens.lengths)
    outputs, backprops = [], []
    depth = len(windows) // n_stacks
    for n, gaps in enumerate(seen):
        X = vectors.copy() if n_stacks > 1 else vectors
        X += _find_gap_rows(gap_vectors, *gaps)
        stack = windows[n * depth : (n + 1) * depth]
        Y, backprop_stack = _run_stack(model, stack, X, lengths, is_train)
        outputs.append(Y)
        backprops.append(backprop_stack)
    Y = outputs[0] if n_stacks == 1 else ops.xp.concatenate(outputs, axis=1)

    def backprop(dY: Floats2d) -> None:
        d_gaps = ops.alloc3f(*gap_vectors.shape)
        d_vectors = ops.alloc2f(*vectors.shape)
        parts = ops.xp.split(dY, n_stacks, axis=1)
        for backprop_stack, gaps, part in zip(backprops, seen, parts, strict=True):
            dX = backprop_stack(part)
            d_vectors += dX
            for side, classes in enumerate(gaps):
                if classes is not None:
                    ops.scatter_add(d_gaps[side], classes, dX)
        model.inc_grad("gaps", d_gaps)
        backprop_lines(d_vectors)
        backprop_embed(d_vectors)

    return Y, backprop


def _find_gap_rows(gap_vectors: Any, before: Ints1d | None, after: Ints1d | None) -> Floats2d:
    """Look up the vectors of the gaps before and after each token; None = no gap."""
    if before is None or after is None:
        side, classes = (1, after) if before is None else (0, before)
        rows: Floats2d = gap_vectors[side][classes]
        return rows
    pairs = gap_vectors[0][:, None] + gap_vectors[1]  # (N_GAPS, N_GAPS, width)
    pair_rows: Floats2d = pairs.reshape(N_GAPS * N_GAPS, -1)[before * N_GAPS + after]
    return pair_rows


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


def _run_stack(
    model: Model, windows: list[Model], X: Floats2d, lengths: Any, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    """Run one stack of windows on the rows, with dropout before and after it in training."""
    ops: Any = model.ops
    keep: Any = None
    keep_last: Any = None
    if is_train:
        rate = model.attrs["dropout_rate"]
        keep = ops.get_dropout_mask(X.shape, rate)
        # Also zero whole words, without scaling up the others.
        known = ops.xp.random.random((len(X), 1)) >= model.attrs["word_dropout"]
        keep *= known.astype("float32")
        X *= keep
        keep_last = ops.get_dropout_mask(X.shape, rate)
    Y, backprop_windows = forward_windows(windows, X, lengths, is_train)
    if keep_last is not None:
        Y = Y * keep_last

    def backprop(dY: Floats2d) -> Floats2d:
        return backprop_windows(dY * keep_last) * keep

    return Y, backprop
