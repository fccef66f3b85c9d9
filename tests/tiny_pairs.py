"""A few pairs, and a tagger trained on them in a second."""

from copy import deepcopy
from functools import cache
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed

from spacy_sentid.paraphrase_tagger.component import DEFAULT_MODEL
from spacy_sentid.paraphrase_tagger.corpus import TaggedPair, doc_from_pair
from spacy_sentid.paraphrase_tagger.pairs import make_pair

MARKED = [
    ("Sales [rose] in May .", "In May , sales [fell] ."),
    ("The dog sleeps .", "The dog is sleeping ."),
    ("She paid [2.5] euros .", "She paid [1.6] euros ."),
    ("He left [on Monday] .", "He left ."),
    ("Anna bought a car .", "Anna bought a [red] car ."),
    ("[Ben] called us .", "[Carla] called us ."),
]


def parse_marked(text: str) -> tuple[list[str], list[int]]:
    """Read words and tags: "a [b c] d" -> tags 0, 1, 1, 0."""
    words, tags, inside = [], [], False
    for piece in text.split():
        inside = inside or piece.startswith("[")
        words.append(piece.strip("[]"))
        tags.append(int(inside))
        inside = inside and not piece.endswith("]")
    return words, tags


def pair(marked1: str, marked2: str, name: str = "") -> TaggedPair:
    (words1, tags1), (words2, tags2) = parse_marked(marked1), parse_marked(marked2)
    return TaggedPair(name, words1, words2, tags1, tags2)


PAIRS = [pair(*texts, name=f"pair-{n}") for n, texts in enumerate(MARKED)]


def model_config(**changes: Any) -> dict[str, Any]:
    """Make the default model with small layers and without a lexicon."""
    model = deepcopy(DEFAULT_MODEL) | {"width": 24, "dilations": [1], "window": 128} | changes
    if "features" not in changes:
        model["features"] = {**DEFAULT_MODEL["features"], "lexicon": None, "dropout": 0.0}
    return model


def blank(**settings: Any) -> Language:
    nlp = spacy.blank("en")
    model = settings.pop("model", None) or model_config()
    nlp.add_pipe("paraphrase_tagger", config={"model": model, "pretrained": None, **settings})
    return nlp


def examples(nlp: Language, pairs: list[TaggedPair] | None = None) -> list[Example]:
    return [
        Example(make_pair(nlp, p.words1, p.words2, pair_id=p.id), doc_from_pair(nlp, p))
        for p in pairs or PAIRS
    ]


def train(nlp: Language, *, steps: int = 60) -> Language:
    fix_random_seed(0)
    egs = examples(nlp)
    optimizer = nlp.initialize(lambda: egs)
    optimizer.learn_rate = 0.01
    for _ in range(steps):
        nlp.update(egs, sgd=optimizer)
    return nlp


@cache
def trained() -> Language:
    return train(blank())


def docs(nlp: Language) -> list[Doc]:
    return [make_pair(nlp, p.words1, p.words2, pair_id=p.id) for p in PAIRS]
