"""Scores, compared with hand-computed cases and with scikit-learn."""

from collections.abc import Sequence

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from spacy.training import Example

from spacy_sentid.sentence_identifier.access.units import units_from_doc
from spacy_sentid.sentence_identifier.evaluation.scorer import (
    make_unit_scorer,
    score_examples,
    score_units,
)
from spacy_sentid.text.units import BIO, Unit, units_from_bio

NLP = spacy.blank("en")
TEXT = "Page 3 I like cats. They sleep."
#       0      7            20
PAGE, LIKE, SLEEP = Unit(0, 6, "NSU"), Unit(7, 19, "SU"), Unit(20, 31, "SU")
GOLD = [PAGE, LIKE, SLEEP]


def score(gold: Sequence[Unit], pred: Sequence[Unit], text: str = TEXT) -> dict[str, float]:
    return score_units([(text, gold, pred)])


def test_gold_against_itself_is_perfect() -> None:
    assert set(score(GOLD, GOLD).values()) == {1.0}


def test_one_merged_su() -> None:
    # Words: O O B I I B I against O O B I I I I.
    scores = score(GOLD, [PAGE, Unit(7, 31, "SU")])
    assert scores["bio_b_f"] == pytest.approx(2 / 3)
    assert scores["bio_i_f"] == pytest.approx(2 * 3 / (3 + 4))
    assert scores["bio_o_f"] == 1
    assert scores["bio_macro_f"] == pytest.approx((2 / 3 + 6 / 7 + 1) / 3)
    assert scores["bio_weighted_f"] == pytest.approx((2 * 2 / 3 + 3 * 6 / 7 + 2) / 7)
    assert [scores[f"spans_su_{x}"] for x in "prf"] == [0, 0, 0]
    assert scores["spans_nsu_f"] == 1


def test_one_missed_su() -> None:
    scores = score(GOLD, [Unit(0, 19, "NSU"), SLEEP])
    assert (scores["spans_su_p"], scores["spans_su_r"]) == (1, 0.5)
    assert scores["spans_su_f"] == pytest.approx(2 / 3)
    assert scores["spans_nsu_f"] == 0


def test_characters_that_are_white_space_do_not_count() -> None:
    # Characters: 5 of O, 10 of the first SU, 10 of the second; the second is missed.
    scores = score(GOLD, [PAGE, LIKE])
    assert scores["char_bio_o_f"] == pytest.approx(2 * 5 / (5 + 15))
    assert scores["char_bio_i_f"] == pytest.approx(2 * 9 / (18 + 9))


def test_spans_are_exact_in_words_and_in_characters() -> None:
    # "cats." is one word, so an SU without the period has the same words.
    scores = score([LIKE], [Unit(7, 18, "SU")], TEXT[:19])
    assert (scores["spans_su_f"], scores["char_spans_su_f"]) == (1, 0)


def test_neighbouring_gold_nsus_are_merged() -> None:
    parts = [Unit(0, 4, "NSU"), Unit(5, 6, "NSU"), LIKE, SLEEP]
    assert score(parts, GOLD)["spans_nsu_f"] == 1
    assert score(GOLD, parts)["spans_nsu_f"] == 1


def test_without_nsu_the_macro_is_the_mean_of_b_and_i() -> None:
    text = TEXT[7:]
    gold = [Unit(0, 12, "SU"), Unit(13, 24, "SU")]
    scores = score(gold, [Unit(0, 12, "SU"), Unit(13, 24, "NSU")], text)
    assert scores["bio_macro_f"] == pytest.approx((scores["bio_b_f"] + scores["bio_i_f"]) / 2)
    assert scores["bio_o_f"] == 0


def test_characters_outside_of_units_are_nsu() -> None:
    assert score([LIKE, SLEEP], GOLD)["bio_macro_f"] == 1


@pytest.mark.parametrize("documents", [[], [("", [], [])], [(" \n", [], [])]])
def test_no_documents_score_zero(documents: list) -> None:
    assert set(score_units(documents).values()) == {0.0}


HEAD, META = Unit(0, 6, "HEADING"), Unit(0, 6, "METADATA")
KINDS = [
    ([HEAD, LIKE, SLEEP], [HEAD, LIKE, SLEEP], 1, {"HEADING": (1, 1)}),
    ([HEAD, LIKE, SLEEP], [META, LIKE, SLEEP], 0, {"HEADING": (0, 0), "METADATA": (0, 0)}),
    ([HEAD, LIKE, SLEEP], [PAGE, LIKE, SLEEP], 0, {"HEADING": (0, 0)}),
    # A kind is that of most characters, but spans are exact.
    ([Unit(0, 19, "CODE")], [Unit(0, 18, "CODE")], 1, {"CODE": (0, 0)}),
    ([Unit(0, 19, "CODE")], [Unit(0, 9, "CODE")], 0, {"CODE": (0, 0)}),
    # A prediction on an NSU of unknown kind is neither right nor wrong.
    ([PAGE, Unit(7, 19, "CODE")], [META, Unit(7, 19, "CODE")], 1, {"CODE": (1, 1)}),
    ([META, LIKE], [META, Unit(7, 19, "METADATA")], 1, {"METADATA": (0.5, 1)}),
]


