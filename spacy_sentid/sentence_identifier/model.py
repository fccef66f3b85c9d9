"""The model of the identifier: per-token heads on any encoder, and a scorer of whole segments.

docs -> tok2vec -> vectors of the tokens that are not white space -> logits of the heads
vectors, logits, candidate segments -> a score as SU and one as NSU for each (`segment_scorer`)

The flag head has the columns BOS, EOS, inside an SU, start of any unit. The syntax head is used in
training only: from its tags and relations (see `syntax`) the encoder learns what clauses are.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.tokens import Doc
from thinc.api import Linear, Model

from ..arrays import Floats2d, Ints1d
from .encoder import run_on_cpu
from .segment_scorer import SegmentInput, build_segment_scorer
from .semi_markov import Lattice

BOS, EOS, INSIDE, UNIT_START = range(4)
N_FLAGS = 4


class TokenScores(NamedTuple):
    """What the model says of the tokens of a batch that are not white space, laid end to end."""

    flags: Floats2d  # (n_tokens, N_FLAGS) logits
    syntax: Floats2d  # (n_tokens, n_syntax) logits; empty outside training
    vectors: Floats2d  # (n_tokens, width)
    lengths: Ints1d  # (n_docs,)
    token_indices: list[Ints1d]  # for each document, index in the Doc of each of its tokens


def build_unit_tagger(
    tok2vec: Model[list[Doc], list[Floats2d]],
    segment_hidden: int | None,
    segment_dropout: float,
) -> Model[list[Doc], TokenScores]:
    """Build the model of the sentence identifier.

    tok2vec: Any encoder with one row a token: ours, spaCy's, or a listener.
    segment_hidden: Hidden width of the segment scorer; None = no scorer (the paper's model).
    segment_dropout: Its dropout, whatever that of the rest is.
    """
    width = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else None
    flags: Model[Floats2d, Floats2d] = Linear(N_FLAGS, width)
    syntax: Model[Floats2d, Floats2d] = Linear(None, width)
    layers: list[Model] = [tok2vec, flags, syntax]
    scorer = None
    if segment_hidden is not None:
        scorer = build_segment_scorer(segment_hidden, segment_dropout)
        layers.append(scorer)
    for layer in layers[1:]:
        run_on_cpu(layer)
    model: Model[list[Doc], TokenScores] = Model(
        "unit_tagger",
        tag_tokens,
        init=init_unit_tagger,
        layers=layers,
        refs={"tok2vec": tok2vec, "flags": flags, "syntax": syntax, "segment_scorer": scorer},
        ops=flags.ops,
    )
    return model


def init_unit_tagger(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all layers. The width of "syntax" must be set before.

    X: A few docs; needed by encoders whose width is known only then.
    """
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    width = tok2vec.get_dim("nO")
    for name in ("flags", "syntax"):
        model.get_ref(name).initialize(X=model.ops.alloc2f(1, width))
    if model.has_ref("segment_scorer"):
        scorer = model.get_ref("segment_scorer")
        scorer.set_dim("nI", width, force=True)
        scorer.initialize()


def tag_tokens(
    model: Model[list[Doc], TokenScores], docs: list[Doc], is_train: bool
) -> tuple[TokenScores, Callable]:
    """Forward pass; the backprop takes the gradients of (flags, syntax, vectors)."""
    ops: Any = model.ops
    tok2vec = model.get_ref("tok2vec")  # may compute on a GPU; all the rest is numpy
    rows, backprop_rows = tok2vec(docs, is_train)
    indices = [np.flatnonzero(doc.to_array(IS_SPACE).reshape(-1) == 0) for doc in docs]
    lengths = np.asarray([len(tokens) for tokens in indices], dtype="int64")
    width = tok2vec.get_dim("nO")
    picked = [tok2vec.ops.to_numpy(row)[tokens] for row, tokens in zip(rows, indices, strict=True)]
    vectors = np.concatenate(picked) if picked else ops.alloc2f(0, width)
    flags, backprop_flags = model.get_ref("flags")(vectors, is_train)
    syntax, backprop_syntax = ops.alloc2f(0, 0), None
    if is_train:
        syntax, backprop_syntax = model.get_ref("syntax")(vectors, is_train)

    def backprop(gradients: tuple[Floats2d, Floats2d, Floats2d]) -> list[Doc]:
        d_flags, d_syntax, d_vectors = gradients
        dX = backprop_flags(d_flags) + d_vectors
        if backprop_syntax is not None:
            dX += backprop_syntax(d_syntax)
        d_rows, start = [], 0
        for doc, tokens in zip(docs, indices, strict=True):
            d_row = ops.alloc2f(len(doc), width)
            d_row[tokens] = dX[start : start + len(tokens)]
            start += len(tokens)
            d_rows.append(tok2vec.ops.asarray2f(d_row))
        backprop_rows(d_rows)
        return docs

    return TokenScores(flags, syntax, vectors, lengths, indices), backprop


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
