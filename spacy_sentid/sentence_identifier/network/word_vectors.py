"""Pretrained word vectors for the encoder, also for words not in the training texts. thinc only.

words, vectors -> a table of hashes and bytes, saved with the weights; word types -> vectors
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import srsly
from thinc.api import Model

from ...arrays import Floats2d, Ints1d, Ints2d
from ...components.weights import weights_from_bytes
from ...files.reading import name_file
from ...pretrained import find_weights

# The numbers of a vector are multiples of SCALE, from -127 * SCALE to 127 * SCALE.
SCALE = 4 / 127


class WordVectors(NamedTuple):
    """A table of word vectors."""

    keys: Ints1d  # (n_words,) uint64 in ascending order: spaCy's hashes of the NORMs of words
    rows: Ints2d  # (n_words, width) int8

    def find(self, norms: Ints1d) -> Floats2d:
        """Find the vectors of words by the hashes of their NORMs; unknown words get zeros."""
        found = np.zeros((len(norms), self.rows.shape[1]), dtype="float32")
        if len(self.keys) and len(norms):
            places = np.minimum(np.searchsorted(self.keys, norms), len(self.keys) - 1)
            known = self.keys[places] == norms
            found[known] = self.rows[places[known]] * np.float32(SCALE)
        return found


def read_word_vectors(source: str | Path) -> WordVectors:
    """Read a table of word vectors.

    source: An .npz file with "keys" and "rows", or the name or folder of trained weights.

    Raises ValueError if there are no word vectors.
    """
    if Path(source).suffix == ".npz":
        expected = "an .npz file with 'keys' and 'rows' of word vectors"
        with name_file(Path(source), expected=expected, advice="Make the file again."):
            arrays = np.load(source, allow_pickle=False)
            order = np.argsort(arrays["keys"])
            return WordVectors(arrays["keys"][order], arrays["rows"][order])
    folder = find_weights(str(source), lang="", component="sentence_identifier")
    weights: Any = {}
    if folder is not None:
        with name_file(folder / "model"):
            weights = weights_from_bytes((folder / "model").read_bytes())
    for attrs in weights.get("attrs", ()):
        if "vector_rows" in attrs:
            keys, rows = (
                srsly.msgpack_loads(attrs[f"vector_{name}"]) for name in WordVectors._fields
            )
            return WordVectors(keys, rows)
    raise ValueError(f"The weights {str(source)!r} must have word vectors, got none.")


def set_word_vectors(encoder: Model, vectors: WordVectors) -> None:
    """Set the word vectors of an encoder.

    Raises ValueError if their width is not the "vector_width" of the encoder.
    """
    layer = _find_layer(encoder)
    width = layer.attrs.get("vector_width", 0)
    if vectors.rows.shape[1] != width:
        raise ValueError(
            f"'vector_width' of the encoder must be {vectors.rows.shape[1]}, the width of the "
            f"word vectors, got {width}."
        )
    # Only set these attributes if there is a table: thinc refuses to load weights into a model with
    # other attributes.
    layer.attrs["vector_keys"], layer.attrs["vector_rows"] = vectors


def has_word_vectors(encoder: Model) -> bool:
    """Check if an encoder has word vectors, set or loaded."""
    return "vector_keys" in _find_layer(encoder).attrs


def forget_word_vectors(encoder: Model) -> None:
    """Remove the word vectors of an encoder, if it has any."""
    layer = _find_layer(encoder)
    layer.attrs.pop("vector_keys", None)
    layer.attrs.pop("vector_rows", None)


def get_word_vectors(encoder: Model) -> WordVectors:
    """Get the word vectors of an encoder; an empty table if it has none."""
    layer = _find_layer(encoder)
    if "vector_keys" in layer.attrs:
        return WordVectors(layer.attrs["vector_keys"], layer.attrs["vector_rows"])
    width = layer.attrs["vector_width"]
    return WordVectors(np.zeros(0, dtype="uint64"), np.zeros((0, width), dtype="int8"))


def _find_layer(encoder: Model) -> Model:
    """Find the layer that holds the word vectors; without such a layer, return the encoder."""
    layers = (node for node in encoder.walk() if "vector_width" in node.attrs)
    return next(layers, encoder)
