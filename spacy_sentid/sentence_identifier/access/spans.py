"""Read and write the span groups of a Doc that hold its units.

units with scores -> doc.spans -> units in characters, or records for JSON
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from ...arrays import Floats2d, sigmoid
from ...components.pipelines import find
from ...text.units import NSU, NSU_KINDS, SU, Unit
from ..decoding.decode import ScoredUnits
from ..network.boundaries import BOS, EOS
from ..network.tokens import BatchTokens
from .units import NSU_KEY, SCORES, SU_KEY, UnitSpan, find_keys, iter_units

FACTORY = "sentence_identifier"
N_DIGITS = 4  # number of decimal places of the scores in records


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


def read_units(
    doc: Doc, *, su_key: str = SU_KEY, nsu_key: str = NSU_KEY, with_kinds: bool = False
) -> list[Unit]:
    """Read the units of a Doc in characters, in text order.

    with_kinds: Label an NSU with its kind, if its span has one of NSU_KINDS. Otherwise, the label
        is NSU.

    Raises ValueError if the Doc has no group `su_key`.
    """
    find_keys(doc, su_key, nsu_key)
    kinds = NSU_KINDS if with_kinds else ()
    units = [Unit(span.start_char, span.end_char, SU) for span in doc.spans[su_key]]
    units += [
        Unit(span.start_char, span.end_char, span.label_ if span.label_ in kinds else NSU)
        for span in doc.spans.get(nsu_key, [])
    ]
    return sorted(units)


def find_span_keys(nlp: Language) -> tuple[str, str]:
    """Find the keys of the span groups of SUs and NSUs that a pipeline writes.

    Raises ValueError if it has no sentence identifier.
    """
    pipe = find(nlp, FACTORY)
    return pipe.cfg["su_key"], pipe.cfg["nsu_key"]


def list_units(doc: Doc, *, su_key: str, nsu_key: str) -> list[dict[str, Any]]:
    """List the units of a Doc in text order, as records for JSON.

    RETURNS: For each unit "start_char", "end_char", "label" (SU or NSU), "score" (probability that
        the unit is right) and "label_score" (probability that the label is right). If the model has
        learned kinds, NSUs also have "kind", such as "HEADING", and "kind_score" (probability that
        the kind is right).
    """
    return [_make_record(unit) for unit in iter_units(doc, su_key=su_key, nsu_key=nsu_key)]


def _make_record(unit: UnitSpan) -> dict[str, Any]:
    record = {"start_char": unit.start_char, "end_char": unit.end_char, "label": unit.label}
    if unit.kind is not None:
        record["kind"] = unit.kind
    for name in SCORES.values():
        score = getattr(unit, name)
        if score is not None:
            record[name] = round(score, N_DIGITS)
    return record
