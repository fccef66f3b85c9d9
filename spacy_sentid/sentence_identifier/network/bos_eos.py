"""Decode BOS and EOS probabilities to the most probable SUs (section 4, Appendix A). No spaCy.

Eq. 4 is a sum over words. Its value if no word is BOS or EOS is a constant. Relative to it, each
chosen BOS or EOS adds its log-odds, log(p / (1 - p)), which we call its gain. So the decoder only
considers candidates, and the best SUs are the alternating sequence of BOS and EOS with the largest
sum of gains.
"""

from collections.abc import Sequence

import numpy as np

# Probabilities are clipped to [EPSILON, 1 - EPSILON], so that log-odds are finite.
EPSILON = 1e-12


def decode_bos_eos(
    bos_prob: Sequence[float] | np.ndarray,
    eos_prob: Sequence[float] | np.ndarray,
    *,
    threshold: float = 0.1,
) -> list[tuple[int, int]]:
    """Find the most probable SUs of one document by the dynamic program of Appendix A.

    bos_prob, eos_prob: P(token begins / ends an SU), in [0, 1], shape (n_tokens,).
    threshold: Minimum probability of a candidate (c in the paper). With 0, all tokens are
        candidates.
    RETURNS: `(start, end)` of each SU in text order, half-open; [] for an empty document. All other
        tokens are NSU. Of equally probable results, the one with the fewest SUs is returned.

    >>> decode_bos_eos([0.9, 0.1, 0.1], [0.1, 0.8, 0.1])
    [(0, 2)]
    """
    begins, begin_gains = _candidates(bos_prob, threshold)
    ends, end_gains = _candidates(eos_prob, threshold)
    # `outside` is the best sum of gains so far with all SUs closed, and `inside` the best one with
    # an SU that starts at `start`. Each closed SU is a node (start, end, previous node).
    outside, inside = 0.0, -np.inf
    start = 0
    closed: tuple | None = None
    before: tuple | None = None
    b = 0
    for end, end_gain in zip(ends, end_gains, strict=True):
        while b < len(begins) and begins[b] <= end:
            # Every EOS before this BOS has been handled, so `outside` is up to date.
            if outside + begin_gains[b] > inside:
                inside, start, before = outside + begin_gains[b], begins[b], closed
            b += 1
        if inside + end_gain > outside:
            outside, closed = inside + end_gain, (start, end + 1, before)
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
