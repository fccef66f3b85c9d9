"""Carry gold units over to the tokens of a prediction, by characters (App. C).

Tokens here are those that are not white space, counted from 0. A token belongs to the unit that
holds its first character; a border of a unit that falls inside a token is unknown, not guessed.
"""

from typing import NamedTuple

import numpy as np
from spacy.attrs import IDX, IS_SPACE, LENGTH, ORTH, SPACY
from spacy.tokens import Doc
from spacy.training import Example

from ..arrays import Ints1d
from ..units import NSU, SU, Unit


class AlignedGold(NamedTuple):
    """The gold of one Example on the predicted tokens that are not white space."""

    units: list[Unit]  # in text order; they need not cover every token
    known: np.ndarray  # (n_tokens,) bool: the token lies in a unit, and no border is inside it


def align_gold(example: Example, *, su_key: str, nsu_key: str) -> AlignedGold | None:
    """Align the gold of an Example; None if its reference has no group `su_key`.

    Raises ValueError if the two sides have different text.
    """
    gold, pred = example.reference, example.predicted
    if su_key not in gold.spans:
        return None
    check_same_text(gold, pred)
    starts, ends = token_characters(pred)
    units: list[Unit] = []
    known = np.zeros(len(starts), dtype=bool)
    spans = [(span.start_char, span.end_char, SU) for span in gold.spans[su_key]]
    if nsu_key in gold.spans:
        spans += [(span.start_char, span.end_char, NSU) for span in gold.spans[nsu_key]]
    cut: list[int] = []  # tokens with a border inside
    taken = 0
    for start_char, end_char, label in sorted(spans):
        for border in (start_char, end_char):
            token = int(np.searchsorted(starts, border)) - 1
            if token >= 0 and ends[token] > border:
                cut.append(token)
        start = max(int(np.searchsorted(starts, start_char)), taken)
        end = int(np.searchsorted(starts, end_char))
        if end <= start:
            continue
        known[start:end] = True
        units.append(Unit(start, end, label))
        if start and ends[start - 1] > start_char:  # the unit starts inside the token before
            cut.append(start)
        taken = end
    known[cut] = False
    return AlignedGold(units, known)


def token_characters(doc: Doc) -> tuple[Ints1d, Ints1d]:
    """Find the characters [start, end) of the tokens of a Doc that are not white space."""
    array = doc.to_array([IDX, LENGTH, IS_SPACE]).reshape(len(doc), 3).astype("int64")
    array = array[array[:, 2] == 0]
    return array[:, 0], array[:, 0] + array[:, 1]


def check_same_text(gold: Doc, pred: Doc) -> None:
    """Raise ValueError if two Docs have different text, white space at its end aside."""
    # Comparing tokens is quicker than putting texts together, and mostly enough.
    tokens, others = (doc.to_array([ORTH, SPACY]) for doc in (gold, pred))
    if not np.array_equal(tokens, others) and gold.text.rstrip() != pred.text.rstrip():
        raise ValueError(
            f"Gold and predicted text differ: found {gold.text[:40]!r} and {pred.text[:40]!r}, "
            "expected the same characters. Make the predicted side with nlp.make_doc(gold.text)."
        )
