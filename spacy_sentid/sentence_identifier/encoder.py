"""The CPU encoder: hash embeddings of word types, gaps, and residual dilated windows. thinc only.

docs -> types, gaps -> vectors of the distinct types -> one row a token -> windows -> vectors

For the unidirectional model (section 6.1.2) two more stacks of windows read the same embeddings,
one seeing nothing to the right of a token, the other nothing to its left.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from spacy.tokens import Doc
from thinc.api import (
    HashEmbed,
    Maxout,
    Model,
    NumpyOps,
    chain,
    concatenate,
    get_current_ops,
    glorot_uniform_init,
)
from thinc.types import Ragged

from ..arrays import Floats2d, Ints1d, Ints2d
from .features import LINE_GAPS, N_GAPS, N_TYPE_ATTRS, extract_features

# What the windows of a stack see, in dilations from the token.
BOTH, LEFT, RIGHT = (-1, 0, 1), (-1, 0), (0, 1)
# Rows that one step of prediction works on: the window matrix of a block fits the cache.
BLOCK = 1024


def build_dilated_encoder(
    width: int,
    rows: list[int],
    dilations: list[int],
    maxout_pieces: int,
    word_dropout: float,
    unidirectional: bool = False,
) -> Model[list[Doc], list[Floats2d]]:
    """Build the encoder: a tok2vec layer that knows white space.

    width: Length of a token vector.
    rows: Rows of the hash tables of NORM, prefix, SUFFIX and SHAPE.
    dilations: One residual window layer each; a window sees the tokens at -d, 0 and +d.
    word_dropout: Share of tokens whose vector is zeroed in training, beside the usual dropout.
    unidirectional: Give each token three vectors side by side: of the whole text, of the text up to
        it, of the text from it on. White space belongs to neither of the latter where it is on the
        other side of the token.
    RETURNS: docs -> (n_tokens, width) for each, 3 * width if unidirectional; rows of white-space
        tokens are zero. The attribute "newline" may be set to "ignore" to show line ends to the
        model as spaces.
    """
    if len(rows) != N_TYPE_ATTRS:
        raise ValueError(
            f"'rows' has {len(rows)} numbers, expected {N_TYPE_ATTRS}: the table sizes of "
            "NORM, prefix, SUFFIX and SHAPE."
        )
    check_rate("word_dropout", word_dropout)
    tables: list[Model] = [HashEmbed(width, n, column=i, seed=8 + i) for i, n in enumerate(rows)]
    embed: Model[Ints2d, Floats2d] = chain(
        concatenate(*tables),
        Maxout(width, width * len(tables), nP=maxout_pieces, normalize=True),
    )
    stacks = (BOTH, LEFT, RIGHT) if unidirectional else (BOTH,)
    windows = [
        build_residual_window(width, maxout_pieces, dilation, offsets)
        for offsets in stacks
        for dilation in dilations
    ]
    model: Model[list[Doc], list[Floats2d]] = Model(
        "dilated_encoder",
        encode,
        init=init_encoder,
        layers=[embed, *windows],
        params={"gaps": None},
        dims={"nO": width * len(stacks)},
        attrs={
            "dropout_rate": 0.0,
            "word_dropout": word_dropout,
            "newline": "learned",
            "n_stacks": len(stacks),
        },
    )
    run_on_cpu(model)
    return model


def check_rate(name: str, rate: float) -> None:
    """Raise ValueError if a setting is no share."""
    if not 0 <= rate <= 1:
        raise ValueError(
            f"'{name}' is {rate}, expected a number in [0, 1]. Mend the block of the model."
        )


def run_on_cpu(model: Model) -> None:
    """Let layers compute on the CPU with numpy's BLAS, at these shapes faster than blis by far.

    That is so also where spaCy has been told to use a GPU: what is small and full of borders and
    segments is not worth sending there. An encoder behind a listener stays where it is.
    """
    ops = get_current_ops()
    if not isinstance(ops, NumpyOps) or type(ops) is NumpyOps:  # others bring their own BLAS
        ops = NumpyOps(use_blis=False)
    for node in model.walk():
        node.ops = ops


def init_encoder(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all parameters; no sample is needed."""
    for layer in model.layers:
        layer.initialize()
    width = model.get_dim("nO") // model.attrs["n_stacks"]
    model.set_param("gaps", model.ops.alloc3f(2, N_GAPS, width))


