"""Build the systems that speed.py times and scores: our components, spaCy's and other splitters.

name -> function of a list of texts; name -> SU F1 on whole documents
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import spacy
from sentence_systems import Split, find_pieces, find_systems
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import load_model_from_config
from thinc.api import NumpyOps

from spacy_sentid.components.pipelines import find, load
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.documents import (
    evaluate_documents,
)
from spacy_sentid.sentence_identifier.evaluation.scorer import score_documents
from spacy_sentid.text.units import SU, Unit, trim_span

TOKENIZER = "tokenizer alone"
SENTERS = {"senter w16 d2": (16, 2), "senter w96 d4": (96, 4)}  # en_core_web_sm has the first
BLAS = {"spaCy's BLAS": True, "numpy's BLAS": False}  # values of use_blis; True is the default
PEERS = ("segment", "pySBD", "syntok", "nupunkt", "BlingFire")


class Systems(NamedTuple):
    """All systems to measure, and the names of peers that are not installed."""

    pipelines: dict[str, Language]
    splits: dict[str, Split]
    missing: list[str]
    scored: dict[str, Language]  # pipelines that are trained, or need no training

    def list_runs(self) -> dict[str, Callable[[Sequence[str]], object]]:
        """List the functions that run each system on texts."""
        runs: dict[str, Callable[[Sequence[str]], object]] = {}
        for name, nlp in self.pipelines.items():
            runs[name] = lambda texts, nlp=nlp: list(nlp.pipe(texts))
        for name, split in self.splits.items():
            runs[name] = lambda texts, split=split: [list(split(text)) for text in texts]
        return runs


def build_systems(
    models: Mapping[str, str], senters: Sequence[Path], warm_up: Sequence[str]
) -> Systems:
    """Build all systems, and run them once on some texts.

    models: Name -> pipeline of ours. senters: Trained senters, which replace untrained ones of the
        same size. Training does not change their speed.
    """
    trained = {name_senter(nlp): nlp for nlp in map(spacy.load, senters)}
    pipelines = {TOKENIZER: spacy.blank("en")}
    scored = {name: spacy.blank("en") for name in ("sentencizer", "rule_sentencizer")}
    for name, nlp in scored.items():
        nlp.add_pipe(name)
    ours = {name: load(model) for name, model in models.items()}
    pipelines |= scored
    for name, size in SENTERS.items():
        nlp = trained.get(name) or make_senter(*size, warm_up[:20])
        for blas, use_blis in BLAS.items():
            pipelines[f"{name}, {blas}"] = choose_blas(nlp, use_blis=use_blis)
    pipelines |= ours
    for nlp in pipelines.values():
        nlp.max_length = 10**9
    found, missing = find_systems(PEERS)
    splits = {name: system.make() for name, system in found.items()}
    systems = Systems(pipelines, splits, missing, {**scored, **trained, **ours})
    for run in systems.list_runs().values():
        run(warm_up)
    return systems


def make_senter(width: int, depth: int, texts: Sequence[str]) -> Language:
    """Build an untrained senter."""
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "senter",
        config={
            "model": {
                "@architectures": "spacy.Tagger.v2",
                "tok2vec": {
                    "@architectures": "spacy.HashEmbedCNN.v2",
                    "pretrained_vectors": None,
                    "width": width,
                    "depth": depth,
                    "embed_size": 2000,
                    "window_size": 1,
                    "maxout_pieces": find_maxout_pieces(width),
                    "subword_features": True,
                },
            }
        },
    )
    docs = [nlp.make_doc(text) for text in texts]
    golds = [
        Doc(nlp.vocab, words=[t.text for t in doc], sent_starts=[t.i == 0 for t in doc])
        for doc in docs
    ]
    nlp.initialize(lambda: [Example(*pair) for pair in zip(docs, golds, strict=True)])
    return nlp


def find_maxout_pieces(width: int) -> int:
    """Find the number of maxout pieces that spaCy uses for a senter of that width."""
    return 3 if width > 16 else 2


def name_senter(nlp: Language) -> str:
    """Name a trained senter by its size."""
    encoder = nlp.config["components"]["senter"]["model"]["tok2vec"]
    size = encoder["width"], encoder["depth"]
    if size not in SENTERS.values():
        raise ValueError(f"--senter must have a width and depth of {SENTERS}, got {size}.")
    return next(name for name, known in SENTERS.items() if known == size)


def choose_blas(nlp: Language, *, use_blis: bool) -> Language:
    """Copy a pipeline, and make it multiply matrices with blis, as spaCy does, or with numpy."""
    copy = load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    for node in find(copy, "senter").model.walk():
        node.ops = NumpyOps(use_blis=use_blis)
    return copy


def score_systems(systems: Systems, documents: Sequence[GoldDocument]) -> dict[str, float]:
    """Find the SU F1 of systems on whole documents; sentences of splitters count as SUs."""
    found = {name: evaluate_documents(nlp, documents) for name, nlp in systems.scored.items()}
    for name, split in systems.splits.items():
        cut = (cut_units(split, document.text) for document in documents)
        found[name] = score_documents(documents, cut)
    return {name: scores[""]["su_f"] for name, scores in found.items()}


def cut_units(split: Split, text: str) -> list[Unit]:
    """Convert the sentences of a splitter to SUs, without the white space around them.

    >>> cut_units(str.split, "Go  on.")
    [Unit(start=0, end=2, label='SU'), Unit(start=4, end=7, label='SU')]
    """
    spans = [trim_span(text, start, end) for start, end in find_pieces(text, split(text))]
    return [Unit(start, end, SU) for start, end in spans if start < end]
