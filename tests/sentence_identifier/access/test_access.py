"""Units in Python: `iter_units`, extension attributes and the table of `to_dataframe`."""

import random
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import spacy
import tiny
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span, SpanGroup, Token
from spacy.tokens.underscore import Underscore

import spacy_sentid
from spacy_sentid.sentence_identifier.access.extensions import EXTENSIONS, set_extensions
from spacy_sentid.sentence_identifier.access.units import (
    Keys,
    find_unit,
    iter_units,
    to_dataframe,
)

UNITS = [
    ("-- file.doc --", "NSU"),
    ("I like cats.", "SU"),
    ("They sleep a lot.", "SU"),
    ("Page 3", "NSU"),
]


@pytest.fixture(scope="module")
def nlp() -> Language:
    return tiny.trained()


@pytest.fixture
def doc(nlp: Language) -> Doc:
    return nlp(tiny.TEXT)


@pytest.fixture
def own_extensions() -> Iterator[None]:
    """Restore the extensions of the process after a test that changes them."""
    before = [dict(state) for state in Underscore.get_state()]
    yield
    for state, kept in zip(Underscore.get_state(), before, strict=True):
        state.clear()
        state.update(kept)


def with_kinds(vocab: spacy.vocab.Vocab) -> Doc:
    doc = Doc(vocab, words=["Report", "\n", "I", "sleep", ".", "Page", "3"])
    doc.spans["su"] = [Span(doc, 2, 5, label="SU")]
    doc.spans["nsu"] = [Span(doc, 0, 1, label="HEADING"), Span(doc, 5, 7, label="METADATA")]
    doc.spans["nsu"].attrs.update(scores=[0.5, 0.25], kind_scores=np.float32([0.125, 1]))
    return doc


# iter_units


def test_units_come_in_text_order_with_their_labels_and_offsets(doc: Doc) -> None:
    units = list(spacy_sentid.iter_units(doc))
    assert [(unit.text, unit.label) for unit in units] == UNITS
    assert all(doc.text[unit.start_char : unit.end_char] == unit.text for unit in units)
    assert [unit.is_su for unit in units] == [False, True, True, False]
    assert {unit.kind for unit in units} == {None}


def test_scores_are_those_of_the_groups(doc: Doc) -> None:
    for key in ("su", "nsu"):
        units = [unit for unit in iter_units(doc) if unit.label == key.upper()]
        attrs = doc.spans[key].attrs
        assert [unit.score for unit in units] == attrs["scores"].tolist()
        assert [unit.label_score for unit in units] == attrs["label_scores"].tolist()


