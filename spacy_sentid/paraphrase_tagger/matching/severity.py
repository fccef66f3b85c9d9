"""Severity of unsupported words: a wrong number or name is worse than a wrong article.

word -> kind, by its signs and by its opposites in the other text -> kind of a span, its severest

Numbers, names, negation and modality come first: generated text often gets them wrong, and they
change the meaning most. The word lists are English.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from spacy.language import Language

from ...components.pipelines import find, list_factories
from .feature_layer import LEXICON
from .lexicon import EMPTY, LEMMA, OPPOSITE, Lexicon
from .words import SIGNS, describe_word

# The kinds of words, the most severe first.
KINDS = ("number", "name", "negation", "modality", "opposite", "content", "function")
NUMBER, NAME, NEGATION, MODALITY, OPPOSED, CONTENT, FUNCTION = KINDS
# Out of context, a word has the first kind for which it has a sign, else it is a content word. In
# this order "May" is a number, as dates are, and not a modal; "No" and "The" are not names.
SIGNS_OF = (
    (NUMBER, ("has_digit", "is_number", "is_currency", "is_calendar")),
    (NEGATION, ("is_negation",)),
    (MODALITY, ("is_modal",)),
    (FUNCTION, ("is_punct", "is_function_word", "is_possessive")),
    (NAME, ("is_title", "is_upper")),
)
PLACES_OF = tuple((kind, tuple(map(SIGNS.index, names))) for kind, names in SIGNS_OF)


def read_lexicon(nlp: Language) -> Lexicon:
    """Read the lexicon of a pipeline's tagger; an empty one if there is none."""
    if "paraphrase_tagger" in list_factories(nlp):
        for layer in find(nlp, "paraphrase_tagger").model.walk():
            names = [LEXICON + name for name in Lexicon._fields]
            if all(map(layer.has_param, names)):
                return Lexicon(*map(layer.get_param, names))
    return EMPTY


@lru_cache(maxsize=2**16)
def find_own_kind(word: str) -> str:
    """Find the kind of a word from its signs.

    >>> [find_own_kind(word) for word in ("$", "Friday", "not", "might", "Lena", "rose", "of", ".")]
    ['number', 'number', 'negation', 'modality', 'name', 'content', 'function', 'function']
    """
    signs = describe_word(word).signs
    return next((kind for kind, places in PLACES_OF if any(signs[i] for i in places)), CONTENT)


def find_kinds(
    words: Sequence[str], others: Sequence[str] = (), *, lexicon: Lexicon = EMPTY
) -> list[str]:
    """Find the kind of each word of a sentence.

    A capital marks a name, except at the start of a sentence (unless another name follows) and in
    sentences where all words have a capital.

    others: The words of the sentences that this one was compared with.
    lexicon: Knows the opposites of words; with an empty one, no word has the kind "opposite".

    >>> find_kinds("Sales of Acme might fall to 3".split())
    ['content', 'function', 'name', 'modality', 'content', 'function', 'number']
    >>> find_kinds("Lena Berg Signs Two Deals".split())
    ['content', 'content', 'content', 'number', 'content']
    """
    kinds = [find_own_kind(word) for word in words]
    has_lower = any(word.islower() for word in words)
    is_cased = any(kind == CONTENT and word.islower() for word, kind in zip(words, kinds))  # noqa: B905
    is_first = True
    for i, word in enumerate(words):
        if kinds[i] == NAME and not (word.isupper() and has_lower and len(word) > 1):
            is_lone = is_first and kinds[i + 1 : i + 2] != [NAME]
            if not is_cased or is_lone:
                kinds[i] = CONTENT
        is_first = is_first and not word[:1].isalnum()
    opposed = find_opposed(words, others, lexicon)
    return [OPPOSED if i in opposed and kind == CONTENT else kind for i, kind in enumerate(kinds)]


def find_opposed(words: Sequence[str], others: Sequence[str], lexicon: Lexicon) -> set[int]:
    """Find the indices of words that have an opposite among the words of other sentences."""
    rows, other_rows = (
        lexicon.find(np.array([describe_word(word).core_key for word in side], "int64"))
        for side in (words, others)
    )
    owners, keys = lexicon.find_keys(rows, OPPOSITE)
    return set(owners[np.isin(keys, lexicon.find_keys(other_rows, LEMMA)[1])].tolist())


def find_severest(kinds: Iterable[str]) -> str:
    """Find the most severe of the given kinds.

    >>> find_severest(["function", "name", "content"])
    'name'
    """
    return min(kinds, key=KINDS.index)
