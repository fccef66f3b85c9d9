"""Write decoded units onto a Doc: span groups with scores, probabilities of tokens."""

from collections.abc import Sequence

import numpy as np
from spacy.tokens import Doc, Span, SpanGroup

from ..arrays import Floats1d, Floats2d, Ints1d
from ..units import NSU, SU, Unit
from .bos_eos import sigmoid
from .boundaries import BOS, EOS


def write_span_groups(
    doc: Doc, units: Sequence[Unit], scores: Floats1d, *, su_key: str, nsu_key: str
) -> None:
    """Set both span groups, also when empty, each with `attrs["scores"]`.

    units: In tokens of the Doc, without white space at their edges.
    scores: One for each unit, in [0, 1].
    """
    groups: dict[str, tuple[list[Span], list[float]]] = {SU: ([], []), NSU: ([], [])}
    hashes = {label: doc.vocab.strings.add(label) for label in groups}
    for (start, end, label), score in zip(units, scores.tolist(), strict=True):
        spans, span_scores = groups[label]
        spans.append(Span(doc, start, end, label=hashes[label]))
        span_scores.append(score)
    for key, label in ((su_key, SU), (nsu_key, NSU)):
        spans, span_scores = groups[label]
        doc.spans[key] = SpanGroup(doc, name=key, spans=spans)
        doc.spans[key].attrs["scores"] = np.asarray(span_scores, dtype="float32")


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
