"""Pairs of unrelated sentences, which are from different pairs.

pairs -> a first sentence with the second of another pair -> tags for all words but common ones
"""

import random
from collections.abc import Sequence

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair
from spacy_sentid.paraphrase_tagger.matching.words import SIGNS, describe_word

PUNCT = SIGNS.index("is_punct")


def make_unrelated_pairs(pairs: Sequence[TaggedPair], n: int, *, seed: int) -> list[TaggedPair]:
    """Draw pairs of sentences from different pairs. Words in both sentences have tag 0.

    >>> pairs = [TaggedPair("1", ["A", "cat"], ["B"]), TaggedPair("2", ["C"], ["A", "dog", "."])]
    >>> made = make_unrelated_pairs(pairs, 4, seed=0)
    >>> [(pair.words2, pair.tags2) for pair in made if pair.words1 == ["A", "cat"]][0]
    (['A', 'dog', '.'], [0, 1, 0])
    """
    rng = random.Random(seed)
    made = []
    for number, first in enumerate(rng.choices(range(len(pairs)), k=n)):
        second = (first + rng.randrange(1, len(pairs))) % len(pairs)
        words1, words2 = pairs[first].words1, pairs[second].words2
        tags = tag_uncommon(words1, words2), tag_uncommon(words2, words1)
        made.append(TaggedPair(f"unrelated-{number}", words1, words2, *tags, "unrelated"))
    return made


def tag_uncommon(words: Sequence[str], others: Sequence[str]) -> list[int]:
    """Tag the words whose core is not in the other sentence. Punctuation has tag 0."""
    cores = {describe_word(word).core for word in others}
    described = [describe_word(word) for word in words]
    return [int(word.core not in cores and not word.signs[PUNCT]) for word in described]
