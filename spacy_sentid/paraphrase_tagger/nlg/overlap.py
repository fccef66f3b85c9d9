"""chrF and ROUGE precision: what two texts share as strings.

text -> n-grams of characters or words -> how many both have -> scores from 0 to 1

chrF is that of sacrebleu (`CHRF().sentence_score`), ROUGE that of rouge-score without a stemmer.
"""

import re
from collections import Counter
from itertools import islice

# Settings of chrF: n-grams of up to so many characters, and recall counts BETA times precision.
MAX_CHARS = 6
BETA = 2
ROUGE_WORD = re.compile("[a-z0-9]+")


def score_chrf(hyp: str, ref: str) -> float:
    """Compute chrF, 0 to 1: white space is left out, upper and lower case differ.

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
    """Compute the precision of ROUGE: the share of the text's n-grams of words in the reference.

    size: Words of an n-gram. A text with fewer words has 0.

    >>> score_rouge_precision("The sales rose.", "Sales rose in May.", size=1)
    0.6666666666666666
    """
    counts = []
    for text in (hyp, ref):
        words = ROUGE_WORD.findall(text.lower())
        counts.append(Counter(zip(*(islice(words, i, None) for i in range(size)))))  # noqa: B905
    return _count_shared(*counts) / (counts[0].total() or 1)


def _count_shared(first: Counter, second: Counter) -> int:
    """Count what both have, each as often as the one that has it less often."""
    if len(first) > len(second):
        first, second = second, first
    return sum(min(n, second[item]) for item, n in first.items() if item in second)
