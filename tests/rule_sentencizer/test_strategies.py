"""The strategies of section 4.2: a row for each rule of each strategy."""

import json
import subprocess
import sys

import pytest

from spacy_sentid.rule_sentencizer.segment import segment
from spacy_sentid.rule_sentencizer.strategies import (
    STRATEGIES,
    Learned,
    Period,
    is_likely,
    stands_before_name,
)
from spacy_sentid.text.language_data import load_rules

RULES = load_rules("en")
LEARNED = Learned(
    likely=frozenset(["etc", "Inc", "Sept", "24-hr"]),
    titles=frozenset(["Mr", "Gov"]),
)


def decide(name: str, word: str, follow: str = "The") -> bool:
    return STRATEGIES[name](Period(word, follow), RULES, LEARNED)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("A", True),
        ("a", True),
        ("É", True),
        ("3", False),
        ("U.S", True),
        ("i.e", True),
        ("m.p.h", True),
        ("A.1", True),
        ("1.A", False),
        ("Ph.D", False),
        ("P.-T.A", False),
        ("Mr", True),
        ("Assn", True),
        ("Oh", True),  # one of its errors
        ("Wy", False),  # w and y are no consonants here
        ("ST", False),
        ("St2", False),
        ("Inc", True),
        ("Fig", False),
        ("etc", False),
        ("ex-Mr", False),
        ("", False),
    ],
)
def test_structure_has_three_classes(word: str, expected: bool) -> None:
    assert decide("structure", word) == expected
    assert decide("structure", word, "and") == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("A", True),
        ("a", False),
        ("U.S", True),
        ("p.m", True),
        ("etc", True),
        ("24-hr", True),
        ("Mr", True),
        ("Dr", False),
        ("Etc", False),
        ("end", False),
    ],
)
def test_corpus_accepts_structures_likely_ones_and_titles(word: str, expected: bool) -> None:
    assert decide("corpus", word) == expected
    assert decide("corpus", word, "and") == expected


@pytest.mark.parametrize(
    ("word", "follow", "expected"),
    [
        ("end", "and", True),
        ("end", ", and", True),
        ("end", "; and", True),
        ("end", "12", False),
        ("end", "The", False),
        ("Mr", "Doe", True),
        ("No", "12", True),
        ("vs", "The", True),
        ("Jan", "12", True),
        ("Calif", "The", True),
        ("etc", "The", True),
        ("A", "The", True),
        ("a", "The", True),
        ("U.S", "The", True),
        ("Schaack", "The", False),
        ("Sept", "The", True),
    ],
)
def test_lexicon_with_abbreviations_has_three_steps(word: str, follow: str, expected: bool) -> None:
    assert decide("lexicon+abbreviations", word, follow) == expected


def test_lists_are_those_of_the_language() -> None:
    german = load_rules("en", extra={"titles": ["Hrn"]})
    assert STRATEGIES["lexicon+abbreviations"](Period("Hrn", "Doe"), german, None)
    assert not decide("lexicon+abbreviations", "Hrn", "Doe")


@pytest.mark.parametrize(
    ("word", "follow", "expected"),
    [
        ("etc", ", a", True),
        ("etc", "? A", True),
        ("etc", "a", True),
        ("etc", "ä", True),
        ("etc", "5", True),
        ("etc", "; a", False),
        ("etc", "A", False),
        ("etc", '" a', False),
        ("etc", "", False),
        ("24-hr", "a", False),  # begins with no letter
    ],
)
def test_likely_as_in_the_table(word: str, follow: str, expected: bool) -> None:
    assert is_likely(Period(word, follow)) == expected


@pytest.mark.parametrize(
    ("word", "following", "expected"),
    [
        ("Mr", ("John", "Smith,"), True),
        ("Mr", ("J.", "Edgar"), True),
        ("Mr", ("Smith", "said"), False),
        ("Mr", ("smith", "Said"), False),
        ("Mr", ("Smith", ""), False),
        ("MR", ("John", "Smith"), False),
        ("mr", ("John", "Smith"), False),
        ("U.S", ("Senator", "Smith"), False),
        ("A", ("John", "Smith"), False),
    ],
)
def test_titles_precede_two_capitalised_strings(
    word: str, following: tuple[str, str], expected: bool
) -> None:
    assert stands_before_name(Period(word, following[0]), following) == expected


def test_a_strategy_that_learns_requires_learned_data() -> None:
    with pytest.raises(ValueError, match="'corpus'"):
        segment("The end.", strategy="corpus")


def test_learned_survives_json() -> None:
    assert Learned.from_dict(json.loads(json.dumps(LEARNED.to_dict()))) == LEARNED
    assert Learned.from_dict({}) == Learned()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"likly": []}, "'likly'"),
        ({"likely": "etc"}, "'etc'"),
        ({"likely": [1]}, "strings"),
    ],
)
def test_other_json_is_an_error(data: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Learned.from_dict(data)


def test_strategies_and_counts_import_nothing_heavy() -> None:
    code = (
        "import spacy_sentid.rule_sentencizer.strategies, spacy_sentid.rule_sentencizer.counts\n"
        "import sys; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"spacy", "numpy", "torch", "typer"} & set(done.stdout.split())
