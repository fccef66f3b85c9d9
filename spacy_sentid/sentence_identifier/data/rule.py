"""The rule that labels units of a treebank SU or NSU (section 5). No spaCy, no numpy.

A unit is an SU if it has a clausal predicate with a core or a non-core argument. In UD, the
relations are enough to decide this: one word must have any of `SU_RELATIONS`, with any head.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from ...text.units import NSU, SU, Unit, label_text

CORE_RELATIONS = frozenset(["nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp"])
NON_CORE_RELATIONS = frozenset(
    ["obl", "vocative", "expl", "dislocated", "advcl", "advmod", "discourse", "aux", "cop", "mark"]
)
SU_RELATIONS = CORE_RELATIONS | NON_CORE_RELATIONS
# GUM and other treebanks attach "2." and "b)" as `discourse`. A bullet or a number needs no closing
# mark.
LIST_MARK = re.compile(
    r"[-*+>•‣◦·–—▪■●○]|[(\[]?(?:\d+(?:\.\d+)*[.):\]]?|(?:[^\W\d_]|[ivxlcIVXLC]+)[.)\]])"
)
OPENING, CLOSING = ("(", "["), (".", ")", "]", ":")


def label_unit(
    relations: Iterable[str],
    *,
    su_relations: Collection[str] = SU_RELATIONS,
    forms: Sequence[str] | None = None,
) -> str:
    """Label a unit SU or NSU by the UD relations of its words.

    relations: DEPREL of each syntactic word. Subtypes (`nsubj:pass`) count as their base relation.
    su_relations: Base relations that make a unit an SU.
    forms: FORM of each word, to ignore list marks at the start of the unit (see
        `count_list_marks`). None = count them, as in the paper.
    RETURNS: "SU" or "NSU"; a unit without words is an NSU.

    >>> label_unit(["nsubj:pass", "root", "punct"]), label_unit(["root", "nmod"])
    ('SU', 'NSU')
    >>> delivery = ["discourse", "root"]
    >>> label_unit(delivery), label_unit(delivery, forms=["2.", "DELIVERY"])
    ('SU', 'NSU')
    """
    names = [name.split(":", 1)[0] for name in relations]
    if forms is not None:
        names = names[count_list_marks(forms, names) :]
    return SU if any(name in su_relations for name in names) else NSU


def count_list_marks(forms: Sequence[str], relations: Sequence[str]) -> int:
    """Count the words at the start of a unit that belong to list marks.

    A list mark is a `discourse` word that is a bullet, a number, or a letter or Roman numeral with
    a closing bracket or a period. The bracket or the period may be a word of its own.

    relations: Base relations.

    >>> count_list_marks(["(", "b", ")", "Well", ","], ["punct", "discourse"] + ["punct"] * 3)
    3
    >>> count_list_marks(["Well", ",", "b", ")"], ["discourse"] * 4)
    0
    """
    n = 0
    while True:
        place = n + (n < len(forms) and forms[n] in OPENING)
        if place >= len(forms) or relations[place] != "discourse":
            return n
        end = place + 1
        if end < len(forms) and forms[end] in CLOSING and forms[place][-1:] not in CLOSING:
            end += 1
        if not LIST_MARK.fullmatch("".join(forms[n:end])):
            return n
        n = end


def count_units(units: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Count units and BIO labels by words and by characters: the rows of the paper's Table 3.

    units: (text, label) of each unit. The text is normalized to NFKC, and words are split at white
        space. White-space characters are not counted. The results match the paper.

    >>> list(count_units([("I like cats.", "SU"), ("Page 3", "NSU")]))
    ['su', 'nsu', 'word_b', 'word_i', 'word_o', 'char_b', 'char_i', 'char_o']
    """
    names = [f"{level}_{label}" for level in ("word", "char") for label in "bio"]
    counts = dict.fromkeys(("su", "nsu", *names), 0)
    for text, label in units:
        text = unicodedata.normalize("NFKC", text).strip()
        counts[label.lower()] += 1
        for level, labels in label_text(text, [Unit(0, len(text), label)]).items():
            for name in labels:
                counts[f"{level}_{name.lower()}"] += 1
    return counts
