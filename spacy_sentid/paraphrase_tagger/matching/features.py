"""Input features of the small model for each word of a pair: matches, gaps, neighbours and signs.

words of both texts -> matrices of matches -> alignment, gaps -> one row of numbers a word

Features are computed for groups of pairs of similar length.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...arrays import Bools2d, Bools3d, Column, Floats1d, Floats2d, Floats3d, Ints1d, Ints2d
from .context import (
    Context,
    align,
    count_in_gaps,
    find_positions,
    measure_context,
    number_gaps,
)
from .lexicon import Lexicon
from .matches import Matches, find_matches, transpose
from .meanings import NAMES as MEANING_NAMES
from .meanings import find_meaning_features
from .number_phrases import join_numbers
from .roles import NAMES as ROLE_NAMES
from .roles import find_role_features
from .word_table import SideWords, WordTable
from .words import SIGNS

# Maximum number of matrix cells in one group, chosen so that the matrices fit into the CPU cache.
GROUP_CELLS = 50_000
# Signs with a feature for each text: whether any of its words has the sign.
TEXT_SIGNS = ("is_modal", "is_past", "is_present", "is_future")
NEGATION, CALENDAR = SIGNS.index("is_negation"), SIGNS.index("is_calendar")


def compute_features(
    table: WordTable, words: Ints1d, lengths: Ints2d, lexicon: Lexicon
) -> Floats2d:
    """Compute the features of the words of pairs, (n_words, N_FEATURES).

    words: (n_words,) rows of the table for text 1 of the first pair, its text 2, and so on.
    lengths: (n_pairs, 2) number of words of each text, at least 1.
    """
    features = np.empty((len(words), N_FEATURES), dtype="float32")
    starts = np.cumsum(lengths).reshape(-1, 2) - lengths
    for group in _group_by_length(lengths):
        _describe_group(table, words, starts[group].T, lengths[group].T, lexicon, features)
    return features


def _group_by_length(lengths: Ints2d) -> Iterator[list[int]]:
    """Group pairs of similar length, which need little padding."""
    group: list[int] = []
    n = m = 0
    order = np.lexsort((lengths[:, 1], lengths[:, 0]))
    for i, (length, other) in zip(order.tolist(), lengths[order].tolist(), strict=True):
        n, m = max(n, length), max(m, other)
        if group and (len(group) + 1) * n * m > GROUP_CELLS:
            yield group
            group, (n, m) = [], (length, other)
        group.append(i)
    if group:
        yield group


def _describe_group(
    table: WordTable,
    words: Ints1d,
    starts: Ints2d,
    lengths: Ints2d,
    lexicon: Lexicon,
    features: Floats2d,
) -> None:
    """Write the features of one group of pairs into `features`.

    starts, lengths: (2, n_pairs) first word and number of words of each text.
    """
    places = [_lay_out(*side) for side in zip(starts, lengths, strict=True)]
    first, second = (
        _read_side(table, words, place, length)
        for place, length in zip(places, lengths, strict=True)
    )
    matches = find_matches(table, first, second, lexicon)
    context = measure_context(matches, first, second)
    aligned = align(matches, context, table.is_content()[first.words])
    found = (
        _features_of_side(table, first, second, matches, context, aligned),
        _features_of_side(
            table,
            second,
            first,
            Matches(*map(transpose, matches)),
            Context(*map(transpose, context)),
            transpose(aligned),
        ),
    )
    for place, columns in zip(places, found, strict=True):
        kept = np.flatnonzero(place >= 0)
        features[place.reshape(-1)[kept]] = columns.reshape(N_FEATURES, -1).T[kept]


def _lay_out(starts: Ints1d, lengths: Ints1d) -> Ints2d:
    """Lay out the indices of the words of one text of each pair, (n, n_pairs); -1 in padding."""
    places = np.arange(lengths.max())[:, None]
    return np.where(places < lengths, starts + places, -1)


def _read_side(table: WordTable, words: Ints1d, places: Ints2d, lengths: Ints1d) -> SideWords:
    rows, mask = np.where(places < 0, 0, words[places]), places >= 0
    numbers = join_numbers(np.where(mask, table.number[rows], np.nan))
    return SideWords(rows, mask, lengths, numbers)


# The features

NAMES = (
    # The best match in the other text.
    "orth", "core", "stem", "prefix", "number", "numbers", "letters",
    "synonym", "broader", "sibling", "opposite",
    # The best match among the other text's words without a match, or among those in the same gap.
    "letters_free", "letters_gap", "prefix_free", "numbers_free", "numbers_gap",
    "synonym_free", "synonym_gap", "broader_free", "broader_gap",
    "sibling_free", "sibling_gap", "opposite_free", "opposite_gap",
    # Matches whose neighbours match too.
    "stem_beside", "stem_between", "stem_near", "stem_context", "any_context",
    "best", "is_mutual", "n_core",
    # The gap that the word is in.
    "is_aligned", "gap_own", "gap_other", "gap_own_content", "gap_other_content",
    "gap_own_unmatched", "gap_other_unmatched", "gap_is_swap", "aligned_before", "aligned_after",
    # The pair.
    "matched_share", "matched_weight", "unmatched_share_other", "n_unmatched_other",
    "n_unmatched_own", "related_share", "unrelated_share_other", "aligned_share",
    "length", "length_ratio", "has_negation_own", "has_negation_other", "negations_more",
    # The word.
    "position", "frequency", "is_known", "is_unmatched",
    # A day or month without a match, where the other text also has one without a match.
    "calendar_free",
    *(f"{sign}_{side}" for sign in TEXT_SIGNS for side in ("in_own", "in_other")),
    *ROLE_NAMES, *MEANING_NAMES, *SIGNS,
)  # fmt: skip
N_FEATURES = len(NAMES)


def _features_of_side(
    table: WordTable,
    own: SideWords,
    other: SideWords,
    matches: Matches,
    context: Context,
    aligned: Bools3d,
) -> Floats3d:
    """Compute the features of one text of each pair, (N_FEATURES, n, n_pairs)."""
    is_content = table.is_content()
    content, other_content = is_content[own.words] & own.mask, is_content[other.words] & other.mask
    is_date = table.sign(CALENDAR)
    equal = matches.stem | matches.number
    unmatched = ~equal.any(axis=1) & own.mask
    free = ~equal.any(axis=0) & other.mask
    is_aligned, other_aligned = _any(aligned, 1), _any(aligned, 0)
    gap_numbers, other_gaps = number_gaps(is_aligned), number_gaps(other_aligned)
    gap = gap_numbers[:, None] == other_gaps
    gap &= ~is_aligned[:, None]
    gap &= ~other_aligned & other.mask

    columns: list[Column] = [matrix.max(axis=1) for matrix in matches[:7]]
    relations = matches[7:11]
    columns += [_any(matrix, 1) for matrix in relations]
    columns += [
        (matches.letters * free).max(axis=1),
        (matches.letters * gap).max(axis=1),
        _any(matches.prefix & free, 1),
        _any(matches.numbers & free, 1),
        _any(matches.numbers & gap, 1),
    ]
    for matrix in relations:
        columns += [_any(matrix & free, 1), _any(matrix & gap, 1)]
    columns += _context_features(matches, context)

    out = ~is_aligned & own.mask
    chosen = (out, out & content, content & unmatched & out)
    other_out = ~other_aligned & other.mask
    other_chosen = (other_out, other_out & other_content, other_content & free & other_out)
    # Counts between the same aligned words: all words, content words, and unmatched content words.
    counts = []
    for here, there in zip(chosen, other_chosen, strict=True):
        counts.append(count_in_gaps(gap_numbers, here, gap_numbers))
        counts.append(count_in_gaps(other_gaps, there, gap_numbers))
    columns.append(is_aligned)
    columns += [
        np.minimum(count, most) / most * out
        for count, most in zip(counts, (10, 10, 6, 6, 6, 6), strict=True)
    ]
    columns.append((counts[0] == 1) & (counts[1] == 1) & out)
    beside = np.pad(is_aligned, ((1, 1), (0, 0)))
    columns += [beside[:-2], beside[2:]]
    columns += _pair_features(
        table, own, other, matches, content, other_content, unmatched, free, is_aligned
    )
    columns += [
        find_positions(own),
        table.frequency[own.words],
        table.rows[own.words] >= 0,
        unmatched & content,
        is_date[own.words] & unmatched & (is_date[other.words] & free).any(axis=0),
    ]
    for name in TEXT_SIGNS:
        sign = table.sign(SIGNS.index(name))
        columns += [_any(sign[side.words] & side.mask, 0) for side in (own, other)]
    scores = matches.core * (1 + context.near)
    scores *= content[:, None] & other_content
    columns += find_role_features(table, own, other, scores, gap, free)
    meanings = (matches.meaning, matches.phrases)
    columns += find_meaning_features(
        table, own, other, *meanings, equal, gap, free, out, other_content
    )
    features = np.empty((N_FEATURES, *own.words.shape), dtype="float32")
    for k, column in enumerate(columns):
        features[k] = column
    features[len(columns) :] = table.signs[own.words].transpose(2, 0, 1)
    return features


def _any(cells: Any, axis: int) -> Bools2d:
    found: Bools2d = cells.any(axis=axis)
    return found


def _context_features(matches: Matches, context: Context) -> list[Column]:
    """Compute the features "stem_beside" to "n_core"."""
    before, after, in_context = context.before, context.after, context.in_context
    best_of_other = in_context.argmax(axis=0)
    best = in_context.argmax(axis=1)
    highest = in_context.max(axis=1)
    returned = np.take_along_axis(best_of_other, best, axis=0)
    return [
        (matches.stem * np.maximum(before, after)).max(axis=1),
        (matches.stem * before * after).max(axis=1),
        (matches.stem * (1 - context.distance)).max(axis=1),
        (matches.stem * context.near).max(axis=1),
        context.near.max(axis=1),
        highest,
        (returned == np.arange(len(best))[:, None]) & (highest > 0),
        matches.core.sum(axis=1) / 3,
    ]


def _pair_features(
    table: WordTable,
    own: SideWords,
    other: SideWords,
    matches: Matches,
    content: Bools2d,
    other_content: Bools2d,
    unmatched: Bools2d,
    free: Bools2d,
    is_aligned: Bools2d,
) -> list[Column]:
    """Compute the features "matched_share" to "negations_more", each (n_pairs,)."""
    rarity = (1 - table.frequency[own.words]) * content

    def total(values: Column) -> Floats1d:
        return values.sum(axis=0).astype("float32")

    n_content = np.maximum(total(content), 1)
    n_other = np.maximum(total(other_content), 1)
    related = matches.synonyms | matches.broader | matches.stem | matches.number
    negations, other_negations = (
        total(table.signs[side.words, NEGATION] * side.mask) for side in (own, other)
    )
    length, other_length = own.lengths, other.lengths
    return [
        total(content & ~unmatched) / n_content,
        total(rarity * ~unmatched) / np.maximum(total(rarity), 1e-6),
        total(other_content & free) / n_other,
        np.minimum(total(other_content & free), 10) / 10,
        np.minimum(total(content & unmatched), 10) / 10,
        total(related.any(axis=1) & content) / n_content,
        total(~related.any(axis=0) & other_content) / n_other,
        total(is_aligned) / length,
        np.minimum(length, 50) / 50,
        np.log(length / other_length),
        negations > 0,
        other_negations > 0,
        np.clip(negations - other_negations, -2, 2),
    ]
