"""The model of the identifier: per-token heads on any encoder, and a scorer of whole segments.

tokens -> tok2vec -> vectors -> logits of the heads -> candidate boundaries -> segments
vectors, logits, segments -> a score as SU and one as NSU for each segment

The flag head has the columns BOS, EOS, inside an SU, and start of any unit. The syntax head is only
used in training. It predicts tags and relations (see `syntax`), which teach the encoder what a
clause is.

The unidirectional model (+UNI, section 6.1.2) adds two heads: a BOS head that sees a token and the
text after it, and an EOS head that sees a token and the text before it. Its encoder returns three
vectors for each token.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Gelu, Linear, Model, chain, concatenate

from ...arrays import Floats2d, sigmoid
from ...components.settings import check_range
from ...layers.cpu import run_on_cpu
from ...layers.lines import LineInput, line_classifier, predict_rows, score_rows
from ...text.units import NSU_KINDS
from .bos_eos import log_odds
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
    unidirectional_weight: float = 0.0  # see `mix_unidirectional`
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

    flags: Floats2d  # (n_tokens, N_FLAGS) logits, interpolated with the unidirectional model
    # (n_tokens, 2) logits of BOS and EOS of the unidirectional model; no columns without it.
    uni: Floats2d
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
    unidirectional: bool = False,
    nsu_kinds: bool = False,
) -> Model[UnitInput, UnitScores]:
    """Build the model of the sentence identifier.

    tok2vec: Any encoder of Docs with one row for each token: ours, one of spaCy, or a listener.
    segment_hidden: Hidden width of the segment scorer. None = no scorer (the model of the paper).
    segment_dropout: Dropout of the segment scorer, which does not depend on `training.dropout`.
    flags_hidden: Width of the hidden layer of each flag (App. D: 768). None = no hidden layer.
    unidirectional: Add the unidirectional model. The encoder must return three vectors for each
        token, concatenated: one of the whole text, one of the text up to the token, one of the text
        from the token on.
    nsu_kinds: Add a head for the kinds of NSUs (`units.NSU_KINDS`).
    """
    width = None
    check_range("segment_dropout", segment_dropout, high=1)
    check_directions(tok2vec, unidirectional)
    if tok2vec.has_dim("nO"):
        width = vector_width(tok2vec.get_dim("nO"), unidirectional)
    flags = build_flag_head(N_FLAGS, width, flags_hidden)
    syntax: Model = Linear(None, width)
    refs: dict[str, Model | None] = {"tok2vec": tok2vec, "flags": flags, "syntax": syntax}
    if segment_hidden is not None:
        refs["segment_scorer"] = build_segment_scorer(segment_hidden, segment_dropout)
    if nsu_kinds:
        refs["kinds"] = line_classifier(len(NSU_KINDS), LINE_WIDTH, LINE_PIECES, LINE_DILATIONS)
    if unidirectional:
        refs["uni_bos"] = build_flag_head(1, width, flags_hidden)
        refs["uni_eos"] = build_flag_head(1, width, flags_hidden)
    layers = [layer for layer in refs.values() if layer is not None]
    for layer in layers[1:]:
        run_on_cpu(layer)
    for name in ("segment_scorer", "kinds", "uni_bos", "uni_eos"):
        refs.setdefault(name, None)
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


def check_directions(encoder: Model, unidirectional: bool) -> None:
    """Raise ValueError if the encoder and the model differ in the setting `unidirectional`."""
    n_stacks = encoder.attrs.get("n_stacks")
    if n_stacks is not None and n_stacks != (3 if unidirectional else 1):
        raise ValueError(
            "'unidirectional' must be the same in the config blocks of the encoder and the model, "
            f"got {n_stacks == 3} and {unidirectional}."
        )


def check_encoder(model: Model, nlp: Language) -> None:
    """Check `unidirectional` of the encoders that a model listens to; see `check_directions`."""
    nodes = model.get_ref("tok2vec").walk()
    names = {node.upstream_name for node in nodes if hasattr(node, "upstream_name")}
    for name, pipe in nlp.pipeline:
        encoder = getattr(pipe, "model", None)
        if names & {name, "*"} and isinstance(encoder, Model):
            check_directions(encoder, model.has_ref("uni_bos") is True)


def vector_width(n_columns: int, unidirectional: bool) -> int:
    """Compute the length of one vector, if the encoder returns `n_columns` numbers per token."""
    if unidirectional and n_columns % 3:
        raise ValueError(
            "The encoder of a unidirectional model must return three vectors for each token, got a "
            f"width of {n_columns}. Set 'unidirectional' in the config block of the encoder too."
        )
    return n_columns // 3 if unidirectional else n_columns


def init_unit_tagger(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all layers. The output width of "syntax" must be set before.

    X: Some Docs, for encoders that need a sample to infer their width.
    """
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    # The width of a listener is only known from its output.
    n_columns = tok2vec.get_dim("nO") if tok2vec.has_dim("nO") else tok2vec.predict(X)[0].shape[1]
    width = vector_width(n_columns, model.has_ref("uni_bos") is True)
    row: Any = model.ops.alloc2f(1, width)
    for name in ("flags", "syntax", "uni_bos", "uni_eos"):
        if model.has_ref(name):
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
    """Run the forward pass of the tagger.

    The backprop callback takes the gradient of the scores. It does not support interpolation with
    the unidirectional model.
    """
    ops: Any = model.ops
    states, backprop_states = _encode(model, X, is_train)
    tokens = X.tokens
    if X.stretch is not None:
        scored = slice(X.stretch.n_before, len(states) - X.stretch.n_after)
        states, tokens = states[scored], cut_tokens(tokens, scored)
    width = model.get_ref("syntax").get_dim("nI")
    vectors = np.ascontiguousarray(states[:, :width])
    flags, backprop_flags = model.get_ref("flags")(vectors, is_train)
    syntax, backprop_syntax = ops.alloc2f(0, 0), None
    if is_train:
        syntax, backprop_syntax = model.get_ref("syntax")(vectors, is_train)
    kinds, backprop_kinds = ops.alloc2f(len(states), 0), None
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
    uni: Any = ops.alloc2f(len(states), 0)
    has_uni = model.has_ref("uni_bos")
    if has_uni:
        so_far = np.ascontiguousarray(states[:, width : 2 * width])
        from_here = np.ascontiguousarray(states[:, 2 * width :])
        uni_bos, backprop_bos = model.get_ref("uni_bos")(from_here, is_train)
        uni_eos, backprop_eos = model.get_ref("uni_eos")(so_far, is_train)
        uni = np.hstack([uni_bos, uni_eos])
    flags = mix_unidirectional(flags, uni, X.unidirectional_weight)
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

    def backprop(gradient: UnitScores) -> list[Doc]:
        d_states = ops.alloc2f(*states.shape)
        d_flags = gradient.flags
        if backprop_segments is not None:
            d_states[:, :width], d_boundaries = backprop_segments(gradient.segments)
            d_flags = d_flags.copy()
            for column, d_column in zip((BOS, EOS, UNIT_START), d_boundaries, strict=True):
                d_flags[:, column] += d_column
        d_states[:, :width] += backprop_flags(d_flags)
        if backprop_kinds is not None:
            d_states[:, :width] += backprop_kinds(gradient.kinds)
        if backprop_syntax is not None:
            d_states[:, :width] += backprop_syntax(gradient.syntax)
        if has_uni:
            d_uni = gradient.uni
            d_states[:, width : 2 * width] = backprop_eos(np.ascontiguousarray(d_uni[:, 1:]))
            d_states[:, 2 * width :] = backprop_bos(np.ascontiguousarray(d_uni[:, :1]))
        backprop_states(d_states)
        return X.tokens.docs

    kept = None if X.stretch is None else vectors
    return UnitScores(flags, uni, kinds, syntax, segments, lattice, kept), backprop


