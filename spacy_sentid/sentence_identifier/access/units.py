"""Set the units of a Doc, and read them in text order, with their labels, kinds and scores.

units -> doc.spans -> units with scores -> loops, a table, extension attributes
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup

from ...components.pipelines import find
from ...text.units import NSU, NSU_KINDS, SU, Unit

if TYPE_CHECKING:
    import pandas as pd

FACTORY = "sentence_identifier"
SU_KEY, NSU_KEY = "su", "nsu"
# Attribute of a group -> field of UnitSpan.
SCORES = {"scores": "score", "label_scores": "label_score", "kind_scores": "kind_score"}


class Keys(NamedTuple):
    """Keys of the span groups of SUs and NSUs."""

    su: str = SU_KEY
    nsu: str = NSU_KEY


class UnitSpan(NamedTuple):
    """One unit of a Doc.

    span: The unit as a span of the Doc.
    label: SU or NSU.
    kind: Kind of an NSU, such as "HEADING". None for an SU, or if the kind is not known.
    score: Probability in [0, 1] that the unit is exactly right.
    label_score, kind_score: Probability in [0, 1] that the label or the kind is right.

    A score is None if the span group does not have it.
    """

    span: Span
    label: str
    kind: str | None = None
    score: float | None = None
    label_score: float | None = None
    kind_score: float | None = None

    @property
    def text(self) -> str:
        """The text of the unit."""
        return self.span.text

    @property
    def start_char(self) -> int:
        """The offset of the first character in `doc.text`."""
        return self.span.start_char

    @property
    def end_char(self) -> int:
        """The offset after the last character in `doc.text`."""
        return self.span.end_char

    @property
    def is_su(self) -> bool:
        """True for an SU, False for an NSU."""
        return self.label == SU


def iter_units(doc: Doc, keys: tuple[str, str] = Keys()) -> Iterator[UnitSpan]:
    """Iterate over the units of a Doc in text order.

    keys: Keys of the span groups of SUs and NSUs, if the component has others.
    RETURNS: An iterator. It is empty if the Doc has no tokens other than white space.

    Raises ValueError if the Doc has no group of SUs, or if its tokens were merged since then.

    >>> from spacy_sentid import iter_units, load
    >>> for unit in iter_units(load("en")("Page 3\\n\\nI like cats.")):
    ...     print(unit.start_char, unit.label, unit.kind, unit.text)
    0 NSU METADATA Page 3
    8 SU None I like cats.
    """
    groups = list_groups(doc, keys)
    units = [_read_unit(group, i, label) for group, label in groups for i in range(len(group))]
    return iter(sorted(units, key=lambda unit: unit.span.start))


def units_from_doc(doc: Doc, keys: tuple[str, str] = Keys()) -> list[Unit]:
    """Read the units of a Doc in characters, in text order. The label of an NSU is its kind.

    Raises ValueError if the Doc has no group of SUs.
    """
    return [
        Unit(unit.start_char, unit.end_char, unit.kind or unit.label)
        for unit in iter_units(doc, keys)
    ]


def find_span_keys(nlp: Language) -> Keys:
    """Find the keys of the span groups that a pipeline writes.

    Raises ValueError if it has no sentence identifier.
    """
    keys: Keys = find(nlp, FACTORY).keys
    return keys


def find_unit(doc: Doc, token: int) -> UnitSpan | None:
    """Find the unit that contains a token. The time is logarithmic in the number of units.

    token: Index of the token.
    RETURNS: The unit; None for white space between units.

    Raises ValueError if the Doc has no units (see `iter_units`).
    """
    groups = list_groups(doc)
    for group, label in groups:
        i = bisect_right(group, token, key=attrgetter("start")) - 1
        if i >= 0 and token < group[i].end:
            return _read_unit(group, i, label)
    if not doc[token].is_space:
        # A group that was made by hand may be in another order than the text.
        for group, label in groups:
            for i, span in enumerate(group):
                if span.start <= token < span.end:
                    return _read_unit(group, i, label)
    return None


def list_groups(doc: Doc, keys: tuple[str, str] = Keys()) -> list[tuple[SpanGroup, str]]:
    """List the span groups of the units of a Doc, each with the label SU or NSU.

    Raises TypeError if `doc` is no Doc, and ValueError as `iter_units`.
    """
    if not isinstance(doc, Doc):
        raise TypeError(f"'doc' must be a Doc, got {type(doc).__name__}. Run nlp(text) first.")
    if keys[0] not in doc.spans:
        raise ValueError(
            f"The Doc must have spans[{keys[0]!r}], got the keys {', '.join(doc.spans) or 'none'}. "
            "Run the component 'sentence_identifier' on it, or name the keys that it writes."
        )
    groups = [
        (doc.spans[key], label)
        for key, label in zip(keys, (SU, NSU), strict=True)
        if key in doc.spans
    ]
    try:
        _ = [group[-1] for group, _ in groups if len(group)]
    except IndexError as error:
        raise ValueError(
            "The tokens of a Doc must not be merged after its units were found. Put the component "
            "that merges them before 'sentence_identifier'."
        ) from error
    return groups


def set_units(
    doc: Doc,
    units: Sequence[Unit],
    keys: tuple[str, str] = Keys(),
    scores: Mapping[str, np.ndarray] | None = None,
) -> None:
    """Set both span groups, even if empty.

    units: In tokens of the Doc, without white space at their edges. The labels are SU, NSU or kinds
        of NSU, and become the labels of the spans.
    scores: Scores of the units, by the name of the attribute of the groups.
    """
    hashes = {label: doc.vocab.strings.add(label) for label in {unit.label for unit in units}}
    spans = [Span(doc, start, end, label=hashes[label]) for start, end, label in units]
    is_su = np.asarray([unit.label == SU for unit in units], dtype=bool)
    for key, chosen in zip(keys, (is_su, ~is_su), strict=True):
        group = SpanGroup(doc, name=key, spans=[spans[i] for i in np.flatnonzero(chosen).tolist()])
        for name, values in (scores or {}).items():
            group.attrs[name] = values[chosen].astype("float32")
        doc.spans[key] = group


def to_dataframe(
    docs: Doc | Iterable[Doc | tuple[Doc, Any]], keys: tuple[str, str] = Keys()
) -> "pd.DataFrame":
    """Make a table of the units of Docs, one row for each unit. Needs pandas.

    docs: A Doc, a list, or a stream, which is read once. Pass `nlp.pipe(texts)`, or keep the ids of
        your texts with `nlp.pipe(zip(texts, ids), as_tuples=True)`.
    keys: See `iter_units`.
    RETURNS: A DataFrame with the columns "doc" (the id, or the index of the Doc from 0),
        "start_char", "end_char", "is_su", "label", "kind", "score", "label_score", "kind_score" and
        "text". SUs have no kind, and a Doc without words has no row.
    """
    import pandas as pd

    names = ["start_char", "end_char", "is_su", "label", "kind", *SCORES.values(), "text"]
    pairs = (
        pair if isinstance(pair, tuple) else (pair, index)
        for index, pair in enumerate([docs] if isinstance(docs, Doc) else docs)
    )
    rows = [
        [key, *(getattr(unit, name) for name in names)]
        for doc, key in pairs
        for unit in iter_units(doc, keys)
    ]
    # An empty table has the same types, so that it can be joined with others.
    types: dict[str, Any] = dict.fromkeys(names, pd.Series([""]).dtype)
    types |= {"start_char": "int64", "end_char": "int64", "is_su": "bool"}
    types |= dict.fromkeys(SCORES.values(), "float64")
    if not rows:
        types["doc"] = "int64"
    return pd.DataFrame(rows, columns=["doc", *names]).astype(types)


def _read_unit(group: SpanGroup, i: int, label: str) -> UnitSpan:
    """Read a unit of a span group, with the scores that the group has for each span."""
    span = group[i]
    kind = span.label_ if label == NSU and span.label_ in NSU_KINDS else None
    scores = (group.attrs.get(name) for name in SCORES)
    found = (None if s is None or len(s) != len(group) else float(s[i]) for s in scores)
    return UnitSpan(span, label, kind, *found)
