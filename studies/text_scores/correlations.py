"""Measures of the agreement of a metric with people, as in the paper's Tables 4 to 6.

Ties count as in the analysis of BARTScore, which the paper follows. Equal scores of a better and a
worse text are an error. In correlations, ties have their mean rank.
"""

import importlib.util
from collections.abc import Iterable, Sequence

EXTRAS = ("scipy", "rouge_score", "sacrebleu")


def check_extras() -> None:
    """Check if the libraries of the extra "nlg" are installed. Raise ValueError if not."""
    missing = [name for name in EXTRAS if importlib.util.find_spec(name) is None]
    if missing:
        raise ValueError(
            f"The meta-evaluation needs {', '.join(missing)}, which cannot be imported. Install "
            "the libraries with 'pip install \"spacy-sentid[nlg]\"'."
        )


def spearman(human: Sequence[float], scores: Sequence[float]) -> float | None:
    """Correlate ranks. Return None if all human values or all scores are equal.

    >>> spearman([1, 2, 3, 4], [10, 20, 40, 30])
    0.8
    """
    from scipy.stats import spearmanr

    if len(set(human)) < 2 or len(set(scores)) < 2:
        return None
    return round(float(spearmanr(human, scores)[0]), 12)


def pearson(human: Sequence[float], scores: Sequence[float]) -> float | None:
    """Correlate values. Return None if all human values or all scores are equal.

    >>> pearson([1, 2, 3], [10, 20, 30])
    1.0
    """
    from scipy.stats import pearsonr

    if len(set(human)) < 2 or len(set(scores)) < 2:
        return None
    return round(float(pearsonr(human, scores)[0]), 12)


def mean_spearman(
    groups: Sequence[object], human: Sequence[float], scores: Sequence[float]
) -> float | None:
    """Correlate ranks within each group (the systems of a document), and average over the groups.

    A group does not count if all its human values or all its scores are equal. Return None if no
    group counts.

    >>> mean_spearman("aabbcc", [1, 2, 1, 2, 3, 3], [5, 6, 6, 5, 1, 2])
    0.0
    """
    of_group: dict[object, tuple[list[float], list[float]]] = {}
    for group, value, score in zip(groups, human, scores, strict=True):
        values, found = of_group.setdefault(group, ([], []))
        values.append(value)
        found.append(score)
    by_group = [spearman(values, found) for values, found in of_group.values()]
    counted = [value for value in by_group if value is not None]
    return sum(counted) / len(counted) if counted else None


def accuracy(
    groups: Sequence[object], human: Sequence[float], scores: Sequence[float]
) -> float | None:
    """Compute the share of groups in which the better text has the higher score.

    Each group has a better and a worse text.

    >>> accuracy("aabbcc", [1, 0, 0, 1, 1, 0], [5, 4, 3, 3, 7, 8])
    0.3333333333333333
    """
    better = list(_compare(groups, human, scores))
    return sum(better) / len(better) if better else None


def kendall(
    groups: Sequence[object], human: Sequence[float], scores: Sequence[float]
) -> float | None:
    """Compute Kendall's tau as in WMT19: (concordant - discordant) / all. Ties are discordant.

    Each group has a better and a worse text.

    >>> kendall("aabbcc", [1, 0, 0, 1, 1, 0], [5, 4, 3, 3, 7, 6])
    0.3333333333333333
    """
    better = list(_compare(groups, human, scores))
    return (2 * sum(better) - len(better)) / len(better) if better else None


def _compare(
    groups: Sequence[object], human: Sequence[float], scores: Sequence[float]
) -> Iterable[bool]:
    of_group: dict[object, list[tuple[float, float]]] = {}
    for group, value, score in zip(groups, human, scores, strict=True):
        of_group.setdefault(group, []).append((value, score))
    for entries in of_group.values():
        (_, worse), (_, better) = sorted(entries, key=lambda entry: entry[0])
        yield better > worse
