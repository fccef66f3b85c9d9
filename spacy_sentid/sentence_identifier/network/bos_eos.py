"""Decode BOS and EOS probabilities to the most probable SUs (section 4, Appendix A). No spaCy.

Eq. 4 is a sum over words. Its value if no word is BOS or EOS is a constant. Relative to it, each
chosen BOS or EOS adds its log-odds, log(p / (1 - p)), which we call its gain. So the decoder only
considers candidates, and the best SUs are the alternating sequence of BOS and EOS with the largest
sum of gains.
"""

from collections import deque
from collections.abc import Sequence

import numpy as np

# Probabilities are clipped to [EPSILON, 1 - EPSILON], so that log-odds are finite.
EPSILON = 1e-12


def decode_bos_eos(
    bos_prob: Sequence[float] | np.ndarray,
    eos_prob: Sequence[float] | np.ndarray,
    *,
    threshold: float = 0.1,
    max_length: int | None = None,
) -> list[tuple[int, int]]:
    """Find the most probable SUs of one document by the dynamic program of Appendix A.

    bos_prob, eos_prob: P(token begins / ends an SU), in [0, 1], shape (n_tokens,).
    threshold: Minimum probability of a candidate (c in the paper). With 0, all tokens are
        candidates.
    max_length: Maximum length of an SU in tokens; None = no limit.
    RETURNS: `(start, end)` of each SU in text order, half-open; [] for an empty document. All other
        tokens are NSU. Of equally probable results, the one with the fewest SUs is returned.

    >>> decode_bos_eos([0.9, 0.1, 0.1], [0.1, 0.8, 0.1])
    [(0, 2)]
    """
    begins, begin_gains = _candidates(bos_prob, threshold)
    ends, end_gains = _candidates(eos_prob, threshold)
    # `outside` is the best sum of gains so far with all SUs closed. Each closed SU is a node
    # (start, end, previous node). `open_at` holds possible starts of the open SU, sorted by
    # descending gain. With a max_length it works as a sliding-window maximum.
    outside: float = 0.0
    closed: tuple | None = None
    open_at: deque[tuple[float, int, tuple | None]] = deque()
    b = 0
    for end, end_gain in zip(ends, end_gains, strict=True):
        while b < len(begins) and begins[b] <= end:
            # Every EOS before this BOS has been handled, so `outside` is up to date.
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


def log_odds(prob: Sequence[float] | np.ndarray) -> np.ndarray:
    """Compute log(p / (1 - p)), finite also for 0 and 1."""
    clipped = np.clip(np.asarray(prob, dtype="float64"), EPSILON, 1 - EPSILON)
    return np.log(clipped) - np.log1p(-clipped)


def _candidates(
    prob: Sequence[float] | np.ndarray, threshold: float
) -> tuple[list[int], list[float]]:
    array = np.asarray(prob, dtype="float64")
    indices = np.flatnonzero(array >= threshold)
    return indices.tolist(), log_odds(array[indices]).tolist()
