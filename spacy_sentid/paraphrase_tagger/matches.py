"""What each word of one text has to do with each word of the other: matrices over a batch.

pairs of words -> equal forms, stems, numbers; like letters; lexicon -> similarity -> alignment

All matrices are (n, m, n_pairs): words of text 1 and of text 2, padded. Cells of padding are 0.
Pairs are last because numpy is fast along the last axis, and that is the longest.
"""

from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools2d, Bools3d, Column, Floats3d, Ints1d, Ints2d
from .lexicon import BROADER, LEMMA, OPPOSITE, SENSE, Lexicon
from .word_table import WordTable
from .words import SIGNS

HAS_DIGIT, IS_NUMBER = SIGNS.index("has_digit"), SIGNS.index("is_number")
# Likeness of letters from which two words may be forms of one.
LIKE = 0.45
# How much alike two words are that have a stem, a number, or a sense in common.
SAME_STEM, SAME_NUMBER, SYNONYMS = 0.95, 0.95, 0.7


class SideWords(NamedTuple):
    """One text of each pair of a batch, padded."""

    words: Ints2d  # (n, n_pairs) rows of the word table; 0 in padding
    mask: Bools2d  # (n, n_pairs) whether there is a word
    lengths: Ints1d  # (n_pairs,)


class Matches(NamedTuple):
    """Relations between the words of the two texts; bool, but for `letters`."""

    orth: Bools3d  # the same form
    core: Bools3d  # the same core
    stem: Bools3d  # the same core or stem
    prefix: Bools3d  # the first letters
    number: Bools3d  # the same number
    numbers: Bools3d  # both numbers, the same or not
    letters: Floats3d  # cosine of letter groups
    synonyms: Bools3d  # a sense, or a lemma, in common
    broader: Bools3d  # one has a sense that is one step broader than one of the other
    siblings: Bools3d  # a broader sense in common
    opposites: Bools3d


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
    # Pairs first, for the product.
    letters: Any = np.matmul(table.letters[a.T], table.letters[b.T].transpose(0, 2, 1))
    letters = np.ascontiguousarray(letters.transpose(1, 2, 0))
    letters *= cells
    found = _Relations(table, first, second, lexicon)
    opposites = found.share(OPPOSITE, LEMMA) | found.share(LEMMA, OPPOSITE)
    return Matches(
        orth=equal(table.orth),
        core=core,
        stem=core | equal(table.stem),
        prefix=equal(table.prefix) & (table.prefix[a] >= 0)[:, None],
        number=equal(table.number),  # NaN equals nothing
        numbers=is_number[a][:, None] & is_number[b] & cells,
        letters=letters,
        synonyms=found.share(SENSE, SENSE) | found.share(LEMMA, LEMMA),
        broader=found.share(SENSE, BROADER) | found.share(BROADER, SENSE),
        siblings=found.share(BROADER, BROADER),
        opposites=opposites,
    )


class _Relations:
    """Words of the two texts that share a key of the lexicon."""

    def __init__(
        self, table: WordTable, first: SideWords, second: SideWords, lexicon: Lexicon
    ) -> None:
        self.shape = (len(first.words), *second.words.shape)
        self.keys = [
            [self._list_keys(table, side, lexicon, kind) for side in (first, second)]
            for kind in range(4)
        ]

    def _list_keys(
        self, table: WordTable, side: SideWords, lexicon: Lexicon, kind: int
    ) -> tuple[Ints1d, Ints1d]:
        """List (pair, key) as one number and the word's place in its side, sorted by the former."""
        pairs, places = np.nonzero(side.mask.T)
        owners, keys = lexicon.find_keys(table.rows[side.words[places, pairs]], kind)
        joint = pairs[owners] * (1 << 32) + keys
        order = np.argsort(joint, kind="stable")
        return joint[order], places[owners][order]

    def share(self, kind1: int, kind2: int) -> Bools3d:
        """Find words of text 1 that have a key of one kind that words of text 2 have of another."""
        found = np.zeros(self.shape, dtype=bool)
        joint1, places1 = self.keys[kind1][0]
        joint2, places2 = self.keys[kind2][1]
        left = np.searchsorted(joint2, joint1, "left")
        counts = np.searchsorted(joint2, joint1, "right") - left
        rows = np.repeat(np.arange(len(joint1)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        columns = np.repeat(left, counts) + within
        found[places1[rows], places2[columns], joint1[rows] >> 32] = True
        return found


def measure_similarity(matches: Matches) -> Floats3d:
    """Reduce the relations to how much alike two words are, in [0, 1]."""
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
    """Move a matrix down and right, zeros moving in: cell (i, j) comes from (i-down, j-right).

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
    RETURNS: (n, m, n_pairs) aligned cells, at most one a row and a column, each to the right of
        and below the one before; cells of no gain are not aligned.

    >>> gain = np.array([[0, 1.0], [1, 0], [0, 1]])
    >>> align_in_order(gain[:, :, None])[:, :, 0].astype(int).tolist()
    [[0, 0], [1, 0], [0, 1]]
    """
    n, m, n_pairs = gain.shape
    best = np.zeros((n + 1, m + 1, n_pairs), dtype="float32")  # of the first i and j words
    for row in range(n):
        longer = np.maximum(best[row, 1:], best[row, :-1] + gain[row])
        np.maximum.accumulate(longer, axis=0, out=best[row + 1, 1:])
    aligned = np.zeros(gain.shape, dtype=bool)
    # Backwards from the last cell, in all pairs at once: places in `best` laid out flat.
    cells = best.reshape(-1)
    up, left = (m + 1) * n_pairs, n_pairs
    pairs = np.arange(n_pairs)
    i, j = np.full(n_pairs, n), np.full(n_pairs, m)
    while len(pairs):
        place = i * up + j * left + pairs
        here = cells[place]
        goes_left = cells[place - left] == here
        goes_up = ~goes_left & (cells[place - up] == here)
        goes_both = ~goes_left & ~goes_up
        aligned[i[goes_both] - 1, j[goes_both] - 1, pairs[goes_both]] = True
        i -= ~goes_left
        j -= ~goes_up
        inside = (i > 0) & (j > 0)
        if not inside.all():
            pairs, i, j = pairs[inside], i[inside], j[inside]
    return aligned


def transpose(matrix: Any) -> Any:
    """See a matrix from text 2."""
    return matrix.swapaxes(0, 1)
