"""Write decoded units onto a Doc: span groups with scores, probabilities of tokens."""

from collections.abc import Sequence

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup

from ..arrays import Floats1d, Floats2d, Ints1d
from ..units import NSU, SU, Unit
from .decode import sigmoid
from .model import BOS, EOS


def write_span_groups(
    doc: Doc, units: Sequence[Unit], scores: Floats1d, *, su_key: str, nsu_key: str
) -> None:
    """Set both span groups, also when empty, each with `attrs["scores"]`.

    units: In tokens of the Doc, without white space at their edges.
    scores: One for each unit, in [0, 1].
    """
    for key, kind in ((su_key, SU), (nsu_key, NSU)):
        chosen = [i for i, unit in enumerate(units) if unit.label == kind]
        label = doc.vocab.strings.add(kind)
        spans = [Span(doc, units[i].start, units[i].end, label=label) for i in chosen]
        group = SpanGroup(doc, name=key, spans=spans)
        group.attrs["scores"] = np.asarray([scores[i] for i in chosen], dtype="float32")
        doc.spans[key] = group


def write_probs(doc: Doc, tokens: Ints1d, flags: Floats2d, *, su_key: str) -> None:
    """Store P(BOS) and P(EOS) of every token with the span group of SUs, where DocBin keeps them.

    tokens: Indices of the tokens that are not white space; the others get 0.
    flags: (n_tokens, N_FLAGS) logits of those tokens.
    """
    prob = sigmoid(flags)
    for name, column in (("bos_prob", BOS), ("eos_prob", EOS)):
        values = np.zeros(len(doc), dtype="float32")
        values[tokens] = prob[:, column]
        doc.spans[su_key].attrs[name] = values


def unit_on_doc(unit: Unit, tokens: Ints1d) -> Unit:
    """Turn positions among the tokens that are not white space into tokens of the Doc."""
    return Unit(int(tokens[unit.start]), int(tokens[unit.end - 1]) + 1, unit.label)
