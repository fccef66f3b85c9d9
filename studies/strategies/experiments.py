"""The experiments of section 4 with each strategy, on a corpus with gold periods.

gold periods, counts of the raw text -> a strategy decides each period -> `Outcome`

As in the paper, the strategies learn from the raw text of the same corpus. Gold is only used to
count errors, and for the lexicon of 4.2.3, which the paper assumes to be complete.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spacy_sentid.rule_sentencizer.counts import TOLERANCE, Counts
from spacy_sentid.rule_sentencizer.strategies import (
    CLASSES,
    Learned,
    Period,
    Strategy,
    corpus,
    lexicon_and_abbreviations,
    structure,
)
from spacy_sentid.text.language_data import Rules, load_rules
from studies.strategies.gold import (
    ABBREVIATION,
    BOTH,
    FULL_STOP,
    OTHER,
    GoldPeriod,
    GoldText,
    find_gold_periods,
    read_abbreviations,
    read_gold,
)
from studies.strategies.lexicon import LexiconWords, by_lexicon, decide_by_lexicon, learn_words
from studies.strategies.paper_figures import ABBREVIATION_LIST, TITLES

# Placeholders for formulas in the tagged corpus, which occur at sentence ends.
PLACE_HOLDERS = frozenset(["Af", "Aj"])
# Number of periods of each kind in the edition of Brown that the notes of the tables describe.
BROWN = Counter({FULL_STOP: 49_124, ABBREVIATION: 4_715, BOTH: 221, OTHER: 22})


class Corpus(NamedTuple):
    """The texts of the experiments, with their gold periods and counts."""

    texts: list[GoldText]
    periods: list[GoldPeriod]
    abbreviations: Mapping[str, int]  # abbreviation -> number of occurrences
    counts: Counts  # counts of the raw text

    def count_kinds(self) -> Counter[str]:
        """Count the periods of each kind."""
        return Counter(gold.kind for gold in self.periods)

    def is_brown(self) -> bool:
        """Check if the counts are those of Brown, so that the notes about it are true."""
        return self.count_kinds() == BROWN


class Outcome(NamedTuple):
    """Counts of a strategy over all word-ending periods. The first four are as in section 4.2.1."""

    correct: int  # abbreviations found, including those at a sentence end
    missed: int  # abbreviations classified as full stops
    errors: int  # full stops classified as abbreviations
    full_stops: int  # abbreviations found at a sentence end, so that two sentences are joined
    n_sentences: int  # sentences that end in a period
    false_ends: int  # missed abbreviations inside sentences
    missed_words: Counter[str]
    error_words: Counter[str]

    @property
    def success(self) -> float:
        """The measure of the paper: (sentences - missed - errors - full stops) / sentences."""
        wrong = self.missed + self.errors + self.full_stops
        return (self.n_sentences - wrong) / self.n_sentences if self.n_sentences else 0.0

    @property
    def f1(self) -> float:
        """F1 of the sentence ends among the periods."""
        right = self.n_sentences - self.errors - self.full_stops
        total = 2 * right + self.false_ends + self.errors + self.full_stops
        return 2 * right / total if total else 0.0

    @property
    def wrong_words(self) -> int:
        """The number of different words with an error, not counting `full_stops`."""
        return len(self.missed_words) + len(self.error_words)


class Step(NamedTuple):
    """The decisions of one of the six steps of section 4.2.3."""

    number: int  # see `decide_by_lexicon`
    periods: int
    words: int  # number of different words
    taken: int  # number of periods classified as abbreviations
    wrong: Counter[str]


class Variant(NamedTuple):
    """A row of the summary: a strategy of the paper, or a variant that explains a difference."""

    section: str  # section of the paper, which defines how success is counted
    strategy: Strategy
    rules: Rules
    learned: Learned | None = None
    skipped: frozenset[str] = frozenset()  # words to exclude


class Knowledge(NamedTuple):
    """The data that strategies use, as learned from a corpus in different ways."""

    rules: Rules
    learned: Learned  # exactly as in the paper
    tolerant: Learned  # with the default tolerance
    capitals: Learned  # with every capitalised string as a likely abbreviation
    words: LexiconWords  # of the raw text
    complete_words: LexiconWords  # with a complete lexicon
    tolerant_words: LexiconWords  # with a complete lexicon and the default tolerance


def read_corpus(path: Path, abbreviations: Path) -> Corpus:
    """Read gold texts and abbreviations, and count the raw text.

    See `read_gold` and `read_abbreviations` for the formats.
    """
    texts = read_gold(path)
    counts = Counts()
    for gold in texts:
        counts.update(gold.text)
    known = read_abbreviations(abbreviations)
    return Corpus(texts, find_gold_periods(texts, known), known, counts)


def learn_all(found: Corpus, *, lang: str = "en") -> Knowledge:
    """Learn the data of all strategies from the corpus that they are evaluated on."""
    learned = found.counts.learn(tolerance=0)
    words = {
        gold.period.word
        for gold in found.periods
        if gold.kind == FULL_STOP and gold.period.word.islower()
    }
    periods = [gold.period for gold in found.periods]
    capitals = {
        word for word in found.counts.dotted if word[0].isupper() and not found.counts.bare[word]
    }
    return Knowledge(
        load_rules(lang),
        learned,
        found.counts.learn(),
        learned._replace(likely=learned.likely | capitals),
        learn_words(periods, found.counts),
        learn_words(periods, found.counts, extra=words),
        learn_words(periods, found.counts, extra=words, tolerance=TOLERANCE),
    )


def measure(periods: Iterable[GoldPeriod], decide: Callable[[Period], bool]) -> Outcome:
    """Count the decisions of a strategy. Periods of kind OTHER are skipped.

    decide: Returns True if a period is part of an abbreviation.

    >>> gold = [GoldPeriod(Period("Mr", "Wu"), ABBREVIATION, 0),
    ...         GoldPeriod(Period("Inc", "He"), BOTH, 0),
    ...         GoldPeriod(Period("end", "I"), FULL_STOP, 1)]
    >>> found = measure(gold, lambda period: period.word != "end")
    >>> found.correct, found.missed, found.errors, found.full_stops, found.success
    (2, 0, 0, 1, 0.5)
    """
    tally: Counter[tuple[str, bool]] = Counter()
    missed: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    for period, kind, _ in periods:
        if kind not in (FULL_STOP, ABBREVIATION, BOTH):
            continue
        taken = decide(period)
        tally[kind, taken] += 1
        if taken and kind == FULL_STOP:
            errors[period.word] += 1
        elif not taken and kind != FULL_STOP:
            missed[period.word] += 1
    return Outcome(
        correct=tally[ABBREVIATION, True] + tally[BOTH, True],
        missed=missed.total(),
        errors=errors.total(),
        full_stops=tally[BOTH, True],
        n_sentences=sum(n for (kind, _), n in tally.items() if kind != ABBREVIATION),
        false_ends=tally[ABBREVIATION, False],
        missed_words=missed,
        error_words=errors,
    )


def list_variants(knowledge: Knowledge) -> dict[str, Variant]:
    """List the rows of the summary, by name."""
    rules, learned, tolerant, capitals, words, complete_words, tolerant_words = knowledge
    listed = rules._replace(
        titles=frozenset(),
        numbered=frozenset(),
        inner=frozenset(),
        months=frozenset(),
        others=ABBREVIATION_LIST,
    )
    untitled = learned._replace(titles=frozenset())
    titled = learned._replace(titles=TITLES)
    by_list = lexicon_and_abbreviations
    return {
        "every period": Variant("4.2", _none, rules),
        "structure": Variant("4.2.1", structure, rules),
        "structure, without place-holders": Variant("4.2.1", structure, rules, None, PLACE_HOLDERS),
        "corpus, without titles": Variant("4.2.2", corpus, rules, untitled),
        "corpus, any capitalised string": Variant("4.2.2", corpus, rules, capitals),
        "corpus": Variant("4.2.2", corpus, rules, learned),
        "corpus, titles of the paper": Variant("4.2.2", corpus, rules, titled),
        "corpus, tolerant": Variant("4.2.2", corpus, rules, tolerant),
        "lexicon": Variant("4.2.3", partial(by_lexicon, complete_words), rules),
        "lexicon, tolerant": Variant("4.2.3", partial(by_lexicon, tolerant_words), rules),
        "lexicon, of raw text": Variant("4.2.3", partial(by_lexicon, words), rules),
        "lexicon+abbreviations, the paper's list": Variant("4.2.4", by_list, listed),
        "lexicon+abbreviations": Variant("4.2.4", by_list, rules),
    }


def measure_variants(found: Corpus, knowledge: Knowledge) -> dict[str, Outcome]:
    """Measure each strategy of the paper, and the variants that explain differences."""
    outcomes = {}
    for name, strategy in list_variants(knowledge).items():
        decide = partial(_decide, strategy.strategy, strategy.rules, strategy.learned)
        periods = (gold for gold in found.periods if gold.period.word not in strategy.skipped)
        outcomes[name] = measure(periods, decide)
    return outcomes


def measure_classes(found: Corpus) -> dict[str, Outcome]:
    """Measure each class of section 4.2.1 separately."""
    return {
        name: measure(found.periods, partial(_matches, pattern))
        for name, pattern in CLASSES.items()
    }


def measure_steps(found: Corpus, words: LexiconWords) -> list[Step]:
    """Measure each of the six steps of section 4.2.3 on the periods that it decides."""
    steps = []
    decided: dict[int, list[tuple[GoldPeriod, bool]]] = {}
    for gold in found.periods:
        if gold.kind != OTHER:
            number, taken = decide_by_lexicon(gold.period, words)
            decided.setdefault(number, []).append((gold, taken))
    for number in (1, 2, 3, 4, 5, 6, 0):
        entries = decided.get(number, [])
        wrong = [gold.period.word for gold, taken in entries if taken == (gold.kind == FULL_STOP)]
        steps.append(
            Step(
                number,
                len(entries),
                len({gold.period.word for gold, _ in entries}),
                sum(taken for _, taken in entries),
                Counter(wrong),
            )
        )
    return steps


def _none(period: Period, rules: Rules, learned: Learned | None) -> bool:
    return False


def _decide(strategy: Strategy, rules: Rules, learned: Learned | None, period: Period) -> bool:
    return strategy(period, rules, learned or Learned())


def _matches(pattern: re.Pattern[str], period: Period) -> bool:
    return pattern.fullmatch(period.word) is not None
