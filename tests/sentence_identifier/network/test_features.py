"""Gap classes, word types, documents of a batch."""

import pytest
import spacy
from spacy.attrs import NORM, SHAPE, SUFFIX
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.network.tokens import (
    BLANK,
    LINE_LONG,
    LINE_MIDDLE,
    LINE_SHORT,
    NONE,
    SPACE,
    START,
    WIDE,
    find_types,
    hide_line_ends,
    read_tokens,
)

NLP = spacy.blank("en")

GAPS = {
    "touching": ("Hi.", [START, NONE]),
    "space": ("Hi Bo", [START, SPACE]),
    "two spaces": ("Hi  Bo", [START, WIDE]),
    "no-break space": ("Hi\xa0Bo", [START, SPACE]),
    "thin space": ("Hi\u2009Bo", [START, SPACE]),
    "space and no-break space": ("Hi \xa0Bo", [START, WIDE]),
    "no-break space and space": ("Hi\xa0 Bo", [START, WIDE]),
    "two no-break spaces": ("Hi\xa0\xa0Bo", [START, WIDE]),
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
    assert read_tokens([NLP.make_doc(text)]).gaps.tolist() == gaps


@pytest.mark.parametrize("text", ["Hi\nBo", "Hi \n Bo", "Hi\n\nBo", "x" * 60 + "\nBo"])
def test_ignored_line_ends_are_spaces(text: str) -> None:
    tokens = hide_line_ends(read_tokens([NLP.make_doc(text)]))
    assert tokens.gaps.tolist() == [START, SPACE]


def test_types_are_lexical_attributes_of_the_tokens_that_are_not_white_space() -> None:
    doc = NLP.make_doc("Hi \n Bo Hi")
    types, rows = find_types(read_tokens([doc]))
    words = [token.i for token in doc if not token.is_space]
    assert (types[rows][:, [0, 2, 3]] == doc.to_array([NORM, SUFFIX, SHAPE])[words]).all()


@pytest.mark.parametrize("text", ["Zo\xadë sa\u200bw\ufeff me", "Zoe\u0308 saw me"])
def test_words_are_read_in_their_plain_form(text: str) -> None:
    plain, odd = (read_tokens([NLP.make_doc(form)]) for form in ("Zoë saw me", text))
    assert (odd.attrs == plain.attrs).all()
    assert (find_types(odd)[0] == find_types(plain)[0]).all()
    assert odd.docs[0].text == "Zoë saw me"


def test_a_norm_of_the_tokenizer_is_kept_in_the_plain_form() -> None:
    (plain,) = read_tokens([NLP.make_doc("I ca\xadn't")]).docs
    assert plain.text == "I can't"
    (plain,) = read_tokens([NLP.make_doc("Zoe\u0308 isn't")]).docs
    assert [token.norm_ for token in plain] == ["zoë", "is", "not"]


def test_each_type_is_listed_once_a_batch() -> None:
    types, rows = find_types(read_tokens([NLP.make_doc("Bo saw Bo"), NLP.make_doc("saw")]))
    assert len(types) == 2
    assert rows.tolist() == [rows[0], rows[1], rows[0], rows[1]]


def test_prefixes_distinguish_words() -> None:
    types, indices = find_types(read_tokens([Doc(NLP.vocab, words=["known", "unknown", "knows"])]))
    rows = types[indices]
    assert rows[0, 2] == rows[1, 2]
    assert rows[0, 1] == rows[2, 1] != rows[1, 1]


def test_a_batch_is_concatenated() -> None:
    docs = [NLP.make_doc(text) for text in ("Hi Bo", "", " \n", "\nYes")]
    tokens = read_tokens(docs)
    assert tokens.lengths.tolist() == [2, 0, 0, 1]
    assert tokens.gaps.tolist() == [START, SPACE, START]
    assert [rows.tolist() for rows in tokens.indices] == [[0, 1], [], [], [1]]


def test_no_documents_have_no_features() -> None:
    tokens = read_tokens([])
    types, rows = find_types(tokens)
    assert len(types) == len(rows) == len(tokens.gaps) == len(tokens.lengths) == 0


def test_features_of_a_doc_do_not_depend_on_its_neighbours() -> None:
    docs = [NLP.make_doc("Hi\nBo."), NLP.make_doc("Yes  no\n\nmaybe")]
    both = read_tokens(docs)
    alone = [read_tokens([doc]) for doc in docs]
    assert both.gaps.tolist() == [*alone[0].gaps, *alone[1].gaps]


def test_a_doc_made_of_words_has_gaps() -> None:
    doc = Doc(NLP.vocab, words=["Hi", ".", "\n", "Bo"], spaces=[False, True, False, False])
    assert read_tokens([doc]).gaps.tolist() == [START, NONE, LINE_SHORT]
