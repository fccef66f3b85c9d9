"""The strategy of section 4.2.3: a lexicon of ordinary words, without abbreviations.

gold periods, counts of the raw text -> `LexiconWords`; a period -> one of six steps decides it

The paper assumes a complete lexicon of lower-case words, which users do not have. With a list of
abbreviations fewer words are wrong, so the package only has the strategy of section 4.2.4.
"""

from collections.abc import Iterable
from typing import NamedTuple

from spacy_sentid.rule_sentencizer.counts import Counts
from spacy_sentid.rule_sentencizer.strategies import Learned, Period, is_known_at
from spacy_sentid.text.language_data import Rules

MAX_RARE = 2  # "only once or twice"


class LexiconWords(NamedTuple):
    """The words that the six steps look up, without their last period."""

    known: frozenset[str] = frozenset()  # seen before a lower-case letter, comma or semicolon
    names: frozenset[str] = frozenset()  # with a capital, also seen without a period
    frequent: frozenset[str] = frozenset()  # with a capital, seen three times or more with one
    lexicon: frozenset[str] = frozenset()  # words in lower case


def learn_words(
    periods: Iterable[Period], counts: Counts, *, extra: Iterable[str] = (), tolerance: float = 0.0
) -> LexiconWords:
    """Learn the words from a corpus. The lexicon has those that occur without a period.

    extra: More words of the lexicon.
    tolerance: As in `Counts.learn`.
    """
    bare, dotted = counts.bare, counts.dotted
    known = frozenset(period.word for period in periods if is_known_at(period.follow))
    capitals = [word for word in {*bare, *dotted} if word[0].isupper()]
    names = frozenset(
        word for word in capitals if bare[word] > tolerance * (bare[word] + dotted[word])
    )
    frequent = frozenset(word for word in capitals if dotted[word] > MAX_RARE)
    lexicon = {*extra, *(word for word in bare if word.islower())}
    return LexiconWords(known, names, frequent - names - known, frozenset(lexicon))


def by_lexicon(words: LexiconWords, period: Period, rules: Rules, learned: Learned) -> bool:
    """Check if a word is an abbreviation. With the words as `partial`, it is a `Strategy`."""
    return decide_by_lexicon(period, words)[1]


def decide_by_lexicon(period: Period, words: LexiconWords) -> tuple[int, bool]:
    """Decide by the six steps of section 4.2.3 if a word is an abbreviation.

    1. Before a lower-case letter, comma or semicolon, it is one, and the word counts as known.
    2. A lower-case word is an abbreviation unless it is in the lexicon.
    3. A known word with a capital is an abbreviation.
    4. A word with a capital that also occurs without a period is not. (The paper says "without a
       trailing blank", and explains it by "since they appear elsewhere without a period".)
    5. A word with a capital that has a period only once or twice, or is unseen, is not.
    6. All others are: capitalised words with a period three times or more, and words like "ex-Mrs".

    After step 1, a step 0 rejects words that do not begin with a letter. The paper removed the
    numbers earlier.

    RETURNS: The number of the first step that applies, and True for an abbreviation.

    >>> decide_by_lexicon(Period("fig", "12"), LexiconWords(lexicon=frozenset(["fig"])))
    (2, False)
    """
    word = period.word
    if is_known_at(period.follow):
        return 1, True
    if not word[:1].isalpha():
        return 0, False
    if word.islower():
        return 2, word not in words.lexicon
    if word[0].isupper():
        if word in words.known:
            return 3, True
        if word in words.names:
            return 4, False
        if word not in words.frequent:
            return 5, False
    return 6, True
