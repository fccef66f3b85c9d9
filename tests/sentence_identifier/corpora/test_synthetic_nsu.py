"""Synthetic NSUs of every kind, from any corpus."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.corpora.synthetic_nsu import KINDS, draw_marker, make_unit

CORPUS = ["We saw Pierre Vinken in Paris today.", "Sales rose 3%, Mr. Smith said.", "It did."]
texts = st.text(max_size=40).map(str.strip).filter(bool)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    "corpus",
    [CORPUS, ["x"], ["."], ["...", "- -"], ["我们今天去公园散步。"], ["\u0130\u0130 \u00df."]],
    ids=["sentences", "letter", "mark", "marks", "no spaces", "odd letters"],
)
def test_every_kind_works_with_any_corpus(
    kind: Callable[[Sequence[str], Random], str], corpus: list[str]
) -> None:
    for seed in range(100):
        text = kind(corpus, Random(seed))
        assert text.strip() == text != ""


@given(st.lists(texts, min_size=1, max_size=4), st.integers())
def test_synthetic_units_have_words(corpus: list[str], seed: int) -> None:
    text = make_unit(corpus, Random(seed))
    assert text.strip() == text != ""


def test_no_unit_of_the_corpus_is_copied_whole() -> None:
    made = {make_unit(CORPUS, Random(seed)) for seed in range(3000)}
    assert not any(text.strip(".") in other for text in CORPUS for other in made)


def test_markers_have_no_space_at_their_ends() -> None:
    for seed in range(200):
        marker = draw_marker(Random(seed))
        assert marker.strip() == marker != ""
