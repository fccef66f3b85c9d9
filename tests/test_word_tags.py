"""Tags of characters: words to tags and back, what is no word, spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.word_segmenter.tags import (
    TAGS,
    B,
    E,
    M,
    S,
    bmes_from_words,
    spans_from_words,
    words_from_bmes,
)

WORDS = st.lists(st.text("上下字ab1，", min_size=1, max_size=5), max_size=8)


@given(WORDS)
def test_words_come_back_from_their_tags(words: list[str]) -> None:
    tags = bmes_from_words(words)
    assert words_from_bmes("".join(words), tags) == words


@given(WORDS)
def test_spans_tile_the_text_and_hold_the_words(words: list[str]) -> None:
    text, spans = "".join(words), spans_from_words(words)
    assert [text[start:end] for start, end in spans] == words
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]


@given(st.lists(st.sampled_from([B, M, E, S]), min_size=1, max_size=6))
def test_tags_are_words_or_an_error(tags: list[int]) -> None:
    text = "字" * len(tags)
    # The words of a text are what its boundaries are: all 2 ** (n - 1) of them.
    legal = [bmes_from_words(_cut(text, number)) for number in range(2 ** (len(text) - 1))]
    if tags in legal:
        assert bmes_from_words(words_from_bmes(text, tags)) == tags
    else:
        with pytest.raises(ValueError, match="word"):
            words_from_bmes(text, tags)


def _cut(text: str, number: int) -> list[str]:
    """Cut a text at the gaps whose bit is set."""
    words = [text[0]]
    for i, character in enumerate(text[1:]):
        if number >> i & 1:
            words.append(character)
        else:
            words[-1] += character
    return words


@pytest.mark.parametrize(
    ("word", "letters"), [("上", "S"), ("邀请", "BE"), ("显示屏", "BME"), ("引人入胜", "BMME")]
)
def test_a_word_has_these_tags(word: str, letters: str) -> None:
    assert [TAGS[tag] for tag in bmes_from_words([word])] == list(letters)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ([M, E], "character 0"),
        ([B, S], "character 1"),
        ([S, B], "end"),
        ([S, 7], "tag 7"),
        ([S], "1 tags"),
    ],
)
def test_the_error_tells_where_tags_are_no_words(tags: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        words_from_bmes("上下", tags)


def test_nothing_is_nothing() -> None:
    assert bmes_from_words([]) == words_from_bmes("", []) == spans_from_words([]) == []


@pytest.mark.parametrize("convert", [bmes_from_words, spans_from_words])
def test_an_empty_word_is_an_error(convert: object) -> None:
    with pytest.raises(ValueError, match="word"):
        convert(["上", ""])  # type: ignore[operator]
