"""Gold words of Examples: consistent tags, white space, tokens that are not split, chunks."""

import numpy as np
import pytest
import spacy
import tiny_words
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_sentid.word_segmenter.crf import B, E, M, S
from spacy_sentid.word_segmenter.gold import make_partial_doc, read_gold
from spacy_sentid.word_segmenter.scorer import CHUNKS_KEY


def example(
    nlp: Language, text: str, words: list[str], spaces: list[bool] | None = None
) -> Example:
    spaces = spaces or [False] * len(words)
    return Example(nlp.make_doc(text), Doc(nlp.vocab, words=words, spaces=spaces))


def allowed_tags(*egs: Example) -> list[set[int]]:
    """List the tags that are consistent with gold; a chain always starts with B or S."""
    batch, allowed = read_gold(egs)
    return [
        {tag for tag in (B, M, E, S) if row[tag] and (tag in (B, S) or not start)}
        for row, start in zip(allowed, batch.starts, strict=True)
    ]


def test_gold_words_allow_one_tag_for_each_character() -> None:
    nlp = spacy.blank("zh")
    eg = example(nlp, "图书馆里", ["图书馆", "里"])
    assert allowed_tags(eg) == [{B}, {M}, {E}, {S}]


def test_white_space_of_gold_may_differ() -> None:
    nlp = spacy.blank("zh")
    eg = example(nlp, " 图书 馆\n里", ["图书馆", "里", "\n"], [True, False, False])
    # A word cannot cross the white space of the text.
    assert allowed_tags(eg) == [{B}, {E}, {S}, {S}]


def test_white_space_inside_a_gold_word_does_not_count() -> None:
    eg = example(spacy.blank("zh"), "New York", ["New York"])
    assert allowed_tags(eg) == [{B}, {M}, {E}, {B}, {M}, {M}, {E}]


def test_a_gold_word_does_not_split_a_token() -> None:
    nlp = spacy.blank("en")
    eg = example(nlp, "I like", ["I", "li", "ke"], [True, False, False])
    assert allowed_tags(eg) == [{S}, {B}, {M}, {M}, {E}]


@pytest.mark.parametrize("words", [["我", "爱"], ["我", "爱", "你们"], ["我", "爱", "她"]])
def test_gold_of_another_text_is_an_error(words: list[str]) -> None:
    nlp = spacy.blank("zh")
    egs = [*tiny_words.examples(nlp)[:2], example(nlp, "我爱你", words)]
    with pytest.raises(ValueError, match="'我爱你'"):
        read_gold(egs)


def test_only_the_ends_of_chunks_are_known() -> None:
    nlp = spacy.blank("zh")
    doc = make_partial_doc(nlp.vocab, ["图书馆", "里", "很安"])
    assert [span.text for span in doc.spans[CHUNKS_KEY]] == ["图书馆", "很安"]
    eg = Example(nlp.make_doc("图书馆里很安"), doc)
    assert allowed_tags(eg) == [{B, S}, {B, M, E, S}, {E, S}, {S}, {B, S}, {E, S}]
    assert read_gold([eg])[0].words == [[]]


def test_chunks_of_one_character_are_words() -> None:
    nlp = spacy.blank("zh")
    doc = make_partial_doc(nlp.vocab, ["我", "吃"])
    assert not doc.spans[CHUNKS_KEY]
    assert read_gold([Example(nlp.make_doc("我吃"), doc)])[0].words == [["我", "吃"]]


def test_examples_are_concatenated() -> None:
    nlp = spacy.blank("zh")
    egs = [
        example(nlp, "图书馆", ["图书馆"]),
        example(nlp, "", []),
        Example(nlp.make_doc("里很"), make_partial_doc(nlp.vocab, ["里很"])),
        example(nlp, "上海", ["上海"]),
    ]
    assert allowed_tags(*egs) == [{B}, {M}, {E}, {B, S}, {E, S}, {B}, {E}]
    batch, _ = read_gold(egs)
    assert batch.words == [["图书馆"], [], [], ["上海"]]
    assert np.flatnonzero(batch.starts).tolist() == [0, 3, 5]


def test_no_examples_have_no_gold() -> None:
    batch, allowed = read_gold([])
    assert (len(batch.codes), allowed.shape) == (0, (0, 4))


def test_gold_of_several_vocabs_can_be_in_a_batch() -> None:
    nlp = spacy.blank("zh")
    egs = [
        Example(nlp.make_doc("".join(words)), Doc(Vocab(), words=words, spaces=[False] * 2))
        for words in (["图书馆", "里"], ["上海", "麒麟"])
    ]
    assert allowed_tags(*egs) == [{B}, {M}, {E}, {S}, {B}, {E}, {B}, {E}]


def test_a_partial_doc_has_the_text_of_its_chunks() -> None:
    doc = make_partial_doc(Vocab(), ["图书馆", "里", "很安静"])
    assert doc.text == "图书馆里很安静"
    assert [span.text for span in doc.spans["chunks"]] == ["图书馆", "很安静"]
    assert len(make_partial_doc(Vocab(), [])) == 0
