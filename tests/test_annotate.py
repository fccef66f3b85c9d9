"""Span groups and sentence starts written onto Docs."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.annotate import write_sentence_starts, write_span_groups
from spacy_sentid.units import Unit

VOCAB = spacy.blank("en").vocab


def doc_of(n: int) -> Doc:
    return Doc(VOCAB, words=["w"] * n)


def starts(doc: Doc) -> list[int]:
    return [token.i for token in doc if token.is_sent_start]


def test_each_label_has_its_group_and_its_scores() -> None:
    doc = doc_of(4)
    units = [Unit(0, 1, "NSU"), Unit(1, 3, "SU"), Unit(3, 4, "NSU")]
    write_span_groups(doc, units, np.asarray([0.1, 0.2, 0.3]), su_key="su", nsu_key="nsu")
    assert [(span.start, span.end, span.label_) for span in doc.spans["nsu"]] == [
        (0, 1, "NSU"),
        (3, 4, "NSU"),
    ]
    assert doc.spans["nsu"].attrs["scores"].tolist() == pytest.approx([0.1, 0.3])
    assert doc.spans["su"].attrs["scores"].tolist() == pytest.approx([0.2])


def test_groups_that_were_there_are_replaced() -> None:
    doc = doc_of(2)
    doc.spans["su"] = [doc[0:1], doc[1:2]]
    write_span_groups(doc, [], np.zeros(0), su_key="su", nsu_key="nsu")
    assert list(doc.spans["su"]) == []


@pytest.mark.parametrize(
    ("units", "expected"), [([0, 2], [0, 2]), ([1, 2], [0, 2]), ([0], [0]), ([], [0])]
)
def test_units_start_sentences_and_white_space_before_them_joins_the_first(
    units: list[int], expected: list[int]
) -> None:
    doc = doc_of(3)
    write_sentence_starts(doc, np.asarray(units, dtype="int64"), overwrite=False)
    assert starts(doc) == expected


def test_every_token_has_an_answer() -> None:
    doc = doc_of(3)
    write_sentence_starts(doc, np.asarray([0]), overwrite=False)
    assert [token.is_sent_start for token in doc] == [True, False, False]


def test_an_empty_doc_is_left_alone() -> None:
    write_sentence_starts(doc_of(0), np.zeros(0, dtype="int64"), overwrite=True)


@pytest.mark.parametrize(("overwrite", "expected"), [(False, [0, 1]), (True, [0, 2])])
def test_starts_that_were_set_stay_unless_overwritten(overwrite: bool, expected: list[int]) -> None:
    doc = doc_of(3)
    doc[1].is_sent_start, doc[2].is_sent_start = True, False
    write_sentence_starts(doc, np.asarray([0, 2]), overwrite=overwrite)
    assert starts(doc) == expected
