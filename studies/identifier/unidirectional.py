"""The unidirectional model of the paper (+UNI, section 6.1.2), next to the ordinary one.

tokens -> vectors of the whole text, the text up to the token, the text from the token on
first vectors -> the heads of the package; second -> P(EOS); third -> P(BOS)
both models -> interpolated P(BOS) and P(EOS)

BOS is predicted from a token and the text after it, EOS from a token and the text before it. Each
model has a loss of its own in training.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Config, Model

from spacy_sentid.arrays import Floats2d, Ints1d, sigmoid
from spacy_sentid.components.settings import check_range
from spacy_sentid.layers.cpu import run_on_cpu
from spacy_sentid.layers.dilated import residual_dilated_maxout
from spacy_sentid.sentence_identifier.component import SentenceIdentifier
from spacy_sentid.sentence_identifier.learning.losses import flag_loss
from spacy_sentid.sentence_identifier.network.bos_eos import log_odds
from spacy_sentid.sentence_identifier.network.boundaries import BOS, EOS
from spacy_sentid.sentence_identifier.network.encoder import encode_tokens, run_windows
from spacy_sentid.sentence_identifier.network.tagger import (
    UnitInput,
    UnitScores,
    build_flag_head,
    build_unit_tagger,
    encode_batch,
    init_heads,
    score_vectors,
)
from spacy_sentid.sentence_identifier.network.tokens import LINE_GAPS, START, BatchTokens
from spacy_sentid.sentence_identifier.settings import DEFAULT_SETTINGS

NAME = "unidirectional_identifier"
DIRECTED = "directed_encoder"  # name of the layer that takes BatchTokens instead of Docs
LEFT, RIGHT = (-1, 0), (0, 1)  # what the windows of a direction see
# In training, the scores of the ordinary model, and (n_tokens, 2) logits of the unidirectional one.
BothScores: TypeAlias = tuple[UnitScores, Floats2d]


class UnidirectionalIdentifier(SentenceIdentifier):
    """A sentence identifier with an additional loss of the unidirectional model."""

    def _loss(self, gold: Any, scores: Any) -> tuple[float, Any]:
        both, uni = scores
        loss, gradient = super()._loss(gold, both)
        uni_loss, d_uni = flag_loss(uni, gold[0], self.cfg["loss_weights"])
        return loss + uni_loss, (gradient, d_uni)


@Language.factory(
    NAME,
    default_config={
        name: DEFAULT_SETTINGS[name] for name in ("threshold", "loss_weights", "scorer")
    },
    default_score_weights={"spans_su_f": 0.5, "bio_macro_f": 0.5},
)
def make_unidirectional_identifier(
    nlp: Language,
    name: str,
    model: Model,
    threshold: float,
    loss_weights: dict[str, float],
    scorer: Callable | None,
) -> UnidirectionalIdentifier:
    """Build an identifier with the paper's decoder, and with the default for other settings."""
    settings = {
        **{key: DEFAULT_SETTINGS[key] for key in DEFAULT_SETTINGS if key != "model"},
        "pretrained": None,
        "decoder": "bos_eos",
        "threshold": threshold,
        "loss_weights": loss_weights,
        "scorer": scorer,
    }
    return UnidirectionalIdentifier(nlp.vocab, model, name, lang=nlp.lang or "xx", **settings)


def add_to_config(config: Config) -> None:
    """Replace the identifier of a filled config, and its encoder, by those of this module.

    Raises ValueError if the encoder is not one of the package.
    """
    components = config["components"]
    block = components["sentence_identifier"]
    model = dict(block["model"])
    if "transformer" in components:
        encoder = components["transformer"]["model"]
        known, directed = "spacy_sentid.UnitTransformer.v1", "studies.DirectedTransformer.v1"
    else:
        encoder = model["tok2vec"]
        known, directed = "spacy_sentid.DilatedEncoder.v1", "studies.DirectedEncoder.v1"
    if encoder.get("@architectures") != known:
        raise ValueError(
            f"The encoder of a system with +UNI must be {known}, got "
            f"{encoder.get('@architectures')!r}. Choose another config, or omit these systems."
        )
    if "transformer" in components:
        encoder["@architectures"] = directed
    else:
        model["tok2vec"] = {"@architectures": directed, "encoder": dict(encoder)}
    model["@architectures"] = "studies.UnidirectionalTagger.v1"
    components["sentence_identifier"] = {
        "factory": NAME,
        "model": {**model, "unidirectional_weight": 0.5},
        **{key: block[key] for key in ("threshold", "loss_weights", "scorer")},
    }


