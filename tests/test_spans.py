"""Span groups written onto Docs."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.spans import write_span_groups
from spacy_sentid.units import Unit

VOCAB = spacy.blank("en").vocab


def doc_of(n: int) -> Doc:
    return Doc(VOCAB, words=["w"] * n)


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
