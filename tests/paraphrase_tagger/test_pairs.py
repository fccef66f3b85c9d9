"""Two texts in one Doc."""

from typing import Any

import pytest
import spacy
import tiny_pairs
from spacy.tokens import Doc, DocBin

from spacy_sentid.paraphrase_tagger.pairs import (
    get_pair,
    make_pair,
    make_pair_of_words,
    original_span,
    pair_id,
)

NLP = spacy.blank("en")
TEXTS = [
    ("Sales rose.", "In May, sales fell."),
    ("Ends in a space. ", "x"),
    ("Line\nend\n\n", "  two\tspaces "),
    ("Naïve café – 😀", "日本語 ok"),
    ("don't", "U.S.-based"),
]


@pytest.mark.parametrize(("text1", "text2"), TEXTS)
def test_offsets_map_back_to_the_original_texts(text1: str, text2: str) -> None:
    doc = make_pair(NLP, text1, text2)
    for token in doc:
        number, start, end = original_span(doc[token.i : token.i + 1])
        assert (text1, text2)[number - 1][start:end] == token.text


@pytest.mark.parametrize(("text1", "text2"), TEXTS)
def test_the_doc_has_both_texts(text1: str, text2: str) -> None:
    doc = make_pair(NLP, text1, text2)
    assert doc.text.startswith(text1)
    assert doc.text.endswith(text2)


def test_words_are_kept_as_they_are() -> None:
    doc = make_pair(NLP, ["can", "not", "e.g. this"], ["ok"])
    assert [token.text for token in doc] == ["can", "not", "e.g. this", "ok"]
    assert [len(span) for span in get_pair(doc)] == [3, 1]


def test_words_and_strings_can_be_mixed() -> None:
    doc = make_pair(NLP, "Sales rose.", ["Sales", "fell"])
    assert [span.text for span in get_pair(doc)] == ["Sales rose.", "Sales fell"]


def test_the_tokens_of_docs_are_kept() -> None:
    first = Doc(spacy.blank("de").vocab, words=["can't", "\n", "x"], spaces=[False, False, True])
    doc = make_pair(NLP, first, NLP.make_doc("Sales fell."))
    assert [token.text for token in doc] == ["can't", "\n", "x", "Sales", "fell", "."]
    assert doc.text == "can't\nx Sales fell."
    assert doc.vocab is NLP.vocab
    assert original_span(doc[4:5]) == (2, 6, 10)


WORDS = r"Text 1 of pair 'p-7' must be a string, a Doc or a list of words, got "
EACH = r"Text 1 of pair 'p-7' must have non-empty strings as words, got "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, WORDS + "None"),
        (b"Sales rose.", WORDS + "b'Sales"),
        (7, WORDS + "7"),
        ({"Sales": 1}, WORDS + "{'Sales'"),
        ((word for word in "ab"), WORDS + "<generator"),
        (["Sales", 1], EACH + "1"),  # spaCy would read 1 as the attribute IS_ALPHA
        (["Sales", None], EACH + "None"),
        (["Sales", b"rose"], EACH + "b'rose'"),
        ([["Sales", "rose"]], EACH + r"\['Sales'"),
        (["Sales", ""], EACH + "''"),
        (Doc(NLP.vocab), "Text 1 of pair 'p-7' must have words, got none"),
        (Doc(NLP.vocab, words=["\n"]), "Text 1 of pair 'p-7' must have words, got none"),
    ],
)
def test_invalid_texts_are_an_error(text: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_pair(NLP, text, "Sales fell.", pair_id="p-7")
    with pytest.raises(ValueError, match=message.replace("Text 1", "Text 2")):
        make_pair(NLP, "Sales fell.", text, pair_id="p-7")


@pytest.mark.parametrize("nlp", [None, "en", NLP.vocab, spacy])
def test_an_invalid_pipeline_is_an_error(nlp: Any) -> None:
    with pytest.raises(ValueError, match="nlp must be a pipeline"):
        make_pair(nlp, "Sales rose.", "Sales fell.")


def test_a_sentence_starts_at_the_second_text() -> None:
    doc = make_pair(NLP, "a b", "c d")
    assert [sent.text for sent in doc.sents] == ["a b", "c d"]


def test_a_pair_of_words_needs_no_pipeline() -> None:
    doc = make_pair_of_words(NLP.vocab, ["a"], ["b"], pair_id="7")
    assert doc.text == "a b"
    assert pair_id(doc) == "7"


def test_pairs_survive_docbin_and_bytes() -> None:
    doc = tiny_pairs.docs(NLP)[0]
    copies = [
        next(iter(DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(NLP.vocab))),
        Doc(NLP.vocab).from_bytes(doc.to_bytes()),
    ]
    for copy in copies:
        assert [span.text for span in get_pair(copy)] == [span.text for span in get_pair(doc)]
        assert pair_id(copy) == "pair-0"


@pytest.mark.parametrize("texts", [("", "a"), ("a", ""), ("a", " \n "), ([], ["a"]), (["a"], [])])
def test_an_empty_side_is_an_error_that_names_the_pair(texts: tuple) -> None:
    with pytest.raises(ValueError, match="p-7"):
        make_pair(NLP, *texts, pair_id="p-7")


def test_a_doc_that_is_not_a_pair_is_an_error() -> None:
    with pytest.raises(ValueError, match="pair"):
        get_pair(NLP("Just a text."))
    assert pair_id(NLP("Just a text.")) == ""
