"""The experiments of section 4 on a corpus with gold: each strategy, and what the paper has for it.

gold periods, counts of the raw text -> a strategy decides each period -> `Outcome`

What the strategies learn, they learn from the raw text of the same corpus, as in the paper. Gold
serves to count, and for the lexicon of 4.2.3, which the paper supposes to be complete.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from spacy_sentid.language_data import Rules, load_rules
from spacy_sentid.rule_sentencizer.counts import Counts
from spacy_sentid.rule_sentencizer.strategies import (
    CLASSES,
    Learned,
    Period,
    Strategy,
    corpus,
    decide_by_lexicon,
    lexicon,
    lexicon_and_abbreviations,
    structure,
)
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
from studies.strategies.paper_figures import ABBREVIATION_LIST, TITLES

# Place-holders for formulas in the tagged corpus, which end sentences.
PLACE_HOLDERS = frozenset(["Af", "Aj"])
# The kinds of periods in the edition of Brown that the notes of the tables are about.
BROWN = Counter({FULL_STOP: 49_124, ABBREVIATION: 4_715, BOTH: 221, OTHER: 22})


class Corpus(NamedTuple):
    """What the experiments work on."""

    texts: list[GoldText]
    periods: list[GoldPeriod]
    abbreviations: Mapping[str, int]  # how often each occurs
    counts: Counts  # of the raw text

    def count_kinds(self) -> Counter[str]:
        """Count the periods of each kind."""
        return Counter(gold.kind for gold in self.periods)

    def is_brown(self) -> bool:
        """Tell whether the counts are those of Brown, so that what is noted of it holds."""
        return self.count_kinds() == BROWN


class Outcome(NamedTuple):
    """What a strategy made of all word-ending periods; the first four as in the table of 4.2.1."""

    correct: int  # abbreviations found, with those that end a sentence
    missed: int  # abbreviations taken for full stops
    errors: int  # full stops taken for abbreviations
    full_stops: int  # abbreviations found that end a sentence, so that two sentences are one
    n_sentences: int  # with a period at their end
    false_ends: int  # of `missed`: inside sentences
    missed_words: Counter[str]
    error_words: Counter[str]

    @property
    def success(self) -> float:
        """The paper's measure: (sentences - missed - errors - full stops) / sentences."""
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
        """Different words that are wrong somewhere; full stops of abbreviations are not."""
        return len(self.missed_words) + len(self.error_words)


class Step(NamedTuple):
    """What one of the six steps of section 4.2.3 decides."""

    number: int  # see `decide_by_lexicon`
    periods: int
    words: int  # different ones
    taken: int  # of the periods: for abbreviations
    wrong: Counter[str]


class Variant(NamedTuple):
    """A row of the summary: a strategy as in the paper, or a variant that explains what differs."""

    section: str  # of the paper, which says how it counts success
    strategy: Strategy
    rules: Rules
    learned: Learned | None = None
    skipped: frozenset[str] = frozenset()  # words that are left out


class Knowledge(NamedTuple):
    """What was learned of a corpus, for the strategies that learn."""

    rules: Rules
    learned: Learned  # by the letter
    complete: Learned  # with a complete lexicon
    tolerant: Learned  # with the default tolerance, and a complete lexicon
    capitals: Learned  # every capitalised string is a likely abbreviation


def read_corpus(path: Path, abbreviations: Path) -> Corpus:
    """Read gold (see `read_gold`, `read_abbreviations`) and count its raw text."""
    texts = read_gold(path)
    counts = Counts()
    for gold in texts:
        counts.update(gold.text)
    known = read_abbreviations(abbreviations)
    return Corpus(texts, find_gold_periods(texts, known), known, counts)


def learn_all(found: Corpus, *, lang: str = "en") -> Knowledge:
    """Learn what the strategies learn from the corpus that they are measured on."""
    learned = found.counts.learn(tolerance=0)
    words = {
        gold.period.word
        for gold in found.periods
        if gold.kind == FULL_STOP and gold.period.word.islower()
    }
    complete = learned.lexicon | words
    capitals = {
        word for word in found.counts.dotted if word[0].isupper() and not found.counts.bare[word]
    }
    return Knowledge(
        load_rules(lang),
        learned,
        learned._replace(lexicon=complete),
        found.counts.learn(lexicon=complete),
        learned._replace(likely=learned.likely | capitals),
    )


def measure(periods: Iterable[GoldPeriod], decide: Callable[[Period], bool]) -> Outcome:
    """Let a strategy decide each period; those that are neither are left out.

    decide: Whether a period is part of an abbreviation.

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
    """List the rows of the summary by their names."""
    rules, learned, complete, tolerant, capitals = knowledge
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
        "lexicon": Variant("4.2.3", lexicon, rules, complete),
        "lexicon, tolerant": Variant("4.2.3", lexicon, rules, tolerant),
        "lexicon, of raw text": Variant("4.2.3", lexicon, rules, learned),
        "lexicon+abbreviations, the paper's list": Variant("4.2.4", by_list, listed),
        "lexicon+abbreviations": Variant("4.2.4", by_list, rules),
    }


def measure_variants(found: Corpus, knowledge: Knowledge) -> dict[str, Outcome]:
    """Measure each strategy as in the paper, and the variants that explain what differs."""
    outcomes = {}
    for name, strategy in list_variants(knowledge).items():
        decide = partial(_decide, strategy.strategy, strategy.rules, strategy.learned)
        periods = (gold for gold in found.periods if gold.period.word not in strategy.skipped)
        outcomes[name] = measure(periods, decide)
    return outcomes


def measure_classes(found: Corpus) -> dict[str, Outcome]:
    """Measure each class of section 4.2.1 alone."""
    return {
        name: measure(found.periods, partial(_matches, pattern))
        for name, pattern in CLASSES.items()
    }


def measure_steps(found: Corpus, learned: Learned) -> list[Step]:
    """Measure the six steps of section 4.2.3, each on the periods that it decides."""
    steps = []
    decided: dict[int, list[tuple[GoldPeriod, bool]]] = {}
    for gold in found.periods:
        if gold.kind != OTHER:
            number, taken = decide_by_lexicon(gold.period, learned)
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
