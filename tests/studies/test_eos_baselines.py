"""The baselines of the study that split a text at every EOS."""

import itertools
import math

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.text.units import Unit
from studies.identifier.baselines import (
    EOS,
    EOS_FORCE_LAST,
    decode_eos,
    evaluate_decoding,
    score_eos,
)

PROBS = st.floats(0.01, 0.99)


@pytest.mark.parametrize(
    ("eos", "force_last", "spans"),
    [
        ([], False, []),
        ([], True, []),
        ([0.1, 0.2], False, []),
        ([0.1, 0.2], True, [(0, 2)]),
        ([0.9, 0.2], False, [(0, 1)]),
        ([0.9, 0.2], True, [(0, 1), (1, 2)]),
        ([0.2, 0.9], True, [(0, 2)]),
        ([0.5, 0.4999], False, [(0, 1)]),
    ],
)
def test_a_text_is_split_at_every_eos(
    eos: list[float], force_last: bool, spans: list[tuple[int, int]]
) -> None:
    assert decode_eos(eos, force_last=force_last) == spans


@given(st.lists(PROBS, max_size=5))
def test_it_is_the_best_segmentation_of_eq_3(eos: list[float]) -> None:
    def eq_3(ends: tuple[int, ...]) -> float:
        return sum(math.log(p if end else 1 - p) for p, end in zip(eos, ends, strict=True))

    flags = [0] * len(eos)
    for _, end in decode_eos(eos):
        flags[end - 1] = 1
    best = max(eq_3(ends) for ends in itertools.product((0, 1), repeat=len(eos)))
    assert eq_3(tuple(flags)) == pytest.approx(best)


def test_a_pipeline_is_scored_with_each_decoder() -> None:
    nlp = tiny.trained()
    gold = [GoldDocument("I like cats. They sleep", [Unit(0, 12, "SU"), Unit(13, 23, "SU")])]
    before = dict(tiny.pipe_of(nlp).cfg)
    first, both = (
        evaluate_decoding(nlp, {"decoder": name}, gold)["spans_su_r"]
        for name in (EOS, EOS_FORCE_LAST)
    )
    assert (first, both) == (0.5, 1.0)
    assert evaluate_decoding(nlp, {"decoder": "bos_eos"}, gold)["spans_su_r"] >= 0.5
    assert tiny.pipe_of(nlp).cfg == before


def test_the_scorer_reads_stored_probabilities() -> None:
    nlp = tiny.trained(store_probs=True)
    examples = tiny.examples(nlp)
    for example in examples:
        nlp.get_pipe(tiny.NAME)(example.predicted)
    assert 0.3 < score_eos(examples)["spans_su_f"] < 1
