"""Similarity in meaning of the words of two texts, from the vectors of the lexicon.

vectors of both texts -> cosines of words, of words with their neighbours, of gaps and texts

The features of a word also include its own vector, and products and differences with the vector of
its counterpart, which is a mean over the words of the other text that favours similar ones. These
features separate opposites from synonyms, which have about the same cosine.
"""

import numpy as np

from ...arrays import Bools2d, Bools3d, Column, Floats2d, Floats3d
from .lexicon import WIDTH
from .word_table import SideWords, WordTable

# Number of vector dimensions whose products and differences are features.
N_COMPARED = 24
# Factor of the cosines in the softmax that weighs words for the counterpart.
SHARPNESS = 8.0

NAMES = (
    "meaning", "meaning_free", "meaning_gap", "meaning_content_free",
    "phrase", "phrase_free", "meaning_of_gap", "gap_of_gap", "meaning_of_text", "text_of_text",
    *(f"own_{k}" for k in range(WIDTH)),
    *(f"product_{k}" for k in range(N_COMPARED)),
    *(f"difference_{k}" for k in range(N_COMPARED)),
    *(f"context_{k}" for k in range(N_COMPARED)),
)  # fmt: skip


def measure_meaning(table: WordTable, first: SideWords, second: SideWords) -> Floats3d:
    """Compute the cosines of all words, (n, m, n_pairs)."""
    return _multiply(_vectors(table, first), _vectors(table, second), first.mask, second.mask)


def measure_phrases(table: WordTable, first: SideWords, second: SideWords) -> Floats3d:
    """Compute the cosines of words plus half of their neighbours, (n, m, n_pairs)."""
    one, two = (_scale(_smooth(_vectors(table, side))) for side in (first, second))
    return _multiply(one, two, first.mask, second.mask)


def find_meaning_features(
    table: WordTable,
    own: SideWords,
    other: SideWords,
    meaning: Floats3d,
    phrases: Floats3d,
    equal: Bools3d,
    gap: Bools3d,
    free: Bools2d,
    out: Bools2d,
    other_content: Bools2d,
) -> list[Column]:
    """Compute the features of `NAMES` for one text of each pair, (n, n_pairs) or (n_pairs,) each.

    equal, gap: (n, m, n_pairs) words that match, and words in the same gap (see `features`).
    free: (m, n_pairs) words of the other text without a match.
    out: (n, n_pairs) words that are not aligned.
    """
    rarity = 1 - table.frequency
    vectors, others = _vectors(table, own), _vectors(table, other)
    others = others * rarity[other.words].T[:, :, None]
    weighed = vectors * (rarity[own.words] * own.mask).T[:, :, None]
    in_gap = np.ascontiguousarray(gap.transpose(2, 0, 1), dtype="float64")
    gap_there = _scale(in_gap @ others)
    same_gap = _find_same_gap(gap, out)
    gap_here = _scale(same_gap @ weighed)
    text_here, text_there = _scale(weighed.sum(axis=1)), _scale(others.sum(axis=1))
    plain = _vectors(table, other)
    counterpart = _weigh(meaning, gap, free, other.mask) @ plain
    context = _weigh(meaning, equal, gap, free, other.mask) @ _smooth(plain)
    columns: list[Column] = [
        _highest(meaning),
        _highest(meaning * free),
        _highest(meaning * gap),
        _highest(meaning * (free & other_content)),
        _highest(phrases),
        _highest(phrases * free),
        (vectors * gap_there).sum(axis=2).T,
        (gap_here * gap_there).sum(axis=2).T,
        (vectors * text_there[:, None]).sum(axis=2).T,
        (text_here * text_there).sum(axis=1),
    ]
    compared = slice(N_COMPARED)
    for rows in (
        vectors,
        vectors[:, :, compared] * counterpart[:, :, compared],
        vectors[:, :, compared] - counterpart[:, :, compared],
        _smooth(vectors)[:, :, compared] - context[:, :, compared],
    ):
        columns += list(rows.transpose(2, 1, 0))
    return columns


def _highest(cosines: Floats3d) -> Floats2d:
    """Take the highest cosine of each word, at least 0, the value of padding."""
    found: Floats2d = cosines.max(axis=1, initial=0)
    return found


def _vectors(table: WordTable, side: SideWords) -> Floats3d:
    """Look up the vectors of the words, (n_pairs, n, WIDTH), with zeros in padding.

    They have 64 bits, so that products hardly depend on the shape of the batch.
    """
    found: Floats3d = table.vectors[side.words.T] * side.mask.T[:, :, None].astype("float64")
    return found


def _multiply(first: Floats3d, second: Floats3d, mask: Bools2d, other_mask: Bools2d) -> Floats3d:
    products = np.ascontiguousarray(np.matmul(first, second.transpose(0, 2, 1)).transpose(1, 2, 0))
    products *= mask[:, None]
    products *= other_mask
    return products


def _smooth(vectors: Floats3d) -> Floats3d:
    """Add half of the neighbours' vectors."""
    smooth = vectors.copy()
    smooth[:, 1:] += 0.5 * vectors[:, :-1]
    smooth[:, :-1] += 0.5 * vectors[:, 1:]
    return smooth


def _scale(vectors: Floats2d | Floats3d) -> Floats3d:
    """Scale vectors to length 1. Zero vectors stay zero."""
    sizes = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    scaled: Floats3d = vectors / np.maximum(sizes, 1e-6)
    return scaled


def _find_same_gap(gap: Bools3d, out: Bools2d) -> Floats3d:
    """Find the unaligned words of one text that are in the same gap, (n_pairs, n, n)."""
    numbers = np.cumsum(~out, axis=0).T
    same = numbers[:, :, None] == numbers[:, None]
    same &= out.T[:, :, None]
    same &= out.T[:, None]
    return same.astype("float64")


def _weigh(meaning: Floats3d, *allowed: Bools2d | Bools3d) -> Floats3d:
    """Weigh the allowed words of the other text by their cosines.

    allowed: (n, m, n_pairs) or (m, n_pairs) each. The first that allows any word is used.
    RETURNS: (n_pairs, n, m) weights, which sum to 1 for each word.
    """
    chosen = np.zeros_like(meaning, dtype=bool)
    for cells in allowed:
        chosen = np.where(chosen.any(axis=1, keepdims=True), chosen, cells)
    weights = np.exp(SHARPNESS * meaning)
    weights *= chosen
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-6)
    found: Floats3d = np.ascontiguousarray(weights.transpose(2, 0, 1))
    return found
