"""A linear-chain CRF over BMES tags: best path, probabilities, likelihood of partial annotation.

scores of tags, transitions, chain starts, allowed tags -> tags, marginals, loss and gradients

The chains of a batch are concatenated in one array. A chain starts with B or S and ends with E or
S, so a chain boundary is like a word boundary, but without a transition score. The array is divided
into parts of equal length. One numpy operation advances all parts by a character, from each of the
four tags that can precede a part. Then the results of the parts are combined. So short and long
chains take the same time per character. All results are exact.

The only transitions are the eight legal ones (section 2.3 of the paper). Each tag can follow two
tags, and two tags can follow it:

B, S follow E or S      M, E follow B or M
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Bools1d, Bools2d, Floats2d, Floats3d, Ints1d

# Begin and middle of a word of several characters, its end, and a word of a single character. The
# integers are the columns of all scores.
B, M, E, S = range(4)
N_TAGS = 4
TAGS = np.arange(N_TAGS)
# The two tags before each tag, and the two after it.
BEFORE = np.array([[E, B, B, E], [S, M, M, S]])
AFTER = np.array([[M, M, B, B], [E, E, S, S]])
# Which of the two tags before AFTER[k, j] is j: BEFORE[WAYS[k, j], AFTER[k, j]] == j.
WAYS = np.array([[0, 1, 0, 1], [0, 1, 0, 1]])
# After a character with one of these tags there is a boundary: p_B of equation (3) is the sum of
# their probabilities, and 1 - p_B is equation (4).
CLOSED = [E, S]
IMPOSSIBLE = -math.inf


class Marginals(NamedTuple):
    """Probabilities of tags and of pairs of tags, and the log-partition."""

    log_partition: float  # of all chains together
    tags: Floats2d  # (n, 4)
    # (n, 2, 4): probability of tag BEFORE[k, j] at i - 1 and tag j at i. Where a chain starts, the
    # tag at i - 1 is not part of the chain.
    pairs: Floats3d


def find_best_tags(
    emissions: Floats2d, transitions: Floats2d, starts: Bools1d, allowed: Bools2d | None = None
) -> Ints1d:
    """Find the best legal tags of all chains (Viterbi).

    emissions: (n, 4), the score of each tag at each character.
    transitions: (4, 4), the score of tag b after tag a. Illegal pairs are ignored.
    starts: (n,), True where a chain starts; starts[0] must be True.
    allowed: (n, 4), the tags that are allowed (constrained Viterbi). None = all.
    RETURNS: (n,). If several paths are equally good, the choice is always the same.

    Raises ValueError if no path satisfies the constraints.

    >>> scores = np.array([[0.0, 0, 0, 1], [2, 0, 0, 0], [2, 0, 1, 0]])
    >>> find_best_tags(scores, np.zeros((4, 4)), np.array([True, False, False]))
    array([3, 0, 2])
    """
    n = len(emissions)
    if not n:
        return np.zeros(0, dtype="int64")
    into = _cut_parts(emissions, transitions, starts, allowed)
    entries, _ = _enter_parts(_transfer(into, np.maximum), np.max, len(into))
    # For each step, find the better one of the two previous tags. Then trace the paths back in all
    # parts at once, from each tag at the end of a part.
    second: list[Bools2d] = []
    scores = entries.T
    for step in into:
        first, other = _steps(scores, step)
        second.append(other > first)
        scores = np.maximum(first, other)
    n_parts = len(entries)
    rows = np.arange(n_parts)
    tags = np.tile(TAGS[:, None], n_parts)  # (4, n_parts): the tag now, by the tag at the end
    paths = np.empty((len(second), N_TAGS, n_parts), dtype="int8")
    for place in range(len(second) - 1, -1, -1):
        paths[place] = tags
        tags = BEFORE[second[place][tags, rows].view("int8"), tags]
    ends = np.empty(n_parts, dtype="int64")
    end = max(CLOSED, key=lambda tag: scores[tag, -1])
    for part in range(n_parts - 1, -1, -1):
        ends[part] = end
        end = tags[end, part]
    return paths[:, ends, rows].T.reshape(-1)[:n].astype("int64")


def find_marginals(
    emissions: Floats2d, transitions: Floats2d, starts: Bools1d, allowed: Bools2d | None = None
) -> Marginals:
    """Compute the log-partition and the probabilities of tags and of pairs of tags (equation 2).

    See `find_best_tags` for the arguments. With `allowed`, only the allowed paths count. Without
    chains, the result is 0 and empty arrays.

    Raises ValueError if no path satisfies the constraints.
    """
    n = len(emissions)
    if not n:
        return Marginals(0.0, np.zeros((0, N_TAGS)), np.zeros((0, 2, N_TAGS)))
    into = _cut_parts(emissions, transitions, starts, allowed)
    transfer = _transfer(into, np.logaddexp)
    entries, log_partition = _enter_parts(transfer, np.logaddexp.reduce, len(into))
    # Forward scores into each tag from the two tags before it: (n_steps, 2, 4, n_parts).
    pairs = np.empty(into.shape)
    scores = entries.T
    for place, step in enumerate(into):
        pairs[place] = _steps(scores, step)
        scores = np.logaddexp(*pairs[place])
    later = _leave_parts(transfer).T
    for place in range(len(pairs) - 1, -1, -1):
        pairs[place] += later
        ahead = into[place] + later
        later = np.logaddexp(ahead[WAYS[0], AFTER[0]], ahead[WAYS[1], AFTER[1]])
    probs = np.exp(pairs - log_partition)
    probs = probs.transpose(3, 0, 1, 2).reshape(-1, 2, N_TAGS)[:n]
    return Marginals(float(log_partition), probs.sum(axis=1), probs)


class Loss(NamedTuple):
    """A negative log-likelihood, summed over all chains, with its gradients."""

    value: float
    d_emissions: Floats2d  # (n, 4)
    d_transitions: Floats2d  # (4, 4)


def compute_loss(
    emissions: Floats2d, transitions: Floats2d, starts: Bools1d, allowed: Bools2d
) -> Loss:
    """Compute -log of the probability of all allowed paths together (section 3.1).

    See `find_best_tags` for the other arguments.

    allowed: (n, 4), the tags that are consistent with the annotation. With one tag per character,
        this is the usual loss of a CRF, otherwise that of the partial CRF.

    Raises ValueError if no legal path is allowed.
    """
    free = find_marginals(emissions, transitions, starts)
    held = find_marginals(emissions, transitions, starts, allowed)
    d_transitions = np.zeros((N_TAGS, N_TAGS))
    d_pairs = ((free.pairs - held.pairs) * ~np.asarray(starts)[:, None, None]).sum(axis=0)
    for k in range(2):
        d_transitions[BEFORE[k], TAGS] = d_pairs[k]
    return Loss(free.log_partition - held.log_partition, free.tags - held.tags, d_transitions)


# Parts


def _cut_parts(
    emissions: Floats2d, transitions: Floats2d, starts: Bools1d, allowed: Bools2d | None
) -> Any:
    """Divide a batch into parts: step s of part b is character b * n_steps + s.

    RETURNS: (n_steps, 2, 4, n_parts): the score of each tag plus that of the transition from
        either of the tags BEFORE it. At the start of a chain, transitions are 0. Tags that are not
        allowed have -inf. Parts are the last axis, along which numpy is fast.
    """
    starts = np.asarray(starts)
    if not starts[0]:
        raise ValueError("starts[0] must be True, got False. The first character starts a chain.")
    n = len(emissions)
    n_steps = math.ceil(math.sqrt(n))
    n_parts = math.ceil(n / n_steps)
    scores: Any = np.full((n_parts * n_steps, N_TAGS), IMPOSSIBLE)
    scores[n:, S] = 0.0  # padding: chains of one character that change nothing
    scores[:n] = emissions
    if allowed is not None:
        scores[:n][~np.asarray(allowed)] = IMPOSSIBLE
    firsts = np.flatnonzero(starts)
    lasts = np.append(firsts[1:], n) - 1
    scores[firsts[:, None], [[M, E]]] = IMPOSSIBLE
    scores[lasts[:, None], [[B, M]]] = IMPOSSIBLE
    before = np.asarray(transitions, dtype="float64")[BEFORE, TAGS]
    into: Any = scores[:, None] + before
    into[firsts] = scores[firsts, None]
    into[n:] = scores[n:, None]
    into = into.reshape(n_parts, n_steps, 2, N_TAGS).transpose(1, 2, 3, 0)
    return np.ascontiguousarray(into)


def _steps(scores: Any, into: Any) -> tuple[Any, Any]:
    """Compute the scores of tags at the next character from those at this one, (4, ...).

    RETURNS: The score of each tag after the first of the two tags that it can follow, and after the
        second.
    """
    return scores[BEFORE[0]] + into[0], scores[BEFORE[1]] + into[1]


def _transfer(into: Any, add: Callable) -> Floats3d:
    """Compute the score of each part for each tag before it and each tag at its end.

    RETURNS: (n_parts, 4, 4).
    """
    scores: Any = np.full((N_TAGS, N_TAGS, into.shape[-1]), IMPOSSIBLE)
    scores[TAGS, TAGS] = 0.0
    for step in into:
        scores = add(*_steps(scores, step[:, :, None]))
    return np.ascontiguousarray(scores.transpose(2, 1, 0))


def _enter_parts(transfer: Floats3d, reduce: Callable, n_steps: int) -> tuple[Floats2d, float]:
    """Compute the score of everything before each part, for each tag that can precede the part.

    RETURNS: (n_parts, 4) scores, and the score of the whole batch.

    Raises ValueError, with the place in the batch, if the constraints leave no path.
    """
    entries = np.empty((len(transfer), N_TAGS))
    scores = np.full(N_TAGS, IMPOSSIBLE)
    scores[E] = 0.0  # a word ends before the first chain
    for part, matrix in enumerate(transfer):
        entries[part] = scores
        scores = reduce(scores[:, None] + matrix, axis=0)
    total = reduce(scores[CLOSED])
    if total == IMPOSSIBLE:
        lost = np.flatnonzero((entries == IMPOSSIBLE).all(axis=1))
        start = ((lost[0] if len(lost) else len(entries)) - 1) * n_steps
        raise ValueError(
            "Constraints must allow at least one segmentation, but they contradict each other "
            f"between characters {start} and {start + n_steps} of the batch."
        )
    return entries, total


def _leave_parts(transfer: Floats3d) -> Floats2d:
    """Compute the score of everything after each part, for each tag at its end: (n_parts, 4)."""
    later = np.empty((len(transfer), N_TAGS))
    scores = np.full(N_TAGS, IMPOSSIBLE)
    scores[CLOSED] = 0.0
    for part in range(len(transfer) - 1, -1, -1):
        later[part] = scores
        scores = np.logaddexp.reduce(transfer[part] + scores, axis=1)
    return later
