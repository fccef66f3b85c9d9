"""Write the units of a Doc to its span groups.

ScoredUnits -> doc.spans["su"], doc.spans["nsu"], with the scores of their spans
"""

from collections.abc import Iterable

import numpy as np
from spacy.tokens import Doc

from ...arrays import Floats2d, sigmoid
from ...text.units import SU
from ..decoding.decode import ScoredUnits
from ..network.boundaries import BOS, EOS
from ..network.tokens import BatchTokens
from .units import set_units


def write_span_groups(doc: Doc, found: ScoredUnits, keys: tuple[str, str]) -> None:
    """Set both span groups, each with the attributes "scores" and "label_scores".

    The group of NSUs also has "kind_scores" if there are kinds.
    """
    set_units(doc, found.units, keys, {"scores": found.scores, "label_scores": found.label_scores})
    if found.kind_scores is not None:
        is_nsu = [unit.label != SU for unit in found.units]
        doc.spans[keys[1]].attrs["kind_scores"] = found.kind_scores[is_nsu].astype("float32")


def write_probs(docs: Iterable[Doc], tokens: BatchTokens, flags: Floats2d, su_key: str) -> None:
    """Store P(BOS) and P(EOS) of every token in the span group of SUs, where DocBin keeps them.

    tokens: Tokens of the Docs that are not white space. White-space tokens get 0.
    flags: (n_tokens, N_FLAGS) logits of those tokens.
    """
    prob = sigmoid(flags)
    ends = np.cumsum(tokens.lengths).tolist()
    for doc, indices, end in zip(docs, tokens.indices, ends, strict=True):
        for name, column in (("bos_prob", BOS), ("eos_prob", EOS)):
            values = np.zeros(len(doc), dtype="float32")
            values[indices] = prob[end - len(indices) : end, column]
            doc.spans[su_key].attrs[name] = values