def test_kinds_and_missing_scores_are_read(nlp: Language) -> None:
    rows = [(u.label, u.kind, u.score, u.kind_score) for u in iter_units(with_kinds(nlp.vocab))]
    assert rows == [
        ("NSU", "HEADING", 0.5, 0.125),
        ("SU", None, None, None),
        ("NSU", "METADATA", 0.25, 1.0),
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_empty_docs_have_no_units(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert [*iter_units(doc), *doc._.units] == []
    assert [token._.unit for token in doc] == [None] * len(doc)


def test_a_doc_without_groups_raises_at_the_call(nlp: Language) -> None:
    doc = nlp.make_doc("Page 3")
    for read in (iter_units, to_dataframe, lambda doc: doc._.units, lambda doc: doc[0]._.unit):
        with pytest.raises(ValueError, match="must have spans\\['su'\\]"):
            read(doc)  # type: ignore[operator]


@pytest.mark.parametrize("read", [iter_units, spacy_sentid.strip_nsu, spacy_sentid.chunk])
def test_a_text_in_place_of_a_doc_is_an_error(read: Any) -> None:
    with pytest.raises(TypeError, match="must be a Doc, got str"):
        read("I like cats.")


@pytest.mark.parametrize("read", [iter_units, spacy_sentid.strip_nsu, spacy_sentid.chunk])
def test_merged_tokens_are_an_error(doc: Doc, read: Any) -> None:
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[-4:])
    with pytest.raises(ValueError, match="must not be merged"):
        read(doc)


def test_the_keys_can_be_named(doc: Doc) -> None:
    doc.spans["gold"] = [Span(doc, 0, 2, label="SU")]
    assert [unit.text for unit in iter_units(doc, ("gold", "no"))] == [doc[:2].text]
    with pytest.raises(ValueError, match=r"'no'.*su, nsu, gold"):
        iter_units(doc, Keys("no"))


@pytest.mark.parametrize("keys", [("a", "b"), ("su", "b"), ("a", "nsu"), ("nsu", "su")])
@pytest.mark.parametrize("text", [tiny.TEXT, "Page 3", "I like cats.", ""])
def test_units_of_a_component_with_other_keys_are_read(text: str, keys: tuple[str, str]) -> None:
    doc = tiny.trained(su_key=keys[0], nsu_key=keys[1])(text)
    found = [(unit.text, unit.label) for unit in iter_units(doc, keys)]
    assert found == [unit for unit in UNITS if unit[0] in text]
    if "su" not in keys:
        with pytest.raises(ValueError, match="must have spans\\['su'\\]"):
            iter_units(doc)


def test_a_group_that_has_grown_has_no_scores(doc: Doc) -> None:
    doc.spans["nsu"] = doc.spans["nsu"]
    doc.spans["nsu"].append(Span(doc, 0, 1, label="NSU"))
    assert {unit.score is None for unit in iter_units(doc) if not unit.is_su} == {True}
    assert doc.spans["nsu"][0]._.score is None


# Extension attributes


def test_attributes_of_docs_spans_and_tokens(doc: Doc) -> None:
    assert [(span.text, span.label_) for span in doc._.units] == UNITS
    assert [span._.is_nsu for span in doc._.units] == [True, False, False, True]
    assert [span._.is_su for span in doc._.units] == [False, True, True, False]
    assert [span._.score for span in doc.spans["su"]] == doc.spans["su"].attrs["scores"].tolist()
    for token in doc:
        unit = token._.unit
        assert unit is None if token.is_space else token in unit
        assert unit is None or unit in doc._.units


def test_the_kind_of_a_sentence_is_none(nlp: Language) -> None:
    doc = with_kinds(nlp.vocab)
    assert [span._.kind for span in doc._.units] == ["HEADING", None, "METADATA"]


def test_white_space_inside_a_unit_belongs_to_it(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=["\n", "I", "\n", "sleep", "\n"])
    doc.spans["su"] = [Span(doc, 1, 4, label="SU")]
    assert [token._.unit is not None for token in doc] == [False, True, True, True, False]


def test_spans_that_are_not_units_have_no_score(doc: Doc) -> None:
    unit = doc.spans["su"][0]
    empty = Span(doc, 1, 1)
    for span in (doc[:], doc[unit.start : unit.end - 1], doc[unit.start + 1 : unit.end], empty):
        assert (span._.score, span._.kind, span._.is_su, span._.is_nsu) == (
            None,
            None,
            False,
            False,
        )


def test_sentences_have_the_attributes_of_their_units(nlp: Language) -> None:
    doc = nlp("\n" + tiny.TEXT + "\n\n")
    assert [sent._.is_nsu for sent in doc.sents] == [True, False, False, True]
    assert [sent._.score for sent in doc.sents] == [unit._.score for unit in doc._.units]


def test_attributes_survive_docbin_and_bytes(nlp: Language, doc: Doc) -> None:
    (copy,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    for read in (copy, Doc(nlp.vocab).from_bytes(doc.to_bytes())):
        assert [span._.score for span in read._.units] == [span._.score for span in doc._.units]
        assert [(token._.unit or "").__str__() for token in read] == [
            (token._.unit or "").__str__() for token in doc
        ]


def test_docs_of_two_processes_have_them(nlp: Language) -> None:
    docs = list(nlp.pipe([tiny.TEXT] * 2, n_process=2, batch_size=1))
    assert [[span.text for span in doc._.units] for doc in docs] == [[u for u, _ in UNITS]] * 2
    assert all(span._.score > 0 for doc in docs for span in doc._.units)


def test_joined_docs_keep_units_but_not_scores(nlp: Language, doc: Doc) -> None:
    joined = Doc.from_docs([doc, doc])
    assert [(span.text, span.label_) for span in joined._.units] == UNITS * 2
    assert {span._.score for span in joined._.units} == {None}


def test_units_follow_changes_of_the_groups(doc: Doc) -> None:
    assert doc[0]._.unit is not None
    doc.spans["nsu"][0] = Span(doc, 1, 2, label="NSU")
    assert [doc[i]._.unit is None for i in range(3)] == [True, False, True]
    doc.spans["nsu"] = []
    assert doc[0]._.unit is None


def test_groups_in_another_order_work(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words=list("abcdefghi"))
    spans = [Span(doc, i, i + 1, label="SU") for i in range(9)]
    random.Random(0).shuffle(spans)
    doc.spans["su"] = spans
    assert [token._.unit.text for token in doc] == list("abcdefghi")
    assert [span.text for span in doc._.units] == list("abcdefghi")


def test_long_docs_are_read_quickly(nlp: Language) -> None:
    n = 20_000
    doc = Doc(nlp.vocab, words=["a"] * n)
    spans = [Span(doc, i, i + 5, label="SU") for i in range(0, n, 5)]
    group = SpanGroup(doc, spans=spans)
    group.attrs["scores"] = np.full(len(spans), 0.5, dtype="f")
    doc.spans["su"] = group
    start = time.process_time()
    assert all(token._.unit is not None for token in doc)
    assert {span._.score for span in doc._.units} == {0.5}
    # 0.4 s here; a search through all units would take over a minute.
    assert time.process_time() - start < 10


def test_find_unit_has_all_scores(nlp: Language) -> None:
    doc = with_kinds(nlp.vocab)
    units = list(iter_units(doc))
    assert [find_unit(doc, token.i) for token in doc] == [units[i] if i >= 0 else None
        for i in (0, -1, 1, 1, 1, 2, 2)
    ]  # fmt: skip


@pytest.mark.usefixtures("own_extensions")
def test_attributes_of_others_are_kept() -> None:
    Span.set_extension("score", default=7, force=True)
    Token.set_extension("unit", getter=len, force=True)
    doc = tiny.trained()("I like cats.")
    assert (doc[:]._.score, doc[0]._.unit, doc[:]._.is_su) == (7, 1, True)


@pytest.mark.usefixtures("own_extensions")
def test_attributes_are_set_when_a_component_is_made_and_only_once() -> None:
    for owner, getters in EXTENSIONS.items():
        for name in getters:
            owner.remove_extension(name)
    nlp = spacy.blank("en")
    assert not Span.has_extension("score")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp.add_pipe(tiny.NAME)
        set_extensions()
    assert all(owner.has_extension(name) for owner in EXTENSIONS for name in EXTENSIONS[owner])


# Table


def test_a_table_has_a_row_for_each_unit(nlp: Language, doc: Doc) -> None:
    pytest.importorskip("pandas")
    table = spacy_sentid.to_dataframe(nlp.pipe([tiny.TEXT, "", "I like cats."]))
    assert list(table) == [
        "doc", "start_char", "end_char", "is_su", "label", "kind", "score", "label_score",
        "kind_score", "text",
    ]  # fmt: skip
    assert table["doc"].tolist() == [0, 0, 0, 0, 2]
    first = table[table["doc"] == 0]
    assert list(zip(first["text"], first["label"], strict=True)) == UNITS
    assert first["score"].tolist() == [unit.score for unit in iter_units(doc)]
    assert first["kind"].isna().all()
    assert first["kind_score"].isna().all()


def test_a_table_keeps_the_ids_of_texts(nlp: Language) -> None:
    pytest.importorskip("pandas")
    pairs = [("I like cats.", "m7"), ("Page 3", "m9")]
    table = spacy_sentid.to_dataframe(nlp.pipe(pairs, as_tuples=True))
    assert table[["doc", "is_su"]].values.tolist() == [["m7", True], ["m9", False]]


def test_a_table_can_be_empty_or_of_one_doc(nlp: Language) -> None:
    pytest.importorskip("pandas")
    assert len(to_dataframe([])) == len(to_dataframe(nlp(""))) == 0
    for docs in ([], nlp(""), nlp("Page 3")):
        assert to_dataframe(docs).dtypes.equals(to_dataframe(nlp(tiny.TEXT)).dtypes)
    assert to_dataframe(with_kinds(nlp.vocab))["kind"].tolist()[0] == "HEADING"