def mix_unidirectional(flags: Floats2d, uni: Floats2d, weight: float) -> Floats2d:
    """Interpolate P(BOS) and P(EOS) of the bidirectional and the unidirectional model.

    uni: Logits of the unidirectional model. If it has no columns, `flags` is returned unchanged.
    weight: Weight of the unidirectional model (lambda in section 6.1.2). 0 and 1 return the logits
        of one model exactly.
    """
    if not uni.shape[1] or weight == 0:
        return flags
    mixed = flags.copy()
    both = flags[:, [BOS, EOS]]
    if weight == 1:
        mixed[:, [BOS, EOS]] = uni
    else:
        prob = weight * sigmoid(uni) + (1 - weight) * sigmoid(both)
        mixed[:, [BOS, EOS]] = log_odds(prob)
    return mixed


def _encode(
    model: Model[UnitInput, UnitScores], X: UnitInput, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Encode the tokens: one row each, with all vectors of the encoder concatenated."""
    tokens = X.tokens
    tok2vec: Any = model.get_ref("tok2vec")  # may run on a GPU; everything else uses numpy
    if tok2vec.name == DILATED_ENCODER:
        lines = None if X.stretch is None else X.stretch.lines
        return encode_tokens(tok2vec, tokens, is_train, lines=lines)
    ops: Any = model.ops
    n_columns = model.get_ref("syntax").get_dim("nI") * (3 if model.has_ref("uni_bos") else 1)
    states = ops.alloc2f(len(tokens.gaps), n_columns)
    if not len(states):  # a listener fails if no document has a token
        return states, lambda _: None
    rows, backprop_rows = tok2vec(tokens.docs, is_train)
    ends = np.cumsum(tokens.lengths)
    slices = [slice(end - n, end) for n, end in zip(tokens.lengths, ends, strict=True)]
    for row, indices, part in zip(rows, tokens.indices, slices, strict=True):
        if len(indices):  # for a document without tokens, the width from a listener is wrong
            states[part] = tok2vec.ops.to_numpy(row)[indices]

    def backprop(d_states: Floats2d) -> None:
        d_rows = []
        for doc, indices, part in zip(tokens.docs, tokens.indices, slices, strict=True):
            d_row = ops.alloc2f(len(doc), n_columns)
            d_row[indices] = d_states[part]
            d_rows.append(tok2vec.ops.asarray2f(d_row))
        backprop_rows(d_rows)

    return states, backprop