def encode(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Forward pass of `build_dilated_encoder`."""
    embed, *windows = model.layers
    ops: Any = model.ops
    n_stacks = model.attrs["n_stacks"]
    features = extract_features(docs, newline=model.attrs["newline"])
    inverse = features.type_indices
    before = features.gaps
    after = np.zeros_like(before)  # the gap after a document is that before it: START
    after[:-1] = before[1:]
    type_vectors, backprop_embed = embed(ops.asarray(features.types), is_train)
    gap_vectors: Any = model.get_param("gaps")
    vectors: Any = type_vectors[inverse]  # (n_tokens, width)
    # (gaps before, gaps after) as each stack may see them; None = not at all.
    seen: list[tuple[Ints1d | None, Ints1d | None]] = [(before, after)]
    if n_stacks > 1:
        # How long the line was that ends here, a token to its right must not know.
        seen += [(before, None), (None, _hide_line_length(after))]
    lengths = ops.asarray1i(features.lengths)
    outputs, backprops = [], []
    depth = len(windows) // n_stacks
    for n, gaps in enumerate(seen):
        X = _add_gaps(vectors, gap_vectors, gaps)
        stack = windows[n * depth : (n + 1) * depth]
        Y, backprop_stack = _run_stack(model, stack, X, lengths, is_train)
        outputs.append(Y)
        backprops.append(backprop_stack)
    Y = outputs[0] if n_stacks == 1 else ops.xp.concatenate(outputs, axis=1)

    def backprop(dY: list[Floats2d]) -> list[Doc]:
        pairs = zip(dY, features.token_indices, strict=True)
        d_outputs = ops.xp.concatenate([rows[indices] for rows, indices in pairs])
        d_gaps = ops.alloc3f(*gap_vectors.shape)
        d_vectors = ops.alloc2f(*vectors.shape)
        parts = ops.xp.split(d_outputs, n_stacks, axis=1)
        for backprop_stack, gaps, part in zip(backprops, seen, parts, strict=True):
            dX = backprop_stack(part)
            d_vectors += dX
            for side, classes in enumerate(gaps):
                if classes is not None:
                    ops.scatter_add(d_gaps[side], classes, dX)
        model.inc_grad("gaps", d_gaps)
        d_types = ops.alloc2f(len(features.types), d_vectors.shape[1])
        ops.scatter_add(d_types, inverse, d_vectors)
        backprop_embed(d_types)
        return docs

    return _rows_of_all_tokens(model, Y, docs, features.token_indices), backprop


def _add_gaps(
    vectors: Floats2d, gap_vectors: Any, gaps: tuple[Ints1d | None, Ints1d | None]
) -> Floats2d:
    """Add to each token's vector those of the gaps beside it that may be seen: a new array."""
    X = vectors.copy()
    for side, classes in enumerate(gaps):
        if classes is not None:
            X += gap_vectors[side][classes]
    return X


def _hide_line_length(gaps: Ints1d) -> Ints1d:
    """Make one class of all line ends."""
    return np.where(np.isin(gaps, LINE_GAPS), LINE_GAPS[0], gaps)


def _run_stack(
    model: Model, windows: list[Model], X: Floats2d, lengths: Any, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Floats2d]]:
    """Pass the rows through one stack of windows, with dropout before and after it in training."""
    ops: Any = model.ops
    keep, keep_last = None, None
    if is_train:
        rate = model.attrs["dropout_rate"]
        keep = ops.get_dropout_mask(X.shape, rate)
        # Whole words are zeroed too, without making the others larger.
        known = ops.xp.random.random((len(X), 1)) >= model.attrs["word_dropout"]
        keep *= known.astype("float32")
        X *= keep
        keep_last = ops.get_dropout_mask(X.shape, rate)
    ragged = Ragged(X, lengths)
    backprops = []
    for window in windows:
        ragged, backprop_window = window(ragged, is_train)
        backprops.append(backprop_window)
    Y: Any = ragged.dataXd if keep_last is None else ragged.dataXd * keep_last

    def backprop(dY: Floats2d) -> Floats2d:
        d_ragged = Ragged(dY * keep_last, ragged.lengths)
        for backprop_window in reversed(backprops):
            d_ragged = backprop_window(d_ragged)
        dX: Any = d_ragged.dataXd
        return dX * keep

    return Y, backprop


