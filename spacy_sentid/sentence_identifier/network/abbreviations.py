"""Class of each word type by the rules of its language, such as a kind of abbreviation.

word types -> a class of each; the model learns what a class means for the period after it
"""

from functools import cache

import numpy as np
from spacy.strings import StringStore

from ...arrays import Ints1d, Ints2d
from ...text.language_data import KINDS, list_languages, load_rules

# Class 0 is no abbreviation. Next come one class for each kind of abbreviation, one for single
# letters (INITIAL), and one for words that often begin sentences (STARTER).
INITIAL, STARTER = len(KINDS) + 1, len(KINDS) + 2
N_ABBREVIATION_CLASSES = len(KINDS) + 3


def classify_types(types: Ints2d, strings: StringStore, lang: str) -> Ints1d:
    """Find the class of each word type, by the rules of a language.

    types: (n_types, 5), see `features.find_types`.
    lang: Language code. If the language has no rules, all classes are 0.
    """
    table = _load_classes(lang)
    if not table:
        return np.zeros(len(types), dtype="int64")
    words = [strings[orth].rstrip(".") for orth in types[:, 4].tolist()]
    return np.asarray(
        [table.get(word, INITIAL if len(word) == 1 and word.isupper() else 0) for word in words],
        dtype="int64",
    )


@cache
def _load_classes(lang: str) -> dict[str, int]:
    if lang not in list_languages():
        return {}
    rules = load_rules(lang)
    table = dict.fromkeys(rules.starters, STARTER)
    for number, kind in enumerate(KINDS, start=1):
        table.update(dict.fromkeys(getattr(rules, kind), number))
    return table
