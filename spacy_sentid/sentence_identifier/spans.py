"""The units of a Doc: its span groups, written and read.

units with scores -> doc.spans -> units in characters, or records with "start_char", "end_char",
"label" and "score"
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from ..arrays import Floats1d, Floats2d, Ints1d, sigmoid
from ..pipelines import find
from ..units import NSU, SU, Unit
from .boundaries import BOS, EOS

FACTORY = "sentence_identifier"
N_DIGITS = 4  # of the scores in records


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


def write_probs(doc: Doc, tokens: Ints1d, flags: Floats2d, su_key: str) -> None:
    """Store P(BOS) and P(EOS) of every token with the span group of SUs, where DocBin keeps them.

    tokens: Indices of the tokens that are not white space; the others get 0.
    flags: (n_tokens, N_FLAGS) logits of those tokens.
    """
    prob = sigmoid(flags)
    for name, column in (("bos_prob", BOS), ("eos_prob", EOS)):
        values = np.zeros(len(doc), dtype="float32")
        values[tokens] = prob[:, column]
        doc.spans[su_key].attrs[name] = values


def read_units(doc: Doc, *, su_key: str = "su", nsu_key: str = "nsu") -> list[Unit]:
    """Read the units of a Doc in characters, in text order.

    Raises ValueError if the Doc has no group `su_key`.
    """
    if su_key not in doc.spans:
        raise ValueError(
            f"The pipeline wrote no spans[{su_key!r}] (found keys: {', '.join(doc.spans) or 'none'}"
            "). Add the component 'sentence_identifier', or name the key that it writes."
        )
    units = [
        Unit(span.start_char, span.end_char, label)
        for key, label in ((su_key, SU), (nsu_key, NSU))
        for span in doc.spans.get(key, [])
    ]
    return sorted(units)


def find_span_keys(nlp: Language) -> tuple[str, str]:
    """Find the keys of the span groups of SUs and NSUs that a pipeline writes.

    Raises ValueError if it has no sentence identifier.
    """
    pipe = find(nlp, FACTORY)
    return pipe.cfg["su_key"], pipe.cfg["nsu_key"]


def list_units(doc: Doc, *, su_key: str, nsu_key: str) -> list[dict[str, Any]]:
    """List the units of a Doc in text order, in characters, with their scores: records for JSON."""
    units = [
        {
            "start_char": span.start_char,
            "end_char": span.end_char,
            "label": label,
            "score": round(float(score), N_DIGITS),
        }
        for key, label in ((su_key, SU), (nsu_key, NSU))
        for span, score in zip(doc.spans[key], doc.spans[key].attrs["scores"], strict=True)
    ]
    return sorted(units, key=lambda unit: unit["start_char"])
