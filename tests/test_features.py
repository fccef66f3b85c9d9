"""Gap classes, word types, documents of a batch."""

import pytest
import spacy
from spacy.attrs import NORM, SHAPE, SUFFIX
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.features import (
    BLANK,
    LINE_LONG,
    LINE_MIDDLE,
    LINE_SHORT,
    NONE,
    SPACE,
    START,
    WIDE,
    extract_features,
)

NLP = spacy.blank("en")

GAPS = {
    "touching": ("Hi.", [START, NONE]),
    "space": ("Hi Bo", [START, SPACE]),
    "two spaces": ("Hi  Bo", [START, WIDE]),
    "tab": ("Hi\tBo", [START, WIDE]),
    "short line": ("Hi\nBo", [START, LINE_SHORT]),
    "space and line end": ("Hi \n Bo", [START, LINE_SHORT]),
    "windows line end": ("Hi\r\nBo", [START, LINE_SHORT]),
    "middle line": ("x" * 40 + "\nBo", [START, LINE_MIDDLE]),
    "long line": ("x" * 60 + "\nBo", [START, LINE_LONG]),
    "blank line": ("Hi\n\nBo", [START, BLANK]),
    "blank line of spaces": ("Hi\n  \nBo", [START, BLANK]),
    "many lines": ("Hi\n\n\n\nBo", [START, BLANK]),
    "line separator": ("Hi\u2028Bo", [START, LINE_SHORT]),
    "white space first": ("\n\n Hi", [START]),
    "white space last": ("Hi \n\n", [START]),
    "each line by its own length": ("Hi\n" + "x" * 40 + "\nBo", [START, LINE_SHORT, LINE_MIDDLE]),
}


@pytest.mark.parametrize("name", GAPS)
def test_gap_classes(name: str) -> None:
    text, gaps = GAPS[name]
    assert extract_features([NLP.make_doc(text)]).gaps.tolist() == gaps


@pytest.mark.parametrize("text", ["Hi\nBo", "Hi \n Bo", "Hi\n\nBo", "x" * 60 + "\nBo"])
def test_ignored_line_ends_are_spaces(text: str) -> None:
    features = extract_features([NLP.make_doc(text)], newline="ignore")
    assert features.gaps.tolist() == [START, SPACE]


def test_types_are_lexical_attributes_of_the_tokens_that_are_not_white_space() -> None:
    doc = NLP.make_doc("Hi \n Bo Hi")
    features = extract_features([doc])
    found = features.types[features.type_indices][:, [0, 2, 3]]
    words = [token.i for token in doc if not token.is_space]
    assert (found == doc.to_array([NORM, SUFFIX, SHAPE])[words]).all()


def test_each_type_is_listed_once_a_batch() -> None:
    features = extract_features([NLP.make_doc("Bo saw Bo"), NLP.make_doc("saw")])
    assert len(features.types) == 2
    indices = features.type_indices.tolist()
    assert indices == [indices[0], indices[1], indices[0], indices[1]]


def test_prefixes_tell_words_apart_by_how_they_begin() -> None:
    features = extract_features([Doc(NLP.vocab, words=["known", "unknown", "knows"])])
    rows = features.types[features.type_indices]
    assert rows[0, 2] == rows[1, 2]
    assert rows[0, 1] == rows[2, 1] != rows[1, 1]


def test_a_batch_is_laid_end_to_end() -> None:
    docs = [NLP.make_doc(text) for text in ("Hi Bo", "", " \n", "\nYes")]
    features = extract_features(docs)
    assert features.lengths.tolist() == [2, 0, 0, 1]
    assert features.gaps.tolist() == [START, SPACE, START]
    assert [tokens.tolist() for tokens in features.token_indices] == [[0, 1], [], [], [1]]


def test_no_documents_have_no_features() -> None:
    features = extract_features([])
    assert len(features.types) == len(features.gaps) == len(features.lengths) == 0


def test_features_of_a_doc_do_not_depend_on_its_neighbours() -> None:
    docs = [NLP.make_doc("Hi\nBo."), NLP.make_doc("Yes  no\n\nmaybe")]
    both = extract_features(docs)
    alone = [extract_features([doc]) for doc in docs]
    assert both.gaps.tolist() == [*alone[0].gaps, *alone[1].gaps]


def test_a_doc_made_of_words_alone_has_gaps() -> None:
    doc = Doc(NLP.vocab, words=["Hi", ".", "\n", "Bo"], spaces=[False, True, False, False])
    assert extract_features([doc]).gaps.tolist() == [START, NONE, LINE_SHORT]
