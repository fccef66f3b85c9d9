"""Paired bootstrap test over sentences for the difference between two systems.

counts of each sentence, both systems -> resampled sentences, many times -> two-sided p
"""

from typing import Any

import numpy as np

from spacy_sentid.arrays import Ints2d

DRAWS = 2000
LEVEL = 0.05
CHUNK = 200  # draws at a time, to limit memory


def word_f(counts: Any) -> Any:
    """Compute F1 from the counts in the last axis: correct, gold and predicted words.

    RETURNS: F1 in [0, 1]; 1 if there are no words.
    """
    right, gold, pred = counts[..., 0], counts[..., 1], counts[..., 2]
    total = gold + pred
    return np.where(total > 0, 2 * right / np.maximum(total, 1), 1.0)


def compare_counts(a: Ints2d, b: Ints2d, *, draws: int = DRAWS, seed: int = 0) -> float:
    """Compute the two-sided p-value of the difference in F1 between two systems.

    a, b: Correct, gold and predicted words of the same sentences, shape (n_sentences, 3), summed
        over the training seeds. So p reflects the choice of sentences, not the choice of seeds.
    RETURNS: Twice the smaller of the shares of draws below and above 0, in
        [2 / (draws + 1), 1]. It is 1 if the systems have the same counts.
    Raises ValueError if the sentences are not the same.

    >>> same = np.array([[3, 4, 4], [5, 6, 7]])
    >>> compare_counts(same, same)
    1.0
    """
    if a.shape != b.shape or (a[:, 1] != b[:, 1]).any():
        raise ValueError(
            "The counts of both systems must be of the same sentences, but the numbers of "
            f"sentences ({len(a)} and {len(b)}) or of gold words differ. Evaluate both systems on "
            "the same file."
        )
    n = len(a)
    if n == 0:
        return 1.0
    rng = np.random.default_rng(seed)
    both = np.concatenate([a, b], axis=1).astype("float64")
    below = above = done = 0
    while done < draws:
        size = min(CHUNK, draws - done)
        weights = rng.multinomial(n, np.full(n, 1 / n), size=size)
        sums = weights @ both  # (size, 6)
        difference = word_f(sums[:, :3]) - word_f(sums[:, 3:])
        below += int((difference <= 0).sum())
        above += int((difference >= 0).sum())
        done += size
    return min(1.0, 2 * (min(below, above) + 1) / (draws + 1))
