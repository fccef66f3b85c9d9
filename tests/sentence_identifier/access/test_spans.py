"""Writing span groups to Docs."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.access.units import Keys
from spacy_sentid.sentence_identifier.access.write import write_span_groups
from spacy_sentid.sentence_identifier.decoding.decode import ScoredUnits
from spacy_sentid.text.units import Unit

VOCAB = spacy.blank("en").vocab


def doc_of(n: int) -> Doc:
    return Doc(VOCAB, words=["w"] * n)


def test_each_label_has_its_group_and_its_scores() -> None:
    doc = doc_of(4)
    units = [Unit(0, 1, "HEADING"), Unit(1, 3, "SU"), Unit(3, 4, "FRAGMENT")]
    scores = [np.asarray([n + 0.1, n + 0.2, n + 0.3]) for n in (0, 0.1, 0.2)]
    write_span_groups(doc, ScoredUnits(units, *scores), Keys())
    assert [(span.start, span.end, span.label_) for span in doc.spans["nsu"]] == [
        (0, 1, "HEADING"),
        (3, 4, "FRAGMENT"),
    ]
    nsu, su = (
        {name: values.tolist() for name, values in doc.spans[key].attrs.items()}
        for key in ("nsu", "su")
    )
    assert nsu == {
        "scores": pytest.approx([0.1, 0.3]),
        "label_scores": pytest.approx([0.2, 0.4]),
        "kind_scores": pytest.approx([0.3, 0.5]),
    }
    assert su == {"scores": pytest.approx([0.2]), "label_scores": pytest.approx([0.3])}


def test_earlier_groups_are_replaced() -> None:
    doc = doc_of(2)
    doc.spans["su"] = [doc[0:1], doc[1:2]]
    none = np.zeros(0)
    write_span_groups(doc, ScoredUnits([], none, none, None), Keys())
    assert list(doc.spans["su"]) == []
    assert set(doc.spans["nsu"].attrs) == {"scores", "label_scores"}