def _rows_of_all_tokens(
    model: Model, X: Floats2d, docs: list[Doc], token_indices: list[Ints1d]
) -> list[Floats2d]:
    """Cut the flat rows into documents and give white-space tokens a zero row."""
    rows, start = [], 0
    for doc, indices in zip(docs, token_indices, strict=True):
        part = X[start : start + len(indices)]
        start += len(indices)
        if len(indices) < len(doc):
            full: Floats2d = model.ops.alloc2f(len(doc), X.shape[1])
            full[indices] = part
            part = full
        rows.append(part)
    return rows


def build_residual_window(
    width: int, pieces: int, dilation: int, offsets: tuple[int, ...] = BOTH
) -> Model[Ragged, Ragged]:
    """Build X + layer_norm(maxout(X[i - d], X[i], X[i + d])); windows end at document borders.

    offsets: Which of the three a window sees: -1, 0, 1 times d.
    """
    return Model(
        "residual_window",
        forward_window,
        init=init_window,
        params={"W": None, "b": None, "G": None, "beta": None},
        dims={"nO": width, "nP": pieces},
        attrs={"dilation": dilation, "offsets": list(offsets), "dropout_rate": 0.0},
    )


def init_window(model: Model, X: object = None, Y: object = None) -> None:
    """Initialise one window layer."""
    width, pieces = model.get_dim("nO"), model.get_dim("nP")
    shape = (width, pieces, len(model.attrs["offsets"]) * width)
    model.set_param("W", glorot_uniform_init(model.ops, shape))
    model.set_param("b", model.ops.alloc2f(width, pieces))
    model.set_param("G", model.ops.alloc1f(width) + 1)
    model.set_param("beta", model.ops.alloc1f(width))


def forward_window(
    model: Model[Ragged, Ragged], X: Ragged, is_train: bool
) -> tuple[Ragged, Callable]:
    """Forward pass of `build_residual_window`."""
    if not is_train:
        return Ragged(_predict_window(model, X), X.lengths), _no_backprop
    ops: Any = model.ops
    width, pieces = model.get_dim("nO"), model.get_dim("nP")
    weights: Any = model.get_param("W")
    W = weights.reshape(width * pieces, -1)
    rows: Any = X.dataXd
    left, right = _border_rows(ops.to_numpy(X.lengths), model.attrs["dilation"])
    columns = _gather_window(model, rows, 0, len(rows), left, right)
    hidden = ops.gemm(columns, W, trans2=True).reshape(-1, width, pieces)
    hidden += model.get_param("b")
    best, which = ops.maxout(hidden)
    mean = best.mean(axis=1, keepdims=True)
    scale = 1.0 / ops.xp.sqrt(best.var(axis=1, keepdims=True) + 1e-6)
    normal = (best - mean) * scale
    G: Any = model.get_param("G")
    out = normal * G + model.get_param("beta")
    mask = ops.get_dropout_mask(out.shape, model.attrs["dropout_rate"])
    out *= mask
    out += rows

    def backprop(d_out: Ragged) -> Ragged:
        d_rows: Any = d_out.dataXd
        dY = d_rows * mask
        model.inc_grad("beta", dY.sum(axis=0))
        model.inc_grad("G", (dY * normal).sum(axis=0))
        d_normal = dY * G
        d_best = d_normal - d_normal.mean(axis=1, keepdims=True)
        d_best -= normal * (d_normal * normal).mean(axis=1, keepdims=True)
        d_best *= scale
        d_hidden = ops.backprop_maxout(d_best, which, pieces)
        model.inc_grad("b", d_hidden.sum(axis=0))
        d_hidden = d_hidden.reshape(-1, width * pieces)
        d_W = ops.gemm(d_hidden, columns, trans1=True)
        model.inc_grad("W", d_W.reshape(weights.shape))
        d_columns = ops.gemm(d_hidden, W)
        dilation = model.attrs["dilation"]
        dX = d_rows.copy()
        for n, offset in enumerate(model.attrs["offsets"]):
            column = d_columns[:, n * width : (n + 1) * width]
            if offset < 0:
                column[left] = 0
                dX[:-dilation] += column[dilation:]
            elif offset > 0:
                column[right] = 0
                dX[dilation:] += column[:-dilation]
            else:
                dX += column
        return Ragged(dX, d_out.lengths)

    return Ragged(out, X.lengths), backprop


