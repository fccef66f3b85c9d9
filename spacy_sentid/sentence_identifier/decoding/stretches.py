"""Predict long documents in stretches, to limit the memory that is needed besides the Doc.

tokens, boundaries -> stretches, each with the context that the encoder sees -> one Prediction

A stretch ends at the last line break that no unit can cross, such as a blank line. Then the result
is that of the whole document. A stretch without such a line break ends at a probable start of a
unit. A unit next to this place may differ from that of the whole document (we found no difference
in six texts of 17,000 to 36,000 tokens without line breaks). A unit of more than half a stretch
without any start inside is cut.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...arrays import Floats1d, Floats2d, Ints1d
from ...layers.lines import LineInput, describe_lines, join_descriptions, pool_lines, score_lines
from ...text.units import NSU_KINDS
from ..network.boundaries import N_FLAGS, UNIT_START, Boundaries
from ..network.encoder import find_reach
from ..network.line_features import LineFeatures, read_line_features
from ..network.tagger import StretchInput, UnitInput
from ..network.tokens import LINE_SHORT, BatchTokens, cut_tokens, find_lines
from .batch_units import BatchUnits
from .decode import Prediction, score_and_decode

# Number of tokens in a stretch. Their vectors fit the cache, like those of the parts of a batch.
STRETCH_TOKENS = 10_000
# Share of a stretch at its end in which it is not cut, as the tokens after it affect units there.
MARGIN = 0.05
# Log-odds above which a unit start is sure enough to end a stretch.
SURE = 5.0


def predict_stretches(
    model: Any, tokens: BatchTokens, boundaries: Boundaries, settings: Mapping[str, Any]
) -> Prediction:
    """Score the tokens of a long document, and find the best SUs and NSUs.

    See `predict_units`. The encoder must be ours, as others read whole Docs.
    """
    reach = find_reach(model.get_ref("tok2vec"))
    features = read_line_features(tokens)
    sure_ends = find_sure_ends(tokens.gaps, boundaries.regions)
    n_tokens = len(tokens.gaps)
    lines = _Lines(model.get_ref("kinds")) if model.has_ref("kinds") else None
    flags = np.empty((n_tokens, N_FLAGS), dtype="float32")
    kinds = np.empty((n_tokens, len(NSU_KINDS) if lines else 0), dtype="float32")
    outside = np.empty(n_tokens)
    units: list[BatchUnits] = []
    start = 0
    while start < n_tokens:
        end, is_sure = choose_end(sure_ends, start, STRETCH_TOKENS)
        # The segment scorer needs one more token on each side.
        low, high = max(start - 1, 0), min(end + 1, n_tokens)
        seen = slice(max(low - reach, 0), min(high + reach, n_tokens))
        known = _cut_boundaries(boundaries, low, high, (low, start, end))
        stretch = StretchInput(_cut_features(features, seen), low - seen.start, seen.stop - high)
        X = UnitInput(cut_tokens(tokens, seen), stretch=stretch)
        scores, found, of_tokens = score_and_decode(model, X, known, settings)
        starts = found.starts + low
        if not is_sure:
            end = choose_cut(starts, scores.flags[found.starts, UNIT_START], start, end)
        inner = slice(start - low, end - low)
        flags[start:end], kinds[start:end] = scores.flags[inner], scores.kinds[inner]
        outside[start:end] = of_tokens[inner]
        own = (starts >= start) & (starts < end)
        units.append(BatchUnits(starts[own], found.is_su[own], found.confidence[own]))
        if lines and scores.vectors is not None:
            continues = end < n_tokens and bool(tokens.gaps[end] < LINE_SHORT)
            part = cut_tokens(tokens, slice(start, end))
            lines.add(LineInput(scores.vectors[inner], *find_lines(part)), continues)
        start = end
    if lines:
        first, n_lines = find_lines(tokens)
        of_lines = score_lines(lines.head, np.concatenate(lines.vectors), n_lines)
        kinds += np.repeat(of_lines, np.diff(np.append(first, n_tokens)), axis=0)
    joined: Any = (np.concatenate(arrays) for arrays in zip(*units, strict=True))
    return Prediction(tokens, boundaries, flags, kinds, BatchUnits(*joined), outside)


class _Lines:
    """Vectors of the lines of a document for the head for kinds, stretch by stretch."""

    def __init__(self, head: Any) -> None:
        self.head = head
        self.vectors: list[Floats2d] = []
        # Description of a line that continues in the next stretch, and its number of tokens so far.
        self._open: tuple[Any, int] | None = None

    def add(self, lines: LineInput, continues: bool) -> None:
        """Add the lines of a stretch, of which the last may continue in the next stretch."""
        found = describe_lines(lines)
        lengths = np.diff(np.append(lines.starts, len(lines.rows)))
        if self._open is not None:
            description, n_before = self._open
            found[0] = join_descriptions(description, found[0], n_before, int(lengths[0]))
            lengths[0] += n_before
        self._open = (found[-1], int(lengths[-1])) if continues else None
        self.vectors.append(pool_lines(self.head, found[: len(found) - continues]))


def find_sure_ends(gaps: Ints1d, regions: Ints1d) -> Ints1d:
    """Find where a stretch may end: at line breaks that no unit crosses, and at the last token.

    gaps, regions: See `BatchTokens` and `Boundaries`.

    >>> find_sure_ends(np.asarray([0, 2, 7, 2, 2]), np.asarray([2, 2, 1])).tolist()
    [2, 5]
    """
    starts = np.cumsum(regions) - regions
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


def choose_cut(starts: Ints1d, unit_start: Floats1d, start: int, end: int) -> int:
    """Choose where a stretch of the scored tokens [start, end) ends.

    It is the last sure start of a unit in the second half, or else the surest one there. Without
    any, it is the last token that is far enough from the end.

    starts, unit_start: (n_units,) first tokens of the units, and their log-odds.

    >>> choose_cut(np.asarray([0, 60, 80, 99]), np.asarray([9, 7, 6, 9]), 0, 100)
    80
    """
    last = max(end - 1 - int(MARGIN * (end - start)), start + 1)
    near = np.flatnonzero((starts > (start + end) // 2) & (starts <= last))
    if not len(near):
        return last
    sure = unit_start[near] >= min(unit_start[near].max(), SURE)
    return int(starts[near[sure][-1]])


def _cut_boundaries(
    boundaries: Boundaries, low: int, high: int, starts: tuple[int, ...]
) -> Boundaries:
    """Return the boundaries of the tokens [low, high), with forced unit starts at `starts`."""
    forced, forbidden = boundaries.forced[low:high].copy(), boundaries.forbidden[low:high].copy()
    places = [start - low for start in starts if start < high]
    forced[places], forbidden[places] = True, False
    regions = np.diff(np.append(np.flatnonzero(forced), high - low))
    return Boundaries(regions, forced, forbidden)


def _cut_features(features: LineFeatures, part: slice) -> LineFeatures:
    """Return the features of the line breaks inside a part of the tokens."""
    inside = slice(*np.searchsorted(features.places, [part.start + 1, part.stop]).tolist())
    places = features.places[inside] - part.start
    return LineFeatures(places, features.classes[inside], features.styles)
