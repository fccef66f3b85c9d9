"""The model of the segmenter: features of characters or any encoder, windows, scores of tags.

characters -> one row per character -> windows -> scores of B, M, E, S, and of transitions -> CRF
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
from .characters import Characters
from .crf import N_TAGS
from .features.feature_layer import Source

Encoder = Model[list[Doc], list[Floats2d]]
# Number of characters per part in prediction. Larger arrays are returned to the system after each
# batch, and allocating them again takes a tenth of the time.
MAX_CHARACTERS = 2_000
# Number of characters that the features read on each side: at least the longest word or n-gram.
FEATURE_CONTEXT = 8


class Scores(NamedTuple):
    """The scores of the CRF, or their gradients."""

    emissions: Floats2d  # (n, 4)
    transitions: Floats2d  # (4, 4); illegal pairs are ignored


def build_word_tagger(
    features: Source | None,
    encoder: Encoder | None,
    width: int | None,
    maxout_pieces: int,
    dilations: list[int],
) -> Model[Characters, Scores]:
    """Build the model of the word segmenter.

    features: `spacy_sentid.CharacterFeatures.v1`, or None.
    encoder: Any layer that computes a vector for each token, such as a listener to a transformer,
        or None. Features or an encoder must be given. With both, their vectors are concatenated.
    width: Length of the vectors of the hidden layers. None = no hidden layer, as in section 2.3.
    maxout_pieces: Number of maxout pieces of the layer that mixes the columns.
    dilations: One gated window for each dilation. It sees the characters at -d, 0 and +d of a text.
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

    X: Batches of all of the training data, from which the features learn n-grams and words.
    """
    features, encoder = get_source(model, "features"), get_source(model, "encoder")
    if features is not None:
        features.initialize(X=X)
    if encoder is not None:
        encoder.initialize(X=[doc for batch in (X or [])[:1] for doc in batch.docs])
    init_stack(model)
    model.set_param("transitions", model.ops.alloc2f(N_TAGS, N_TAGS))


def forward_tagger(
    model: Model[Characters, Scores], batch: Characters, is_train: bool
) -> tuple[Scores, Callable[[Scores], Characters]]:
    """Run the forward pass of `build_word_tagger`."""
    features, encoder = get_source(model, "features"), get_source(model, "encoder")
    if not is_train and encoder is None and len(batch.codes) > 2 * MAX_CHARACTERS:
        return _predict_parts(model, batch), no_backprop
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


def _predict_parts(model: Model[Characters, Scores], batch: Characters) -> Scores:
    """Compute the scores of a long batch in parts, each with all the context that it needs."""
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
    """Make a batch of some of the characters, with all that features read."""
    part = slice(first, last)
    starts = batch.starts[part].copy()
    starts[0] = True
    borders = np.append(np.flatnonzero(starts), last - first)
    changes = {name: getattr(batch, name)[part] for name in ("codes", "kinds", "must_end")}
    return batch._replace(docs=[], starts=starts, lengths=np.diff(borders), **changes)
