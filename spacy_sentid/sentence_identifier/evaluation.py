"""Measure a pipeline as the paper does: on texts assembled from a treebank's units (section 6.2).

CoNLL-U -> labelled units -> runs drawn with p_CC and a seed -> text -> pipeline -> scores
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from spacy.language import Language

from ..treebank import read_treebank
from ..units import Unit
from .convert import label_units
from .joining import group_units, join_units
from .rule import SU_RELATIONS
from .scorer import predicted_units, score_units

MAX_WORDS = 400


class AssembledText(NamedTuple):
    """One input of an evaluation."""

    text: str
    units: list[Unit]  # gold, in characters


def assemble_texts(
    labelled: Sequence[tuple[str, str]],
    *,
    p_cc: float,
    seed: int,
    layout: str = "space",
    max_words: int = MAX_WORDS,
) -> Iterator[AssembledText]:
    """Join consecutive units into evaluation texts, across documents.

    labelled: (text, label) of each unit.
    p_cc: Parameter of the geometric distribution of the number of units; 0 = up to `max_words`
        white-space words.
    layout: What stands between units: "space", "line" or "paragraph" (see `joining`).
    """
    if not 0 <= p_cc <= 1:
        raise ValueError(f"p_cc is {p_cc}, expected a number in [0, 1].")
    rng = Random(seed)
    labelled = [(text, label) for text, label in labelled if text.strip()]
    lengths = [len(text.split()) for text, _ in labelled]
    for group in group_units(lengths, p_cc=[p_cc], max_length=max_words, rng=rng):
        texts, labels = zip(*(labelled[i] for i in group), strict=True)
        joined = join_units(texts, labels, rng=rng, layouts={layout: 1.0})
        units = [Unit(*bounds, label) for bounds, label in zip(joined.units, labels, strict=True)]
        yield AssembledText(joined.text, units)


def read_labelled_texts(
    paths: Iterable[Path],
    *,
    su_relations: Collection[str] = SU_RELATIONS,
    all_su: bool = False,
) -> list[tuple[str, str]]:
    """Read (text, label) of all units of some CoNLL-U files."""
    return [
        (unit.text, label)
        for path in paths
        for unit, label in label_units(
            read_treebank(path), su_relations=su_relations, all_su=all_su
        )
    ]


def evaluate_pipeline(
    nlp: Language, texts: Sequence[AssembledText], *, su_key: str = "su", nsu_key: str = "nsu"
) -> dict[str, float]:
    """Run a pipeline over assembled texts and score its span groups; see `scorer.score_units`."""
    docs = nlp.pipe(text.text for text in texts)
    documents = (
        (gold.text, gold.units, predicted_units(doc, su_key=su_key, nsu_key=nsu_key))
        for gold, doc in zip(texts, docs, strict=True)
    )
    return score_units(documents)
