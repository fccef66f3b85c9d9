"""A thinc layer that computes the features of word matches, and holds their lexicon.

docs of pairs -> words of both texts -> features -> mean 0, deviation 1
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import srsly
from spacy.attrs import IS_SPACE, ORTH
from spacy.tokens import Doc
from thinc.api import Model

from ...arrays import Floats2d, Ints1d, Ints2d
from ...components.settings import check_range
from ...layers.cpu import run_on_cpu
from ...pretrained import AUTO, find_weights
from ..pairs import get_pair
from .features import N_FEATURES, compute_features
from .lexicon import EMPTY, Lexicon, load_lexicon
from .word_table import build_word_table

Encoder = Model[list[Doc], list[Floats2d]]
LEXICON = "lexicon_"  # prefix of the params that hold the lexicon


def build_pair_features(lexicon: str | None, dropout: float) -> Encoder:
    """Build the layer that computes the features of each word (see `features`).

    lexicon: "auto" for the lexicon of the bundled weights, a file made by the study "lexicon" of
        the repository, or None.
    dropout: Share of the features that are zeroed in training, independent of the dropout of other
        layers.
    RETURNS: docs -> (n_tokens, N_FEATURES) for each. The features have mean 0 and standard
        deviation 1 over the sample given to `initialize`. Rows of white-space tokens are zero.
    """
    check_range("dropout", dropout, high=1)
    params: dict[str, Any] = {LEXICON + name: None for name in Lexicon._fields}
    model: Encoder = Model(
        "pair_features",
        forward_features,
        init=partial(init_features, lexicon=lexicon),
        params={**params, "mean": None, "scale": None},
        dims={"nO": N_FEATURES},
        attrs={"feature_dropout": dropout},
    )
    run_on_cpu(model)
    return model


def init_features(
    model: Encoder, X: list[Doc] | None = None, Y: object = None, *, lexicon: str | None
) -> None:
    """Load the lexicon, and measure the mean and scale of the features.

    X: A sample of pairs. Without one, features are not normalised.
    lexicon: The setting. It is not saved, as the weights contain the lexicon itself.
    """
    found = find_lexicon_of(lexicon)
    for name, array in found._asdict().items():
        model.set_param(LEXICON + name, array)
    rows = np.zeros((1, N_FEATURES), dtype="float32")
    if X:
        rows = _compute_features(X, read_words(X), found)
    model.set_param("mean", rows.mean(axis=0) if X else rows[0])
    # The minimum keeps features that hardly vary in the sample from growing large.
    model.set_param("scale", 1 / np.maximum(rows.std(axis=0), 0.05) if X else rows[0] + 1)


def find_lexicon_of(setting: str | None) -> Lexicon:
    """Load the lexicon that a setting names; "auto" is the one in the bundled weights."""
    if setting is None:
        return EMPTY
    if setting != AUTO:
        return load_lexicon(Path(setting))
    folder = find_weights(AUTO, lang="en", component="paraphrase_tagger")
    weights = srsly.msgpack_loads((folder / "model").read_bytes())
    holders = [params for params in weights["params"] if LEXICON + "keys" in params]
    return Lexicon(*(holders[0][LEXICON + name] for name in Lexicon._fields))


class PairWords(NamedTuple):
    """The words of pairs, without white space, pair after pair."""

    keys: Ints1d  # (n_words,) keys in the string store
    lengths: Ints2d  # (n_pairs, 2) number of words of each text
    indices: list[Ints1d]  # for each Doc, the token indices of its words


def read_words(docs: Sequence[Doc]) -> PairWords:
    """Read the words of the two texts of each pair. There must be at least one pair."""
    cuts = [get_pair(doc)[1].start for doc in docs]
    # This avoids Token objects, which are slower to create than the words are to look up.
    rows = np.concatenate([doc.to_array([ORTH, IS_SPACE]).reshape(len(doc), 2) for doc in docs])
    n_tokens = np.array([len(doc) for doc in docs])
    ends = np.cumsum(n_tokens)
    is_word = rows[:, 1] == 0
    n_before = np.append(0, np.cumsum(is_word))  # words before each token
    starts = ends - n_tokens
    borders = n_before[np.stack([starts, starts + cuts, ends])]
    places = np.arange(len(rows)) - np.repeat(starts, n_tokens)
    indices = np.split(places[is_word], borders[2, :-1])
    return PairWords(rows[is_word, 0], np.diff(borders, axis=0).T, indices)


def _compute_features(docs: Sequence[Doc], words: PairWords, lexicon: Lexicon) -> Floats2d:
    keys, rows = np.unique(words.keys, return_inverse=True)
    stores: Any = list({id(doc.vocab): doc.vocab.strings for doc in docs}.values())
    strings = [next(store[key] for store in stores if key in store) for key in keys.tolist()]
    return compute_features(build_word_table(strings, lexicon), rows, words.lengths, lexicon)


def forward_features(
    model: Encoder, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Run the forward pass of `build_pair_features`."""
    if not docs:
        return [], lambda d_rows: docs
    arrays: list[Any] = [model.get_param(LEXICON + name) for name in Lexicon._fields]
    words = read_words(docs)
    features: Any = _compute_features(docs, words, Lexicon(*arrays))
    features -= model.get_param("mean")
    features *= model.get_param("scale")
    if is_train:
        features *= model.ops.get_dropout_mask(features.shape, model.attrs["feature_dropout"])
    parts: list[Any] = np.split(features, np.cumsum(words.lengths.sum(axis=1))[:-1])
    for n, (doc, indices) in enumerate(zip(docs, words.indices, strict=True)):
        if len(indices) < len(doc):
            full: Any = model.ops.alloc2f(len(doc), N_FEATURES)
            full[indices] = parts[n]
            parts[n] = full
    return parts, lambda d_rows: docs