@pytest.mark.parametrize(("gold", "pred", "accuracy", "per_type"), KINDS)
def test_kinds_are_scored_where_gold_has_them(
    gold: list[Unit], pred: list[Unit], accuracy: float, per_type: dict[str, tuple]
) -> None:
    scores = score(gold, pred)
    assert scores["spans_nsu_kind_acc"] == accuracy
    found = {kind: (one["p"], one["r"]) for kind, one in scores["spans_nsu_per_type"].items()}
    assert found == per_type
    plain = score(
        *([unit._replace(label="SU" if unit.label == "SU" else "NSU") for unit in units]
          for units in (gold, pred))
    )  # fmt: skip
    assert plain == {name: scores[name] for name in plain}


def test_gold_without_kinds_has_no_scores_of_kinds() -> None:
    for scores in (score(GOLD, [HEAD, LIKE, SLEEP]), score_examples([example([])])):
        assert not {"spans_nsu_kind_acc", "spans_nsu_per_type"} & set(scores)


def test_documents_are_counted_together_not_averaged() -> None:
    scores = score_units([(TEXT, GOLD, GOLD), ("Hi.", [Unit(0, 3, "SU")], [Unit(0, 3, "NSU")])])
    assert scores["spans_su_r"] == pytest.approx(2 / 3)


labels = st.lists(st.tuples(st.sampled_from(BIO), st.sampled_from(BIO)), min_size=1, max_size=30)


@given(labels)
def test_bio_scores_are_those_of_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    text = " ".join("w" for _ in pairs)
    sides = []
    for side in zip(*pairs, strict=True):
        spans = units_from_bio(side)
        sides.append([Unit(start * 2, end * 2 - 1, label) for start, end, label in spans])
    scores = score_units([(text, *sides)])
    # An I that starts an SU becomes a B, so compare the labels of the units.
    gold, pred = (
        ["B" if any(i == u.start and u.label == "SU" for u in units) else
         "I" if any(u.start < i < u.end and u.label == "SU" for u in units) else "O"
         for i in range(0, len(text), 2)]
        for units in sides
    )  # fmt: skip
    present = [label for label in BIO if label in gold]
    options = {"zero_division": 0.0}
    macro = f1_score(gold, pred, labels=present, average="macro", **options)
    weighted = f1_score(gold, pred, labels=list(BIO), average="weighted", **options)
    each = f1_score(gold, pred, labels=list(BIO), average=None, **options)
    assert scores["bio_macro_f"] == pytest.approx(macro)
    assert scores["bio_weighted_f"] == pytest.approx(weighted)
    assert [scores[f"bio_{x.lower()}_f"] for x in BIO] == pytest.approx(list(each))


def example(pred_su: list[tuple[int, int]] | None, key: str = "su") -> Example:
    gold, pred = NLP.make_doc("I sleep. Page 3"), NLP.make_doc("I sleep. Page 3")
    gold.spans["su"], gold.spans["nsu"] = [gold[0:3]], [gold[3:5]]
    if pred_su is not None:
        pred.spans[key] = [pred[start:end] for start, end in pred_su]
    return Example(pred, gold)


def test_examples_are_scored_by_their_span_groups() -> None:
    assert score_examples([example([(0, 3)])])["spans_su_f"] == 1
    assert score_examples([example([(0, 5)])])["spans_su_f"] == 0


def test_score_names_contain_the_span_keys() -> None:
    eg = example([(0, 3)], key="s")
    eg.reference.spans["s"] = list(eg.reference.spans["su"])
    assert score_examples([eg], su_key="s", nsu_key="n")["spans_s_f"] == 1


def test_examples_without_gold_are_skipped() -> None:
    plain = Example(NLP.make_doc("Hi"), NLP.make_doc("Hi"))
    assert score_examples([plain]) == {}
    assert score_examples([plain, example([(0, 3)])])["spans_su_f"] == 1


def test_a_prediction_without_the_key_raises() -> None:
    with pytest.raises(ValueError, match="'su'"):
        score_examples([example(None)])


def test_tokens_of_gold_and_prediction_may_differ() -> None:
    eg = example([(0, 3)])
    words = spacy.tokens.Doc(NLP.vocab, words=["I", "sleep.", "Page", "3"])
    words.spans["su"] = [words[0:2]]
    eg = Example(NLP.make_doc(words.text), eg.reference)
    eg.predicted.spans["su"] = [eg.predicted[0:3]]
    assert score_examples([eg])["bio_macro_f"] == 1


def test_the_registered_scorer_is_the_function() -> None:
    assert make_unit_scorer() is score_examples


def test_units_are_read_in_text_order() -> None:
    doc = example(None).reference
    assert units_from_doc(doc) == [Unit(0, 8, "SU"), Unit(9, 15, "NSU")]


@given(labels)
def test_all_scores_are_shares(pairs: list[tuple[str, str]]) -> None:
    text = " ".join("w" for _ in pairs)
    gold, pred = (
        [Unit(a * 2, b * 2 - 1, x) for a, b, x in units_from_bio(side)]
        for side in zip(*pairs, strict=True)
    )
    values = np.asarray(list(score_units([(text, gold, pred)]).values()))
    assert ((values >= 0) & (values <= 1)).all()


def test_texts_that_differ_raise() -> None:
    eg = example([(0, 3)])
    other = NLP.make_doc(eg.reference.text.upper())
    other.spans["su"] = []
    with pytest.raises(ValueError, match="must be the same"):
        score_examples([Example(other, eg.reference)])
