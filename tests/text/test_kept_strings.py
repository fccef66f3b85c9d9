"""Strings that stay together, in the sentence identifier and in the rules."""

from typing import Any

import pytest
import spacy
from spacy.language import Language

import spacy_sentid

TEXT = "We met in Oak Rd. Nobody from Yahoo! Inc. Germany came. Broad. Rd.\n\nNew text is here."


def split_by_model(text: str, **settings: Any) -> list[str]:
    doc = spacy_sentid.load("en", **settings)(text)
    return [span.text for span in doc._.units]


def split_by_rules(text: str, **settings: Any) -> list[str]:
    nlp: Language = spacy.blank("en")
    nlp.add_pipe("rule_sentencizer", config=settings)
    found = [sent.text.strip() for sent in nlp(text).sents]
    spans = spacy_sentid.segment(text, **settings)
    assert [text[start:end].strip() for start, end in spans] == found
    return found


@pytest.mark.parametrize("split", [split_by_model, split_by_rules])
@pytest.mark.parametrize("word", ["Rd.", "Rd"])
def test_no_unit_starts_after_an_abbreviation(split: Any, word: str) -> None:
    assert "We met in Oak Rd." in split(TEXT)
    found = split(TEXT, abbreviations=[word])
    assert found[0].startswith("We met in Oak Rd. Nobody from")
    assert found[-1] == "New text is here."  # a blank line is stronger


@pytest.mark.parametrize("split", [split_by_model, split_by_rules])
def test_no_unit_starts_inside_a_string_that_is_never_split(split: Any) -> None:
    text = "We read Who is it? No one! last year. It was long."
    assert split(text)[0] == "We read Who is it?"
    found = split(text, never_split=["Who is it? No one! last year"])
    assert found == ["We read Who is it? No one! last year.", "It was long."]


@pytest.mark.parametrize("split", [split_by_model, split_by_rules])
def test_only_whole_words_are_kept(split: Any) -> None:
    settings = {"abbreviations": ["ad"], "never_split": ["d. N"]}
    assert split(TEXT, **settings) == split(TEXT)
