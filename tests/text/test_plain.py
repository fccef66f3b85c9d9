"""Plain forms of texts, and the tokens of texts that are not plain."""

import unicodedata

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.text.bounded_tokenizer import bound_tokenizer
from spacy_sentid.text.plain import is_plain, make_plain

NLP = spacy.blank("en")
NLP.tokenizer = bound_tokenizer(NLP.tokenizer)
marks = st.sampled_from("\xad\u200b\u2060\ufeff\u0301\u0323 \n\xa0ae.é(")
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
texts = any_text | st.text(marks, max_size=40)

WORDS = [
    ("ca\xadn't (yes).", ["ca\xad", "n't", "(", "yes", ")", "."]),
    ("\ufeff“Hi.”\u200b", ["\ufeff“", "Hi", ".", "”\u200b"]),
    ("a \u200bdraft", ["a", "\u200bdraft"]),
    ("a  \u200bb", ["a", " ", "\u200bb"]),
    ("a \u200b b", ["a", "\u200b", "b"]),
    ("cafe\u0301-bar", ["cafe\u0301", "-", "bar"]),
    ("\u0958.", ["\u0958", "."]),
]


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_characters_of_format_and_accents_do_not_cut_words(text: str, words: list[str]) -> None:
    assert [token.text for token in NLP.make_doc(text)] == words


@given(texts)
def test_a_doc_has_the_text_as_it_is(text: str) -> None:
    doc = NLP.make_doc(text)
    assert doc.text == text
    assert all(token.text.isspace() or token.text.split() == [token.text] for token in doc)


@given(texts)
def test_the_plain_form_is_plain(text: str) -> None:
    plain = make_plain(text)
    assert make_plain(plain) == plain == unicodedata.normalize("NFC", plain)
    assert plain.split() == [make_plain(word) for word in text.split()]
    assert not is_plain(text) or plain == text


@given(texts)
def test_tokens_have_the_norms_of_the_plain_form(text: str) -> None:
    doc, plain = NLP.make_doc(text), NLP.make_doc(make_plain(text))
    if len(doc) == len(plain):
        assert [token.norm for token in doc] == [token.norm for token in plain]
