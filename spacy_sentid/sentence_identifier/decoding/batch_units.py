"""Merge and cut the units that tile the tokens of a batch.

units of the decoder -> parts of long SUs -> merged NSUs -> NSUs by line or by element
"""

from typing import NamedTuple

import numpy as np

from ...arrays import Bools1d, Floats1d, Floats2d, Ints1d
from ..network.boundaries import BOS, EOS, Boundaries

# Larger log-odds count as certain.
MAX_CONFIDENCE = 30.0


class BatchUnits(NamedTuple):
    """Units that tile the tokens of a batch."""

    starts: Ints1d  # (n_units,) first token
    is_su: Bools1d  # (n_units,)
    confidence: Floats1d  # (n_units,) log-odds that the unit is right


def cut_long_units(
    units: BatchUnits, flags: Floats2d, boundaries: Boundaries, max_length: int
) -> BatchUnits:
    """Cut SUs of more than `max_length` tokens into parts.

    A part ends at the best boundary in the second half of its first `max_length` tokens. If these
    are all forbidden, it ends at the last one before that is allowed, or else at the next one. The
    confidence of a part is the lowest of that of the whole SU and those of its boundaries.
    """
    strength = flags[:, BOS].astype("float64")
    strength[1:] += flags[:-1, EOS]
    allowed = np.flatnonzero(~boundaries.forbidden)
    ends = np.append(units.starts[1:], len(flags))[: len(units.starts)]
    cuts: list[int] = []
    for unit in np.flatnonzero(units.is_su & (ends - units.starts > max_length)).tolist():
        start, end = int(units.starts[unit]), int(ends[unit])
        while end - start > max_length:
            start = _choose_cut(strength, allowed, start, max_length)
            if start < end:
                cuts.append(start)
    starts = np.union1d(units.starts, np.asarray(cuts, dtype="int64"))
    whole = np.searchsorted(units.starts, starts, side="right") - 1
    edge = np.where(np.isin(starts, cuts), strength[starts], np.inf)
    sure = np.minimum(edge, np.append(edge[1:], np.inf)[: len(edge)])
    return BatchUnits(starts, units.is_su[whole], np.minimum(units.confidence[whole], sure))


def _choose_cut(strength: Floats1d, allowed: Ints1d, start: int, max_length: int) -> int:
    """Choose where the part of an SU that begins at `start` ends, of several best places the last.

    allowed: Tokens at which a unit may start.
    """
    places = start + 1, start + 1 + max_length // 2, start + 1 + max_length
    first, half, last = np.searchsorted(allowed, places).tolist()
    if half < last:
        return int(max(allowed[half:last].tolist(), key=lambda place: (strength[place], place)))
    if first < last:
        return int(allowed[last - 1])
    return int(allowed[last]) if last < len(allowed) else len(strength)


def merge_nsus(units: BatchUnits, lengths: Ints1d) -> BatchUnits:
    """Merge neighbouring NSUs of a document, as boundaries between NSUs have no meaning.

    The confidence of a merged NSU is the lowest of its parts (section 4.2).
    """
    starts, is_su, confidence = units
    if not len(starts):
        return units
    begins = is_su.copy()
    begins[1:] |= is_su[:-1]
    firsts = np.searchsorted(starts, np.cumsum(lengths) - lengths)
    begins[firsts[firsts < len(starts)]] = True  # units that start a document
    first = np.flatnonzero(begins)
    return BatchUnits(starts[first], is_su[first], np.minimum.reduceat(confidence, first))


def cut_nsus(units: BatchUnits, line_starts: Ints1d) -> BatchUnits:
    """Cut NSUs at line starts; each part keeps the confidence of the whole."""
    around = np.searchsorted(units.starts, line_starts, side="right") - 1  # unit of each line start
    cuts = line_starts[~units.is_su[around] & (units.starts[around] != line_starts)]
    starts = np.sort(np.concatenate([units.starts, cuts]))
    whole = np.searchsorted(units.starts, starts, side="right") - 1
    return BatchUnits(starts, units.is_su[whole], units.confidence[whole])


def cut_elements(
    units: BatchUnits,
    unit_start: Floats1d,
    outside: Floats1d,
    forced: Bools1d,
    forbidden: Bools1d,
    counts: Bools1d,
) -> BatchUnits:
    """Cut NSUs where the model predicts the start of a unit, and at forced unit starts.

    unit_start, outside: (n_tokens,) log-odds. An element is right if all of its tokens are outside
        of SUs, and if units start at both of its ends but not inside of it.
    forced, forbidden: (n_tokens,) bool. An element starts, or does not start, here.
    counts: (n_tokens,) bool. An element needs at least one token that is True.
    """
    around = np.cumsum(np.bincount(units.starts, minlength=len(outside))) - 1  # unit of each token
    is_cut = ((unit_start > 0) & ~forbidden) | forced
    is_cut &= ~units.is_su[around] if len(around) else is_cut
    is_fixed_token = forced.copy()
    is_fixed_token[units.starts] = is_cut[units.starts] = True
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
    is_su = units.is_su[whole]
    if not len(starts):
        return units
    edge = np.where(forced, MAX_CONFIDENCE, unit_start)
    inner = np.where(is_cut, -MAX_CONFIDENCE, unit_start)
    ends = np.append(edge[starts[1:]], MAX_CONFIDENCE)
    # Next to an SU, the labels of the tokens determine the confidence of an edge. Between NSUs, the
    # unit start does.
    begins = np.where(np.append(True, is_su[:-1]), MAX_CONFIDENCE, edge[starts])
    ends = np.where(np.append(is_su[1:], True), MAX_CONFIDENCE, ends)
    sure = np.minimum.reduceat(np.minimum(outside, -inner), starts)
    sure = np.minimum(np.minimum(sure, begins), ends)
    return BatchUnits(starts, is_su, np.where(is_su, units.confidence[whole], sure))
