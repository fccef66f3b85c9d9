"""Relations of each word of one text with each word of the other, as matrices over a batch.

pairs of words -> equal forms, stems, numbers; like letters; lexicon -> similarity -> alignment

All matrices are (n, m, n_pairs): words of text 1 by words of text 2, padded. Padding is 0. Pairs
are the last axis because it is the longest, and numpy is fastest along the last axis.
"""

from typing import Any, NamedTuple

import numpy as np

from ...arrays import Bools3d, Column, Floats3d, Ints1d
from .initials import find_initials
from .lexicon import N_KINDS, Lexicon
from .meanings import measure_meaning, measure_phrases
from .word_table import SideWords, WordTable
from .words import SIGNS

HAS_DIGIT, IS_NUMBER = SIGNS.index("has_digit"), SIGNS.index("is_number")
# Cosine of letter groups above which two words may be forms of the same word.
LIKE = 0.45
# Similarity of two words that share a stem, a number, or a sense.
SAME_STEM, SAME_NUMBER, SYNONYMS = 0.95, 0.95, 0.7
# Relations in the order of `Matches`. Two words that share a key of the lexicon are in the relation
# at (kind of the key for one word, kind for the other): lemma, sense, broader, opposite.
SYNONYM, BROAD, SIBLING, OPPOSED, NONE = range(5)
RELATION_OF = np.array([
    [SYNONYM, NONE, NONE, OPPOSED],
    [NONE, SYNONYM, BROAD, NONE],
    [NONE, BROAD, SIBLING, NONE],
    [OPPOSED, NONE, NONE, NONE],
])  # fmt: skip


class Matches(NamedTuple):
    """Relations between the words of the two texts, as cosines or booleans."""

    orth: Bools3d  # the same form
    core: Bools3d  # the same core
    stem: Bools3d  # the same core or stem
    prefix: Bools3d  # the same first letters
    number: Bools3d  # the same number
    numbers: Bools3d  # both numbers, the same or not
    letters: Floats3d  # cosine of letter groups
    synonyms: Bools3d  # a sense or a lemma in common
    broader: Bools3d  # a sense of one word is one step broader than a sense of the other
    siblings: Bools3d  # a broader sense in common
    opposites: Bools3d
    meaning: Floats3d  # cosine of word vectors
    phrases: Floats3d  # cosine of vectors that include the neighbours


def find_matches(
    table: WordTable, first: SideWords, second: SideWords, lexicon: Lexicon
) -> Matches:
    """Compare all words of the two texts of each pair."""
    cells = first.mask[:, None] & second.mask
    a, b = first.words, second.words

    def equal(column: Column) -> Bools3d:
        found = column[a][:, None] == column[b]
        found &= cells
        return found

    core = equal(table.core)
    is_number = table.sign(HAS_DIGIT) | table.sign(IS_NUMBER)
    # matmul needs the pairs first. 64 bits keep the result almost independent of the batch shape.
    one, two = (table.letters[words.T].astype("float64") for words in (a, b))
    letters: Any = np.matmul(one, two.transpose(0, 2, 1))
    letters = np.ascontiguousarray(letters.transpose(1, 2, 0), dtype="float32")
    letters *= cells
    synonyms, broader, siblings, opposites = _find_relations(table, first, second, lexicon)
    return Matches(
        equal(table.orth),
        core,
        core | equal(table.stem),
        equal(table.prefix) & (table.prefix[a] >= 0)[:, None],
        (first.numbers[:, None] == second.numbers) & cells,  # NaN equals nothing
        is_number[a][:, None] & is_number[b] & cells,
        letters,
        synonyms | find_initials(table, first, second),
        broader,
        siblings,
        opposites,
        measure_meaning(table, first, second),
        measure_phrases(table, first, second),
    )


class _Keys(NamedTuple):
    """The lexicon keys of the words of one text of each pair."""

    joint: Ints1d  # (n_keys,) index of the pair and key, packed into one number; ascending
    kinds: Ints1d
    places: Ints1d  # indices of the words in their text


