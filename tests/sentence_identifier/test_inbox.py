"""The bundled weights find every unit of the mail in the sample, which is the first text that most
people try.
"""

from pathlib import Path

import spacy_sentid
from spacy_sentid.sentence_identifier.access.units import units_from_doc
from spacy_sentid.sentence_identifier.data.marked_text import parse_marked_text
from spacy_sentid.text.units import SU

SAMPLE = Path(__file__).parents[2] / "assets/sample"
TEXT = (SAMPLE / "inbox.txt").read_text(encoding="utf8")
MARKED = (SAMPLE / "inbox.marked.txt").read_text(encoding="utf8")


def test_all_units_of_the_inbox_and_their_kinds_are_right() -> None:
    (gold,) = parse_marked_text(MARKED, name="inbox.marked.txt")
    assert gold.text.strip() == TEXT.strip()
    doc = spacy_sentid.load("en")(gold.text)
    found = units_from_doc(doc)
    expected = [(gold.text[start:end], label) for start, end, label in gold.units]
    assert [(gold.text[start:end], label) for start, end, label in found] == expected
    assert sum(label == SU for _, label in expected) == 20
