"""Access the units of a Doc in text order, with their labels, kinds and scores.

doc.spans -> units with scores -> loops, a table, extension attributes
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from spacy.tokens import Doc, Span, SpanGroup

from ...text.units import NSU, NSU_KINDS, SU

if TYPE_CHECKING:
    import pandas as pd

SU_KEY, NSU_KEY = "su", "nsu"  # default keys of the span groups
# Attribute of a group -> field of UnitSpan.
SCORES = {"scores": "score", "label_scores": "label_score", "kind_scores": "kind_score"}


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
    def is_sentence(self) -> bool:
        """True for an SU."""
        return self.label == SU


def iter_units(
    doc: Doc, *, su_key: str | None = None, nsu_key: str | None = None
) -> Iterator[UnitSpan]:
    """Iterate over the units of a Doc in text order.

    su_key, nsu_key: Keys of the span groups. By default "su" and "nsu", or else the keys of the
        groups that a component has written.
    RETURNS: An iterator. It is empty if the Doc has no tokens other than white space.

    Raises ValueError if the Doc has no such groups.

    >>> from spacy_sentid import iter_units, load
    >>> for unit in iter_units(load("en")("Page 3\\n\\nI like cats.")):
    ...     print(unit.start_char, unit.label, unit.kind, unit.text)
    0 NSU METADATA Page 3
    8 SU None I like cats.
    """
    keys = find_keys(doc, su_key, nsu_key)
    groups = [(doc.spans[key], label) for key, label in keys if key in doc.spans]
    units = [unit for group, label in groups for unit in _read_group(group, label)]
    return iter(sorted(units, key=lambda unit: unit.span.start))


def find_unit(doc: Doc, token: int) -> UnitSpan | None:
    """Find the unit that contains a token. The time is logarithmic in the number of units.

    token: Index of the token.
    RETURNS: The unit; None for white space between units.

    Raises ValueError if the Doc has no units (see `iter_units`).
    """
    groups = [(doc.spans[key], label) for key, label in find_keys(doc) if key in doc.spans]
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


def find_keys(
    doc: Doc, su_key: str | None = None, nsu_key: str | None = None
) -> tuple[tuple[str, str], tuple[str, str]]:
    """Find the span groups with the units of a Doc: (key, SU), (key, NSU). See `iter_units`.

    Groups with other keys than "su" and "nsu" are recognized by their scores.
    """
    if su_key is None or nsu_key is None:
        su_key, nsu_key = _complete_keys(doc, su_key, nsu_key)
    if su_key not in doc.spans:
        raise ValueError(
            f"The Doc must have spans[{su_key!r}], got the keys {', '.join(doc.spans) or 'none'}. "
            "Run the component 'sentence_identifier' on it, or use the key that it writes."
        )
    return (su_key, SU), (nsu_key, NSU)


def to_dataframe(docs: Doc | Iterable[Doc]) -> "pd.DataFrame":
    """Make a table of the units of Docs, one row for each unit. Needs pandas.

    docs: A Doc, a list, or a stream such as `nlp.pipe(texts)`, which is read once.
    RETURNS: A DataFrame with the columns "doc" (index of the Doc, from 0), "start_char",
        "end_char", "label", "kind", "score", "label_score", "kind_score" and "text".

    Raises ImportError if pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            f"pandas must be installed for to_dataframe, got the error: {error}. Install it with: "
            "pip install pandas"
        ) from error
    columns: dict[str, list[Any]] = {name: [] for name in ("doc", "start_char", "end_char")}
    names = ("label", "kind", *SCORES.values(), "text")
    columns.update({name: [] for name in names})
    for index, doc in enumerate([docs] if isinstance(docs, Doc) else docs):
        for unit in iter_units(doc):
            columns["doc"].append(index)
            for name in ("start_char", "end_char", *names):
                columns[name].append(getattr(unit, name))
    # An empty table has the same types, so that it can be joined with others.
    types: dict[str, Any] = dict.fromkeys(columns, pd.Series([""]).dtype)
    types |= dict.fromkeys(("doc", "start_char", "end_char"), "int64")
    types |= dict.fromkeys(SCORES.values(), "float64")
    return pd.DataFrame(columns).astype(types)


def _complete_keys(doc: Doc, su_key: str | None, nsu_key: str | None) -> tuple[str, str]:
    """Find the keys that are None: the default ones, or those of groups with scores."""
    scored = [key for key, group in doc.spans.items() if "label_scores" in group.attrs]
    if su_key is None and nsu_key != SU_KEY and SU_KEY in doc.spans:
        su_key = SU_KEY
    if nsu_key is None and su_key != NSU_KEY and NSU_KEY in (doc.spans if su_key else scored):
        nsu_key = NSU_KEY
    others = [key for key in scored if key not in (su_key, nsu_key)]
    if su_key is None and nsu_key is None and len(others) == 2:
        if _labels(doc.spans[others[0]]) - {SU} or SU in _labels(doc.spans[others[1]]):
            others.reverse()
        su_key, nsu_key = others
    elif len(others) == 1:
        su_key, nsu_key = su_key or others[0], nsu_key or others[0]
    return su_key or SU_KEY, nsu_key or NSU_KEY


def _labels(group: SpanGroup) -> set[str]:
    """Return the label of the first span of a group; {} for an empty group."""
    return {group[0].label_} if len(group) else set()


def _read_group(group: SpanGroup, label: str) -> Iterator[UnitSpan]:
    """Read the units of a span group, with scores if the group has one for each span."""
    columns = [_read_scores(group, name) for name in SCORES]
    for span, *scores in zip(group, *columns, strict=True):
        yield UnitSpan(span, label, _find_kind(span, label), *scores)


def _read_scores(group: SpanGroup, name: str) -> list[Any]:
    scores = group.attrs.get(name)
    if scores is None or len(scores) != len(group):
        return [None] * len(group)
    return list(map(float, scores))


def _read_unit(group: SpanGroup, i: int, label: str) -> UnitSpan:
    span = group[i]
    scores = (group.attrs.get(name) for name in SCORES)
    found = (None if s is None or len(s) != len(group) else float(s[i]) for s in scores)
    return UnitSpan(span, label, _find_kind(span, label), *found)


def _find_kind(span: Span, label: str) -> str | None:
    return span.label_ if label == NSU and span.label_ in NSU_KINDS else None
