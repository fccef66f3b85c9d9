"""The baselines of the paper, which split a text at every EOS (section 4.1).

doc.spans["su"].attrs["eos_prob"], which the identifier stores with store_probs -> units -> scores
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_sentid.sentence_identifier.access.units import units_from_doc
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.scorer import score_units
from spacy_sentid.text.units import Unit, units_from_spans

COMPONENT = "sentence_identifier"
# Values of "decoder" in the systems of the study, besides those of the component.
EOS, EOS_FORCE_LAST = "eos", "eos_force_last"


def decode_eos(
    eos_prob: Sequence[float] | np.ndarray, *, threshold: float = 0.5, force_last: bool = False
) -> list[tuple[int, int]]:
    """Split a document at every EOS.

    eos_prob: P(token ends an SU), shape (n_tokens,).
    threshold: Minimum probability of an EOS.
    force_last: Make the tokens after the last EOS an SU; otherwise they are NSU.
    RETURNS: `(start, end)` of each SU.

    >>> decode_eos([0.1, 0.8, 0.1]), decode_eos([0.1, 0.8, 0.1], force_last=True)
    ([(0, 2)], [(0, 2), (2, 3)])
    """
    prob = np.asarray(eos_prob)
    ends = (np.flatnonzero(prob >= threshold) + 1).tolist()
    if force_last and len(prob) and (not ends or ends[-1] < len(prob)):
        ends.append(len(prob))
    return list(zip([0, *ends[:-1]], ends, strict=True)) if ends else []


def read_eos_units(doc: Doc, *, force_last: bool = False) -> list[Unit]:
    """Decode the stored P(EOS) of a Doc, and return its units in characters."""
    tokens = [token for token in doc if not token.is_space]
    prob = doc.spans["su"].attrs["eos_prob"][[token.i for token in tokens]]
    spans = decode_eos(prob, force_last=force_last)
    return [
        Unit(tokens[start].idx, tokens[end - 1].idx + len(tokens[end - 1]), label)
        for start, end, label in units_from_spans(spans, len(tokens))
    ]


@spacy.registry.scorers("studies.eos_scorer.v1")
def make_eos_scorer() -> Any:
    """Make the scorer of a system that is trained without BOS."""
    return score_eos


def score_eos(examples: Iterable[Example], **options: Any) -> dict[str, Any]:
    """Score the units between the EOS of the predicted Docs."""
    return score_units(
        (eg.reference.text, units_from_doc(eg.reference), read_eos_units(eg.predicted))
        for eg in examples
    )


def evaluate_decoding(
    nlp: Language, settings: Mapping[str, Any], texts: Sequence[GoldDocument]
) -> dict[str, float]:
    """Score a pipeline with some settings of its identifier changed.

    settings: Settings of the component. "decoder" may also be EOS or EOS_FORCE_LAST, and
        "unidirectional_weight" is that of a model with +UNI.
    """
    pipe: Any = nlp.get_pipe(COMPONENT)
    changes = dict(settings)
    before, weight = dict(pipe.cfg), pipe.model.attrs.get("unidirectional_weight")
    decoder = changes.get("decoder")
    if decoder in (EOS, EOS_FORCE_LAST):
        changes |= {"decoder": "bos_eos", "store_probs": True}
    pipe.model.attrs["unidirectional_weight"] = changes.pop("unidirectional_weight", weight)
    pipe.cfg.update(changes)
    docs = nlp.pipe(text.text for text in texts)
    found = (
        read_eos_units(doc, force_last=decoder == EOS_FORCE_LAST)
        if decoder in (EOS, EOS_FORCE_LAST)
        else units_from_doc(doc)
        for doc in docs
    )
    scores = score_units(
        (text.text, text.units, units) for text, units in zip(texts, found, strict=True)
    )
    pipe.cfg.update(before)
    pipe.model.attrs["unidirectional_weight"] = weight
    return scores
