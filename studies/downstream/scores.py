"""Scores of trees and tags on the SUs of texts, with predicted tokens (CoNLL 2018).

words with trees, gold and predicted -> words of the SUs -> counts -> rates

A predicted word is right if a gold word has the same characters and the same head, relation or tag.
Heads are also compared by their characters. So a text may be split, or parts of it removed, before
it is parsed. Removed parts have no right words.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from spacy_sentid.scores import precision_recall_f


class Word(NamedTuple):
    """One word of a tree, at the characters `[start_char, end_char)` of the original text."""

    start_char: int
    end_char: int
    head: int  # index of the head among the words of the text; a root is its own head
    relation: str  # without subtype
    upos: str

    @property
    def bounds(self) -> tuple[int, int]:
        """The start and end of the word."""
        return self.start_char, self.end_char


class Counts(NamedTuple):
    """Counts over texts. Rates are computed from their sums."""

    gold_words: int = 0  # gold words of the SUs
    found_words: int = 0  # predicted words that overlap with an SU
    other_words: int = 0  # predicted words that do not
    same_words: int = 0  # gold words of the SUs that are also predicted
    right_tags: int = 0
    right_heads: int = 0
    right_arcs: int = 0  # with the right head and relation
    gold_sus: int = 0
    right_sents: int = 0  # SUs that are exactly one sentence
    right_trees: int = 0  # SUs in which all words have the right head and relation


def count_words(
    gold: Sequence[Word],
    found: Sequence[Word],
    sus: Iterable[tuple[int, int]],
    *,
    sents: Collection[tuple[int, int]],
) -> Counts:
    """Compare the words of a text inside its SUs.

    gold: All gold words of the text, in text order.
    found: The predicted words, in text order.
    sus: Characters of the gold SUs, in text order.
    sents: Characters of the predicted sentences, without surrounding white space.

    >>> gold = [Word(0, 1, 1, "nsubj", "PRON"), Word(2, 7, 1, "root", "VERB")]
    >>> count_words(gold, gold, [(0, 7)], sents={(0, 7)}).right_arcs
    2
    """
    sus = list(sus)
    found_at = {word.bounds: word for word in found}
    counts = dict.fromkeys(Counts._fields, 0)
    counts["gold_sus"] = len(sus)
    for start, end, words in _words_by_unit(gold, sus):
        n_right = 0
        for word in words:
            match = found_at.get(word.bounds)
            if match is None:
                continue
            same_head = found[match.head].bounds == gold[word.head].bounds
            same_arc = same_head and match.relation == word.relation
            counts["same_words"] += 1
            counts["right_tags"] += match.upos == word.upos
            counts["right_heads"] += same_head
            n_right += same_arc
        counts["gold_words"] += len(words)
        counts["right_arcs"] += n_right
        counts["right_trees"] += n_right == len(words)
        counts["right_sents"] += (start, end) in sents
    inside = sum(len(words) for _, _, words in _words_by_unit(found, sus))
    counts["found_words"] = inside
    counts["other_words"] = len(found) - inside
    return Counts(**counts)


def sum_counts(counts: Iterable[Counts]) -> Counts:
    """Sum the counts of texts.

    >>> sum_counts([Counts(gold_sus=1), Counts(gold_sus=2)]).gold_sus
    3
    """
    return Counts(*map(sum, zip(Counts(), *counts, strict=True)))


def rate_counts(counts: Counts) -> dict[str, float]:
    """Compute rates in [0, 1] from counts. A rate without words or SUs is 0.

    upos, uas, las: F1 over the gold and the predicted words.
    las_p, las_r: Precision over the predicted words of SUs, and recall over the gold words of SUs.
    words_r: Share of the gold words of SUs that are predicted.
    sents_r: Share of the SUs that are exactly one sentence.
    trees_r: Share of the SUs with a completely right tree.
    other: Share of the predicted words that are in no SU.
    """
    gold, found = counts.gold_words, counts.found_words
    las_p, las_r, las = precision_recall_f(counts.right_arcs, found, gold)
    return {
        "upos": precision_recall_f(counts.right_tags, found, gold)[2],
        "uas": precision_recall_f(counts.right_heads, found, gold)[2],
        "las": las,
        "las_p": las_p,
        "las_r": las_r,
        "words_r": _ratio(counts.same_words, gold),
        "sents_r": _ratio(counts.right_sents, counts.gold_sus),
        "trees_r": _ratio(counts.right_trees, counts.gold_sus),
        "other": _ratio(counts.other_words, found + counts.other_words),
    }


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _words_by_unit(
    words: Sequence[Word], units: Iterable[tuple[int, int]]
) -> Iterable[tuple[int, int, list[Word]]]:
    """Yield the start, the end and the words of each unit. Both inputs are in text order."""
    first = 0
    for start, end in units:
        while first < len(words) and words[first].end_char <= start:
            first += 1
        last = first
        while last < len(words) and words[last].start_char < end:
            last += 1
        yield start, end, list(words[first:last])
        first = last