# The tagger


@spacy.registry.architectures("studies.UnidirectionalTagger.v1")
def build_unidirectional_tagger(
    tok2vec: Model,
    segment_hidden: int | None,
    segment_dropout: float,
    unidirectional_weight: float,
    flags_hidden: int | None = None,
    nsu_kinds: bool = False,
) -> Model[UnitInput, Any]:
    """Build the model of the package with two more heads. See `build_unit_tagger`.

    tok2vec: An encoder that returns three vectors for each token, concatenated: one of the whole
        text, one of the text up to the token, one of the text from the token on.
    unidirectional_weight: Weight of the unidirectional model in P(BOS) and P(EOS), in [0, 1]
        (lambda in the paper). It is an attribute of the model, which can be changed later.
    """
    check_range("unidirectional_weight", unidirectional_weight, high=1)
    if segment_hidden is not None:
        raise ValueError("'segment_hidden' must be null for +UNI, as in the paper's model.")
    model = build_unit_tagger(tok2vec, None, segment_dropout, flags_hidden, nsu_kinds)
    heads = {name: build_flag_head(1, None, flags_hidden) for name in ("uni_bos", "uni_eos")}
    for head in heads.values():
        run_on_cpu(head)
    refs = {name: model.get_ref(name) for name in model.ref_names}
    return Model(
        "unidirectional_tagger",
        score_both,
        init=init_both,
        layers=[*model.layers, *heads.values()],
        refs={**refs, **heads},
        attrs={"unidirectional_weight": unidirectional_weight},
        ops=model.ops,
    )


