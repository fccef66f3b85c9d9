"""Score a pipeline's tagger and parser on lists of noun phrases and on a treebank.

files -> ParserTest -> any pipeline -> ParserReport -> tables, JSON
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from .parsing import (
    BATCH_SIZE,
    gold_noun_phrases,
    parse_phrases,
    read_parsing_docs,
    read_phrases,
)
from .robustness import (
    NounPhraseScores,
    TreebankScores,
    noun_phrase_rows,
    root_rows,
    score_noun_phrases,
    score_treebank,
    treebank_rows,
)


class ParserTest(NamedTuple):
    """Noun phrases and gold units to parse."""

    phrases: dict[str, list[str | Doc]]  # by the name of their list
    treebank: str  # its name; "" = there is none
    gold: list[Doc]
    gold_words: bool

    def count_units(self) -> int:
        """Count what is parsed."""
        return sum(map(len, self.phrases.values())) + len(self.gold)


class ParserReport(NamedTuple):
    """Scores on noun phrases, by list, and on a treebank."""

    noun_phrases: dict[str, NounPhraseScores]
    treebank: dict[str, TreebankScores]  # by its name; {} = there is none

    def to_dict(self) -> dict[str, Any]:
        """Return all scores (0 to 1) as JSON data."""
        scores = [entry._asdict() for entry in self.treebank.values()]
        phrases = {name: entry.to_dict() for name, entry in self.noun_phrases.items()}
        return {"noun_phrases": phrases, "treebank": scores[0] if scores else None}

    def to_tables(self) -> list[list[list[str]]]:
        """Lay the scores out as tables, in percent; the first row of each is its heading."""
        tables = [noun_phrase_rows(self.noun_phrases), root_rows(self.noun_phrases)]
        tables += [treebank_rows(name, scores) for name, scores in self.treebank.items()]
        return [rows for rows in tables if len(rows) > 1]


def read_parser_test(
    vocab: Vocab, *, phrases: Path | None, treebank: Path | None, gold_words: bool
) -> ParserTest:
    """Read the noun phrases of a list, and the units and noun phrases of a treebank.

    gold_words: Keep the words of the treebank; else the pipeline tokenizes its text.
    """
    lists: dict[str, list[str | Doc]] = {}
    if phrases is not None:
        lists[phrases.name] = [*read_phrases(phrases)]
    if treebank is None:
        return ParserTest(lists, "", [], gold_words)
    gold = list(read_parsing_docs(treebank, vocab))
    units = list(gold_noun_phrases(gold))
    if units:
        lists[f"{treebank.name} (gold)"] = [doc if gold_words else doc.text for doc in units]
    return ParserTest(lists, treebank.name, gold, gold_words)


def evaluate_parser(
    nlp: Language,
    test: ParserTest,
    *,
    batch_size: int = BATCH_SIZE,
    on_unit: Callable[[], object] = lambda: None,
) -> ParserReport:
    """Score a tagger and parser.

    on_unit: Called for each unit that is parsed, for progress (see `ParserTest.count_units`).
    """

    def parse(units: list[str | Doc]) -> Iterator[Doc]:
        for doc in parse_phrases(nlp, units, batch_size=batch_size):
            on_unit()
            yield doc

    scores = {name: score_noun_phrases(parse(units)) for name, units in test.phrases.items()}
    if not test.treebank:
        return ParserReport(scores, {})
    found = score_treebank(
        nlp,
        test.gold,
        gold_words=test.gold_words,
        batch_size=batch_size,
        on_unit=lambda _: on_unit(),
    )
    return ParserReport(scores, {test.treebank: found})
