"""The strategies of the paper (section 4.2): is a period part of an abbreviation? No spaCy.

period: the word before it, what follows -> one function a strategy -> True: no sentence ends here

The strategies are those of the paper, to the letter: none lets an abbreviation end a sentence.
Where the paper can be read in two ways, the docstrings say what was chosen. Two things hold for
all: a letter is one of any script, except in the third class of `structure`; and a word begins
after white space, so "ex-Gov" is one word.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from ..language_data import Rules
from ..messages import shorten

LETTER = re.compile(r"[^\W\d_]")
LETTERS = re.compile(r"[^\W\d_](?:\.[^\W_])+")
CONSONANTS = re.compile(r"[A-Z][bcdfghj-np-tvxz]+")
# The classes of section 4.2.1, by the row of its table. Words stand without the last period.
CLASSES = {
    r"[A-Za-z]\.": LETTER,
    r"[A-Za-z]\.([A-Za-z0-9]\.)+": LETTERS,
    r"[A-Z][bcdfghj-np-tvxz]+\.": CONSONANTS,
}


class Period(NamedTuple):
    """A period at the end of a word."""

    word: str  # before the period, without it; quotes and brackets taken off
    follow: str  # the text that follows the period and the white space: 20 characters are enough


class Learned(NamedTuple):
    """What the strategies use of a corpus: strings without their last period, case as it stands."""

    likely: frozenset[str] = frozenset()  # 4.2.2: likely abbreviations, never without period
    titles: frozenset[str] = frozenset()  # 4.2.2: stand before names, never without period
    known: frozenset[str] = frozenset()  # 4.2.3: once before a lower-case letter, comma, semicolon
    names: frozenset[str] = frozenset()  # 4.2.3: with a capital, stand without a period too
    frequent: frozenset[str] = frozenset()  # 4.2.3: with a capital, three times with a period
    lexicon: frozenset[str] = frozenset()  # 4.2.3: lower-case words

    def to_dict(self) -> dict[str, list[str]]:
        """Return sorted lists, for JSON."""
        return {name: sorted(words) for name, words in self._asdict().items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Learned":
        """Read what `to_dict` returned. What is missing is empty.

        Raises ValueError for other names, and for values that are not lists of strings.

        >>> Learned.from_dict(Learned(titles=frozenset(["Mr"])).to_dict()).titles
        frozenset({'Mr'})
        """
        for name, words in data.items():
            is_list = isinstance(words, list) and all(isinstance(word, str) for word in words)
            if name not in cls._fields or not is_list:
                raise ValueError(
                    "What was learned of a corpus must be lists of strings, named "
                    f"{', '.join(cls._fields)}, got {shorten(words)} as {shorten(name)}. Learn "
                    "again."
                )
        return cls(**{name: frozenset(words) for name, words in data.items()})

    def keep_used(self, strategy: str) -> "Learned | None":
        """Keep what a strategy uses; None if it uses nothing."""
        if strategy not in USED:
            return None
        return Learned(**{name: getattr(self, name) for name in USED[strategy]})


BEST = "best"
# What a strategy uses of what was learned; the others use nothing.
USED = {
    BEST: ("likely", "titles"),
    "corpus": ("likely", "titles"),
    "lexicon": ("known", "names", "frequent", "lexicon"),
}
NEED_A_CORPUS = ("corpus", "lexicon")

Strategy: TypeAlias = Callable[[Period, Rules, Learned], bool]


def structure(period: Period, rules: Rules, learned: Learned) -> bool:
    """Take what is built like an abbreviation for one (section 4.2.1); nothing is learned.

    Three classes: a letter; letters with periods between them; a capital and consonants. The text
    says "a single capital", the table "[A-Za-z]": here as in the table, which the figures belong
    to.

    >>> from ..language_data import load_rules
    >>> words = ["J", "U.S", "p.m", "Mr", "St", "Gen", "end"]
    >>> [structure(Period(word, "The"), load_rules("en"), Learned()) for word in words]
    [True, True, True, True, True, False, False]
    """
    return any(pattern.fullmatch(period.word) for pattern in CLASSES.values())


def corpus(period: Period, rules: Rules, learned: Learned) -> bool:
    """Take what the corpus itself validates for an abbreviation (section 4.2.2).

    Single capitals, letters with periods between them, likely abbreviations, titles. Unlike in
    `structure`, a small letter and a capital with consonants are not enough. See `is_likely` and
    `stands_before_name` for how a corpus is read.

    >>> from ..language_data import load_rules
    >>> learned = Learned(likely=frozenset(["etc"]), titles=frozenset(["Mr"]))
    >>> words = ["J", "U.S", "etc", "Mr", "St", "end"]
    >>> [corpus(Period(word, "The"), load_rules("en"), learned) for word in words]
    [True, True, True, True, False, False]
    """
    word = period.word
    return has_structure(word) or word in learned.likely or word in learned.titles


def lexicon(period: Period, rules: Rules, learned: Learned) -> bool:
    """Tell abbreviations by a lexicon that has none in it: the six steps of section 4.2.3.

    See `decide_by_lexicon`. The lexicon is that of `learned`.

    >>> from ..language_data import load_rules
    >>> learned = Learned(known=frozenset(["Inc"]), names=frozenset(["Asia"]),
    ...                   frequent=frozenset(["Sen"]), lexicon=frozenset(["end"]))
    >>> words = ["etc", "end", "Inc", "Asia", "Schaack", "Sen"]
    >>> [lexicon(Period(word, "The"), load_rules("en"), learned) for word in words]
    [True, False, True, False, False, True]
    """
    return decide_by_lexicon(period, learned)[1]


def lexicon_and_abbreviations(period: Period, rules: Rules, learned: Learned) -> bool:
    """Tell abbreviations by a list of them: the three steps of section 4.2.4; nothing is learned.

    1. Before a lower-case letter, comma or semicolon: an abbreviation.
    2. A known abbreviation: one. The list is that of the language: titles, months, states and all
       others; and, as "Single-Letters" in the list of the paper, every letter. Letters with periods
       between them (U.S) are taken too: the list has none of them, but the paper takes them in all
       of 4.2, and finds but 53 wrong words here, fewer than Brown has of these.
    3. Otherwise none. The lower-case words of the lexicon decide nothing.

    >>> from ..language_data import load_rules
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
    "corpus": corpus,
    "lexicon": lexicon,
    "lexicon+abbreviations": lexicon_and_abbreviations,
}


