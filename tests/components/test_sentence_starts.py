"""Writing sentence starts to Docs."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.components.sentence_starts import write_sentence_starts

VOCAB = spacy.blank("en").vocab


def doc_of(n: int) -> Doc:
    return Doc(VOCAB, words=["w"] * n)


def starts(doc: Doc) -> list[int]:
    return [token.i for token in doc if token.is_sent_start]


@pytest.mark.parametrize(
    ("units", "expected"), [([0, 2], [0, 2]), ([1, 2], [0, 2]), ([0], [0]), ([], [0])]
)
def test_units_start_sentences_and_white_space_before_them_joins_the_first(
    units: list[int], expected: list[int]
) -> None:
    doc = doc_of(3)
    write_sentence_starts(doc, np.asarray(units, dtype="int64"), overwrite=False)
    assert starts(doc) == expected


def test_every_token_is_set() -> None:
    doc = doc_of(3)
    write_sentence_starts(doc, np.asarray([0]), overwrite=False)
    assert [token.is_sent_start for token in doc] == [True, False, False]


def test_an_empty_doc_is_not_changed() -> None:
    write_sentence_starts(doc_of(0), np.zeros(0, dtype="int64"), overwrite=True)


@pytest.mark.parametrize(("overwrite", "expected"), [(False, [0, 1]), (True, [0, 2])])
def test_starts_that_were_set_are_kept_unless_overwritten(
    overwrite: bool, expected: list[int]
) -> None:
    doc = doc_of(3)
    doc[1].is_sent_start, doc[2].is_sent_start = True, False
    write_sentence_starts(doc, np.asarray([0, 2]), overwrite=overwrite)
    assert starts(doc) == expected
