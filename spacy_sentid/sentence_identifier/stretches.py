"""Score long documents in stretches, so that memory grows little beyond the Doc.

tokens, boundaries -> stretches of whole blocks -> scores of each, with what the encoder sees around
it -> one Prediction, the same as that of the whole

A document can only be cut at line ends that no unit crosses: at blank lines, and where a unit is
known to start. Without such a place it is scored as a whole.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..arrays import Floats2d, Ints1d
from ..layers.lines import score_lines
from ..units import NSU_KINDS
from .boundaries import N_FLAGS, Boundaries, Candidates
from .decode import Prediction, decode_tiles
from .encoder import DILATED_ENCODER, find_reach
from .features import LINE_SHORT, BatchTokens, cut_tokens, find_lines
from .line_features import LineFeatures, read_line_features
from .model import StretchInput, UnitInput, UnitScores
from .tiles import Tiles

# Tokens of a stretch: with fewer, the distinct types would be encoded more often.
STRETCH_TOKENS = 15_000


def predict_units(
    model: Any, tokens: BatchTokens, boundaries: Boundaries, settings: Mapping[str, Any]
) -> Prediction:
    """Score the tokens of a part of a batch, and find the best SUs and NSUs.

    tokens: As the encoder may see them.
    settings: Those of the component.
    """
    encoder = model.get_ref("tok2vec")
    # An encoder of another kind reads whole Docs.
    if len(tokens.docs) == 1 and encoder.name == DILATED_ENCODER:
        stretches = list(find_stretches(tokens.gaps, boundaries.blocks, STRETCH_TOKENS))
        if len(stretches) > 1:
            return _predict_stretches(model, tokens, boundaries, settings, stretches)
    scores = _predict(model, UnitInput(tokens), boundaries, settings)
    tiles, outside = decode_tiles(scores, boundaries, settings)
    return Prediction(tokens, boundaries, scores.flags, scores.kinds, tiles, outside)


def find_stretches(gaps: Ints1d, blocks: Ints1d, size: int) -> Iterator[tuple[int, int]]:
    """Cut the tokens of a document into stretches [start, end) of whole blocks and lines.

    gaps, blocks: See `BatchTokens` and `Boundaries`.
    size: Longest stretch, unless a block is longer.

    >>> list(find_stretches(np.asarray([0, 2, 7, 2, 7, 2]), np.asarray([2, 2, 2]), size=4))
    [(0, 4), (4, 6)]
    """
    starts = np.cumsum(blocks) - blocks
    cuts = np.concatenate([[0], starts[gaps[starts] >= LINE_SHORT], [len(gaps)]]).tolist()
    start = 0
    for end, after in pairwise([*cuts[1:], len(gaps) + size + 1]):
        if after - start > size:
            yield start, end
            start = end


def _predict_stretches(
    model: Any,
    tokens: BatchTokens,
    boundaries: Boundaries,
    settings: Mapping[str, Any],
    stretches: list[tuple[int, int]],
) -> Prediction:
    reach = find_reach(model.get_ref("tok2vec"))
    lines = read_line_features(tokens)
    block_ends = np.cumsum(boundaries.blocks)
    n_tokens = len(tokens.gaps)
    n_kinds = len(NSU_KINDS) if model.has_ref("kinds") else 0
    flags = np.empty((n_tokens, N_FLAGS), dtype="float32")
    kinds = np.empty((n_tokens, n_kinds), dtype="float32")
    outside = np.empty(n_tokens)
    tiles: list[Tiles] = []
    of_lines: list[Floats2d] = []
    for start, end in stretches:
        # The scorer of segments looks at one token more to each side.
        low, high = max(start - 1, 0), min(end + 1, n_tokens)
        seen = slice(max(low - reach, 0), min(high + reach, n_tokens))
        known = _cut_boundaries(boundaries, block_ends, start, end)
        stretch = StretchInput(_cut_lines(lines, seen), low - seen.start, seen.stop - high)
        X = UnitInput(cut_tokens(tokens, seen), stretch=stretch)
        scores = _predict(model, X, known, settings)
        (starts, is_su, confidence), of_tokens = decode_tiles(scores, known, settings)
        inner = slice(start - low, end - low)
        flags[start:end], kinds[start:end] = scores.flags[inner], scores.kinds[inner]
        outside[start:end] = of_tokens[inner]
        is_inner = (starts >= inner.start) & (starts < inner.stop)
        tiles.append(Tiles(starts[is_inner] + low, is_su[is_inner], confidence[is_inner]))
        if scores.lines is not None:
            of_lines.append(scores.lines[start - low : len(scores.lines) - (high - end)])
    joined: Any = (np.concatenate(arrays) for arrays in zip(*tiles, strict=True))
    if of_lines:
        line_starts, n_lines = find_lines(tokens)
        added = score_lines(model.get_ref("kinds"), np.concatenate(of_lines), n_lines)
        kinds += np.repeat(added, np.diff(np.append(line_starts, n_tokens)), axis=0)
    return Prediction(tokens, boundaries, flags, kinds, Tiles(*joined), outside)


def _predict(
    model: Any, X: UnitInput, boundaries: Boundaries, settings: Mapping[str, Any]
) -> UnitScores:
    candidates = None
    if settings["decoder"] == "semi_markov":
        candidates = Candidates(boundaries, settings["threshold"], settings["max_segment_chunks"])
    weight = settings["unidirectional_weight"]
    scores: UnitScores = model.predict(
        X._replace(candidates=candidates, unidirectional_weight=weight)
    )
    return scores


def _cut_boundaries(boundaries: Boundaries, block_ends: Ints1d, start: int, end: int) -> Boundaries:
    """Take those of the tokens [start, end), and of one token more to each side."""
    blocks, forced, forbidden = boundaries
    inner = blocks[slice(*np.searchsorted(block_ends, [start, end], side="right").tolist())]
    n_before, n_after = int(start > 0), int(end < len(forced))
    part = slice(start - n_before, end + n_after)
    known = Boundaries(
        np.concatenate([[1] * n_before, inner, [1] * n_after]).astype("int64"),
        forced[part].copy(),
        forbidden[part].copy(),
    )
    known.forced[0], known.forbidden[0] = True, False
    return known


def _cut_lines(lines: LineFeatures, part: slice) -> LineFeatures:
    """Take those of the line ends between two tokens of a part."""
    inside = slice(*np.searchsorted(lines.places, [part.start + 1, part.stop]).tolist())
    return LineFeatures(lines.places[inside] - part.start, lines.classes[inside], lines.styles)
