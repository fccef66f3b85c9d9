"""Score trees and tags on the SUs of texts, over words that a tokenizer found (CoNLL 2018).

words with trees, gold and found -> those of the SUs -> counts -> rates

A found word is right if a gold word has the same characters, and the same head or relation or tag;
the head is compared by its characters too. So a text may be cut, or parts of it left out, before it
is parsed: what is left out has no right words.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from spacy_sentid.scores import precision_recall_f


class Word(NamedTuple):
    """One word of a tree over a text; characters `[start_char, end_char)` of the original."""

    start_char: int
    end_char: int
    head: int  # index among the words of the text; its own for a root
    relation: str  # without subtype
    upos: str

    @property
    def bounds(self) -> tuple[int, int]:
        """Its characters."""
        return self.start_char, self.end_char


class Counts(NamedTuple):
    """What was counted over some texts; rates are of sums."""

    gold_words: int = 0  # of the SUs
    found_words: int = 0  # that have characters of an SU
    other_words: int = 0  # found ones that have none
    same_words: int = 0
    right_tags: int = 0
    right_heads: int = 0
    right_arcs: int = 0  # head and relation
    gold_sus: int = 0
    right_sents: int = 0  # SUs that are one sentence, no word less or more
    right_trees: int = 0  # SUs all words of which have the right head and relation


def count_words(
    gold: Sequence[Word],
    found: Sequence[Word],
    sus: Iterable[tuple[int, int]],
    *,
    sents: Collection[tuple[int, int]],
) -> Counts:
    """Compare the words of a text on its SUs.

    gold: All gold words of the text, in text order.
    found: Those that were parsed, in text order.
    sus: Characters of the gold SUs, in text order.
    sents: Characters of the sentences that were found, without white space around them.

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
    """Add up the counts of texts.

    >>> sum_counts([Counts(gold_sus=1), Counts(gold_sus=2)]).gold_sus
    3
    """
    return Counts(*map(sum, zip(Counts(), *counts, strict=True)))


def rate_counts(counts: Counts) -> dict[str, float]:
    """Make rates of counts, 0 to 1, and 0 of nothing.

    upos, uas, las: F1 over the words that were given, gold and found.
    las_p, las_r: Precision is over the words that were parsed, recall over all of the SUs.
    words_r: Share of the words of the SUs that were parsed as such.
    sents_r, trees_r: Share of the SUs that are one sentence, and whose whole tree is right.
    other: Share of the words parsed that no SU has.
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
    """Give the words that have characters of each unit; both are in text order."""
    first = 0
    for start, end in units:
        while first < len(words) and words[first].end_char <= start:
            first += 1
        last = first
        while last < len(words) and words[last].start_char < end:
            last += 1
        yield start, end, list(words[first:last])
        first = last
