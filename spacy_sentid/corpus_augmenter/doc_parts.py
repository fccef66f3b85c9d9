"""Docs made of some tokens of another Doc, with all annotations of these tokens.

Each annotation is copied directly, as a round trip over `Example.to_dict` would lose sentence
starts, and the ids of spans. Custom attributes and user data are not copied.
"""

from collections.abc import Sequence
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


def keep_tokens(doc: Doc, tokens: Sequence[int]) -> Doc:
    """Make a Doc of only some tokens. Spans and entities around removed tokens become shorter.

    tokens: Ascending indices of the tokens to keep. Other tokens must not be heads of kept ones,
        except of white space, which is attached to the token before it. Where tokens are removed,
        the token before them is followed by white space.
    RETURNS: A Doc with the same vocab. Entities and spans lose the removed tokens, and are dropped
        if they have no others. `cats` are kept.
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
    entity annotation. Span groups with a span that is cut are dropped, as are `cats`.
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
    """Copy tokens with their annotations.

    is_part: Mark entities that are cut as missing annotation.
    """
    words = [doc[i].text for i in tokens]
    new = Doc(doc.vocab, words=words, spaces=None if doc.has_unknown_spaces else spaces)
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
    """Copy the spans that have new bounds."""
    new.spans[key] = [
        Span(new, *bound, label=span.label, kb_id=span.kb_id, span_id=span.id)
        for span, bound in zip(group, bounds, strict=True)
        if bound is not None
    ]
