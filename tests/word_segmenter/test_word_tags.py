"""The spans of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.word_segmenter.tags import spans_from_words

WORDS = st.lists(st.text("上下字ab1，", min_size=1, max_size=5), max_size=8)


@given(WORDS)
def test_spans_tile_the_text_and_hold_the_words(words: list[str]) -> None:
    text, spans = "".join(words), spans_from_words(words)
    assert [text[start:end] for start, end in spans] == words
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]


def test_no_words_have_no_spans() -> None:
    assert spans_from_words([]) == []


def test_an_empty_word_is_an_error() -> None:
    with pytest.raises(ValueError, match="word"):
        spans_from_words(["上", ""])
