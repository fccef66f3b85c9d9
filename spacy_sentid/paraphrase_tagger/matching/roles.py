"""Features for words of both texts that may have exchanged their roles ("who does what to whom").

matched words, prepositions before them, order of any two of them -> evidence of exchanged roles

"A beat B" and "B beat A" have the same words in another order. "B was beaten by A" has the other
order too, but it also adds a "by", and means the same as the first.
"""

import numpy as np

from ...arrays import Bools2d, Bools3d, Column, Floats3d, Ints2d
from .word_table import SideWords, WordTable
from .words import AND, BY, N_MARKERS, NO_MARKER, SIGNS

# Maximum distance, in words, from a preposition to the word that it marks.
REACH = 3
TITLE = SIGNS.index("is_title")

MARKER_NAMES = ("no", "by", "to", "of", "in", "and")

NAMES = (
    # The word is a name, and the other text has a name without a match (in the same gap).
    "name_free", "name_gap",
    # Share of the other matched words whose order with this one is inverted in the other text, over
    # all words and weighted by nearness. Then, whether each text has a "by".
    "inverted_share", "inverted_near", "by_own", "by_other",
    # Comparisons with the other matched words. The second feature of each pair only compares names.
    # swapped: the two words changed order, and neither has a preposition. exchanged: they exchanged
    # their prepositions. by_alone: one of them gained or lost a "by", the other has no preposition,
    # and their order is the same. passive: they changed order, and at least one gained or lost a
    # "by".
    "swapped", "swapped_names", "exchanged", "exchanged_names",
    "by_alone", "by_alone_names", "passive", "passive_names",
    # The two words are joined by "and", in the opposite order.
    "coordinated", "coordinated_names",
    *(f"{marker}_{side}" for side in ("own", "other") for marker in MARKER_NAMES),
)  # fmt: skip


def find_role_features(
    table: WordTable,
    own: SideWords,
    other: SideWords,
    scores: Floats3d,
    gap: Bools3d,
    free: Bools2d,
) -> list[Column]:
    """Compute the features of `NAMES` for one text of each pair, (n, n_pairs) or (n_pairs,) each.

    scores: (n, m, n_pairs) match score of two content words with the same core; 0 = no match.
    gap: (n, m, n_pairs) words in the same gap (see `features`).
    free: (m, n_pairs) words of the other text without a match.
    """
    is_content, is_title = table.is_content(), table.sign(TITLE)
    at = np.arange(len(own.words))
    # The first word of a text has a capital even if it is not a name.
    is_name = (is_title & is_content)[own.words] & own.mask & (at > 0)[:, None]
    there = np.arange(len(other.words))
    free_names = (is_title & is_content)[other.words] & free & (there > 0)[:, None]
    columns: list[Column] = [
        is_name & free_names.any(axis=0),
        is_name & (gap & free_names).any(axis=1),
    ]
    match = scores.argmax(axis=1).astype("int16")
    is_matched = scores.max(axis=1) > 0
    both = is_matched[:, None] & is_matched
    before = at[:, None] < at
    inverted = before[:, :, None] != (match[:, None] < match)
    inverted &= match[:, None] != match
    inverted &= both
    distance = np.abs(at[:, None] - at)
    near = (1 / np.maximum(distance, 1)).astype("float32")[:, :, None]
    n_others = np.maximum(both.sum(axis=1) - 1, 1)
    columns.append(inverted.sum(axis=1) / n_others)
    nearby = np.maximum((both * near).sum(axis=1), 1e-6)
    columns.append((inverted * near).sum(axis=1) / nearby)

    for side in (own, other):
        columns.append(((table.marker == BY)[side.words] & side.mask).any(axis=0))
    here = _find_markers(table.marker, own)
    moved = np.take_along_axis(_find_markers(table.marker, other), match, axis=0)
    named = np.take_along_axis(is_title[other.words], match, axis=0)
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
        shifted = np.pad(kinds, ((distance, 0), (0, 0)))[: len(kinds)]
        found = np.where(found == NO_MARKER, shifted, found)
    return found


def _compare_roles(
    both: Bools3d, inverted: Bools3d, here: Ints2d, there: Ints2d, named: Bools2d
) -> list[Bools2d]:
    """Compute the features "swapped" to "coordinated_names" by comparing any two words.

    here, there: (n, n_pairs) preposition before each word, and before its match.
    named: (n, n_pairs) whether a word and its match are written as names.
    """
    pairs = both & (named[:, None] == named)
    pairs[np.arange(len(both)), np.arange(len(both))] = False
    bare = (here == NO_MARKER) & (there == NO_MARKER)
    by_changed = (here == BY) != (there == BY)
    any_by = by_changed[:, None] | by_changed
    lone_by = bare[:, None] & by_changed
    lone_by |= by_changed[:, None] & bare
    crosswise = here[:, None] == there
    crosswise &= there[:, None] == here
    crosswise &= here[:, None] != here
    is_and = (here == AND) | (there == AND)
    coordinated = is_and[:, None] | is_and
    names = named[:, None] & named
    columns = []
    for found in (
        pairs & inverted & bare[:, None] & bare,
        pairs & crosswise & ~coordinated,
        pairs & ~inverted & lone_by,
        pairs & inverted & any_by,
        pairs & inverted & crosswise & coordinated,
    ):
        columns += [found.any(axis=1), (found & names).any(axis=1)]
    return columns
