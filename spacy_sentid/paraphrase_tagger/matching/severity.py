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
from .lexicon import EMPTY, LEMMA, N_KINDS, OPPOSITE, Lexicon
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


class Opposites:
    """Lookup of opposites in a lexicon. An empty lexicon has no opposites."""

    def __init__(self, lexicon: Lexicon = EMPTY) -> None:
        rows = np.flatnonzero(np.diff(lexicon.starts)[OPPOSITE::N_KINDS])
        self._lexicon = lexicon
        # Few words have an opposite, so this table answers most lookups.
        self._rows = dict(zip(lexicon.forms[rows].tolist(), rows.tolist(), strict=True))

    def list_opposites(self, word: str) -> set[int]:
        """List the keys of the opposites of a word."""
        row = self._rows.get(describe_word(word).core_key)
        if row is None:
            return set()
        start, end = self._lexicon.starts[row * N_KINDS + OPPOSITE :][:2]
        return set(self._lexicon.keys[start:end].tolist())

    def list_keys(self, words: Iterable[str]) -> set[int]:
        """List the keys by which other words refer to these words as opposites."""
        cores = np.array([describe_word(word).core_key for word in words], "int64")
        return set(self._lexicon.find_keys(self._lexicon.find(cores), LEMMA)[1].tolist())


def read_opposites(nlp: Language) -> Opposites:
    """Read the opposites from the lexicon of a pipeline's tagger, if it has one."""
    if "paraphrase_tagger" in list_factories(nlp):
        for layer in find(nlp, "paraphrase_tagger").model.walk():
            names = [LEXICON + name for name in Lexicon._fields]
            if all(map(layer.has_param, names)):
                return Opposites(Lexicon(*map(layer.get_param, names)))
    return Opposites()


@lru_cache(maxsize=2**16)
def find_own_kind(word: str) -> str:
    """Find the kind of a word from its signs.

    >>> [find_own_kind(word) for word in ("$", "Friday", "not", "might", "Lena", "rose", "of", ".")]
    ['number', 'number', 'negation', 'modality', 'name', 'content', 'function', 'function']
    """
    signs = describe_word(word).signs
    return next((kind for kind, places in PLACES_OF if any(signs[i] for i in places)), CONTENT)


def find_kinds(
    words: Sequence[str], others: Sequence[str] = (), *, opposites: Opposites | None = None
) -> list[str]:
    """Find the kind of each word of a sentence.

    A capital marks a name, except at the start of a sentence (unless another name follows) and in
    sentences where all words have a capital.

    others: The words of the sentences that this one was compared with.
    opposites: Lookup of opposites; without it, no word has the kind "opposite".

    >>> find_kinds("Sales of Acme might fall to 3".split())
    ['content', 'function', 'name', 'modality', 'content', 'function', 'number']
    >>> find_kinds("Lena Berg Signs Two Deals".split())
    ['content', 'content', 'content', 'number', 'content']
    """
    kinds = [find_own_kind(word) for word in words]
    has_lower = any(word.islower() for word in words)
    is_cased = any(kind == CONTENT and word.islower() for word, kind in zip(words, kinds))  # noqa: B905
    keys: set[int] | None = None  # of the other words
    is_first = True
    for i, word in enumerate(words):
        if kinds[i] == NAME and not (word.isupper() and has_lower and len(word) > 1):
            is_lone = is_first and kinds[i + 1 : i + 2] != [NAME]
            if not is_cased or is_lone:
                kinds[i] = CONTENT
        found = opposites.list_opposites(word) if opposites and kinds[i] == CONTENT else None
        if opposites and found:
            keys = opposites.list_keys(others) if keys is None else keys
            kinds[i] = CONTENT if keys.isdisjoint(found) else OPPOSED
        is_first = is_first and not word[:1].isalnum()
    return kinds


def find_severest(kinds: Iterable[str]) -> str:
    """Find the most severe of the given kinds.

    >>> find_severest(["function", "name", "content"])
    'name'
    """
    return min(kinds, key=KINDS.index)