def _find_relations(table: WordTable, first: SideWords, second: SideWords, lexicon: Lexicon) -> Any:
    """Find words of the two texts that share lexicon keys, (n_relations, n, m, n_pairs)."""
    one, two = (_list_keys(table, side, lexicon) for side in (first, second))
    left = np.searchsorted(two.joint, one.joint, "left")
    counts = np.searchsorted(two.joint, one.joint, "right") - left
    rows = np.repeat(np.arange(len(counts)), counts)
    columns = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts - left, counts)
    found = np.zeros((NONE + 1, len(first.words), *second.words.shape), dtype=bool)
    relations = RELATION_OF[one.kinds[rows], two.kinds[columns]]
    found[relations, one.places[rows], two.places[columns], one.joint[rows] >> 32] = True
    return found[:NONE]


def _list_keys(table: WordTable, side: SideWords, lexicon: Lexicon) -> _Keys:
    places, pairs = np.nonzero(side.mask)
    rows = table.rows[side.words[places, pairs]]
    found = [lexicon.find_keys(rows, kind) for kind in range(N_KINDS)]
    owners = np.concatenate([part for part, _ in found])
    joint = (pairs[owners] << 32) + np.concatenate([keys for _, keys in found])
    kinds = np.repeat(np.arange(N_KINDS), [len(keys) for _, keys in found])
    order = np.argsort(joint)
    return _Keys(joint[order], kinds[order], places[owners[order]])


def measure_similarity(matches: Matches) -> Floats3d:
    """Combine the relations into the similarity of any two words, in [0, 1]."""
    like = np.where(matches.letters > LIKE, 0.9 * matches.letters, 0)
    similar = np.maximum(like, matches.core)
    for value, cells in (
        (SAME_STEM, matches.stem),
        (SAME_NUMBER, matches.number),
        (SYNONYMS, matches.synonyms & ~matches.opposites),
    ):
        np.maximum(similar, np.float32(value) * cells, out=similar)
    return similar


def shift(matrix: Floats3d, down: int, right: int) -> Floats3d:
    """Shift a matrix down and right, and fill with zeros. Cell (i, j) gets (i-down, j-right).

    >>> shift(np.array([[[1], [2]], [[3], [4]]]), 1, -1)[:, :, 0].tolist()
    [[0, 0], [2, 0]]
    """
    moved = np.zeros_like(matrix)
    n, m = matrix.shape[:2]
    if abs(down) < n and abs(right) < m:
        source = matrix[max(0, -down) : n - max(0, down), max(0, -right) : m - max(0, right)]
        moved[max(0, down) : n - max(0, -down), max(0, right) : m - max(0, -right)] = source
    return moved


def align_in_order(gain: Floats3d) -> Bools3d:
    """Find the alignment without crossings that has the highest sum of gains, in each pair.

    gain: (n, m, n_pairs), 0 or more.
    RETURNS: (n, m, n_pairs) aligned cells. Each row and column has at most one. Each cell is to the
        right of and below the previous one. Cells with gain 0 are not aligned.

    >>> gain = np.array([[0, 1.0], [1, 0], [0, 1]])
    >>> align_in_order(gain[:, :, None])[:, :, 0].astype(int).tolist()
    [[0, 0], [1, 0], [0, 1]]
    """
    n, m, n_pairs = gain.shape
    best = np.zeros((n + 1, m + 1, n_pairs), dtype="float32")  # [i, j]: best sum of these prefixes
    for row in range(n):
        longer = np.maximum(best[row, 1:], best[row, :-1] + gain[row])
        np.maximum.accumulate(longer, axis=0, out=best[row + 1, 1:])
    # For each cell, the leftmost column of its row that has the same sum.
    same = np.zeros(best.shape, dtype="int16")
    columns = np.arange(1, m + 1, dtype="int16")[:, None]
    same[:, 1:] = (best[:, 1:] != best[:, :-1]) * columns
    np.maximum.accumulate(same, axis=1, out=same)
    # Trace back from the last cell, in all pairs at once.
    aligned = np.zeros(gain.shape, dtype=bool)
    pairs = np.arange(n_pairs)
    j = np.full(n_pairs, m)
    for row in range(n, 0, -1):
        j = same[row, j, pairs].astype("int64")
        is_better = best[row, j, pairs] != best[row - 1, j, pairs]  # never where j is 0
        j -= is_better
        aligned[row - 1, j[is_better], pairs[is_better]] = True
    return aligned


def transpose(matrix: Any) -> Any:
    """Swap the two texts of a matrix."""
    return matrix.swapaxes(0, 1)
