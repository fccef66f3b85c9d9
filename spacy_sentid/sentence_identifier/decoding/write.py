"""Write the units of a Doc to its span groups.

ScoredUnits -> doc.spans["su"], doc.spans["nsu"], with the scores of their spans
"""

from collections.abc import Iterable

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup

from ...arrays import Floats2d, sigmoid
from ...text.units import SU
from ..network.boundaries import BOS, EOS
from ..network.tokens import BatchTokens
from .decode import ScoredUnits


def write_span_groups(doc: Doc, found: ScoredUnits, *, su_key: str, nsu_key: str) -> None:
    """Set both span groups, even if empty, each with the attributes "scores" and "label_scores".

    The group of NSUs also has "kind_scores" if there are kinds.

    found: Units in tokens of the Doc, without white space at their edges.
    """
    hashes = {label: doc.vocab.strings.add(label) for label in {unit.label for unit in found.units}}
    is_su = np.asarray([unit.label == SU for unit in found.units], dtype=bool)
    spans = [Span(doc, start, end, label=hashes[label]) for start, end, label in found.units]
    for key, chosen in ((su_key, is_su), (nsu_key, ~is_su)):
        group = SpanGroup(doc, name=key, spans=[spans[i] for i in np.flatnonzero(chosen).tolist()])
        group.attrs["scores"] = found.scores[chosen].astype("float32")
        group.attrs["label_scores"] = found.label_scores[chosen].astype("float32")
        doc.spans[key] = group
    if found.kind_scores is not None:
        doc.spans[nsu_key].attrs["kind_scores"] = found.kind_scores[~is_su].astype("float32")


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
