"""The systems of the documents study, which are our pipelines and peers without NSUs.

system -> its pipeline, or pySBD -> units of documents -> scores
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import spacy
from spacy.language import Language

from spacy_sentid.components.pipelines import list_factories, load
from spacy_sentid.sentence_identifier.access.units import FACTORY
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.documents import (
    evaluate_documents,
)
from spacy_sentid.sentence_identifier.evaluation.scorer import score_documents
from spacy_sentid.text.units import SU, Unit, trim_span

SENTER, PYSBD = "senter", "pySBD"
# These components need no training. The study trains the senter, and pySBD is another package.
COMPONENTS = ("sentencizer", "rule_sentencizer")
PEERS = (*COMPONENTS, SENTER, PYSBD)

Scores = dict[str, dict[str, Any]]  # see `scorer.score_documents`


class System(NamedTuple):
    """A pipeline of the user, or a peer."""

    name: str
    seed: int | None  # None: the system has no training
    path: str = ""  # folder or name of the pipeline; "" for a peer without files

    @property
    def is_peer(self) -> bool:
        """True if the system is a peer, not a pipeline of the user."""
        return self.name in PEERS


def check_peers(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split peers into those that can run and those whose package is missing.

    Raises ValueError for an unknown name.
    """
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise ValueError(f"--peers must be some of {', '.join(PEERS)}, got {', '.join(unknown)}.")
    missing = [name for name in names if name == PYSBD and find_spec("pysbd") is None]
    return [name for name in names if name not in missing], missing


def load_system(system: System, lang: str = "en") -> Language:
    """Load the pipeline of a system other than pySBD.

    lang: Language of a component without training. Other pipelines have their own.
    """
    if system.name in COMPONENTS:
        nlp = spacy.blank(lang)
        nlp.add_pipe(system.name)
        return nlp
    return spacy.load(system.path) if system.is_peer else load(system.path)


def knows_nsus(nlp: Language | None) -> bool:
    """Check if a system finds NSUs. For other systems, each sentence counts as an SU."""
    return nlp is not None and FACTORY in list_factories(nlp)


def score_system(
    nlp: Language | None, documents: Sequence[GoldDocument], lang: str = "en"
) -> Scores:
    """Score a pipeline on documents, or pySBD without a pipeline."""
    if nlp is not None:
        found = evaluate_documents(nlp, documents)
    else:
        predicted = split_with_pysbd([document.text for document in documents], lang)
        found = score_documents(documents, predicted)
    # Published results have this name.
    return {
        kind: {**scores, "kind_acc": scores.get("spans_nsu_kind_acc", 0.0)}
        for kind, scores in found.items()
    }


def has_pysbd_rules(lang: str) -> bool:
    """Check if pySBD has rules for a language."""
    from pysbd.languages import LANGUAGE_CODES

    return lang in LANGUAGE_CODES


def split_with_pysbd(texts: Sequence[str], lang: str = "en") -> Iterator[list[Unit]]:
    """Split texts with pySBD, and yield the sentences as SUs without surrounding white space."""
    import pysbd

    segmenter = pysbd.Segmenter(language=lang, clean=False, char_span=True)
    for text in texts:
        spans = [trim_span(text, span.start, span.end) for span in segmenter.segment(text)]
        yield [Unit(start, end, SU) for start, end in spans if start < end]
