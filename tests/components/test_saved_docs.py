"""The scores of units after a round trip of their Docs."""

import numpy as np
import tiny
from spacy.tokens import Doc, DocBin


def test_scores_are_the_same_arrays_after_bytes_and_docbin() -> None:
    nlp = tiny.trained()
    doc = nlp(tiny.TEXT)
    copies = [Doc(nlp.vocab).from_bytes(doc.to_bytes())]
    copies += DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    for copy in copies:
        for key in ("su", "nsu"):
            old, new = doc.spans[key], copy.spans[key]
            assert [span.text for span in new] == [span.text for span in old]
            assert list(new.attrs) == list(old.attrs)
            for name, values in old.attrs.items():
                assert len(new.attrs[name]) == len(new)
                assert np.array_equal(new.attrs[name], values)
                assert new.attrs[name].dtype == values.dtype