def init_both(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all layers; see `init_unit_tagger`."""
    tok2vec = model.get_ref("tok2vec")
    tok2vec.initialize(X=X)
    if tok2vec.name == DIRECTED:
        width = tok2vec.layers[0].get_dim("nO")
    else:
        width = tok2vec.predict(X)[0].shape[1] // 3
    init_heads(model, width)
    for name in ("uni_bos", "uni_eos"):
        model.get_ref(name).initialize(X=model.ops.alloc2f(1, width))


def score_both(
    model: Model[UnitInput, Any], X: UnitInput, is_train: bool
) -> tuple[UnitScores | BothScores, Callable[[BothScores], list[Doc]]]:
    """Run the forward pass: in training the scores of both models, otherwise the mixed ones."""
    tok2vec = model.get_ref("tok2vec")
    if tok2vec.name == DIRECTED:
        states, backprop_states = tok2vec(X.tokens, is_train)
    else:
        n_columns = 3 * model.get_ref("syntax").get_dim("nI")
        states, backprop_states = encode_batch(tok2vec, X, n_columns, is_train)
    whole, so_far, from_here = map(np.ascontiguousarray, np.split(states, 3, axis=1))
    scores, backprop_scores = score_vectors(model, X, whole, is_train)
    uni_bos, backprop_bos = model.get_ref("uni_bos")(from_here, is_train)
    uni_eos, backprop_eos = model.get_ref("uni_eos")(so_far, is_train)
    uni = np.hstack([uni_bos, uni_eos])

    def backprop(gradient: BothScores) -> list[Doc]:
        d_scores, d_uni = gradient
        parts = (
            backprop_scores(d_scores),
            backprop_eos(np.ascontiguousarray(d_uni[:, 1:])),
            backprop_bos(np.ascontiguousarray(d_uni[:, :1])),
        )
        backprop_states(np.hstack(parts))
        return X.tokens.docs

    if is_train:
        return (scores, uni), backprop
    weight = model.attrs["unidirectional_weight"]
    return scores._replace(flags=mix_flags(scores.flags, uni, weight)), backprop


def mix_flags(flags: Floats2d, uni: Floats2d, weight: float) -> Floats2d:
    """Interpolate P(BOS) and P(EOS) of the ordinary and the unidirectional model.

    flags, uni: Logits, (n_tokens, N_FLAGS) and (n_tokens, 2).
    weight: Weight of the unidirectional model. 0 and 1 return the logits of one model exactly.
    """
    if weight == 0:
        return flags
    mixed = flags.copy()
    prob = weight * sigmoid(uni) + (1 - weight) * sigmoid(flags[:, [BOS, EOS]])
    mixed[:, [BOS, EOS]] = uni if weight == 1 else log_odds(prob)
    return mixed


# The CPU encoder in three directions


@spacy.registry.architectures("studies.DirectedEncoder.v1")
def build_directed_encoder(encoder: Model) -> Model[BatchTokens, Floats2d]:
    """Add two stacks of windows on the embeddings of the encoder of the package.

    One sees only a token and the text to its left, the other only a token and the text to its
    right. Neither sees the white space on the other side of the token.

    RETURNS: A layer: BatchTokens -> (n_tokens, 3 * width).
    """
    if "lines" in encoder.param_names:
        raise ValueError(
            "'line_features' must be false for +UNI, got true. They would show text on the other "
            "side of a token."
        )
    width = encoder.get_dim("nO")
    windows = [
        residual_dilated_maxout(
            width,
            window.get_dim("nP"),
            window.attrs["dilation"],
            offsets,
            neighbour_width=window.attrs["neighbour_width"],
            normalize="G" in window.param_names,
        )
        for offsets in (LEFT, RIGHT)
        for window in encoder.layers[1:]
    ]
    model: Model[BatchTokens, Floats2d] = Model(
        DIRECTED,
        encode_directions,
        init=init_directions,
        layers=[encoder, *windows],
    )
    run_on_cpu(model)
    return model


def init_directions(model: Model, X: object = None, Y: object = None) -> None:
    """Initialise all layers; no sample is needed."""
    for layer in model.layers:
        layer.initialize()


def encode_directions(
    model: Model, tokens: BatchTokens, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], None]]:
    """Run the forward pass of `build_directed_encoder`."""
    encoder, *windows = model.layers
    ops: Any = model.ops
    depth = len(windows) // 2
    gap_vectors: Any = encoder.get_param("gaps")
    whole, backprop_whole = encode_tokens(encoder, tokens, is_train)
    vectors, backprop_embed = encoder.layers[0](tokens, is_train)
    # The class of a line break depends on the length of the line before it, which the stack that
    # only sees the text to the right must not see.
    after = np.append(tokens.gaps[1:], START)[: len(tokens.gaps)]
    gaps: list[Ints1d] = [tokens.gaps, np.where(np.isin(after, LINE_GAPS), LINE_GAPS[0], after)]
    outputs, backprops = [whole], []
    for side, classes in enumerate(gaps):
        stack = windows[side * depth : (side + 1) * depth]
        rows = vectors + gap_vectors[side][classes]
        Y, backprop_stack = run_windows(encoder, stack, rows, tokens.lengths, is_train)
        outputs.append(Y)
        backprops.append(backprop_stack)

    def backprop(dY: Floats2d) -> None:
        d_whole, *d_sides = map(np.ascontiguousarray, np.split(dY, 3, axis=1))
        d_gaps, d_vectors = ops.alloc3f(*gap_vectors.shape), ops.alloc2f(*vectors.shape)
        for side, classes in enumerate(gaps):
            d_rows = backprops[side](d_sides[side])
            ops.scatter_add(d_gaps[side], classes, d_rows)
            d_vectors += d_rows
        encoder.inc_grad("gaps", d_gaps)
        backprop_embed(d_vectors)
        backprop_whole(d_whole)

    return np.hstack(outputs), backprop


# The transformer in three directions


@spacy.registry.architectures("studies.DirectedTransformer.v1")
def build_directed_transformer(
    name: str,
    get_spans: Callable,
    case_features: bool,
    freeze_embeddings: bool,
    tokenizer_config: dict,
    transformer_config: dict,
    mixed_precision: bool = False,
    grad_scaler_config: dict | None = None,
) -> Model[list[Doc], object]:
    """Build a transformer that runs three times with the same weights.

    The passes read the whole text, the text up to the token, and the text from the token on. Their
    states are concatenated. See `build_unit_transformer` for the arguments.
    """
    from spacy_sentid.sentence_identifier.network.transformer import build_unit_transformer
    from studies.identifier.directed_passes import add_passes

    model = build_unit_transformer(
        name,
        get_spans,
        case_features,
        freeze_embeddings,
        tokenizer_config,
        transformer_config,
        mixed_precision,
        grad_scaler_config or {},
    )
    add_passes(model)
    return model
