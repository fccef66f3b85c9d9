"""Two texts in one Doc."""

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
def test_both_texts_stand_whole_in_the_doc(text1: str, text2: str) -> None:
    doc = make_pair(NLP, text1, text2)
    assert doc.text.startswith(text1)
    assert doc.text.endswith(text2)


def test_words_are_kept_as_they_are() -> None:
    doc = make_pair(NLP, ["can", "not", "e.g. this"], ["ok"])
    assert [token.text for token in doc] == ["can", "not", "e.g. this", "ok"]
    assert [len(span) for span in get_pair(doc)] == [3, 1]


def test_words_and_texts_may_be_mixed() -> None:
    doc = make_pair(NLP, "Sales rose.", ["Sales", "fell"])
    assert [span.text for span in get_pair(doc)] == ["Sales rose.", "Sales fell"]


def test_a_sentence_starts_at_the_second_text() -> None:
    doc = make_pair(NLP, "a b", "c d")
    assert [sent.text for sent in doc.sents] == ["a b", "c d"]


def test_words_need_no_pipeline() -> None:
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


def test_a_doc_that_is_no_pair_is_an_error() -> None:
    with pytest.raises(ValueError, match="pair"):
        get_pair(NLP("Just a text."))
    assert pair_id(NLP("Just a text.")) == ""
