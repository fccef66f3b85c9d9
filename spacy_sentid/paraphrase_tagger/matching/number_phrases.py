"""Numbers of several words, such as "three thousand" and "2.5 million".

numbers of words -> runs with a power of ten -> the number of the run, for each of its words
"""

from collections.abc import Sequence

import numpy as np

from ...arrays import Floats1d, Floats2d

POWERS = (100.0, 1e3, 1e6, 1e9, 1e12)


def join_numbers(numbers: Floats2d) -> Floats2d:
    """Replace the numbers of words that form one number together by that number.

    numbers: (n, n_pairs) number of each word, NaN for other words and padding.

    >>> words = np.array([[np.nan], [3], [1000], [np.nan], [2019]])
    >>> join_numbers(words)[:, 0].tolist()
    [nan, 3000.0, 3000.0, nan, 2019.0]
    """
    is_number = ~np.isnan(numbers)
    follows = is_number[1:] & is_number[:-1] & np.isin(numbers[1:], POWERS)
    if not follows.any():
        return numbers
    joined = numbers.copy()
    for pair in np.flatnonzero(follows.any(axis=0)).tolist():
        edges = np.flatnonzero(np.diff(is_number[:, pair], prepend=False, append=False))
        for start, end in edges.reshape(-1, 2).tolist():
            if follows[start : end - 1, pair].any():
                joined[start:end, pair] = add_up(numbers[start:end, pair])
    return joined


def add_up(values: Sequence[float] | Floats1d) -> float:
    """Compute the number that consecutive words form.

    >>> add_up([2, 100, 50, 1000, 7])
    250007.0
    """
    total = current = 0.0
    for value in values:
        if value not in POWERS:
            current += float(value)
            continue
        current = (current or 1.0) * float(value)
        if value > POWERS[0]:
            total, current = total + current, 0.0
    return total + current
