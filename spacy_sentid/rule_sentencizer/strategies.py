"""The strategies of the paper (section 4.2): is a period part of an abbreviation? No spaCy.

period: the word before it, what follows -> one function a strategy -> True: no sentence ends here

The strategies follow the paper exactly, so an abbreviation never ends a sentence. Where the paper
can be read in two ways, the docstrings say which one we chose. In all strategies, letters of any
script count, except in the third class of `structure`. A word begins after white space, so "ex-Gov"
is one word. The strategy of 4.2.3, which is less accurate than that of 4.2.4, is in the study.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ..messages import shorten
from ..text.language_data import Rules

LETTER = re.compile(r"[^\W\d_]")
LETTERS = re.compile(r"[^\W\d_](?:\.[^\W_])+")
CONSONANTS = re.compile(r"[A-Z][bcdfghj-np-tvxz]+")
# The classes of section 4.2.1, by the row of its table. They match words without the last period.
CLASSES = {
    r"[A-Za-z]\.": LETTER,
    r"[A-Za-z]\.([A-Za-z0-9]\.)+": LETTERS,
    r"[A-Z][bcdfghj-np-tvxz]+\.": CONSONANTS,
}


class Period(NamedTuple):
    """A period at the end of a word."""

    word: str  # the word, without the period and without quotes and brackets around it
    follow: str  # the text after the period and the white space; 20 characters are enough


class Learned(NamedTuple):
    """Data learned from a corpus: strings without their last period, in their original case.

    Likely abbreviations and titles (words before names) that have a period everywhere (4.2.2).
    """

    likely: frozenset[str] = frozenset()
    titles: frozenset[str] = frozenset()

    def to_dict(self) -> dict[str, list[str]]:
        """Return the data as sorted lists, for JSON."""
        return {name: sorted(words) for name, words in self._asdict().items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Learned":
        """Create an instance from the data of `to_dict`. Missing fields are empty.

        Raises ValueError for unknown names, and for values that are not lists of strings.

        >>> Learned.from_dict(Learned(titles=frozenset(["Mr"])).to_dict()).titles
        frozenset({'Mr'})
        """
        for name, words in data.items():
            is_list = isinstance(words, list) and all(isinstance(word, str) for word in words)
            if name not in cls._fields or not is_list:
                raise ValueError(
                    f"Data learned from a corpus must be lists of strings, named "
                    f"{', '.join(cls._fields)}, got {shorten(words)} as {shorten(name)}. Learn "
                    "from the corpus again."
                )
        return cls(**{name: frozenset(words) for name, words in data.items()})


BEST, CORPUS = "best", "corpus"  # the strategies that use learned data

Strategy: TypeAlias = Callable[[Period, Rules, Learned], bool]


def structure(period: Period, rules: Rules, learned: Learned) -> bool:
    """Recognise abbreviations by their form (section 4.2.1), without learning.

    There are three classes: a letter, letters with periods between them, and a capital followed by
    consonants. For the first, the text says "a single capital" and the table "[A-Za-z]". We follow
    the table, because the paper's figures are for it.

    >>> from ..text.language_data import load_rules
    >>> words = ["J", "U.S", "p.m", "Mr", "St", "Gen", "end"]
    >>> [structure(Period(word, "The"), load_rules("en"), Learned()) for word in words]
    [True, True, True, True, True, False, False]
    """
    return any(pattern.fullmatch(period.word) for pattern in CLASSES.values())


def corpus(period: Period, rules: Rules, learned: Learned) -> bool:
    """Recognise abbreviations that the corpus itself confirms (section 4.2.2).

    These are single capitals, letters with periods between them, likely abbreviations and titles.
    Unlike in `structure`, a lower-case letter or a capital with consonants is not enough. See
    `is_likely` and `stands_before_name` for the evidence that a corpus gives.

    >>> from ..text.language_data import load_rules
    >>> learned = Learned(likely=frozenset(["etc"]), titles=frozenset(["Mr"]))
    >>> words = ["J", "U.S", "etc", "Mr", "St", "end"]
    >>> [corpus(Period(word, "The"), load_rules("en"), learned) for word in words]
    [True, True, True, True, False, False]
    """
    word = period.word
    return has_structure(word) or word in learned.likely or word in learned.titles


def lexicon_and_abbreviations(period: Period, rules: Rules, learned: Learned) -> bool:
    """Recognise abbreviations with a list: the three steps of section 4.2.4, without learning.

    1. A word before a lower-case letter, comma or semicolon is an abbreviation.
    2. A word in the list of the language (titles, months, states and all others) is one. So is
       every letter, like the "Single-Letters" in the paper's list. Letters with periods between
       them (U.S) count too. They are not in the list, but the paper accepts them everywhere in 4.2.
       It reports only 53 wrong words here, and Brown has more of these strings than that.
    3. All other words are not abbreviations. The lower-case words of the lexicon have no effect.

    >>> from ..text.language_data import load_rules
    >>> periods = [Period(word, "The") for word in ("Mr", "Jan", "Calif", "U.S", "end")]
    >>> [lexicon_and_abbreviations(one, load_rules("en"), Learned()) for one in periods]
    [True, True, True, True, False]
    """
    word = period.word
    if is_known_at(period.follow) or LETTER.fullmatch(word) or LETTERS.fullmatch(word):
        return True
    lists = (rules.titles, rules.numbered, rules.inner, rules.months, rules.others)
    return any(word in words for words in lists)


STRATEGIES: dict[str, Strategy] = {
    "structure": structure,
    CORPUS: corpus,
    "lexicon+abbreviations": lexicon_and_abbreviations,
}


def has_structure(word: str) -> bool:
    r"""Check if a word has a form of 4.2.2: "[A-Z]\." or "[A-Za-z]\.([A-Za-z0-9]\.)+".

    >>> [has_structure(word) for word in ("A", "a", "i.e", "Mr")]
    [True, False, True, False]
    """
    if len(word) == 1:
        return word.isupper()
    return LETTERS.fullmatch(word) is not None


def is_likely(period: Period) -> bool:
    r"""Check if the next character makes a word a likely abbreviation (section 4.2.2).

    It does if it is a comma, a question mark, a lower-case letter or a digit, as in the table:
    "[A-Za-z][^ ]*\.([,?]| [a-z0-9])". The text adds "any string beginning with a capital letter
    terminated by a period", which would include "Mrs.". The paper lists "Mrs." as not found, so its
    figures are for the table.

    >>> [is_likely(Period("Inc", follow)) for follow in (", a", "? I", "has", "12", "The", '" he')]
    [True, True, True, True, False, False]
    """
    first = period.follow[:1]
    return period.word[:1].isalpha() and (first in (",", "?") or first.islower() or first.isdigit())


def stands_before_name(period: Period, following: tuple[str, str]) -> bool:
    """Check if a word may be a title: "[A-Z][a-z]+" before two capitalised strings (4.2.2).

    following: The next two strings between white space, "" at the end of the text.

    We read the paper as "followed at least twice in the corpus by two capitalised strings". With
    one capitalised string, names at sentence ends would count, and the paper's list has none.

    >>> stands_before_name(Period("Mr", "Ivan"), ("Ivan", "Allen,"))
    True
    """
    word = period.word
    first, second = following
    return (
        len(word) > 1
        and word[0].isupper()
        and word[1:].islower()
        and word.isalpha()
        and first[:1].isupper()
        and second[:1].isupper()
    )


def is_known_at(follow: str) -> bool:
    """Check if the text after a period shows an abbreviation (4.2.4, step 1).

    >>> [is_known_at(follow) for follow in ("has", ", a", "; a", "12", "The")]
    [True, True, True, False, False]
    """
    return follow[:1] in (",", ";") or follow[:1].islower()
