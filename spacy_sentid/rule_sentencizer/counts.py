"""Count words and periods in raw text, in one pass and without spaCy, for section 4.2.

texts -> words with and without a period, what follows periods -> `Learned`

A word is a string between white space, without quotes, brackets and punctuation around it. Only
words that begin with a letter are counted.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from .strategies import Learned, Period, has_structure, is_likely, stands_before_name

# SIGNS are removed from both ends of a word, MARKS only from its end.
SIGNS = "\"'“”‘’„‚«»‹›`()[]{}<>*_¿¡"
MARKS = ",;:?!…"
# Longer words are not counted. MAX_STRING also has room for the signs around a word.
MAX_WORD = 40
MAX_STRING = 60
# Number of different strings to collect before their words are counted.
MAX_PENDING = 200_000
MIN_BEFORE_NAMES = 2  # occurrences of a title before names
# Share of the occurrences of an abbreviation that may lack the period. It is 0 in the paper, where
# a single typing error in the corpus is enough to lose "Mrs.".
TOLERANCE = 0.01


class Abbreviation(NamedTuple):
    """A string that the strategy `corpus` treats as an abbreviation."""

    word: str  # without the last period
    n_with: int  # number of occurrences with a period
    n_without: int  # number of occurrences without one
    reasons: tuple[str, ...]  # one or more of "structure", "likely", "title"


class Counts:
    """Counts of words and their periods in raw text, in memory that grows with the vocabulary."""

    def __init__(self) -> None:
        self.n_words = 0  # in all texts
        self.likely: Counter[str] = Counter()  # words with a period: see `is_likely`
        self.before_names: Counter[str] = Counter()  # see `stands_before_name`
        self._bare: Counter[str] = Counter()
        self._dotted: Counter[str] = Counter()
        self._pending: Counter[str] = Counter()

    @property
    def bare(self) -> Counter[str]:
        """Numbers of occurrences of words without a period at their end."""
        self._fold()
        return self._bare

    @property
    def dotted(self) -> Counter[str]:
        """Numbers of occurrences of words with a period at their end."""
        self._fold()
        return self._dotted

    def update(self, text: str) -> None:
        """Count the words of a text or of a part of a text.

        Nothing is assumed about the text after a part.

        >>> counts = Counts()
        >>> counts.update('Mr. Wu (of Wu Inc., he says) left.')
        >>> sorted(counts.dotted), counts.bare["Wu"], sorted(counts.likely)
        (['Inc', 'Mr', 'left'], 2, ['Inc'])
        """
        # Only the start of an overlong string matters, as the context of the word before it.
        strings = [string[: MAX_STRING + 1] for string in text.split()]
        self.n_words += len(strings)
        self._pending.update(strings)
        for i, string in enumerate(strings):
            if "." in string and len(string) <= MAX_STRING:
                word, rest = split_word(string)
                if rest is not None and _is_word(word):
                    self._count_period(word, rest, strings[i + 1 : i + 3])
        if len(self._pending) > MAX_PENDING:
            self._fold()

    def _fold(self) -> None:
        """Count the words of the pending strings."""
        for string, count in self._pending.items():
            if len(string) <= MAX_STRING:
                word, rest = split_word(string)
                if _is_word(word):
                    (self._bare if rest is None else self._dotted)[word] += count
        self._pending.clear()

    def _count_period(self, word: str, rest: str, following: list[str]) -> None:
        first, second = [*following, "", ""][:2]
        period = Period(word, rest or first)
        if is_likely(period):
            self.likely[word] += 1
        if not rest and stands_before_name(period, (first, second)):
            self.before_names[word] += 1

    def learn(self, *, min_count: int = 1, tolerance: float = TOLERANCE) -> Learned:
        """Compute the data of the strategies from the counts.

        min_count: Minimum number of occurrences with a period.
        tolerance: Share of the occurrences of an abbreviation that may lack the period, 0 to 1;
            0 in the paper.

        Raises ValueError if nothing was counted.
        """
        bare, dotted = self.bare, self.dotted
        if not bare and not dotted:
            raise ValueError(
                "A corpus must be raw text with words in it, got no words. Check the input."
            )
        validated = {
            word
            for word, n in dotted.items()
            if n >= min_count and bare[word] <= tolerance * (n + bare[word])
        }
        titles = {word for word, n in self.before_names.items() if n >= MIN_BEFORE_NAMES}
        return Learned(
            likely=frozenset(validated.intersection(self.likely)),
            titles=frozenset(validated & titles),
        )

    def list_abbreviations(self, learned: Learned) -> list[Abbreviation]:
        """List the abbreviations of the strategy `corpus`, the most frequent first."""
        found = []
        for word, count in self.dotted.items():
            reasons = {
                "structure": has_structure(word),
                "likely": word in learned.likely,
                "title": word in learned.titles,
            }
            names = tuple(name for name, holds in reasons.items() if holds)
            if names:
                found.append(Abbreviation(word, count, self.bare[word], names))
        return sorted(found, key=lambda entry: (-entry.n_with, entry.word))


def learn(texts: Iterable[str], **settings: Any) -> Learned:
    """Learn the data of the strategies `corpus` and `best` from raw texts, in one pass.

    texts: Documents, or large parts of them.
    settings: See `Counts.learn`.

    Raises ValueError if the texts have no words.

    >>> text = "He was born in Sept. 1900, or Oct., says Mr. John Doe. So does Mr. A. B."
    >>> learned = learn([text])
    >>> sorted(learned.likely), sorted(learned.titles)
    (['Oct', 'Sept'], ['Mr'])
    """
    counts = Counts()
    for text in texts:
        counts.update(text)
    return counts.learn(**settings)


def split_word(string: str) -> tuple[str, str | None]:
    """Split a string between white space into a word and the signs after its period.

    RETURNS: (word, signs), or (word, None) if the word does not end in a period. An ellipsis does
        not count as a period.

    >>> [split_word(string) for string in ("(Inc.),", '"No', "U.S.", "3.5", "wait...", "Yes?")]
    [('Inc', '),'), ('No', None), ('U.S', ''), ('3.5', None), ('wait', None), ('Yes', None)]
    """
    core = string.lstrip(SIGNS)
    body = core.rstrip(SIGNS + MARKS)
    if not body.endswith("."):
        return body, None
    word = body.rstrip(".")
    if len(body) - len(word) > 1:
        return word.rstrip(SIGNS + MARKS), None
    return word.rstrip(SIGNS), core[len(body) :]


def _is_word(word: str) -> bool:
    return word[:1].isalpha() and len(word) <= MAX_WORD
