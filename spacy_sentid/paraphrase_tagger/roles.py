"""Who does what to whom: features of words that occur in both texts, but perhaps in other roles.

matched words, prepositions before them, order of any two of them -> evidence of exchanged roles

"A beat B" and "B beat A" have the same words; what differs is their order. "B was beaten by A" has
the other order too, but also a "by" that came in with it, and says the same as the first.
"""

import numpy as np

from ..arrays import Bools2d, Bools3d, Column, Floats3d, Ints2d
from .matches import SideWords
from .word_table import WordTable
from .words import SIGNS, hash_core

# Prepositions by what they do to the role of the word behind them; 0 = none stands there.
NO_MARKER, BY, TO, OF, OTHER = range(5)
MARKERS = {"by": BY, "to": TO, "from": TO, "into": TO, "of": OF}
OTHER_MARKERS = ["in", "on", "at", "for", "with", "as", "about", "over", "under", "after"]
MARKERS |= dict.fromkeys([*OTHER_MARKERS, "before", "than"], OTHER)
MARKER_OF_KEY = {hash_core(word): marker for word, marker in MARKERS.items()}
N_MARKERS = 5
# Words between a preposition and the word that it marks, at most, and one more.
REACH = 3
TITLE = SIGNS.index("is_title")

NAMES = (
    # A name that the other text lacks, while it has one that is missing here (in the same gap).
    "name_free", "name_gap",
    # Share of the other matched words that stand on the other side of this one there; and those
    # nearby only.
    "inverted_share", "inverted_near", "by_own", "by_other",
    # This word and another one (another name) are exchanged: in order, without a "by"; in their
    # prepositions; by a "by" without change of order. Or have changed order with a "by".
    "swapped", "swapped_names", "exchanged", "exchanged_names",
    "by_alone", "by_alone_names", "passive", "passive_names",
    *(f"{marker}_{side}" for side in ("own", "other") for marker in ("no", "by", "to", "of", "in")),
)  # fmt: skip


def find_role_features(
    table: WordTable,
    own: SideWords,
    other: SideWords,
    scores: Floats3d,
    gap: Bools3d,
    free: Bools2d,
) -> list[Column]:
    """Compute the features of `NAMES` for one text of each pair, (n_pairs, n) or (n_pairs, 1) each.

    scores: (n_pairs, n, m) how well two content words of one core fit; 0 = they do not match.
    gap, free: As in `features`: words of the same gap, words there without a match.
    """
    is_content, is_title = table.is_content(), table.sign(TITLE)
    at = np.arange(own.words.shape[1])
    # The first word of a text has a capital anyway.
    is_name = (is_title & is_content)[own.words] & own.mask & (at > 0)
    there = np.arange(other.words.shape[1])
    free_names = (is_title & is_content)[other.words] & free & (there > 0)
    columns: list[Column] = [
        is_name & free_names.any(axis=1, keepdims=True),
        is_name & (gap & free_names[:, None, :]).any(axis=2),
    ]
    match = scores.argmax(axis=2)
    is_matched = scores.max(axis=2) > 0
    both = is_matched[:, :, None] & is_matched[:, None, :]
    before = at[:, None] < at[None, :]
    inverted = both & (before != (match[:, :, None] < match[:, None, :]))
    inverted &= match[:, :, None] != match[:, None, :]
    near = (1 / np.maximum(np.abs(at[:, None] - at[None, :]), 1)).astype("float32")
    n_others = np.maximum(both.sum(axis=2) - 1, 1)
    columns.append(inverted.sum(axis=2) / n_others)
    nearby = np.maximum((both * near).sum(axis=2), 1e-6)
    columns.append((inverted * near).sum(axis=2) / nearby)

    markers = np.asarray([MARKER_OF_KEY.get(key, NO_MARKER) for key in table.core.tolist()])
    for side in (own, other):
        columns.append(((markers == BY)[side.words] & side.mask).any(axis=1, keepdims=True))
    here = _find_markers(markers, own)
    moved = np.take_along_axis(_find_markers(markers, other), match, axis=1)
    named = np.take_along_axis(is_title[other.words], match, axis=1)
    named &= is_title[own.words] & is_matched
    columns += _compare_roles(both, inverted, here, moved, named)
    for found in (here, moved):
        columns += [(found == marker) & is_matched for marker in range(N_MARKERS)]
    return columns


def _find_markers(markers: Ints2d, side: SideWords) -> Ints2d:
    """Find the preposition closest before each word, up to REACH words away."""
    kinds = markers[side.words] * side.mask
    found = np.zeros_like(kinds)
    for distance in range(1, REACH + 1):
        shifted = np.pad(kinds, ((0, 0), (distance, 0)))[:, : kinds.shape[1]]
        found = np.where(found == NO_MARKER, shifted, found)
    return found


def _compare_roles(
    both: Bools3d, inverted: Bools3d, here: Ints2d, there: Ints2d, named: Bools2d
) -> list[Bools2d]:
    """Compute the features "swapped" to "passive_names": each word against each other one.

    here, there: (n_pairs, n) the preposition before each word, and before its match.
    named: Whether the word and its match are written as names.
    """
    n = both.shape[1]
    pairs = both & (named[:, :, None] == named[:, None, :]) & ~np.eye(n, dtype=bool)
    bare = (here == NO_MARKER) & (there == NO_MARKER)
    by_changed = (here == BY) != (there == BY)
    any_by = by_changed[:, :, None] | by_changed[:, None, :]
    lone_by = bare[:, :, None] & by_changed[:, None, :]
    lone_by |= bare[:, None, :] & by_changed[:, :, None]
    crosswise = here[:, :, None] == there[:, None, :]
    crosswise &= there[:, :, None] == here[:, None, :]
    crosswise &= here[:, :, None] != here[:, None, :]
    names = named[:, :, None] & named[:, None, :]
    columns = []
    for found in (
        pairs & inverted & bare[:, :, None] & bare[:, None, :],
        pairs & crosswise,
        pairs & ~inverted & lone_by,
        pairs & inverted & any_by,
    ):
        columns += [found.any(axis=2), (found & names).any(axis=2)]
    return columns
