"""The model of the identifier: per-token heads on any encoder, and a scorer of whole segments.

tokens -> tok2vec -> vectors -> logits of the heads -> candidate boundaries -> segments
vectors, logits, segments -> a score as SU and one as NSU for each segment

The flag head has the columns BOS, EOS, inside an SU, and start of any unit. The syntax head is only
used in training. It predicts tags and relations (see `syntax`), which teach the encoder what a
clause is.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import Gelu, Linear, Model, chain, concatenate

from ...arrays import Floats2d
from ...components.settings import check_range
from ...layers.cpu import run_on_cpu
from ...layers.lines import LineInput, line_classifier, predict_rows, score_rows
from ...layers.stack import encode_docs
from ...text.units import NSU_KINDS
from .boundaries import BOS, EOS, N_FLAGS, UNIT_START, Candidates, propose_segments
from .encoder import DILATED_ENCODER, encode_tokens
from .line_features import LineFeatures
from .segment_scorer import SegmentInput, build_segment_scorer
from .semi_markov import Lattice
from .tokens import BatchTokens, cut_tokens, find_lines

# Lines in the head for kinds: width of their vectors, maxout pieces, dilations of the windows.
LINE_WIDTH, LINE_PIECES, LINE_DILATIONS = 64, 2, (1, 2)


class UnitInput(NamedTuple):
    """The tokens of a batch, and settings for scoring them."""

    tokens: BatchTokens
    candidates: Candidates | None = None  # None = do not score segments
    stretch: "StretchInput | None" = None  # None = the tokens are of whole documents


class StretchInput(NamedTuple):
    """Context of a stretch of a document. Only used in prediction."""

    lines: LineFeatures
    # Number of context tokens at both ends. They get no scores and are not candidates.
    n_before: int
    n_after: int


class UnitScores(NamedTuple):
    """Scores of the tokens of a batch, document after document, and of its segments.

    Also holds their gradient.
    """

    flags: Floats2d  # (n_tokens, N_FLAGS) logits
    kinds: Floats2d  # (n_tokens, n_kinds) logits of the kinds of NSU; no columns without a head
    syntax: Floats2d  # (n_tokens, n_syntax) logits; empty outside training
    segments: Floats2d  # (n_segments, 2)
    lattice: Lattice | None  # the segments; None = segments were not scored
    # (n_tokens, width) vectors of a stretch, as its `kinds` do not include the scores of lines yet.
    # None for whole documents.
    vectors: Floats2d | None = None


def build_unit_tagger(
    tok2vec: Model,
    segment_hidden: int | None,
    segment_dropout: float,
    flags_hidden: int | None = None,
    nsu_kinds: bool = False,
) -> Model[UnitInput, UnitScores]:
    """Build the model of the sentence identifier.

    tok2vec: Any encoder of Docs with one row for each token: ours, one of spaCy, or a listener.
    segment_hidden: Hidden width of the segment scorer. None = no scorer (the model of the paper).
    segment_dropout: Dropout of the segment scorer, which does not depend on `training.dropout`.
    flags_hidden: Width of the hidden layer of each flag (App. D: 768). None = no hidden layer.
    nsu_kinds: Add a head for the kinds of NSUs (`units.NSU_KINDS`).
    """
    check_range("segment_dropout", segment_dropout, high=1)
    width = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else None
    flags = build_flag_head(N_FLAGS, width, flags_hidden)
    syntax: Model = Linear(None, width)
    refs: dict[str, Any] = {"tok2vec": tok2vec, "flags": flags, "syntax": syntax}
    if segment_hidden is not None:
        refs["segment_scorer"] = build_segment_scorer(segment_hidden, segment_dropout)
    if nsu_kinds:
        refs["kinds"] = line_classifier(len(NSU_KINDS), LINE_WIDTH, LINE_PIECES, LINE_DILATIONS)
    layers = list(refs.values())
    for layer in layers[1:]:
        run_on_cpu(layer)
    model: Model[UnitInput, UnitScores] = Model(
        "unit_tagger",
        score_units,
        init=init_unit_tagger,
        layers=layers,
        refs=refs,
        ops=flags.ops,
    )
    return model


def build_flag_head(n_flags: int, width: int | None, hidden: int | None) -> Model:
    """Build the classifiers of flags.

    hidden: Width of the hidden layer of each flag; None = linear classifiers.
    """
    if hidden is None:
        return Linear(n_flags, width)
    heads: list[Model] = [chain(Gelu(hidden, width), Linear(1, hidden)) for _ in range(n_flags)]
    return concatenate(*heads)


def init_unit_tagger(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all layers. The output width of "syntax" must be set before.

    X: Some Docs, for encoders that need a sample to infer their width.
    """
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    # The width of a listener is only known from its output.
    width = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else tok2vec.predict(X)[0].shape[1]
    init_heads(model, width)


