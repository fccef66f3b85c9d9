"""Whether two systems differ: a paired bootstrap over sentences.

counts of each sentence, both systems -> sentences drawn again, many times -> two-sided p
"""

from typing import Any

import numpy as np

from spacy_sentid.arrays import Ints2d

DRAWS = 2000
LEVEL = 0.05
CHUNK = 200  # draws at a time, for the memory


def word_f(counts: Any) -> Any:
    """Compute F1 from right, gold and predicted words, in the last axis; 1 for none at all."""
    right, gold, pred = counts[..., 0], counts[..., 1], counts[..., 2]
    total = gold + pred
    return np.where(total > 0, 2 * right / np.maximum(total, 1), 1.0)


def compare_counts(a: Ints2d, b: Ints2d, *, draws: int = DRAWS, seed: int = 0) -> float:
    """Give the two-sided p of the difference of F1 between two systems.

    a, b: (n_sentences, 3), right, gold and predicted words of the same sentences, summed over the
        seeds of training. With the seeds summed p is about the choice of sentences, not about that
        of seeds.
    RETURNS: Twice the smaller share of draws in which the difference is on either side of 0, at
        most 1; 1 for systems that are alike. At least 2 / (draws + 1).
    Raises ValueError if the sentences are not the same.

    >>> same = np.array([[3, 4, 4], [5, 6, 7]])
    >>> compare_counts(same, same)
    1.0
    """
    if a.shape != b.shape or (a[:, 1] != b[:, 1]).any():
        raise ValueError(
            f"Found counts of {len(a)} and of {len(b)} sentences, or other gold words in them, "
            "expected the same sentences. Measure both systems on the same file."
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
