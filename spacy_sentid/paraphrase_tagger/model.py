"""The model of the tagger: features of word matches, or any encoder, and windows over each text.

docs of pairs -> one row a word -> windows -> support

Support is G[0] - G[1] of equation (4): the logit that a word is paraphrased in the other text minus
the logit that it is not. The model predicts this difference instead of the paper's two logits.
"""

from collections.abc import Callable

import numpy as np
from spacy.tokens import Doc
from thinc.api import Model

from ..arrays import Floats1d
from ..components.settings import check_range
from ..layers.cpu import no_backprop
from ..layers.dilated import residual_dilated_maxout
from ..layers.stack import build_stack, encode_docs, forward_stack, get_source, init_stack
from .long_pairs import is_long, score_long_pair
from .matching.feature_layer import Encoder, read_words


def build_pair_tagger(
    features: Encoder | None,
    encoder: Encoder | None,
    window: int,
    width: int | None,
    maxout_pieces: int,
    dilations: list[int],
) -> Model[list[Doc], list[Floats1d]]:
    """Build the model of the paraphrase tagger.

    features: The layer of match features, `spacy_sentid.PairFeatures.v1`, or None.
    encoder: An encoder that reads both texts, such as `spacy_sentid.PairTransformer.v1`, or None.
        At least one of the two is needed. The vectors of both are concatenated.
    window: Maximum number of tokens of each text in one comparison. In prediction, a longer text is
        cut into windows, and each word gets the support of the window that supports it best.
    width: Length of the vectors of the hidden layers; None = no hidden layer, as in section 5.1.
    maxout_pieces, dilations: Settings of the residual windows over each text, one window for each
        dilation d. A window sees the words at -d, 0 and +d.
    RETURNS: docs of `make_pair` -> (n_tokens,) for each: support of each token, 0 for white space.
    """
    check_range("window", window, low=1)
    return build_stack(
        "pair_tagger",
        forward_tagger,
        {"features": features, "encoder": encoder},
        [residual_dilated_maxout(width, maxout_pieces, d) for d in dilations] if width else [],
        width=width,
        maxout_pieces=maxout_pieces,
        n_outputs=1,
        init=init_tagger,
        attrs={"window": window},
    )


def _sources(model: Model) -> list[Encoder]:
    sources = [get_source(model, name) for name in ("features", "encoder")]
    return [source for source in sources if source is not None]


def init_tagger(model: Model, X: list[Doc] | None = None, Y: object = None) -> None:
    """Initialise all layers.

    X: A sample of pairs, needed by encoders that infer their width from data.
    """
    for source in _sources(model):
        source.initialize(X=X or [])
    init_stack(model)


def forward_tagger(
    model: Model[list[Doc], list[Floats1d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats1d], Callable]:
    """Run the forward pass of `build_pair_tagger`. In training, pairs are not cut."""
    if is_train:
        return _score_pairs(model, docs, True)

    def predict(docs: list[Doc]) -> list[Floats1d]:
        return _score_pairs(model, docs, False)[0]

    window = model.attrs["window"]
    found = iter(predict([doc for doc in docs if not is_long(doc, window)]))
    supports = [
        # One long pair at a time, which bounds the memory.
        score_long_pair(doc, window, predict) if is_long(doc, window) else next(found)
        for doc in docs
    ]
    return supports, no_backprop


def _score_pairs(
    model: Model, docs: list[Doc], is_train: bool
) -> tuple[list[Floats1d], Callable[[list[Floats1d]], list[Doc]]]:
    """Compute the support of each token. Windows do not cross from one text to the other."""
    if not docs:
        return [], no_backprop
    words = read_words(docs)
    encoded = [encode_docs(source, docs, words.indices, is_train) for source in _sources(model)]
    columns = [rows for rows, _ in encoded]
    lengths = words.lengths.reshape(-1).astype("int32")
    logits, backprop_stack = forward_stack(model, columns, lengths, is_train)
    supports = []
    ends = np.cumsum(words.lengths.sum(axis=1))
    for doc, i, row in zip(docs, words.indices, np.split(logits[:, 0], ends[:-1]), strict=True):
        support = np.zeros(len(doc), dtype="float32")  # 0 for white space
        support[i] = row
        supports.append(support)

    def backprop(d_docs: list[Floats1d]) -> list[Doc]:
        d_rows = [d_doc[i] for d_doc, i in zip(d_docs, words.indices, strict=True)]
        d_columns = backprop_stack(np.concatenate(d_rows).reshape(-1, 1))
        for (_, backprop_source), part in zip(encoded, d_columns, strict=True):
            backprop_source(part)
        return docs

    return supports, backprop
