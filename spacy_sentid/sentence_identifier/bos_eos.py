"""From BOS and EOS probabilities to the most probable SUs (section 4, Appendix A). No spaCy.

Eq. 4 is a sum over words. Taking out what it is when no word is BOS or EOS leaves, for each BOS
and EOS chosen, a gain: the log-odds log(p / (1 - p)). So only candidates need to be looked at, and
the best SUs are the alternating choice of BOS and EOS with the greatest sum of gains.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

# Probabilities are kept this far from 0 and 1, so that log-odds are finite.
EPSILON = 1e-12


def decode_bos_eos(
    bos_prob: Sequence[float] | np.ndarray,
    eos_prob: Sequence[float] | np.ndarray,
    *,
    threshold: float = 0.1,
    max_length: int | None = None,
) -> list[tuple[int, int]]:
    """Find the most probable SUs of one document: the dynamic program of Appendix A.

    bos_prob, eos_prob: P(token begins / ends an SU), in [0, 1], shape (n_tokens,).
    threshold: Tokens below it are no candidates (c in the paper); 0 lets all be candidates.
    max_length: Longest SU in tokens; None = no limit.
    RETURNS: `(start, end)` of each SU in text order, half-open; [] for an empty document. The rest
        is NSU. Of equally probable results the one with fewer SUs.

    >>> decode_bos_eos([0.9, 0.1, 0.1], [0.1, 0.8, 0.1])
    [(0, 2)]
    """
    begins, begin_gains = _candidates(bos_prob, threshold)
    ends, end_gains = _candidates(eos_prob, threshold)
    # `outside` is the best sum of gains so far with all SUs closed. Each closed SU is a node
    # (start, end, the node before it); `open_at` holds possible openings with falling gain, the
    # best one first (a sliding-window maximum when SUs may not be longer than max_length).
    outside: float = 0.0
    closed: tuple | None = None
    open_at: deque[tuple[float, int, tuple | None]] = deque()
    b = 0
    for end, end_gain in zip(ends, end_gains, strict=True):
        while b < len(begins) and begins[b] <= end:
            # An EOS before this BOS has been handled already: `outside` is up to date.
            gain = outside + begin_gains[b]
            while open_at and open_at[-1][0] < gain:
                open_at.pop()
            open_at.append((gain, begins[b], closed))
            b += 1
        while max_length is not None and open_at and end + 1 - open_at[0][1] > max_length:
            open_at.popleft()
        if open_at and open_at[0][0] + end_gain > outside:
            gain, start, before = open_at[0]
            outside = gain + end_gain
            closed = (start, end + 1, before)
    spans = []
    while closed is not None:
        start, stop, closed = closed
        spans.append((start, stop))
    return spans[::-1]


def decode_eos(
    eos_prob: Sequence[float] | np.ndarray, *, threshold: float = 0.5, force_last: bool = False
) -> list[tuple[int, int]]:
    """Split a document at every EOS (section 4.1): the segmentation baseline.

    eos_prob: P(token ends an SU), shape (n_tokens,).
    threshold: Least probability of an EOS.
    force_last: Count what follows the last EOS as an SU; else it is NSU.
    RETURNS: `(start, end)` of each SU.

    >>> decode_eos([0.1, 0.8, 0.1]), decode_eos([0.1, 0.8, 0.1], force_last=True)
    ([(0, 2)], [(0, 2), (2, 3)])
    """
    prob = np.asarray(eos_prob)
    ends = (np.flatnonzero(prob >= threshold) + 1).tolist()
    if force_last and len(prob) and (not ends or ends[-1] < len(prob)):
        ends.append(len(prob))
    return list(zip([0, *ends[:-1]], ends, strict=True)) if ends else []


def log_odds(prob: Sequence[float] | np.ndarray) -> np.ndarray:
    """log(p / (1 - p)), finite also for 0 and 1."""
    clipped = np.clip(np.asarray(prob, dtype="float64"), EPSILON, 1 - EPSILON)
    return np.log(clipped) - np.log1p(-clipped)


def _candidates(
    prob: Sequence[float] | np.ndarray, threshold: float
) -> tuple[list[int], list[float]]:
    array = np.asarray(prob, dtype="float64")
    indices = np.flatnonzero(array >= threshold)
    return indices.tolist(), log_odds(array[indices]).tolist()
