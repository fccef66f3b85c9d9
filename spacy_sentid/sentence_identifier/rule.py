"""The SU rule: which units of a treebank are sentential (section 5). No spaCy, no numpy.

A unit is an SU if it has a clausal predicate with a core or a non-core argument. In UD this shows
in the relations alone: one word that bears any of `SU_RELATIONS`, whatever its head, is enough.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ..units import NSU, SU, Unit, label_text

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
    counts: Counter[str] = Counter()
    for text, label in units:
        text = unicodedata.normalize("NFKC", text).strip()
        counts[label.lower()] += 1
        for level, labels in label_text(text, [Unit(0, len(text), label)]).items():
            counts.update(f"{level}_{name.lower()}" for name in labels)
    return UnitCounts(*(counts[name] for name in UnitCounts._fields))