def _predict_window(model: Model[Ragged, Ragged], ragged: Ragged) -> Floats2d:
    """Forward pass block by block: no matrix of the whole batch, and each block stays in cache."""
    ops: Any = model.ops
    X: Any = ragged.dataXd
    width, pieces = model.get_dim("nO"), model.get_dim("nP")
    weights: Any = model.get_param("W")
    W = weights.reshape(width * pieces, -1)
    params: list[Any] = [model.get_param(name) for name in ("b", "G", "beta")]
    b, G, beta = params
    left, right = _border_rows(ops.to_numpy(ragged.lengths), model.attrs["dilation"])
    out = X.copy()
    for start in range(0, len(X), BLOCK):
        end = min(start + BLOCK, len(X))
        hidden = ops.gemm(_gather_window(model, X, start, end, left, right), W, trans2=True)
        hidden = hidden.reshape(-1, width, pieces)
        hidden += b
        best, _ = ops.maxout(hidden)
        best -= best.mean(axis=1, keepdims=True)
        variance = ops.xp.einsum("ij,ij->i", best, best) / width
        best *= (1.0 / ops.xp.sqrt(variance + 1e-6))[:, None]
        best *= G
        best += beta
        out[start:end] += best
    return out


def _border_rows(lengths: Ints1d, dilation: int) -> tuple[Ints1d, Ints1d]:
    """Find the rows whose left (right) neighbour at that distance is in another document."""
    ends = np.cumsum(lengths)
    position = np.arange(ends[-1] if len(ends) else 0)
    doc_start = np.repeat(ends - lengths, lengths)
    doc_end = np.repeat(ends, lengths)
    left = np.flatnonzero(position - dilation < doc_start)
    right = np.flatnonzero(position + dilation >= doc_end)
    return left, right


def _gather_window(
    model: Model, X: Floats2d, start: int, end: int, left: Ints1d, right: Ints1d
) -> Floats2d:
    """Set the rows that the window sees side by side: (end - start, n_offsets * width).

    For the rows [start, end); left, right: those without a neighbour on that side.
    """
    width, dilation, offsets = X.shape[1], model.attrs["dilation"], model.attrs["offsets"]
    columns: Floats2d = model.ops.alloc2f(end - start, len(offsets) * width)
    low, high = max(start - dilation, 0), min(end + dilation, len(X))
    for n, offset in enumerate(offsets):
        column = columns[:, n * width : (n + 1) * width]
        if offset < 0:
            if low < end - dilation:
                column[low + dilation - start :] = X[low : end - dilation]
            column[_within(left, start, end)] = 0
        elif offset > 0:
            if start + dilation < high:
                column[: high - dilation - start] = X[start + dilation : high]
            column[_within(right, start, end)] = 0
        else:
            column[:] = X[start:end]
    return columns


def _within(rows: Ints1d, start: int, end: int) -> Ints1d:
    """Select from sorted row numbers those in [start, end), counted from `start`."""
    return rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start


def _no_backprop(dY: Ragged) -> Ragged:
    raise RuntimeError("A forward pass for prediction cannot be backpropagated.")
