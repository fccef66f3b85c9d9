"""The systems of the documents study: our pipelines, and peers that know no NSUs.

system -> its pipeline, or pySBD -> units of documents -> scores
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import NamedTuple

import spacy
from spacy.language import Language

from spacy_sentid.pipelines import list_factories, load
from spacy_sentid.sentence_identifier.document_evaluation import evaluate_documents
from spacy_sentid.sentence_identifier.document_scores import score_documents
from spacy_sentid.sentence_identifier.marked_text import MarkedDocument
from spacy_sentid.sentence_identifier.spans import FACTORY
from spacy_sentid.units import SU, Unit, trim_span

SENTER, PYSBD = "senter", "pySBD"
# Components that need no training, what is trained in the study, and another package.
COMPONENTS = ("sentencizer", "rule_sentencizer")
PEERS = (*COMPONENTS, SENTER, PYSBD)

Scores = dict[str, dict[str, float]]  # see `document_scores.score_documents`


class System(NamedTuple):
    """A pipeline, or a peer."""

    name: str
    seed: int | None  # None: nothing was trained
    path: str = ""  # folder or name of the pipeline; "" of a peer that needs none

    @property
    def is_peer(self) -> bool:
        """Whether it is no pipeline of the user."""
        return self.name in PEERS


def check_peers(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Give the peers that can be run, and those whose package is missing; ValueError for others."""
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise ValueError(f"--peers must be some of {', '.join(PEERS)}, got {', '.join(unknown)}.")
    missing = [name for name in names if name == PYSBD and find_spec("pysbd") is None]
    return [name for name in names if name not in missing], missing


def load_system(system: System, lang: str = "en") -> Language:
    """Load the pipeline of a system; not of pySBD. lang: Of a component that needs no training."""
    if system.name in COMPONENTS:
        nlp = spacy.blank(lang)
        nlp.add_pipe(system.name)
        return nlp
    return spacy.load(system.path) if system.is_peer else load(system.path)


def knows_nsus(nlp: Language | None) -> bool:
    """Whether a system finds NSUs; in others each sentence counts as an SU."""
    return nlp is not None and FACTORY in list_factories(nlp)


def score_system(
    nlp: Language | None, documents: Sequence[MarkedDocument], lang: str = "en"
) -> Scores:
    """Score a pipeline, or without one pySBD, on documents."""
    if nlp is not None:
        return evaluate_documents(nlp, documents)
    found = zip(documents, split_with_pysbd([doc.text for doc in documents], lang), strict=True)
    return score_documents((gold, units, [unit.start for unit in units]) for gold, units in found)


def has_pysbd_rules(lang: str) -> bool:
    """Tell if pySBD knows a language."""
    from pysbd.languages import LANGUAGE_CODES

    return lang in LANGUAGE_CODES


def split_with_pysbd(texts: Sequence[str], lang: str = "en") -> Iterator[list[Unit]]:
    """Find the sentences of texts with pySBD, as SUs without the white space around them."""
    import pysbd

    segmenter = pysbd.Segmenter(language=lang, clean=False, char_span=True)
    for text in texts:
        spans = [trim_span(text, span.start, span.end) for span in segmenter.segment(text)]
        yield [Unit(start, end, SU) for start, end in spans if start < end]
