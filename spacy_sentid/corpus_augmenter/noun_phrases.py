"""Noun phrases in dependency trees (sections 3 and 5.2). This module needs no spaCy or numpy.

tree -> subtrees headed by a noun -> spans of words that can be separate units

A tree is three lists of the same length: `upos`, `heads`, `deprels`. `heads` are indices of words;
the root has its own index.
"""

from collections.abc import Sequence
from typing import NamedTuple

NOUN_TAGS = frozenset(["NOUN", "PROPN"])
# Relations of the dependents that are stripped from the edges: prepositions and punctuation.
STRIPPED_RELATIONS = frozenset(["case", "punct"])
MIN_WORDS = 4  # "more than three"


class NounPhrase(NamedTuple):
    """Words `[start, end)` of a unit, and the noun that heads them."""

    start: int
    end: int
    head: int


def is_noun_phrase(upos: Sequence[str], heads: Sequence[int], deprels: Sequence[str]) -> bool:
    """Check if a unit is a noun phrase (an NPU), whose root is a noun without a copula.

    RETURNS: False for a unit without words or without a root.

    >>> is_noun_phrase(["ADJ", "NOUN", "PUNCT"], [1, 1, 1], ["amod", "root", "punct"])
    True
    >>> is_noun_phrase(["PRON", "AUX", "NOUN"], [2, 2, 2], ["nsubj", "cop", "root"])
    False
    """
    root = next((word for word, head in enumerate(heads) if word == head), None)
    if root is None or upos[root] not in NOUN_TAGS:
        return False
    return not any(
        head == root and base_relation(deprel) == "cop"
        for head, deprel in zip(heads, deprels, strict=True)
    )


def find_noun_phrases(
    upos: Sequence[str], heads: Sequence[int], deprels: Sequence[str]
) -> list[NounPhrase]:
    """Find the noun phrases of a unit, also nested ones, in the order of their heads.

    A noun without a copula heads a phrase if its subtree has at least MIN_WORDS words and no gap.
    Dependents of the head with one of the STRIPPED_RELATIONS are then removed from the edges, with
    their subtrees. The remaining phrase may have fewer than MIN_WORDS words.

    RETURNS: Phrases whose words all depend on the head, directly or not; [] for an empty unit.

    >>> find_noun_phrases(  # "in the old city"
    ...     ["ADP", "DET", "ADJ", "NOUN"], [3, 3, 3, 3], ["case", "det", "amod", "root"]
    ... )
    [NounPhrase(start=1, end=4, head=3)]
    """
    if len(heads) < MIN_WORDS or NOUN_TAGS.isdisjoint(upos):
        return []
    first, last, size = subtree_extents(heads)
    with_copula = set()
    if any(deprel.startswith("cop") for deprel in set(deprels)):
        pairs = zip(heads, deprels, strict=True)
        with_copula = {head for head, deprel in pairs if base_relation(deprel) == "cop"}

    def find_stripped(word: int, head: int) -> int | None:
        """Find the child of `head` whose subtree contains a word; None if it is not stripped.

        Children are stripped if they have such a relation and their subtree has no gap.
        """
        while heads[word] != head:
            word = heads[word]
        whole = last[word] - first[word] + 1 == size[word]
        return word if whole and base_relation(deprels[word]) in STRIPPED_RELATIONS else None

    phrases = []
    for head, tag in enumerate(upos):
        if tag not in NOUN_TAGS or size[head] < MIN_WORDS or head in with_copula:
            continue
        start, end = first[head], last[head] + 1
        if end - start != size[head]:  # a gap
            continue
        while start < head and (child := find_stripped(start, head)) is not None:
            start = last[child] + 1
        while end - 1 > head and (child := find_stripped(end - 1, head)) is not None:
            end = first[child]
        phrases.append(NounPhrase(start, end, head))
    return phrases


def subtree_extents(heads: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """Compute the extent of the subtree of each word.

    heads: A forest. Words in or above a cycle get the extents of a part of it.
    RETURNS: First word, last word and number of words of each subtree.

    >>> subtree_extents([1, 1, 1])
    ([0, 0, 2], [0, 2, 2], [1, 3, 1])
    """
    n_words = len(heads)
    # A root counts as its own child, so it is never treated as a leaf.
    n_children = [0] * n_words
    for head in heads:
        n_children[head] += 1
    first, last, size = list(range(n_words)), list(range(n_words)), [1] * n_words
    leaves = [word for word in range(n_words) if not n_children[word]]
    for word in leaves:  # the list grows: a head is appended after the last of its children
        head = heads[word]
        size[head] += size[word]
        if first[word] < first[head]:
            first[head] = first[word]
        if last[word] > last[head]:
            last[head] = last[word]
        n_children[head] -= 1
        if not n_children[head]:
            leaves.append(head)
    return first, last, size


def base_relation(deprel: str) -> str:
    """Strip the subtype of a relation: "nsubj:pass" -> "nsubj"."""
    return deprel.partition(":")[0]
