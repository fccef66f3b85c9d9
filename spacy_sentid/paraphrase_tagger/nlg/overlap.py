"""chrF and ROUGE precision, which measure the n-gram overlap of two texts.

text -> n-grams of characters or words -> how many both have -> scores from 0 to 1

The scores equal those of sacrebleu (`CHRF().sentence_score`) and of rouge-score without a stemmer.
"""

import re
from collections import Counter
from itertools import islice

# Settings of chrF: maximum length of character n-grams, and weight of recall against precision.
MAX_CHARS = 6
BETA = 2
ROUGE_WORD = re.compile("[a-z0-9]+")


def score_chrf(hyp: str, ref: str) -> float:
    """Compute chrF, 0 to 1. White space is ignored; case is not.

    >>> score_chrf("It rained.", "It rained."), round(score_chrf("It rained.", "It rains."), 4)
    (1.0, 0.5934)
    """
    texts = ["".join(text.split()) for text in (hyp, ref)]
    n = min(MAX_CHARS, *map(len, texts))  # longer n-grams are not in both texts
    if not n:
        return 0.0
    precision = recall = 0.0
    for size in range(1, n + 1):
        counts = [Counter(_list_chars(text, size)) for text in texts]
        shared = _count_shared(*counts)
        precision += shared / (len(texts[0]) - size + 1)
        recall += shared / (len(texts[1]) - size + 1)
    factor = BETA**2
    total = factor * precision + recall
    return (1 + factor) * precision * recall / total / n if total else 0.0


def _list_chars(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(len(text) - size + 1)]


def score_rouge_precision(hyp: str, ref: str, *, size: int) -> float:
    """Compute the precision of ROUGE, the share of the text's word n-grams in the reference.

    size: Number of words of an n-gram. The precision of a text with fewer words is 0.

    >>> score_rouge_precision("The sales rose.", "Sales rose in May.", size=1)
    0.6666666666666666
    """
    counts = []
    for text in (hyp, ref):
        words = ROUGE_WORD.findall(text.lower())
        counts.append(Counter(zip(*(islice(words, i, None) for i in range(size)))))  # noqa: B905
    return _count_shared(*counts) / (counts[0].total() or 1)


def _count_shared(first: Counter, second: Counter) -> int:
    """Count the items that are in both; a repeated item counts as often as both have it."""
    if len(first) > len(second):
        first, second = second, first
    return sum(min(n, second[item]) for item, n in first.items() if item in second)
