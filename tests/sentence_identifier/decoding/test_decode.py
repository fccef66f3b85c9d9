"""Decoding scores to units: fixed boundaries, merged NSUs, lines, scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_sentid.arrays import sigmoid
from spacy_sentid.sentence_identifier.decoding.decode import (
    Prediction,
    ScoredUnits,
    decode_batch,
    decode_units,
    not_calibrated,
)
from spacy_sentid.sentence_identifier.network.bos_eos import log_odds
from spacy_sentid.sentence_identifier.network.boundaries import (
    BOS,
    EOS,
    INSIDE,
    N_FLAGS,
    UNIT_START,
    Boundaries,
    find_boundaries,
)
from spacy_sentid.sentence_identifier.network.tagger import UnitScores
from spacy_sentid.sentence_identifier.network.tokens import BatchTokens, read_tokens
from spacy_sentid.text.units import Unit

NLP = spacy.blank("en")
SETTINGS = {
    "decoder": "bos_eos",
    "threshold": 0.1,
    "max_length": None,
    "newline": "learned",
    "nsu_span": "merged",
    "nsu_kinds": True,
}


def decode_scores(
    tokens: BatchTokens,
    known: Boundaries,
    scores: UnitScores,
    settings: dict[str, Any],
    calibration: dict[str, list[float]] | None = None,
) -> list[ScoredUnits]:
    units, outside = decode_batch(scores, known, settings)
    prediction = Prediction(tokens, known, scores.flags, scores.kinds, units, outside)
    return decode_units(prediction, settings, calibration or not_calibrated())


def boundaries(doc: Doc, **options: object) -> list[list[int]]:
    """Find the lengths of regions, the forced starts and the forbidden starts."""
    settings: dict[str, Any] = {"newline": "learned", "use_starts": True, **options}
    regions, forced, forbidden = find_boundaries(read_tokens([doc]), **settings)
    return [regions.tolist(), *(np.flatnonzero(array).tolist() for array in (forced, forbidden))]


@pytest.mark.parametrize(
    ("newline", "starts"),
    [("learned", [0]), ("ignore", [0]), ("paragraph", [0, 3]), ("break", [0, 2, 3])],
)
def test_line_breaks_force_starts_by_the_setting(newline: str, starts: list[int]) -> None:
    doc = NLP.make_doc("a b\nc\n \nd")
    assert boundaries(doc, newline=newline)[1] == starts


def test_a_blank_line_overrides_a_forbidden_start() -> None:
    doc = NLP.make_doc("a\n\nb")
    doc[2].is_sent_start = False
    assert boundaries(doc, newline="paragraph") == [[1, 1], [0, 1], []]


def preset() -> Doc:
    doc = NLP.make_doc("a b\nc d")
    doc[3].is_sent_start, doc[4].is_sent_start = True, False  # c and d
    return doc


def test_the_first_token_starts_a_unit() -> None:
    assert boundaries(NLP.make_doc(" a b")) == [[2], [0], []]


def test_the_first_token_starts_a_unit_even_if_it_is_set_as_no_start() -> None:
    doc = Doc(NLP.vocab, words=["I", "run", "."], sent_starts=[False, False, False])
    assert boundaries(doc) == [[3], [0], [1, 2]]


def test_an_empty_doc_has_no_regions() -> None:
    assert boundaries(NLP.make_doc(" ")) == [[], [], []]


def test_starts_that_are_set_are_kept() -> None:
    assert boundaries(preset()) == [[2, 2], [0, 2], [3]]


def test_starts_that_are_set_can_be_ignored() -> None:
    assert boundaries(preset(), use_starts=False) == [[4], [0], []]


def test_starts_of_a_parsed_doc_are_ignored() -> None:
    doc = Doc(NLP.vocab, words=["a", "b"], heads=[0, 1], deps=["root", "root"])
    assert boundaries(doc) == [[2], [0], []]


def decode(
    texts: list[str] | list[Doc],
    sus: list[tuple[int, int]],
    *,
    starts: Sequence[int] = (),
    kinds: Sequence[int] = (),
    **changes: Any,
) -> list[ScoredUnits]:
    """Decode scores with given SUs, in tokens of the batch.

    The confidence of the tokens of an NSU decreases from token to token.

    starts: Tokens at which a unit starts with probability 0.9.
    kinds: The kind of each token, with probability 0.5.
    """
    tokens = read_tokens([NLP.make_doc(text) if isinstance(text, str) else text for text in texts])
    n_tokens = len(tokens.gaps)
    prob = np.repeat(np.linspace(0.02, 0.05, n_tokens)[:, None], N_FLAGS, axis=1)
    for start, end in sus:
        prob[start, BOS], prob[end - 1, EOS] = 0.9, 0.8
        prob[start:end, INSIDE] = 0.7
    prob[list(starts), UNIT_START] = 0.9
    none = prob[:, :0]
    of_kinds = np.log(np.eye(7)[list(kinds)] * 5 + 1 - np.eye(7)[list(kinds)]) if kinds else none
    scores = UnitScores(log_odds(prob), of_kinds, none, prob[:0], None)
    calibration = changes.pop("calibration", not_calibrated())
    settings = {**SETTINGS, **changes}
    known = find_boundaries(tokens, newline=settings["newline"], use_starts=True)
    return decode_scores(tokens, known, scores, settings, calibration)


def test_units_are_split_by_document() -> None:
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


def test_merged_nsus_have_the_lowest_confidence() -> None:
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


def test_a_forbidden_start_does_not_affect_the_document_before() -> None:
    docs = [NLP.make_doc("a b"), NLP.make_doc("c d")]
    docs[1][0].is_sent_start = False
    tokens = read_tokens(docs)
    known = find_boundaries(tokens, newline="learned", use_starts=True)
    assert known.regions.tolist() == [2, 2]
    logits = log_odds(np.full((4, N_FLAGS), 0.9))
    scores = UnitScores(logits, logits[:, :0], logits[:, :0], logits[:0], None)
    first, second = decode_scores(tokens, known, scores, SETTINGS)
    assert [unit.label for unit in first.units] == ["SU", "SU"]
    assert [unit.label for unit in second.units] == ["SU", "SU"]


def test_scores_are_calibrated_by_label() -> None:
    plain = decode(["a b c"], [(0, 2)])[0].scores
    calibration = {**not_calibrated(), "su": [0.5, -1.0], "nsu": [2.0, 0.25]}
    found = decode(["a b c"], [(0, 2)], calibration=calibration)[0].scores
    expected = np.asarray([0.5, 2.0]) * log_odds(plain) + [-1.0, 0.25]
    assert found == pytest.approx(sigmoid(expected))


def test_lines_are_not_cut_at_forbidden_starts() -> None:
    doc = NLP.make_doc("a\nb\nc")
    doc[2].is_sent_start = False
    (found,) = decode([doc], [], nsu_span="line")
    assert found.units == [Unit(0, 3, "NSU"), Unit(4, 5, "NSU")]


# Elements


def spans(found: ScoredUnits) -> list[tuple[int, int]]:
    return [unit[:2] for unit in found.units]


def test_nsus_are_cut_at_predicted_starts() -> None:
    text = "a b c d e f"
    (found,) = decode([text], [(4, 6)], starts=[2, 5], nsu_span="element")
    assert spans(found) == [(0, 2), (2, 4), (4, 6)]
    (found,) = decode([text], [(4, 6)], starts=[2, 5], nsu_span="merged")
    assert spans(found) == [(0, 4), (4, 6)]


def test_nsus_are_cut_at_blank_lines_and_not_at_line_ends() -> None:
    (found,) = decode(["a\nb\n\nc"], [], newline="paragraph", nsu_span="element")
    assert spans(found) == [(0, 3), (4, 5)]


@pytest.mark.parametrize(
    ("newline", "found"), [("paragraph", [(0, 3), (4, 9)]), ("learned", [(0, 9)])]
)
def test_nsus_are_cut_at_rows_of_a_table(newline: str, found: list[tuple[int, int]]) -> None:
    (decoded,) = decode(["a  b\nc  d\ne"], [], newline=newline, nsu_span="element")
    assert spans(decoded) == found


def test_nsus_are_only_cut_at_starts_that_are_set() -> None:
    doc = NLP.make_doc("a b c d")
    doc[1].is_sent_start, doc[2].is_sent_start = True, False
    (found,) = decode([doc], [], starts=[2, 3], nsu_span="element")
    assert spans(found) == [(0, 1), (1, 3), (3, 4)]


def test_marks_alone_are_not_an_element() -> None:
    text = "-- a -- -- b --"
    (found,) = decode([text], [], starts=[1, 3, 4], nsu_span="element")
    assert spans(found) == [(0, 4), (4, 6)]


def test_elements_are_split_by_document() -> None:
    found = decode(["a b", "", "c d"], [], starts=[1], nsu_span="element")
    assert [spans(units) for units in found] == [[(0, 1), (1, 2)], [], [(0, 2)]]


def test_an_element_is_as_sure_as_its_ends() -> None:
    (found,) = decode(["a b c d"], [], starts=[2], nsu_span="element")
    assert found.scores == pytest.approx([0.9, 0.9])
    # Next to an SU, the label determines the confidence of the edge; no unit start is needed.
    (found,) = decode(["a b c d"], [(2, 4)], nsu_span="element")
    assert found.scores[0] > 0.95


def test_a_probable_start_inside_lowers_the_score_of_an_element() -> None:
    (found,) = decode(["a b c"], [], nsu_span="element")
    assert found.scores == pytest.approx([0.95])
    (doc,) = [NLP.make_doc("a b c")]
    doc[1].is_sent_start = False
    (found,) = decode([doc], [], starts=[1], nsu_span="element")
    assert found.scores == pytest.approx([0.1])


# Labels and kinds


def test_a_label_is_as_sure_as_the_words_of_the_unit() -> None:
    (found,) = decode(["a b c d"], [(0, 2)])
    outside = log_odds(np.asarray([1 - 0.04, 1 - 0.05]))
    assert found.label_scores == pytest.approx([0.7, sigmoid(outside.mean())])


def test_labels_have_their_own_calibration() -> None:
    calibration = {**not_calibrated(), "su_label": [2.0, 1.0], "nsu_label": [0.5, -1.0]}
    (plain,) = decode(["a b c"], [(0, 2)])
    (found,) = decode(["a b c"], [(0, 2)], calibration=calibration)
    expected = np.asarray([2.0, 0.5]) * log_odds(plain.label_scores) + [1.0, -1.0]
    assert found.label_scores == pytest.approx(sigmoid(expected))
    assert found.scores == pytest.approx(plain.scores)


def test_the_kind_of_an_nsu_is_the_label() -> None:
    (found,) = decode(["a b c d"], [(0, 2)], kinds=[0, 0, 5, 5])
    assert [unit.label for unit in found.units] == ["SU", "CODE"]
    assert found.kind_scores is not None
    assert found.kind_scores[1] == pytest.approx(5 / 11)


def test_the_kind_of_a_unit_is_that_of_most_of_its_tokens() -> None:
    (found,) = decode(["a b c"], [], kinds=[1, 3, 3])
    assert [unit.label for unit in found.units] == ["SALUTATION"]


@pytest.mark.parametrize("changes", [{"nsu_kinds": False, "kinds": [1, 1]}, {}])
def test_without_kinds_the_label_is_nsu(changes: dict[str, Any]) -> None:
    (found,) = decode(["a b"], [], **changes)
    assert [unit.label for unit in found.units] == ["NSU"]
    assert found.kind_scores is None


def test_an_empty_batch_has_no_kinds_and_no_elements() -> None:
    found = decode(["", " "], [], nsu_span="element", max_length=1)
    assert [units for units, *_ in found] == [[], []]


# Long units


def decode_logits(
    logits: np.ndarray, forbidden: Sequence[int] = (), **changes: Any
) -> list[ScoredUnits]:
    doc = Doc(NLP.vocab, words=["w"] * len(logits))
    tokens = read_tokens([doc])
    no_starts = np.zeros(len(logits), dtype=bool)
    no_starts[list(forbidden)] = True
    forced = np.arange(len(logits)) == 0
    known = Boundaries(tokens.lengths[tokens.lengths > 0], forced, no_starts & ~forced)
    none = logits[:, :0]
    scores = UnitScores(logits, none, none, none[:0], None)
    settings = {**SETTINGS, **changes}
    return decode_scores(tokens, known, scores, settings)


def one_su(n: int) -> np.ndarray:
    """Create logits of one SU with two weak boundaries inside, before tokens 4 and 2."""
    prob = np.full((n, N_FLAGS), 0.01)
    prob[0, BOS] = prob[n - 1, EOS] = 0.9
    prob[:, INSIDE] = 0.9
    prob[4, BOS], prob[1, EOS] = 0.05, 0.03
    return log_odds(prob)


@pytest.mark.parametrize(
    ("max_length", "bounds"), [(6, [0]), (5, [0, 4]), (3, [0, 2, 4]), (1, [0, 1, 2, 3, 4, 5])]
)
def test_a_long_su_is_cut_at_its_best_inner_boundaries(max_length: int, bounds: list[int]) -> None:
    (found,) = decode_logits(one_su(6), max_length=max_length)
    assert spans(found) == list(zip(bounds, [*bounds[1:], 6], strict=True))
    assert {unit.label for unit in found.units} == {"SU"}


def test_of_equally_good_boundaries_the_last_is_cut() -> None:
    logits = log_odds(np.full((4_000, N_FLAGS), 0.01))
    logits[0, BOS] = logits[-1, EOS] = 9
    logits[:, INSIDE] = 9
    (found,) = decode_logits(logits, max_length=1_000)
    assert spans(found) == [(n, n + 1_000) for n in range(0, 4_000, 1_000)]


def test_a_part_has_at_most_the_confidence_of_its_boundaries() -> None:
    (whole,), (cut,) = (decode_logits(one_su(6), max_length=length) for length in (None, 4))
    assert whole.scores == pytest.approx([0.9])
    assert (cut.scores < 0.05).all()
    assert cut.label_scores == pytest.approx([0.9, 0.9])


def test_a_long_su_without_a_place_to_cut_is_kept() -> None:
    (found,) = decode_logits(one_su(6), range(1, 6), max_length=2)
    assert spans(found) == [(0, 6)]


def test_a_long_nsu_is_not_cut() -> None:
    logits = np.full((6, N_FLAGS), -5.0)
    (found,) = decode_logits(logits, max_length=2, nsu_span="element")
    assert spans(found) == [(0, 6)]


@given(
    n=st.integers(1, 30),
    seed=st.integers(0, 1000),
    max_length=st.integers(1, 8),
    nsu_span=st.sampled_from(["element", "line", "merged"]),
)
def test_sus_exceed_the_limit_only_if_all_starts_inside_are_forbidden(
    n: int, seed: int, max_length: int, nsu_span: str
) -> None:
    rng = np.random.default_rng(seed)
    forbidden = np.flatnonzero(rng.random(n) < rng.choice([0.0, 0.5, 1.0]))
    logits = rng.normal(size=(n, N_FLAGS)) * 4
    settings = {"max_length": max_length, "nsu_span": nsu_span}
    (found,) = decode_logits(logits, forbidden.tolist(), **settings)
    position = 0
    for start, end, label in found.units:
        assert start == position < end
        position = end
        assert start == 0 or start not in forbidden
        if label == "SU" and end - start > max_length:
            assert set(range(start + 1, end)) <= {*forbidden.tolist()}
    assert position == n
    assert len(found.scores) == len(found.label_scores) == len(found.units)