def has_structure(word: str) -> bool:
    r"""Tell whether a word has a structure of 4.2.2: "[A-Z]\." or "[A-Za-z]\.([A-Za-z0-9]\.)+".

    >>> [has_structure(word) for word in ("A", "a", "i.e", "Mr")]
    [True, False, True, False]
    """
    if len(word) == 1:
        return word.isupper()
    return LETTERS.fullmatch(word) is not None


def is_likely(period: Period) -> bool:
    r"""Tell whether what follows makes a word a likely abbreviation (section 4.2.2).

    As in the table, "[A-Za-z][^ ]*\.([,?]| [a-z0-9])": a comma, a question mark, a small letter or
    a digit. The text adds "any string beginning with a capital letter terminated by a period";
    with it "Mrs." would be one, and the paper lists "Mrs." among those that it does not find, so
    its figures are those of the table.

    >>> [is_likely(Period("Inc", follow)) for follow in (", a", "? I", "has", "12", "The", '" he')]
    [True, True, True, True, False, False]
    """
    first = period.follow[:1]
    return period.word[:1].isalpha() and (first in (",", "?") or first.islower() or first.isdigit())


def stands_before_name(period: Period, following: tuple[str, str]) -> bool:
    """Tell whether a word may be a title: "[A-Z][a-z]+", two capitalised strings behind it (4.2.2).

    following: The next two strings between white space; "" where the text ends. Read here as
    "followed at least twice in the corpus by two capitalised strings": as "by a capitalised one"
    it takes names that end sentences, and the paper's list has none.

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
    """Tell whether what follows shows an abbreviation (4.2.3 and 4.2.4, step 1).

    >>> [is_known_at(follow) for follow in ("has", ", a", "; a", "12", "The")]
    [True, True, True, False, False]
    """
    return follow[:1] in (",", ";") or follow[:1].islower()


def decide_by_lexicon(period: Period, learned: Learned) -> tuple[int, bool]:
    """Take the first of the six steps of section 4.2.3 that decides: (its number, abbreviation?).

    1. Before a lower-case letter, comma or semicolon: an abbreviation, here; the word is known.
    2. A lower-case word: no abbreviation if the lexicon has it, else one.
    3. With a capital, known: an abbreviation.
    4. With a capital, elsewhere without a period (the paper says "without a trailing blank", and
       explains it by "since they appear elsewhere without a period"): none.
    5. With a capital, with a period only once or twice, or never met: none.
    6. Otherwise an abbreviation: capitals with a period three times or more, words such as
       "ex-Mrs".

    Step 0, before the second: a word that does not begin with a letter is none. The paper has
    taken the numbers out before.

    >>> decide_by_lexicon(Period("fig", "12"), Learned(lexicon=frozenset(["fig"])))
    (2, False)
    """
    word = period.word
    if is_known_at(period.follow):
        return 1, True
    if not word[:1].isalpha():
        return 0, False
    if word.islower():
        return 2, word not in learned.lexicon
    if word[0].isupper():
        if word in learned.known:
            return 3, True
        if word in learned.names:
            return 4, False
        if word not in learned.frequent:
            return 5, False
    return 6, True
