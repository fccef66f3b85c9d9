"""Write decoded units onto a Doc: span groups with scores, sentence starts."""

from collections.abc import Sequence

import numpy as np
from spacy.attrs import DEP, IS_SPACE, SENT_START
from spacy.tokens import Doc, Span, SpanGroup

from ..arrays import Floats1d, Floats2d, Ints1d, Ints2d
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


def is_parsed(doc: Doc) -> bool:
    """Whether a token other than white space has a relation.

    The attribute ruler gives relations to white space; `Doc.has_annotation` takes that for a parse.
    """
    rows = doc.to_array([DEP, IS_SPACE]).reshape(len(doc), 2)
    return bool(((rows[:, 0] != 0) & (rows[:, 1] == 0)).any())


def write_sentence_starts(doc: Doc, starts: Ints1d, *, overwrite: bool) -> None:
    """Let a sentence start at each of the tokens `starts`, in one array write.

    Tokens whose start is set already keep it, and a parsed Doc is left alone, unless `overwrite`.
    White space before the first unit belongs to the first sentence.
    """
    if not len(doc) or (is_parsed(doc) and not overwrite):
        return
    values = np.full(len(doc), -1, dtype="int64")
    values[starts[1:]] = 1
    values[0] = 1
    if not overwrite:
        before = doc.to_array(SENT_START).astype("int64").reshape(-1)
        values = np.where(before == 0, values, before)
    column: Ints2d = values.astype("uint64").reshape(-1, 1)
    doc.from_array([SENT_START], column)


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
