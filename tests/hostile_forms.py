"""Laws of meaning: forms of a text that read the same have the same units."""

import random
import re
import unicodedata
from collections.abc import Sequence
from itertools import accumulate

from hostile_faults import Faults
from hostile_laws import load_once
from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid.batch.formats.records import readable_text
from spacy_sentid.components.pipelines import open_memory_zone
from spacy_sentid.text.plain import FORMAT, make_plain

FORMS = ("other spaces", "soft hyphens", "characters of format", "NFD", "CRLF", "byte order mark")
SPACES = "\xa0\u2009\u202f\u3000"
MARKS = "\xad\u200b\u2060\u200e\ufeff"
_SINGLE_SPACE = re.compile(r"(?<=\S) (?=\S)")
_INSIDE = re.compile(r"\w(?=\w)")


def change_form(text: str, form: str, rng: random.Random) -> list[str]:
    """Change a plain text to one of FORMS; return the new string of each of its characters."""
    pieces = list(text)
    if form == "other spaces":
        for space in _SINGLE_SPACE.finditer(text):
            pieces[space.start()] = rng.choice(SPACES)
    elif form in ("soft hyphens", "characters of format"):
        for letter in _INSIDE.finditer(text):
            if rng.random() < 0.2:
                pieces[letter.start()] += "\xad" if form == "soft hyphens" else rng.choice(MARKS)
    elif form == "NFD":
        pieces = [unicodedata.normalize("NFD", char) for char in text]
    elif form == "CRLF":
        pieces = ["\r\n" if char == "\n" else char for char in text]
    elif text:
        pieces[0] = "\ufeff" + pieces[0]
    return pieces


def check_forms(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check that each of FORMS has the units of the plain text, at the places of its own text."""
    nlp = load_once("en", "sentence_identifier")
    # A mark that joins a letter only after another was composed has no place of its own.
    plain = [make_plain(FORMAT.sub("", readable_text(text))).strip() for text in texts]
    plain = [text.replace("\r\n", "\n").replace("\r", "\n") for text in plain]
    for form in FORMS:
        pieces = [change_form(text, form, rng) for text in plain]
        with open_memory_zone(nlp):
            expected = _find_units(nlp, plain)
            found = _find_units(nlp, ["".join(changed) for changed in pieces])
            for n, changed in enumerate(pieces):
                with faults.of(n):
                    places = [0, *accumulate(map(len, changed))]
                    mapped = [(places[s], places[e], label) for s, e, label in expected[n]]
                    assert found[n] == mapped, form


def _find_units(nlp: Language, texts: Sequence[str]) -> list[list[tuple[int, int, str]]]:
    return [_list_units(doc) for doc in nlp.pipe(texts)]


def _list_units(doc: Doc) -> list[tuple[int, int, str]]:
    spans = sorted([*doc.spans["su"], *doc.spans["nsu"]])
    return [(span.start_char, span.end_char, span.label_) for span in spans]
