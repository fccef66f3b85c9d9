"""The CPU encoder: hash embeddings of word types, gaps, and residual dilated windows. thinc only.

tokens -> types, gaps -> vectors of the distinct types -> one row a token -> windows -> vectors

For the unidirectional model (section 6.1.2) two more stacks of windows read the same embeddings,
one seeing nothing to the right of a token, the other nothing to its left.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model

from ..arrays import Floats2d, Ints1d
from ..layers.cpu import run_on_cpu
from ..layers.dilated import BOTH, LEFT, RIGHT, forward_windows, residual_dilated_maxout
from ..settings import check_range
from .features import LINE_GAPS, N_GAPS, N_TYPE_ATTRS, BatchTokens, read_tokens
from .line_features import (
    N_LINE_CLASSES,
    N_STYLE_CLASSES,
    LineFeatures,
    read_line_features,
)
from .word_types import embed_types

# Name of the layer, by which a unit tagger knows that it may pass BatchTokens instead of Docs.
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
    rows: Rows of the hash tables of NORM, prefix, SUFFIX and SHAPE.
    dilations: One residual window layer each; a window sees the tokens at -d, 0 and +d.
    word_dropout: Share of tokens whose vector is zeroed in training, besides the usual dropout.
    unidirectional: Give each token three vectors side by side: of the whole text, of the text up to
        it, of the text from it on. White space belongs to neither of the latter where it is on the
        other side of the token.
    line_features: Also see what lines and the whole text look like, as `line_features` says.
    abbreviations: Know those of the language of the pipeline, as `rule_sentencizer` does.
    vector_width: Length of the word vectors that `initialize` is given; 0 = none.
    maxout_pieces, neighbour_width, window_norm: Of the windows, see `residual_dilated_maxout`; the
        word types have two pieces at least.
    RETURNS: docs -> (n_tokens, width) for each, 3 * width if unidirectional; rows of white-space
        tokens are zero.
    """
    if len(rows) != N_TYPE_ATTRS:
        raise ValueError(
            f"'rows' must have {N_TYPE_ATTRS} numbers, got {len(rows)}: the table sizes of "
            "NORM, prefix, SUFFIX and SHAPE."
        )
    check_range("word_dropout", word_dropout, high=1)
    if unidirectional and line_features:
        raise ValueError(
            "'line_features' must be false for a unidirectional encoder, as they show what is on "
            "the other side of a token, got true."
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
    """Find how many tokens to each side the vector of a token depends on."""
    windows = encoder.layers[1:]
    # The gap after the last of these is known from the token after it.
    return sum(w.attrs["dilation"] for w in windows) // encoder.attrs["n_stacks"] + 1


def encode_docs(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Forward pass of `build_dilated_encoder`."""
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

    lines: Their features, where the tokens are a stretch of a document; None: they are read.
    """
    embed, *windows = model.layers
    ops: Any = model.ops
    n_stacks = model.attrs["n_stacks"]
    before = tokens.gaps
    after = np.zeros_like(before)  # the gap after a document is that before it: START
    after[:-1] = before[1:]
    gap_vectors: Any = model.get_param("gaps")
    vectors: Any
    vectors, backprop_embed = embed(tokens, is_train)
    backprop_lines = _add_lines(model, tokens, vectors, lines)
    # (gaps before, gaps after) as each stack may see them; None = not at all.
    seen: list[tuple[Ints1d | None, Ints1d | None]] = [(before, after)]
    if n_stacks > 1:
        # How long the line was that ends here, a token to its right must not know.
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
    """Look up what the gaps before and after each token add to its vector; None = nothing."""
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
    """Add what is known of lines and of the style of each document to the vectors, in place."""
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
    sides = ((0, places), (1, places - 1))  # the token after the line end, and that before it
    for side, rows in sides:
        # Column by column: numpy's sum over the middle of three axes is slow.
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
    """Pass the rows through one stack of windows, with dropout before and after it in training."""
    ops: Any = model.ops
    keep: Any = None
    keep_last: Any = None
    if is_train:
        rate = model.attrs["dropout_rate"]
        keep = ops.get_dropout_mask(X.shape, rate)
        # Whole words are zeroed too, without making the others larger.
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