def init_heads(model: Model, width: int) -> None:
    """Initialise all layers except the encoder, whose vectors have this width."""
    row: Any = model.ops.alloc2f(1, width)
    for name in ("flags", "syntax"):
        model.get_ref(name).initialize(X=row)
    if model.has_ref("kinds"):
        line = LineInput(row, np.zeros(1, dtype="int64"), np.ones(1, dtype="int64"))
        model.get_ref("kinds").initialize(X=line)
    if model.has_ref("segment_scorer"):
        scorer = model.get_ref("segment_scorer")
        scorer.set_dim("nI", width, force=True)
        scorer.initialize()


def score_units(
    model: Model[UnitInput, UnitScores], X: UnitInput, is_train: bool
) -> tuple[UnitScores, Callable[[UnitScores], list[Doc]]]:
    """Run the forward pass of the tagger; its backprop takes the gradient of the scores."""
    width = model.get_ref("syntax").get_dim("nI")
    vectors, backprop_vectors = encode_batch(model.get_ref("tok2vec"), X, width, is_train)
    scores, backprop_scores = score_vectors(model, X, vectors, is_train)

    def backprop(gradient: UnitScores) -> list[Doc]:
        backprop_vectors(backprop_scores(gradient))
        return X.tokens.docs

    return scores, backprop


def score_vectors(
    model: Model[UnitInput, UnitScores], X: UnitInput, vectors: Floats2d, is_train: bool
) -> tuple[UnitScores, Callable[[UnitScores], Floats2d]]:
    """Compute the scores of the heads from the vectors of tokens.

    vectors: (n_tokens, width), also of the context of a stretch.
    """
    ops: Any = model.ops
    tokens = X.tokens
    if X.stretch is not None:
        scored = slice(X.stretch.n_before, len(vectors) - X.stretch.n_after)
        vectors, tokens = vectors[scored], cut_tokens(tokens, scored)
    flags, backprop_flags = model.get_ref("flags")(vectors, is_train)
    syntax, backprop_syntax = ops.alloc2f(0, 0), None
    if is_train:
        syntax, backprop_syntax = model.get_ref("syntax")(vectors, is_train)
    kinds, backprop_kinds = ops.alloc2f(len(vectors), 0), None
    if model.has_ref("kinds"):
        head = model.get_ref("kinds")
        if X.stretch is not None:
            kinds = score_rows(head, vectors)
        else:
            lines = LineInput(vectors, *find_lines(tokens))
            if is_train:
                kinds, backprop_kinds = head(lines, is_train)
            else:
                kinds = predict_rows(head, lines)
    lattice, segments, backprop_segments = None, ops.alloc2f(0, 2), None
    if X.candidates is not None:
        if not model.has_ref("segment_scorer"):
            raise ValueError(
                "The decoder 'semi_markov' needs a model with a segment scorer, got "
                "segment_hidden = null. Set 'segment_hidden', or use the decoder 'bos_eos'."
            )
        lattice = propose_segments(flags, X.candidates)
        bos, eos, unit_start = flags[:, [BOS, EOS, UNIT_START]].T
        inputs = SegmentInput(vectors, bos, eos, unit_start, lattice, tokens.lengths)
        segments, backprop_segments = model.get_ref("segment_scorer")(inputs, is_train)

    def backprop(gradient: UnitScores) -> Floats2d:
        d_vectors = ops.alloc2f(*vectors.shape)
        d_flags = gradient.flags
        if backprop_segments is not None:
            d_vectors, d_boundaries = backprop_segments(gradient.segments)
            d_flags = d_flags.copy()
            for column, d_column in zip((BOS, EOS, UNIT_START), d_boundaries, strict=True):
                d_flags[:, column] += d_column
        d_vectors += backprop_flags(d_flags)
        if backprop_kinds is not None:
            d_vectors += backprop_kinds(gradient.kinds)
        if backprop_syntax is not None:
            d_vectors += backprop_syntax(gradient.syntax)
        return d_vectors

    kept = None if X.stretch is None else vectors
    return UnitScores(flags, kinds, syntax, segments, lattice, kept), backprop


def encode_batch(
    tok2vec: Model, X: UnitInput, width: int, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Encode the tokens of a batch that are not white space: (n_tokens, width).

    tok2vec: Our encoder, or any other encoder of Docs. Only it may run on a GPU.
    """
    tokens = X.tokens
    if tok2vec.name == DILATED_ENCODER:
        lines = None if X.stretch is None else X.stretch.lines
        return encode_tokens(tok2vec, tokens, is_train, lines=lines)
    if not len(tokens.gaps):  # a listener fails if no document has a token
        return np.zeros((0, width), dtype="float32"), lambda _: None
    return encode_docs(tok2vec, tokens.docs, tokens.indices, is_train)
