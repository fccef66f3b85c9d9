"""Predict long documents in stretches, to limit the memory that is needed besides the Doc.

tokens, boundaries -> stretches, each with the context that the encoder sees -> one Prediction, the
same as that of the whole document

If possible, a stretch ends at a line break that no unit can cross, such as a blank line. Otherwise
it ends where a unit most surely starts, at a distance from the last token that was scored.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...arrays import Floats2d, Ints1d
from ...layers.lines import LineInput, describe_lines, join_descriptions, pool_lines, score_lines
from ...text.units import NSU_KINDS
from ..network.boundaries import N_FLAGS, Boundaries, Candidates
from ..network.encoder import DILATED_ENCODER, find_reach
from ..network.line_features import LineFeatures, read_line_features
from ..network.tagger import StretchInput, UnitInput, UnitScores
from ..network.tokens import LINE_SHORT, BatchTokens, cut_tokens, find_lines
from .decode import Prediction, decode_tiles
from .tiles import Tiles

# Number of tokens in a stretch. Their vectors fit the cache, like those of the parts of a batch.
STRETCH_TOKENS = 10_000
# Number of tokens that are scored after a stretch with an uncertain end. Tokens even further away
# do not affect its units.
OVERLAP = 500
# Growth of a stretch in which no place to end was found. Its tokens are scored again, so fast
# growth saves time on texts without such places.
GROWTH = 8
# Maximum number of units that are scored again before a stretch with an uncertain start, because
# they affect its units. They must be within the last OVERLAP tokens. If there are few, a stretch in
# a long series of similar lines often gets no unit at its start, and must be scored twice.
UNITS_BEFORE = 30
# Differences of log-odds up to this are ignored.
ABOUT = 0.1


def predict_units(
    model: Any, tokens: BatchTokens, boundaries: Boundaries, settings: Mapping[str, Any]
) -> Prediction:
    """Score the tokens of a part of a batch, and find the best SUs and NSUs.

    tokens: Tokens as the encoder may see them.
    settings: Settings of the component.
    """
    encoder = model.get_ref("tok2vec")
    # Other encoders read whole Docs.
    is_ours = encoder.name == DILATED_ENCODER
    if is_ours and len(tokens.docs) == 1 and len(tokens.gaps) > STRETCH_TOKENS:
        return _predict_stretches(model, tokens, boundaries, settings)
    scores = _predict(model, UnitInput(tokens), boundaries, settings)
    tiles, outside = decode_tiles(scores, boundaries, settings)
    return Prediction(tokens, boundaries, scores.flags, scores.kinds, tiles, outside)


def find_sure_ends(gaps: Ints1d, blocks: Ints1d) -> Ints1d:
    """Find where a stretch may end: at line breaks that no unit crosses, and at the last token.

    gaps, blocks: See `BatchTokens` and `Boundaries`.

    >>> find_sure_ends(np.asarray([0, 2, 7, 2, 2]), np.asarray([2, 2, 1])).tolist()
    [2, 5]
    """
    starts = np.cumsum(blocks) - blocks
    return np.append(starts[gaps[starts] >= LINE_SHORT], len(gaps))


def choose_end(sure_ends: Ints1d, start: int, size: int) -> tuple[int, bool]:
    """Choose the end of the tokens that are scored for a stretch.

    start: First token of the stretch.
    size: Maximum length of the stretch.
    RETURNS: The end, and whether the stretch may end there.

    >>> choose_end(np.asarray([2, 5, 20]), 0, 6), choose_end(np.asarray([2, 5, 20]), 5, 6)
    ((5, True), (11, False))
    """
    after, beyond = np.searchsorted(sure_ends, (start, start + size), side="right").tolist()
    if beyond > after:
        return int(sure_ends[beyond - 1]), True
    return start + size, False


def _predict_stretches(
    model: Any, tokens: BatchTokens, boundaries: Boundaries, settings: Mapping[str, Any]
) -> Prediction:
    reach = find_reach(model.get_ref("tok2vec"))
    features = read_line_features(tokens)
    sure_ends = find_sure_ends(tokens.gaps, boundaries.blocks)
    n_tokens = len(tokens.gaps)
    lines = _Lines(model.get_ref("kinds")) if model.has_ref("kinds") else None
    flags = np.empty((n_tokens, N_FLAGS), dtype="float32")
    kinds = np.empty((n_tokens, len(NSU_KINDS) if lines else 0), dtype="float32")
    outside = np.empty(n_tokens)
    tiles: list[Tiles] = []
    begin, start, size = 0, 0, STRETCH_TOKENS  # first scored token, start of the stretch
    while start < n_tokens:
        end, is_sure = choose_end(sure_ends, start, size)
        # The segment scorer needs one more token on each side.
        low, high = max(begin - 1, 0), min(end + 1, n_tokens)
        seen = slice(max(low - reach, 0), min(high + reach, n_tokens))
        known = _cut_boundaries(boundaries, low, high, (low, begin, end))
        stretch = StretchInput(_cut_features(features, seen), low - seen.start, seen.stop - high)
        scores = _predict(
            model, UnitInput(cut_tokens(tokens, seen), stretch=stretch), known, settings
        )
        found, of_tokens = decode_tiles(scores, known, settings)
        found = found._replace(starts=found.starts + low)
        if start not in found.starts:
            begin = start
            continue
        begin = end
        if not is_sure:
            cut = _choose_cut(found, start, end)
            if cut is None:
                begin, size = start, GROWTH * size
                continue
            begin, end = cut
        inner = slice(start - low, end - low)
        flags[start:end], kinds[start:end] = scores.flags[inner], scores.kinds[inner]
        outside[start:end] = of_tokens[inner]
        is_inner = (found.starts >= start) & (found.starts < end)
        places, is_su, confidence = found
        tiles.append(Tiles(places[is_inner], is_su[is_inner], confidence[is_inner]))
        if lines and scores.vectors is not None:
            lines.add(scores.vectors[inner], tokens.gaps[start : end + 1])
        start, size = end, STRETCH_TOKENS
    if lines:
        line_starts, n_lines = find_lines(tokens)
        lengths = np.diff(np.append(line_starts, n_tokens))
        kinds += np.repeat(lines.score(n_lines), lengths, axis=0)
    joined: Any = (np.concatenate(arrays) for arrays in zip(*tiles, strict=True))
    return Prediction(tokens, boundaries, flags, kinds, Tiles(*joined), outside)


class _Lines:
    """Vectors of the lines of a document for the head for kinds, stretch by stretch."""

    def __init__(self, head: Any) -> None:
        self._head = head
        self._vectors: list[Floats2d] = []
        # Description of the line that continues in the next stretch, and its number of tokens.
        self._open: tuple[Any, int] | None = None

    def add(self, vectors: Floats2d, gaps: Ints1d) -> None:
        """Add a stretch.

        gaps: Gap classes before its tokens, and before the token after it if there is one.
        """
        starts = np.append(0, 1 + np.flatnonzero(gaps[1 : len(vectors)] >= LINE_SHORT))
        lines = LineInput(vectors, starts, np.asarray([len(starts)]))
        found = describe_lines(lines)
        n_first = int(np.append(starts, len(vectors))[1])
        n_last = len(vectors) - int(starts[-1])
        if self._open is not None:
            description, n_before = self._open
            found[0] = join_descriptions(description, found[0], n_before, n_first)
            n_last += n_before if len(found) == 1 else 0
        self._open = None
        if len(gaps) > len(vectors) and gaps[-1] < LINE_SHORT:
            self._open = (found[-1], n_last)
            found = found[:-1]
        self._vectors.append(pool_lines(self._head, found))

    def score(self, n_lines: Ints1d) -> Floats2d:
        """Compute the scores that the lines add to their tokens: (n_lines, n_kinds)."""
        return score_lines(self._head, np.concatenate(self._vectors), n_lines)


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


def _choose_cut(found: Tiles, start: int, end: int) -> tuple[int, int] | None:
    """Choose the end of a stretch, between the two surest units in its second half.

    If several places are about as sure, the last one is chosen, so that few tokens are scored
    again.

    RETURNS: First token that is scored for the next stretch, and the place. None if a long SU
        leaves no place far enough from `end`.
    """
    sure = np.minimum(found.confidence[1:], found.confidence[:-1])
    places = found.starts[1:]
    near = np.flatnonzero((places < end - OVERLAP) & (places > (start + end) // 2))
    if not len(near):
        # Parts of an NSU are merged later, so it can be cut anywhere.
        place = end - OVERLAP
        is_su = found.is_su[np.searchsorted(found.starts, place, side="right") - 1]
        return (place, place) if place > (start + end) // 2 and not is_su else None
    best = int(near[sure[near] >= sure[near].max() - ABOUT][-1]) + 1
    place = int(found.starts[best])
    near_before = int(np.searchsorted(found.starts, place - OVERLAP))
    return int(found.starts[max(best - UNITS_BEFORE, near_before)]), place


def _cut_boundaries(
    boundaries: Boundaries, low: int, high: int, starts: Iterable[int]
) -> Boundaries:
    """Return the boundaries of the tokens [low, high), with forced unit starts at `starts`."""
    forced, forbidden = boundaries.forced[low:high].copy(), boundaries.forbidden[low:high].copy()
    places = [start - low for start in starts if start < high]
    forced[places], forbidden[places] = True, False
    blocks = np.diff(np.append(np.flatnonzero(forced), high - low))
    return Boundaries(blocks, forced, forbidden)


def _cut_features(features: LineFeatures, part: slice) -> LineFeatures:
    """Return the features of the line breaks inside a part of the tokens."""
    inside = slice(*np.searchsorted(features.places, [part.start + 1, part.stop]).tolist())
    places = features.places[inside] - part.start
    return LineFeatures(places, features.classes[inside], features.styles)
