"""What the rules of a language know of a word type: the kind of abbreviation, if it is one.

types -> a class of each; the model learns what a class means for the period after it
"""

from functools import cache

import numpy as np
from spacy.strings import StringStore

from ..arrays import Ints1d, Ints2d
from ..language_data import KINDS, list_languages, load_rules

# No abbreviation, one class for each kind, a single letter, a word that begins sentences.
INITIAL, STARTER = len(KINDS) + 1, len(KINDS) + 2
N_ABBREVIATION_CLASSES = len(KINDS) + 3


def classify_types(types: Ints2d, strings: StringStore, lang: str) -> Ints1d:
    """Find the class of each word type, by the rules of a language.

    types: (n_types, 5), see `features.find_types`. lang: Of one without rules all classes are 0.
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
