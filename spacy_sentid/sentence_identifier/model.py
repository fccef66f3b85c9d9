"""The model of the identifier: per-token heads on any encoder, and a scorer of whole segments.

docs -> tok2vec -> vectors of the tokens that are not white space -> logits of the heads
vectors, logits, candidate segments -> a score as SU and one as NSU for each (`segment_scorer`)

The flag head has the columns BOS, EOS, inside an SU, start of any unit. The syntax head is used in
training only: from its tags and relations (see `syntax`) the encoder learns what clauses are.

The unidirectional model (+UNI, section 6.1.2) adds a BOS head that sees a token and what follows,
and an EOS head that sees a token and what comes before. Its encoder gives three vectors a token.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.tokens import Doc
from thinc.api import Gelu, Linear, Model, chain, concatenate

from ..arrays import Floats2d, Ints1d
from ..layers import check_rate, run_on_cpu
from .segment_scorer import SegmentInput, build_segment_scorer
from .semi_markov import Lattice

BOS, EOS, INSIDE, UNIT_START = range(4)
N_FLAGS = 4


class TokenScores(NamedTuple):
    """What the model says of the tokens of a batch that are not white space, laid end to end."""

    flags: Floats2d  # (n_tokens, N_FLAGS) logits
    # (n_tokens, 2) logits of BOS and EOS of the unidirectional model; no columns without it.
    uni: Floats2d
    syntax: Floats2d  # (n_tokens, n_syntax) logits; empty outside training
    vectors: Floats2d  # (n_tokens, width)
    lengths: Ints1d  # (n_docs,)
    token_indices: list[Ints1d]  # for each document, index in the Doc of each of its tokens


def build_unit_tagger(
    tok2vec: Model[list[Doc], list[Floats2d]],
    segment_hidden: int | None,
    segment_dropout: float,
    flags_hidden: int | None = None,
    unidirectional: bool = False,
) -> Model[list[Doc], TokenScores]:
    """Build the model of the sentence identifier.

    tok2vec: Any encoder with one row a token: ours, spaCy's, or a listener.
    segment_hidden: Hidden width of the segment scorer; None = no scorer (the paper's model).
    segment_dropout: Its dropout, whatever that of the rest is.
    flags_hidden: Width of the hidden layer that each flag has for itself (App. D: 768); None =
        no hidden layer.
    unidirectional: Add the unidirectional model. The encoder must give three vectors side by side:
        of the whole text, of the text up to the token, of the text from it on.
    """
    width = None
    check_rate("segment_dropout", segment_dropout)
    check_directions(tok2vec, unidirectional)
    if tok2vec.has_dim("nO"):
        width = vector_width(tok2vec.get_dim("nO"), unidirectional)
    flags = build_flag_head(N_FLAGS, width, flags_hidden)
    syntax: Model[Floats2d, Floats2d] = Linear(None, width)
    refs: dict[str, Model | None] = {"tok2vec": tok2vec, "flags": flags, "syntax": syntax}
    if segment_hidden is not None:
        refs["segment_scorer"] = build_segment_scorer(segment_hidden, segment_dropout)
    if unidirectional:
        refs["uni_bos"] = build_flag_head(1, width, flags_hidden)
        refs["uni_eos"] = build_flag_head(1, width, flags_hidden)
    layers = [layer for layer in refs.values() if layer is not None]
    for layer in layers[1:]:
        run_on_cpu(layer)
    for name in ("segment_scorer", "uni_bos", "uni_eos"):
        refs.setdefault(name, None)
    model: Model[list[Doc], TokenScores] = Model(
        "unit_tagger",
        tag_tokens,
        init=init_unit_tagger,
        layers=layers,
        refs=refs,
        ops=flags.ops,
    )
    return model


def build_flag_head(
    n_flags: int, width: int | None, hidden: int | None
) -> Model[Floats2d, Floats2d]:
    """Build the classifiers of some flags: linear, or each with a hidden layer of its own."""
    if hidden is None:
        return Linear(n_flags, width)
    heads: list[Model] = [chain(Gelu(hidden, width), Linear(1, hidden)) for _ in range(n_flags)]
    return concatenate(*heads)


def check_directions(encoder: Model, unidirectional: bool) -> None:
    """Raise ValueError if an encoder of ours has one vector a token for three, or three for one."""
    n_stacks = encoder.attrs.get("n_stacks")
    if n_stacks is not None and n_stacks != (3 if unidirectional else 1):
        raise ValueError(
            f"'unidirectional' is {n_stacks == 3} in the block of the encoder and {unidirectional} "
            "in that of the model around it, expected the same. Set both."
        )


def vector_width(n_columns: int, unidirectional: bool) -> int:
    """Get the length of one vector of an encoder that gives `n_columns` numbers a token."""
    if unidirectional and n_columns % 3:
        raise ValueError(
            f"Found an encoder of width {n_columns} for a unidirectional model, expected three "
            "vectors side by side. Set 'unidirectional' in the block of the encoder too."
        )
    return n_columns // 3 if unidirectional else n_columns


def init_unit_tagger(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all layers. The width of "syntax" must be set before.

    X: A few docs; needed by encoders whose width is known only then.
    """
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    # A listener does not say how wide it is.
    n_columns = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else tok2vec.predict(X)[0].shape[1]
    width = vector_width(n_columns, model.has_ref("uni_bos") is True)
    for name in ("flags", "syntax", "uni_bos", "uni_eos"):
        if model.has_ref(name):
            model.get_ref(name).initialize(X=model.ops.alloc2f(1, width))
    if model.has_ref("segment_scorer"):
        scorer = model.get_ref("segment_scorer")
        scorer.set_dim("nI", width, force=True)
        scorer.initialize()


def tag_tokens(
    model: Model[list[Doc], TokenScores], docs: list[Doc], is_train: bool
) -> tuple[TokenScores, Callable]:
    """Forward pass; the backprop takes the gradients of (flags, uni, syntax, vectors)."""
    ops: Any = model.ops
    tok2vec = model.get_ref("tok2vec")  # may compute on a GPU; all the rest is numpy
    rows, backprop_rows = [ops.alloc2f(0, 0)] * len(docs), None
    if any(map(len, docs)):  # a listener fails if no document has a token
        rows, backprop_rows = tok2vec(docs, is_train)
    indices = [np.flatnonzero(doc.to_array(IS_SPACE).reshape(-1) == 0) for doc in docs]
    lengths = np.asarray([len(tokens) for tokens in indices], dtype="int64")
    has_uni = model.has_ref("uni_bos")
    width = model.get_ref("syntax").get_dim("nI")
    n_columns = 3 * width if has_uni else width
    picked = [
        tok2vec.ops.to_numpy(row)[tokens].reshape(-1, n_columns)
        for row, tokens in zip(rows, indices, strict=True)
    ]
    states = np.concatenate(picked) if picked else ops.alloc2f(0, n_columns)
    vectors = np.ascontiguousarray(states[:, :width])
    flags, backprop_flags = model.get_ref("flags")(vectors, is_train)
    syntax, backprop_syntax = ops.alloc2f(0, 0), None
    if is_train:
        syntax, backprop_syntax = model.get_ref("syntax")(vectors, is_train)
    uni: Any = ops.alloc2f(len(states), 0)
    if has_uni:
        so_far = np.ascontiguousarray(states[:, width : 2 * width])
        from_here = np.ascontiguousarray(states[:, 2 * width :])
        uni_bos, backprop_bos = model.get_ref("uni_bos")(from_here, is_train)
        uni_eos, backprop_eos = model.get_ref("uni_eos")(so_far, is_train)
        uni = np.hstack([uni_bos, uni_eos])

    def backprop(gradients: tuple[Floats2d, Floats2d, Floats2d, Floats2d]) -> list[Doc]:
        d_flags, d_uni, d_syntax, d_vectors = gradients
        d_states = ops.alloc2f(*states.shape)
        d_states[:, :width] = backprop_flags(d_flags) + d_vectors
        if backprop_syntax is not None:
            d_states[:, :width] += backprop_syntax(d_syntax)
        if has_uni:
            d_states[:, width : 2 * width] = backprop_eos(np.ascontiguousarray(d_uni[:, 1:]))
            d_states[:, 2 * width :] = backprop_bos(np.ascontiguousarray(d_uni[:, :1]))
        d_rows, start = [], 0
        for doc, tokens in zip(docs, indices, strict=True):
            d_row = ops.alloc2f(len(doc), n_columns)
            d_row[tokens] = d_states[start : start + len(tokens)]
            start += len(tokens)
            d_rows.append(tok2vec.ops.asarray2f(d_row))
        if backprop_rows is not None:
            backprop_rows(d_rows)
        return docs

    return TokenScores(flags, uni, syntax, vectors, lengths, indices), backprop


def get_segment_scorer(model: Model) -> Model[SegmentInput, Floats2d]:
    """Get the segment scorer of a unit tagger; ValueError if it has none."""
    if not model.has_ref("segment_scorer"):
        raise ValueError(
            "The decoder 'semi_markov' needs a segment scorer, and the model has none "
            "(segment_hidden = null). Choose the decoder 'bos_eos', or give it a scorer."
        )
    return model.get_ref("segment_scorer")


def segment_input(scores: TokenScores, lattice: Lattice) -> SegmentInput:
    """Put together what the segment scorer takes."""
    flags = scores.flags
    return SegmentInput(scores.vectors, flags[:, BOS], flags[:, EOS], flags[:, UNIT_START], lattice)
