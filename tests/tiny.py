"""A pipeline small enough to train in tests, and the texts that it learns."""

from collections.abc import Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_sentid.sentence_identifier.component import SentenceIdentifier
from spacy_sentid.sentence_identifier.settings import DEFAULT_MODEL
from spacy_sentid.text.units import NSU_KINDS

NAME = "sentence_identifier"
# The default model with small layers, and without dropout and language data.
MODEL = deepcopy(DEFAULT_MODEL)
MODEL.update(segment_hidden=16, segment_dropout=0.0, nsu_kinds=False)
MODEL["tok2vec"].update(
    width=24, rows=[200, 100, 100, 100], dilations=[1, 2], word_dropout=0.0, vector_width=0,
    maxout_pieces=3, neighbour_width=None, window_norm=True,
    line_features=False, abbreviations=False,
)  # fmt: skip
# Units and their labels, alternating.
TEXTS = [
    ("-- file.doc --", "NSU", "I like cats.", "SU", "They sleep a lot.", "SU", "Page 3", "NSU"),
    ("Dogs bark.", "SU", "-- note.txt --", "NSU", "Page 4", "NSU", "She saw them.", "SU"),
    ("We left early.", "SU", "It rained.", "SU", "Page 5", "NSU", "He sings.", "SU"),
]
TEXT = "-- file.doc --\nI like cats. They sleep a lot.\nPage 3"


def blank(lang: str = "en", **settings: Any) -> Language:
    """Make a pipeline with the small model. It has no weights unless `settings` name them."""
    nlp = spacy.blank(lang)
    nlp.add_pipe(NAME, config={"model": MODEL, "pretrained": None, **settings})
    return nlp


def pipe_of(nlp: Language) -> SentenceIdentifier:
    pipe = nlp.get_pipe(NAME)
    assert isinstance(pipe, SentenceIdentifier)
    return pipe


def gold_doc(nlp: Language, units: Sequence[str], joint: str = "\n") -> Doc:
    """Make a Doc with gold spans from (text, label, text, label, ...). NSU labels may be kinds."""
    texts, labels = units[::2], units[1::2]
    doc = nlp.make_doc(joint.join(texts))
    groups: dict[str, list] = {"SU": [], "NSU": []}
    start = 0
    for text, label in zip(texts, labels, strict=True):
        span = doc.char_span(start, start + len(text), label=label)
        assert span is not None, text
        groups["SU" if label == "SU" else "NSU"].append(span)
        start += len(text) + len(joint)
    doc.spans["su"], doc.spans["nsu"] = groups["SU"], groups["NSU"]
    return doc


def examples(nlp: Language) -> list[Example]:
    """Make two Examples from each of TEXTS: its units joined by line breaks, and by spaces."""
    docs = [gold_doc(nlp, units, joint) for units in TEXTS for joint in ("\n", " ")]
    return [Example(nlp.make_doc(doc.text), doc) for doc in docs]


def train(nlp: Language, steps: int = 60, egs: list[Example] | None = None) -> dict[str, float]:
    """Initialize and train a pipeline, and return the last losses."""
    egs = egs or examples(nlp)
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: egs)
    losses: dict[str, float] = {}
    for _ in range(steps):
        losses = nlp.update(egs, sgd=optimizer)
    return losses


@cache
def trained_bytes() -> bytes:
    nlp = blank()
    train(nlp)
    return nlp.to_bytes()


def trained(**settings: Any) -> Language:
    """Load a new copy of the pipeline that is trained once per session, with these settings."""
    return blank(**settings).from_bytes(trained_bytes())


def unit_texts(doc: Doc) -> list[tuple[str, str]]:
    """List (text, label) of the predicted units in text order."""
    spans = sorted([*doc.spans["su"], *doc.spans["nsu"]], key=lambda span: span.start)
    return [(span.text, span.label_) for span in spans]


def assert_sane(doc: Doc, text: str) -> None:
    """Check that spans tile the text, have no space at their edges, and have scores in [0, 1]."""
    assert doc.text == text
    covered: list[int] = []
    for key, labels in (("su", ["SU"]), ("nsu", ["NSU", *NSU_KINDS])):
        group = doc.spans[key]
        assert {"scores", "label_scores"} <= set(group.attrs)
        for name in {"scores", "label_scores", "kind_scores"} & set(group.attrs):
            scores = group.attrs[name]
            assert len(scores) == len(group)
            assert all(0 <= score <= 1 for score in scores)
        for span in group:
            assert span.label_ in labels
            assert not span[0].is_space
            assert not span[-1].is_space
            covered += [token.i for token in span if not token.is_space]
    assert sorted(covered) == [token.i for token in doc if not token.is_space]
