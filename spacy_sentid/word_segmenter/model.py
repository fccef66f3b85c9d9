"""The model of the segmenter: features of characters, or any encoder, windows, scores of tags.

characters -> one row a character -> windows -> scores of B, M, E, S, and of transitions -> CRF
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model

from ..arrays import Floats2d
from ..layers.cpu import no_backprop
from ..layers.dilated import gated_dilated_window
from ..layers.stack import build_stack, encode_docs, forward_stack, get_source, init_stack
from .characters import NO_TOKENS, Characters
from .crf import N_TAGS
from .features import Source

Encoder = Model[list[Doc], list[Floats2d]]
# Characters that go through the layers at a time in prediction: the arrays of many more go back to
# the system after each batch, and a tenth of the time is spent on fresh memory. And how many around
# a character the features look at: the longest word or n-gram.
MAX_CHARACTERS = 2_000
FEATURE_CONTEXT = 8


class Scores(NamedTuple):
    """What the CRF is made of; also the gradient of it."""

    emissions: Floats2d  # (n, 4)
    transitions: Floats2d  # (4, 4); illegal pairs are never looked at


def build_word_tagger(
    features: Source | None,
    encoder: Encoder | None,
    width: int | None,
    maxout_pieces: int,
    dilations: list[int],
) -> Model[Characters, Scores]:
    """Build the model of the word segmenter.

    features: `spacy_sentid.CharacterFeatures.v1`; None = none.
    encoder: Any layer that gives a vector to each token, as a listener to a transformer; None =
        none. One of the two is needed; of both, the vectors are laid side by side.
    width: Length of the vectors of the hidden layers; None = no hidden layer, as in section 2.3.
    maxout_pieces: Of the layer that mixes the columns.
    dilations: One gated window over each text for each dilation; it sees the characters at -d, 0
        and +d.
    RETURNS: characters -> Scores.
    """
    return build_stack(
        "word_tagger",
        forward_tagger,
        {"features": features, "encoder": encoder},
        [gated_dilated_window(width, d) for d in dilations] if width else [],
        width=width,
        maxout_pieces=maxout_pieces,
        n_outputs=N_TAGS,
        init=init_tagger,
        params={"transitions": None},
    )


def init_tagger(model: Model, X: list[Characters] | None = None, Y: object = None) -> None:
    """Initialise all layers.

    X: All of the training data, in batches: the features learn n-grams and words of it.
    """
    features, encoder = get_source(model, "features"), get_source(model, "encoder")
    if features is not None:
        features.initialize(X=X)
    if encoder is not None:
        encoder.initialize(X=[doc for batch in (X or [])[:1] for doc in batch.docs])
    sources = [layer for layer in (features, encoder) if layer is not None]
    init_stack(model, sum(layer.get_dim("nO") for layer in sources))
    model.set_param("transitions", model.ops.alloc2f(N_TAGS, N_TAGS))


def forward_tagger(
    model: Model[Characters, Scores], batch: Characters, is_train: bool
) -> tuple[Scores, Callable[[Scores], Characters]]:
    """Forward pass of `build_word_tagger`."""
    features, encoder = get_source(model, "features"), get_source(model, "encoder")
    if not is_train and encoder is None and len(batch.codes) > 2 * MAX_CHARACTERS:
        return _predict_blocks(model, batch), no_backprop
    found = []
    if features is not None:
        found.append(features(batch, is_train))
    if encoder is not None:
        # Each character has the vector of its token.
        owners: list[Any] = [
            np.repeat(np.arange(len(tokens.lengths)), tokens.lengths)
            for tokens in batch.tokens.split()
        ]
        found.append(encode_docs(encoder, batch.docs, owners, is_train))
    emissions, backprop_stack = forward_stack(
        model,
        [columns for columns, _ in found],
        np.asarray(batch.lengths[batch.lengths > 0], dtype="int32"),
        is_train,
        input_dropout=True,
    )

    def backprop(d_scores: Scores) -> Characters:
        d_transitions: Any = np.asarray(d_scores.transitions, dtype="float32")
        model.inc_grad("transitions", d_transitions)
        d_columns = backprop_stack(d_scores.emissions)
        for (_, backprop_source), part in zip(found, d_columns, strict=True):
            backprop_source(part)
        return batch

    transitions: Any = model.get_param("transitions")
    return Scores(emissions, transitions), backprop


def _predict_blocks(model: Model[Characters, Scores], batch: Characters) -> Scores:
    """Compute the scores of a long batch in blocks that see all that a character depends on."""
    n = len(batch.codes)
    context = FEATURE_CONTEXT + sum(layer.attrs.get("dilation", 0) for layer in model.layers)
    emissions = []
    for start in range(0, n, MAX_CHARACTERS):
        end = min(start + MAX_CHARACTERS, n)
        first, last = max(start - context, 0), min(end + context, n)
        scores = model.predict(_cut_out(batch, first, last))
        emissions.append(scores.emissions[start - first : end - first])
    transitions: Any = model.get_param("transitions")
    return Scores(np.concatenate(emissions), transitions)


def _cut_out(batch: Characters, first: int, last: int) -> Characters:
    """Make a batch of some of the characters; its Docs and tokens are left out."""
    part = slice(first, last)
    starts = batch.starts[part].copy()
    starts[0] = True
    borders = np.append(np.flatnonzero(starts), last - first)
    return Characters(
        [], batch.codes[part], batch.kinds[part], starts, batch.must_end[part],
        batch.must_not_end[part], np.diff(borders), NO_TOKENS,
    )  # fmt: skip
