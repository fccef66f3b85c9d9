"""Docs made of some tokens of another Doc, with all annotations of these tokens.

Each annotation is copied directly, as a round trip over `Example.to_dict` would lose sentence
starts, and the scores and ids of spans.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.attrs import (
    DEP,
    ENT_ID,
    ENT_IOB,
    ENT_KB_ID,
    ENT_TYPE,
    HEAD,
    IS_SPACE,
    LEMMA,
    MORPH,
    NORM,
    POS,
    SENT_START,
    TAG,
)
from spacy.tokens import Doc, Span, SpanGroup

from ..arrays import Ints2d

TOKEN_ATTRS = [NORM, TAG, POS, MORPH, LEMMA]
ENT_ATTRS = [ENT_IOB, ENT_TYPE, ENT_KB_ID, ENT_ID]
MISSING, INSIDE, BEGINS = 0, 1, 3  # values of ENT_IOB
EXTENSION = "._."  # the mark of a custom attribute in `Doc.user_data`


def keep_tokens(doc: Doc, tokens: Sequence[int]) -> Doc:
    """Make a Doc of only some tokens. Spans and entities around removed tokens become shorter.

    tokens: Ascending indices of the tokens to keep. Other tokens must not be heads of kept ones,
        except of white space, which is attached to the token before it. Where tokens are removed,
        the token before them is followed by white space.
    RETURNS: A Doc with the same vocab. Entities and spans lose the removed tokens, and are dropped
        if they have no others. `cats` and user data are kept.
    """
    spaces = [bool(doc[i].whitespace_) for i in tokens]
    for n, (i, after) in enumerate(pairwise([*tokens, len(doc)])):
        if after > i + 1:
            follows = after < len(doc) and not doc[after].is_space
            spaces[n] = bool(doc[after - 1].whitespace_) or follows
    new = _copy_tokens(doc, tokens, spaces, is_part=False)
    places = {token: n for n, token in enumerate(tokens)}
    for key, group in doc.spans.items():
        kept = [[places[i] for i in range(s.start, s.end) if i in places] for s in group]
        _copy_group(new, key, group, [(p[0], p[-1] + 1) if p else None for p in kept])
    new.cats = dict(doc.cats)
    return new


def extract_tokens(doc: Doc, start: int, end: int) -> Doc:
    """Make a Doc of the tokens `[start, end)`, which must form a tree with a single root.

    Annotations of a whole do not apply to a part. Tokens of an entity that is cut get missing
    entity annotation. Span groups with a span that is cut are dropped, as are `cats` and the user
    data of the Doc.
    """
    tokens = range(start, end)
    spaces = [bool(doc[i].whitespace_) for i in tokens[:-1]]
    new = _copy_tokens(doc, tokens, [*spaces, False], is_part=True)
    for key, group in doc.spans.items():
        touched = [span.start < end and span.end > start for span in group]
        inside = [start <= span.start and span.end <= end for span in group]
        if all(whole or not part for part, whole in zip(touched, inside, strict=True)):
            bounds = [
                (span.start - start, span.end - start) if whole else None
                for span, whole in zip(group, inside, strict=True)
            ]
            _copy_group(new, key, group, bounds)
    return new


def _copy_tokens(doc: Doc, tokens: Sequence[int], spaces: list[bool], *, is_part: bool) -> Doc:
    """Copy tokens with their annotations and user data.

    is_part: Mark entities that are cut as missing annotation, and drop user data of the whole Doc.
    """
    words = [doc[i].text for i in tokens]
    new = Doc(doc.vocab, words=words, spaces=None if doc.has_unknown_spaces else spaces)
    _copy_user_data(doc, new, tokens, is_part=is_part)
    if not len(tokens):
        return new
    kept = np.asarray(tokens, dtype="int64")
    attrs = [*TOKEN_ATTRS, *ENT_ATTRS]
    values = doc.to_array(attrs)[kept]
    _fix_ents(doc, kept, values[:, len(TOKEN_ATTRS) :], cut_is_missing=is_part)
    if doc.has_annotation("DEP"):
        # Sentence starts follow from the tree; both cannot be set.
        heads = doc.to_array(HEAD)[kept].astype("int64") + kept
        places = np.full(len(doc), -1, dtype="int64")
        places[kept] = np.arange(len(kept))
        new_heads = places[heads]
        here = np.arange(len(kept))
        # A word whose head is outside becomes the root. White space is attached to a neighbour.
        is_space = doc.to_array(IS_SPACE)[kept].astype(bool)
        neighbours = np.where(here > 0, here - 1, min(1, len(kept) - 1))
        outside = new_heads < 0
        new_heads = np.where(outside, np.where(is_space, neighbours, here), new_heads)
        deps = doc.to_array(DEP)[kept]
        deps[outside & ~is_space & (deps != 0)] = doc.vocab.strings.add("ROOT")
        columns = [(new_heads - here).astype("uint64"), deps]
        attrs += [HEAD, DEP]
    else:
        columns = [doc.to_array(SENT_START)[kept]]
        attrs.append(SENT_START)
    rows: Any = np.column_stack([values, *columns])
    new.from_array(attrs, rows)
    if len(doc.tensor) == len(doc):
        new.tensor = doc.tensor[kept]
    return new


def _fix_ents(doc: Doc, kept: Any, ents: Ints2d, *, cut_is_missing: bool) -> None:
    """Move the start of entities that lost their first token.

    cut_is_missing: Mark entities that are cut at the first or last token as missing annotation.
    """
    if cut_is_missing:
        first, last = kept[0], kept[-1]
        for ent in doc.ents:
            if (ent.start < first <= ent.end - 1) or (ent.start <= last < ent.end - 1):
                ents[(kept >= ent.start) & (kept < ent.end)] = MISSING
    starts_late = np.ones(len(kept), dtype=bool)
    starts_late[1:] = kept[1:] != kept[:-1] + 1
    begins = starts_late & (ents[:, 0] == INSIDE)
    for n in np.flatnonzero(begins).tolist():
        # The token before may be part of the same entity if tokens between them were removed.
        ent = next(ent for ent in doc.ents if ent.start <= kept[n] < ent.end)
        if n == 0 or kept[n - 1] < ent.start:
            ents[n, 0] = BEGINS


def _copy_group(
    new: Doc, key: str, group: SpanGroup, bounds: Sequence[tuple[int, int] | None]
) -> None:
    """Copy the spans that have new bounds, with their attributes and those of the group."""
    chosen = [n for n, bound in enumerate(bounds) if bound is not None]
    spans = []
    for span, bound in zip(group, bounds, strict=True):
        if bound is not None:
            start, end = bound
            spans.append(Span(new, start, end, label=span.label, kb_id=span.kb_id, span_id=span.id))
    attrs = {name: _choose(value, chosen, len(group)) for name, value in group.attrs.items()}
    new.spans[key] = SpanGroup(new, name=group.name, attrs=attrs, spans=spans)


def _choose(value: Any, chosen: Sequence[int], n_spans: int) -> Any:
    """Select the entries of the chosen spans if `value` has one for each span, else copy it."""
    if isinstance(value, np.ndarray) and value.ndim and len(value) == n_spans:
        return value[list(chosen)]
    return deepcopy(value)


def _copy_user_data(doc: Doc, new: Doc, tokens: Sequence[int], *, is_part: bool) -> None:
    """Copy user data. Custom attributes of tokens and spans move with their characters.

    is_part: Drop data of the whole Doc, and of spans that lost an edge. Otherwise data of a span
        moves to the rest of that span.
    """
    if not doc.user_data:
        return
    starts = [doc[i].idx for i in tokens]
    ends = [doc[i].idx + len(doc[i]) for i in tokens]
    copied: Any = new.user_data
    key: Any
    for key, value in doc.user_data.items():
        is_extension = isinstance(key, tuple) and len(key) == 4 and key[0] == EXTENSION
        _, name, start, end = key if is_extension else (None,) * 4
        if start is None:
            if not is_part:
                copied[key] = deepcopy(value)
            continue
        first = bisect_left(starts, start)
        last = first if end is None else bisect_right(ends, end) - 1
        if first >= len(starts) or first > last:
            continue
        is_whole = starts[first] == start and end in (None, ends[last])
        if is_whole or not (is_part or end is None):
            stop = None if end is None else new[last].idx + len(new[last])
            copied[EXTENSION, name, new[first].idx, stop] = deepcopy(value)
