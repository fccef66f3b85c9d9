"""Merge and cut the units that tile the tokens of a batch.

units of the decoder -> parts of long SUs -> merged NSUs -> NSUs by line or by element
"""

from typing import Literal, NamedTuple

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ..network.boundaries import BOS, EOS, Boundaries

# Larger log-odds count as certain.
MAX_CONFIDENCE = 30.0
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


class Tiles(NamedTuple):
    """Units that tile the tokens of a batch."""

    starts: Ints1d  # (n_units,) first token
    is_su: Bools1d  # (n_units,)
    confidence: Floats1d  # (n_units,) log-odds that the unit is right


def cut_long_units(tiles: Tiles, flags: Floats2d, boundaries: Boundaries, max_length: int) -> Tiles:
    """Cut SUs of more than `max_length` tokens at their best inner boundary, and long parts again.

    An SU or a part whose inner boundaries are all forbidden is not cut. The confidence of a part is
    the lowest of that of the whole SU and those of its boundaries.
    """
    strength = flags[:, BOS].astype("float64")
    strength[1:] += flags[:-1, EOS]
    strength[boundaries.forbidden] = -np.inf
    ends = np.append(tiles.starts, len(flags))[1:]
    is_long = tiles.is_su & (ends - tiles.starts > max_length)
    columns = (tiles.starts, ends, tiles.confidence)
    stack = list(zip(*(column[is_long].tolist() for column in columns), strict=True))
    find_best = _Strongest(strength) if stack else None
    cuts: dict[int, float] = {}
    while stack and find_best:
        start, end, confidence = stack.pop()
        cut = find_best(start, end) if end - start > max_length else None
        if cut is None:
            cuts[start] = confidence
            continue
        sure = min(confidence, float(strength[cut]))
        stack += [(start, cut, sure), (cut, end, sure)]
    starts = np.union1d(tiles.starts, np.fromiter(cuts, dtype="int64"))
    whole = np.searchsorted(tiles.starts, starts, side="right") - 1
    confidence = tiles.confidence[whole]
    for place in np.flatnonzero(np.isin(starts, list(cuts))).tolist():
        confidence[place] = cuts[int(starts[place])]
    return Tiles(starts, tiles.is_su[whole], confidence)


class _Strongest:
    """A table that finds the strongest boundary in any part of a text without scanning the part.

    Scans would take n² steps if the strongest boundary were always at an edge.
    """

    def __init__(self, strength: Floats1d) -> None:
        # levels[k][i] is the maximum of the 2**k values from i on.
        self.levels = [strength]
        while len(self.levels[-1]) > (step := 1 << (len(self.levels) - 1)):
            last = self.levels[-1]
            self.levels.append(np.maximum(last[:-step], last[step:]))
        self.order = np.argsort(strength, kind="stable")
        self.ordered = strength[self.order]

    def __call__(self, start: int, end: int) -> int | None:
        """Find the strongest boundary inside the tokens [start, end); None if all are forbidden.

        If several are equally strong, the one closest to the middle is chosen, which leaves short
        parts.
        """
        level = (end - start - 1).bit_length() - 1
        if level < 0:
            return None
        values = self.levels[level]
        top = max(values[start + 1], values[end - (1 << level)])
        if not np.isfinite(top):
            return None
        same = self.order[slice(*(np.searchsorted(self.ordered, top, side=x) for x in SIDES))]
        # Boundaries outside of the part are further from the middle, so they need no check.
        after = int(np.searchsorted(same, (start + 2 + end) // 2))
        near = same[max(after - 1, 0) : after + 1].tolist()
        return min(near, key=lambda place: (abs(2 * place - start - 1 - end), place))


def merge_nsus(tiles: Tiles, lengths: Ints1d) -> Tiles:
    """Merge neighbouring NSUs of a document, as boundaries between NSUs have no meaning.

    The confidence of a merged NSU is the lowest of its parts (section 4.2).
    """
    starts, is_su, confidence = tiles
    if not len(starts):
        return tiles
    begins = is_su.copy()
    begins[1:] |= is_su[:-1]
    firsts = np.searchsorted(starts, np.cumsum(lengths) - lengths)
    begins[firsts[firsts < len(starts)]] = True  # units that start a document
    first = np.flatnonzero(begins)
    return Tiles(starts[first], is_su[first], np.minimum.reduceat(confidence, first))


def cut_nsus(tiles: Tiles, line_starts: Ints1d) -> Tiles:
    """Cut NSUs at line starts; each part keeps the confidence of the whole."""
    around = np.searchsorted(tiles.starts, line_starts, side="right") - 1  # unit of each line start
    cuts = line_starts[~tiles.is_su[around] & (tiles.starts[around] != line_starts)]
    starts = np.sort(np.concatenate([tiles.starts, cuts]))
    whole = np.searchsorted(tiles.starts, starts, side="right") - 1
    return Tiles(starts, tiles.is_su[whole], tiles.confidence[whole])


def cut_elements(
    tiles: Tiles,
    unit_start: Floats1d,
    outside: Floats1d,
    boundaries: Boundaries,
    counts: Bools1d,
) -> Tiles:
    """Cut NSUs where the model predicts the start of a unit, and at forced unit starts.

    unit_start, outside: (n_tokens,) log-odds. An element is right if all of its tokens are outside
        of SUs, and if units start at both of its ends but not inside of it.
    counts: (n_tokens,) bool. An element needs at least one token that is True.
    """
    around = np.cumsum(np.bincount(tiles.starts, minlength=len(outside))) - 1  # unit of each token
    is_cut = ((unit_start > 0) & ~boundaries.forbidden) | boundaries.forced
    is_cut &= ~tiles.is_su[around] if len(around) else is_cut
    is_fixed_token = boundaries.forced.copy()
    is_fixed_token[tiles.starts] = is_cut[tiles.starts] = True
    starts = np.flatnonzero(is_cut)
    if len(starts):
        counted, is_fixed = np.logical_or.reduceat(counts, starts), is_fixed_token[starts]
        # A part that is not an element joins the part before it, or else the part after it.
        drop = ~counted & ~is_fixed
        drop[1:] |= (~counted & is_fixed)[:-1] & ~is_fixed[1:]
        starts = starts[~drop]
        is_cut[:] = False
        is_cut[starts] = True
    whole = around[starts]
    is_su = tiles.is_su[whole]
    if not len(starts):
        return tiles
    edge = np.where(boundaries.forced, MAX_CONFIDENCE, unit_start)
    inner = np.where(is_cut, -MAX_CONFIDENCE, unit_start)
    ends = np.append(edge[starts[1:]], MAX_CONFIDENCE)
    # Next to an SU, the labels of the tokens determine the confidence of an edge. Between NSUs, the
    # unit start does.
    begins = np.where(np.append(True, is_su[:-1]), MAX_CONFIDENCE, edge[starts])
    ends = np.where(np.append(is_su[1:], True), MAX_CONFIDENCE, ends)
    sure = np.minimum.reduceat(np.minimum(outside, -inner), starts)
    sure = np.minimum(np.minimum(sure, begins), ends)
    return Tiles(starts, is_su, np.where(is_su, tiles.confidence[whole], sure))
