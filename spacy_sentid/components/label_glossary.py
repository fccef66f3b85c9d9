"""Explain labels: what `spacy.explain` says about the labels that our components write."""

from collections.abc import Mapping

from spacy.glossary import GLOSSARY

from ..text.kinds import KINDS
from ..text.units import NSU, SU

UNIT_LABELS = {
    SU: "sentential unit: a sentence, with a predicate and at least one argument or modifier",
    NSU: "non-sentential unit: everything that is not a sentence",
    **{label: f"non-sentential unit: {kind.examples}" for label, kind in KINDS.items()},
}


def explain_labels(explanations: Mapping[str, str]) -> None:
    """Add explanations to spaCy's glossary. Labels that it already explains keep theirs.

    >>> import spacy
    >>> explain_labels({"NOUN": "something else"})
    >>> spacy.explain("NOUN")
    'noun'
    """
    for label, explanation in explanations.items():
        GLOSSARY.setdefault(label, explanation)
