"""Align the gold of Examples to the tokens of the prediction, by characters (App. C).

White-space tokens are not counted. A token belongs to the unit that contains its first character.
If a unit boundary is inside a token, the flags of that token are unknown.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from spacy.attrs import IDX, IS_SPACE, LENGTH, ORTH, SPACY
from spacy.tokens import Doc
from spacy.training import Example

from ...arrays import Bools1d, Ints1d
from ...text.units import NSU, NSU_KINDS, SU, Unit
from ..access.units import Keys


class Gold(NamedTuple):
    """The gold of one Example."""

    units: list[Unit] | None  # in text order, perhaps with gaps; None = not annotated
    known: Bools1d  # (n_tokens,) the token is in a unit, and no boundary is inside it
    # (n_tokens,) token of the gold Doc that starts at the same character; -1 = none.
    tokens: Ints1d


def read_gold(example: Example, keys: Keys) -> Gold:
    """Read the gold of an Example.

    Raises ValueError if there is gold and the two sides have different texts.
    """
    gold, pred = example.reference, example.predicted
    starts, ends = token_characters(pred)
    tokens = _tokens_at(gold, starts)
    known = np.zeros(len(tokens), dtype=bool)
    if keys.su not in gold.spans:
        return Gold(None, known, tokens)
    check_same_text(gold, pred)
    spans = [(span, SU) for span in gold.spans[keys.su]]
    spans += [
        (span, span.label_ if span.label_ in NSU_KINDS else NSU)
        for span in gold.spans.get(keys.nsu, [])
    ]
    bounds = np.asarray([(span.start_char, span.end_char) for span, _ in spans]).reshape(-1, 2)
    after = np.searchsorted(starts, bounds)  # first token that starts at each boundary or later
    is_inside = (after > 0) & (np.append(ends, 0)[after - 1] > bounds)
    cut = (after - 1)[is_inside].tolist()  # tokens with a boundary inside
    labels = [label for _, label in spans]
    places = zip(*after.T.tolist(), labels, is_inside[:, 0].tolist(), strict=True)
    units: list[Unit] = []
    taken = 0
    for start, end, label, starts_inside in sorted(places):
        first = max(start, taken)
        if end > first:
            units.append(Unit(first, end, label))
            known[first:end] = True
            if starts_inside or start < taken:
                cut.append(first)
            taken = end
    known[cut] = False
    return Gold(units, known, tokens)


def read_golds(examples: Iterable[Example], keys: Keys, *, name: str) -> list[Gold]:
    """Read the gold of a batch.

    name: Name of the component, for the message.

    Raises ValueError if no Example has gold.
    """
    examples = list(examples)
    golds = [read_gold(example, keys) for example in examples]
    if all(gold.units is None for gold in golds):
        raise ValueError(no_gold_message(examples, keys.su, name))
    return golds


def token_characters(doc: Doc) -> tuple[Ints1d, Ints1d]:
    """Find the characters [start, end) of the tokens of a Doc that are not white space."""
    array = doc.to_array([IDX, LENGTH, IS_SPACE]).reshape(len(doc), 3).astype("int64")
    array = array[array[:, 2] == 0]
    return array[:, 0], array[:, 0] + array[:, 1]


def check_same_text(gold: Doc, pred: Doc) -> None:
    """Raise ValueError if two Docs have different texts, except for white space at the end."""
    # Compare the tokens first: it is faster than joining the texts, and usually enough.
    if not _same_tokens(gold, pred) and gold.text.rstrip() != pred.text.rstrip():
        raise ValueError(
            f"Gold and predicted text must be the same, got {gold.text[:40]!r} and "
            f"{pred.text[:40]!r}. Make the predicted side with nlp.make_doc(gold.text)."
        )


def _same_tokens(gold: Doc, pred: Doc) -> bool:
    return np.array_equal(gold.to_array([ORTH, SPACY]), pred.to_array([ORTH, SPACY]))


def _tokens_at(doc: Doc, starts: Ints1d) -> Ints1d:
    """Find the tokens that start at the given characters; -1 = none."""
    offsets = doc.to_array(IDX).astype("int64").reshape(-1)
    if not len(offsets):
        return np.full(len(starts), -1)
    tokens = np.minimum(np.searchsorted(offsets, starts), len(offsets) - 1)
    return np.where(offsets[tokens] == starts, tokens, -1)


def has_kinds(examples: Iterable[Example], nsu_key: str) -> bool:
    """Check if gold has the kind of at least one NSU."""
    spans = (span for eg in examples for span in eg.reference.spans.get(nsu_key, ()))
    return any(span.label_ in NSU_KINDS for span in spans)


def no_gold_message(examples: Iterable[Example], su_key: str, name: str) -> str:
    """Format the error or warning of a component that has no gold to learn from."""
    found = sorted({key for example in examples for key in example.reference.spans})
    return (
        f"At least one Doc must have gold in spans[{su_key!r}], got the keys "
        f"{', '.join(found) or 'none'}. Convert the corpus with 'spacy-sentid treebank convert', "
        f"or set 'su_key' of {name!r} to the key of the SUs."
    )
