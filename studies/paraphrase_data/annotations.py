"""Counts of annotated pairs, as in Table 2, and the agreement of two annotations (section 4.2).

two annotations of the same pairs -> matched pairs -> kappa and scores, with the first as gold
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spacy_sentid.arrays import Ints1d
from spacy_sentid.paraphrase_tagger.corpus import TaggedPair
from spacy_sentid.paraphrase_tagger.scorer import score_tags


def gold_tags(pairs: Iterable[TaggedPair]) -> Ints1d:
    """Concatenate the tags of all words; ValueError with its id if a pair has no tags."""
    tags: list[int] = []
    for pair in pairs:
        if pair.tags1 is None or pair.tags2 is None:
            raise ValueError(f"Pair {pair.id!r} must have tags, got none.")
        tags += pair.tags1 + pair.tags2
    return np.asarray(tags, dtype="int64")


def compute_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Compute Cohen's kappa of two annotations of the same words (section 4.2).

    The result is NaN if both have the same single tag for all words, because chance agreement is 1.

    >>> compute_kappa([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    a, b = np.asarray(first), np.asarray(second)
    if len(a) != len(b) or not len(a):
        raise ValueError(
            f"Both annotations must have the same words, got {len(a)} and {len(b)} words."
        )
    observed = float((a == b).mean())
    by_chance = float(sum((a == tag).mean() * (b == tag).mean() for tag in {*a, *b}))
    return (observed - by_chance) / (1 - by_chance) if by_chance < 1 else float("nan")


def compare_annotations(
    first: Sequence[TaggedPair], second: Sequence[TaggedPair]
) -> dict[str, Any]:
    """Compare two annotations of the same pairs, with the first as gold (section 4.2).

    Pairs are matched by id. A pair without an id is matched by its line number.

    RETURNS: "pairs", "words", "kappa" and the scores of `scorer.score_tags`.

    Raises ValueError with the id if sentences differ or an id is used twice.
    """
    pairs = _match_annotations(first, second)
    golds, preds = [], []
    for pair, other in pairs:
        gold_tags([pair, other])  # checks that both have tags
        golds += [pair.tags1, pair.tags2]
        preds += [other.tags1, other.tags2]
    flat = [[tag for row in rows for tag in row or []] for rows in (golds, preds)]
    return {
        "pairs": len(first),
        "words": len(flat[0]),
        "kappa": compute_kappa(*flat),
        **score_tags(golds, preds),
    }


def _match_annotations(
    first: Sequence[TaggedPair], second: Sequence[TaggedPair]
) -> list[tuple[TaggedPair, TaggedPair]]:
    # The id of a pair without one is its place, "file:line".
    places = [re.sub(r"^.*:(\d+)$", r":\1", pair.id) for pair in second]
    others = dict(zip(places, second, strict=True))
    names = [re.sub(r"^.*:(\d+)$", r":\1", pair.id) for pair in first]
    for kind, found in (("first", names), ("second", places)):
        twice = [name for name, count in Counter(found).items() if count > 1]
        if twice:
            raise ValueError(
                f"Pairs must have unique ids, but {twice[0]!r} occurs more than once in the {kind} "
                "annotation."
            )
    matched = []
    for name, pair in zip(names, first, strict=True):
        other = others.get(name)
        if other is None or (pair.words1, pair.words2) != (other.words1, other.words2):
            raise ValueError(
                f"Both annotations must have the same pairs, but {pair.id!r} of the first is not "
                "in the second or has other words there."
            )
        matched.append((pair, other))
    if len(first) != len(second):
        raise ValueError(
            f"Both annotations must have the same pairs, got {len(first)} and {len(second)} pairs. "
            "Remove those that only one has."
        )
    return matched


def count_pairs(pairs: Iterable[TaggedPair]) -> dict[str, float]:
    """Count pairs and words as in Table 2.

    RETURNS: "pairs"; "paraphrases", which are pairs without a word tagged 1; "words" and
        "words_per_pair"; "para_tag_rate", the share of words tagged 0.
    """
    n_pairs = n_paraphrases = n_words = n_ones = 0
    for pair in pairs:
        tags = gold_tags([pair])
        n_pairs += 1
        n_paraphrases += not tags.any()
        n_words += len(tags)
        n_ones += int(tags.sum())
    return {
        "pairs": n_pairs,
        "paraphrases": n_paraphrases,
        "words": n_words,
        "words_per_pair": n_words / n_pairs if n_pairs else 0.0,
        "para_tag_rate": 1 - n_ones / n_words if n_words else 0.0,
    }
