"""From scores to units: what is known before decoding, merged NSUs, lines, scores."""

from typing import Any

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.arrays import sigmoid
from spacy_sentid.sentence_identifier.bos_eos import log_odds
from spacy_sentid.sentence_identifier.boundaries import BOS, EOS, N_FLAGS, find_boundaries
from spacy_sentid.sentence_identifier.decode import (
    NOT_CALIBRATED,
    Prediction,
    ScoredUnits,
    decode_units,
)
from spacy_sentid.sentence_identifier.features import read_tokens
from spacy_sentid.sentence_identifier.model import UnitScores
from spacy_sentid.units import Unit

NLP = spacy.blank("en")
SETTINGS = {
    "decoder": "bos_eos",
    "threshold": 0.1,
    "max_length": None,
    "nsu_span": "merged",
    "nsu_kinds": True,
}


def boundaries(doc: Doc, **options: object) -> list[list[int]]:
    """Lengths of the blocks, and tokens where a unit must start, and where it must not."""
    settings: dict[str, Any] = {"newline": "learned", "use_starts": True, **options}
    blocks, forced, forbidden = find_boundaries(read_tokens([doc]), **settings)
    return [blocks.tolist(), *(np.flatnonzero(array).tolist() for array in (forced, forbidden))]


def preset() -> Doc:
    doc = NLP.make_doc("a b\nc d")
    doc[3].is_sent_start, doc[4].is_sent_start = True, False  # c and d
    return doc


def test_the_first_token_starts_a_unit() -> None:
    assert boundaries(NLP.make_doc(" a b")) == [[2], [0], []]


def test_an_empty_doc_has_no_blocks() -> None:
    assert boundaries(NLP.make_doc(" ")) == [[], [], []]


def test_starts_that_were_set_hold() -> None:
    assert boundaries(preset()) == [[2, 2], [0, 2], [3]]


def test_starts_that_were_set_can_be_passed_over() -> None:
    assert boundaries(preset(), use_starts=False) == [[4], [0], []]


def test_starts_of_a_parsed_doc_do_not_hold() -> None:
    doc = Doc(NLP.vocab, words=["a", "b"], heads=[0, 1], deps=["root", "root"])
    assert boundaries(doc) == [[2], [0], []]


def test_lines_can_force_starts() -> None:
    assert boundaries(NLP.make_doc("a b\nc d"), newline="break") == [[2, 2], [0, 2], []]


def decode(texts: list[str], sus: list[tuple[int, int]], **changes: object) -> list[ScoredUnits]:
    """Decode SUs, given in tokens of the batch; the tokens of an NSU are ever less sure."""
    tokens = read_tokens([NLP.make_doc(text) for text in texts])
    n_tokens = len(tokens.gaps)
    prob = np.repeat(np.linspace(0.02, 0.05, n_tokens)[:, None], N_FLAGS, axis=1)
    for start, end in sus:
        prob[start, BOS], prob[end - 1, EOS] = 0.9, 0.8
    scores = UnitScores(log_odds(prob), prob[:, :0], prob[:, :0], prob[:, :0], prob[:0], None)
    newline = str(changes.pop("newline", "learned"))
    known = find_boundaries(tokens, newline=newline, use_starts=True)
    calibration = changes.pop("calibration", NOT_CALIBRATED)
    return decode_units(Prediction(tokens, known, scores), {**SETTINGS, **changes}, calibration)


def test_units_are_those_of_their_documents() -> None:
    found = decode(["a b c", "", " ", "d\ne f"], [(0, 2), (4, 6)])
    assert [units for units, *_ in found] == [
        [Unit(0, 2, "SU"), Unit(2, 3, "NSU")],
        [],
        [],
        [Unit(0, 1, "NSU"), Unit(2, 4, "SU")],
    ]
    assert [len(scores) for _, scores, *_ in found] == [2, 0, 0, 2]


def test_white_space_inside_a_unit_belongs_to_it() -> None:
    (found,) = decode([" a \n b "], [(0, 2)])
    assert found.units == [Unit(1, 4, "SU")]


def test_an_su_is_as_sure_as_its_boundaries() -> None:
    (found,) = decode(["a b"], [(0, 2)])
    assert found.scores == pytest.approx([0.8])


def test_neighbouring_nsus_are_one_as_sure_as_the_least_sure() -> None:
    text = "a b\nc\n\nd e f"
    (found,) = decode([text], [(3, 5)], newline="break")
    assert found.units == [Unit(0, 4, "NSU"), Unit(5, 7, "SU"), Unit(7, 8, "NSU")]
    (apart,) = decode([text], [(3, 5)], newline="break", nsu_span="line")
    assert found.scores == pytest.approx(apart.scores[[1, 2, 3]])
    assert found.scores[0] < 0.98


def test_nsus_are_cut_at_line_ends_and_sus_are_not() -> None:
    (found,) = decode(["a b\nc\n\nd\ne f"], [(3, 5)], nsu_span="line")
    assert found.units == [
        Unit(0, 2, "NSU"),
        Unit(3, 4, "NSU"),
        Unit(5, 8, "SU"),
        Unit(8, 9, "NSU"),
    ]
    assert found.scores[0] == found.scores[1]


def test_a_start_that_may_not_be_does_not_reach_into_the_document_before() -> None:
    docs = [NLP.make_doc("a b"), NLP.make_doc("c d")]
    docs[1][0].is_sent_start = False
    tokens = read_tokens(docs)
    known = find_boundaries(tokens, newline="learned", use_starts=True)
    assert known.blocks.tolist() == [2, 2]
    logits = log_odds(np.full((4, N_FLAGS), 0.9))
    scores = UnitScores(logits, logits[:, :0], logits[:, :0], logits[:, :0], logits[:0], None)
    first, second = decode_units(Prediction(tokens, known, scores), SETTINGS, NOT_CALIBRATED)
    assert [unit.label for unit in first.units] == ["SU", "SU"]
    assert [unit.label for unit in second.units] == ["NSU", "SU"]


def test_scores_are_calibrated_by_label() -> None:
    plain = decode(["a b c"], [(0, 2)])[0].scores
    calibration = {**NOT_CALIBRATED, "su": [0.5, -1.0], "nsu": [2.0, 0.25]}
    found = decode(["a b c"], [(0, 2)], calibration=calibration)[0].scores
    expected = np.asarray([0.5, 2.0]) * log_odds(plain) + [-1.0, 0.25]
    assert found == pytest.approx(sigmoid(expected))
