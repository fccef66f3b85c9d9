"""The features of word matches as a layer of thinc, and the lexicon that it holds.

docs of pairs -> words of both texts -> features -> mean 0, deviation 1
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import srsly
from spacy.attrs import IS_SPACE, ORTH
from spacy.tokens import Doc
from thinc.api import Model

from ..arrays import Floats2d, Ints1d
from ..layers.cpu import run_on_cpu
from ..pretrained import AUTO, find_weights
from ..settings import check_range
from .features import N_FEATURES, extract_features
from .lexicon import EMPTY, Lexicon, load_lexicon
from .pairs import get_pair

Encoder = Model[list[Doc], list[Floats2d]]
LEXICON = "lexicon_"  # prefix of the params that hold one


def build_pair_features(lexicon: str | None, dropout: float) -> Encoder:
    """Build the layer that computes the features of each word (see `features`).

    lexicon: "auto": that of the bundled weights; a file of `python -m studies lexicon`; or None.
    dropout: Share of the features that are zeroed in training, whatever the dropout of the rest.
    RETURNS: docs -> (n_tokens, N_FEATURES) for each, of mean 0 and deviation 1 over the sample that
        the layer was initialised with; rows of white-space tokens are zero.
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
    """Load the lexicon, and measure the features.

    X: The sample; without one they stay as they are.
    lexicon: The setting. It is no part of the weights, which hold the lexicon itself.
    """
    found = find_lexicon_of(lexicon)
    for name, array in found._asdict().items():
        model.set_param(LEXICON + name, array)
    rows = np.zeros((1, N_FEATURES), dtype="float32")
    if X:
        pairs = [pair_words(doc) for doc in X]
        words = [(pair.first, pair.second) for pair in pairs]
        rows = np.concatenate(extract_features(words, found))
    model.set_param("mean", rows.mean(axis=0) if X else rows[0])
    # A feature that is the same everywhere in the sample says nothing.
    model.set_param("scale", 1 / np.maximum(rows.std(axis=0), 0.05) if X else rows[0] + 1)


def find_lexicon_of(setting: str | None) -> Lexicon:
    """Load the lexicon that a setting names; "auto" is that of the bundled weights."""
    if setting is None:
        return EMPTY
    if setting != AUTO:
        return load_lexicon(Path(setting))
    folder = find_weights(AUTO, lang="en", component="paraphrase_tagger")
    if folder is None:
        raise ValueError("There are no bundled weights to take a lexicon from. Name a file of one.")
    weights = srsly.msgpack_loads((folder / "model").read_bytes())
    holders = [params for params in weights["params"] if LEXICON + "keys" in params]
    return Lexicon(*(holders[0][LEXICON + name] for name in Lexicon._fields))


class PairWords(NamedTuple):
    """The words of a pair, without white space."""

    first: list[str]
    second: list[str]
    indices: Ints1d  # of the tokens of the Doc that they are


def pair_words(doc: Doc) -> PairWords:
    """List the words of the two texts."""
    _, second = get_pair(doc)
    # Without Token objects, which take longer to make than the words to look up.
    rows = doc.to_array([ORTH, IS_SPACE]).reshape(len(doc), 2)
    strings: Any = doc.vocab.strings
    words = list(map(strings.__getitem__, rows[:, 0].tolist()))
    is_space = rows[:, 1] == 1
    if not is_space.any():
        return PairWords(words[: second.start], words[second.start :], np.arange(len(doc)))
    indices = np.flatnonzero(~is_space)
    cut = int(np.searchsorted(indices, second.start))
    words = [words[i] for i in indices]
    return PairWords(words[:cut], words[cut:], indices)


def forward_features(
    model: Encoder, docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable]:
    """Forward pass of `build_pair_features`."""
    arrays: list[Any] = [model.get_param(LEXICON + name) for name in Lexicon._fields]
    lexicon = Lexicon(*arrays)
    mean, scale = model.get_param("mean"), model.get_param("scale")
    rows = []
    pairs = [pair_words(doc) for doc in docs]
    features = extract_features([(pair.first, pair.second) for pair in pairs], lexicon)
    for doc, pair, array in zip(docs, pairs, features, strict=True):
        array = (array - mean) * scale
        if is_train:
            array *= model.ops.get_dropout_mask(array.shape, model.attrs["feature_dropout"])
        if len(array) < len(doc):
            full: Any = model.ops.alloc2f(len(doc), N_FEATURES)
            full[pair.indices] = array
            array = full
        rows.append(array)
    return rows, lambda d_rows: docs
