"""The SU rule: which units of a treebank are sentential (section 5). No spaCy, no numpy.

A unit is an SU if it has a clausal predicate with a core or a non-core argument. In UD this shows
in the relations alone: one word that bears any of `SU_RELATIONS`, whatever its head, is enough.
"""

import unicodedata
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..units import NSU, SU, bio_of_words, word_spans

CORE_RELATIONS = frozenset(["nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp"])
NON_CORE_RELATIONS = frozenset(
    ["obl", "vocative", "expl", "dislocated", "advcl", "advmod", "discourse", "aux", "cop", "mark"]
)
SU_RELATIONS = CORE_RELATIONS | NON_CORE_RELATIONS


def label_unit(relations: Iterable[str], *, su_relations: Collection[str] = SU_RELATIONS) -> str:
    """Say whether a unit is an SU or an NSU, from the UD relations of its words.

    relations: DEPREL of each syntactic word; subtypes (`nsubj:pass`) count as their base.
    su_relations: Base relations that make a unit an SU.
    RETURNS: "SU" or "NSU"; a unit without words is an NSU.

    >>> label_unit(["nsubj:pass", "root", "punct"]), label_unit(["root", "nmod"])
    ('SU', 'NSU')
    """
    return SU if any(name.split(":", 1)[0] in su_relations for name in relations) else NSU


class UnitCounts(NamedTuple):
    """Units and BIO labels of a treebank: the rows of the paper's Table 3."""

    su: int
    nsu: int
    word_b: int
    word_i: int
    word_o: int
    char_b: int
    char_i: int
    char_o: int


def count_units(units: Iterable[tuple[str, str]]) -> UnitCounts:
    """Count units and BIO labels by words and by characters, as in Table 3.

    units: (text, label) of each unit. The text is taken in NFKC; words are split at white space;
        characters are those that are not white space. With this, the numbers are the paper's.

    >>> count_units([("I like cats.", "SU"), ("Page 3", "NSU")])
    UnitCounts(su=1, nsu=1, word_b=1, word_i=2, word_o=2, char_b=1, char_i=9, char_o=5)
    """
    counts = dict.fromkeys(UnitCounts._fields, 0)
    for text, label in units:
        text = unicodedata.normalize("NFKC", text)
        words = word_spans(text)
        n_chars = sum(end - start for start, end in words)
        counts[label.lower()] += 1
        if label == SU:
            chars = ["B" if i == words[0][0] else "I" for i in range(len(text))] if words else []
            for name, labels in (
                ("word", bio_of_words(chars, words)),
                ("char", [chars[i] for start, end in words for i in range(start, end)]),
            ):
                counts[f"{name}_b"] += labels.count("B")
                counts[f"{name}_i"] += labels.count("I")
        else:
            counts["word_o"] += len(words)
            counts["char_o"] += n_chars
    return UnitCounts(**counts)
