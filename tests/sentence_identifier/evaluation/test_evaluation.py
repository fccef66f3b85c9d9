"""Evaluation texts of a treebank, and the scores of a pipeline on them."""

import pytest
import tiny

from spacy_sentid.sentence_identifier.evaluation.joined import (
    assemble_texts,
    evaluate_settings,
    tabulate_scores,
)
from spacy_sentid.sentence_identifier.evaluation.scorer import score_units
from spacy_sentid.text.units import NSU, SU, Unit

LABELLED = [(f"Unit number {i}.", "NSU" if i % 3 == 0 else "SU") for i in range(40)]


@pytest.mark.parametrize("p_cc", [0, 0.5, 1])
def test_texts_contain_every_unit_in_order(p_cc: float) -> None:
    texts = list(assemble_texts(LABELLED, p_cc=p_cc, seed=0, max_words=30))
    units = [
        (text.text[unit.start : unit.end], unit.label) for text in texts for unit in text.units
    ]
    assert units == LABELLED


def test_p_zero_fills_texts_up_to_the_maximum() -> None:
    texts = list(assemble_texts(LABELLED, p_cc=0, seed=0, max_words=30))
    assert {len(text.units) for text in texts} == {10}


def test_characters_of_a_script_without_spaces_count_as_words() -> None:
    texts = list(assemble_texts([("我没有钱。", SU)] * 12, p_cc=0, seed=0, max_words=30))
    assert [len(text.units) for text in texts] == [6, 6]


def test_a_missed_boundary_in_a_script_without_spaces_costs_two_words() -> None:
    (text,) = assemble_texts([("第三", NSU), ("我走。", SU)], p_cc=0, seed=0, layout="none")
    scores = score_units([(text.text, text.units, [Unit(0, 1, NSU), Unit(1, 5, SU)])])
    assert (scores["spans_su_f"], scores["bio_i_f"]) == (0, pytest.approx(4 / 5))
    assert scores["bio_o_f"] == pytest.approx(2 / 3)


def test_with_p_one_each_text_has_one_unit() -> None:
    assert len(list(assemble_texts(LABELLED, p_cc=1, seed=0))) == len(LABELLED)


@pytest.mark.parametrize(
    ("layout", "joint"), [("space", " "), ("line", "\n"), ("paragraph", "\n\n"), ("none", "")]
)
def test_units_are_joined_by_the_layout(layout: str, joint: str) -> None:
    (text,) = assemble_texts(LABELLED, p_cc=0, seed=0, layout=layout)
    assert text.text == joint.join(unit for unit, _ in LABELLED)


def test_the_same_seed_has_the_same_texts() -> None:
    first, again, other = (list(assemble_texts(LABELLED, p_cc=0.5, seed=s)) for s in (1, 1, 2))
    assert first == again != other


def test_units_of_white_space_are_skipped() -> None:
    (text,) = assemble_texts([(" ", "NSU"), ("Hi.", "SU")], p_cc=0, seed=0)
    assert text.text == "Hi."


@pytest.mark.parametrize("p_cc", [-0.1, 1.1, float("nan")])
def test_p_outside_zero_to_one_raises(p_cc: float) -> None:
    with pytest.raises(ValueError, match="p_cc"):
        list(assemble_texts(LABELLED, p_cc=p_cc, seed=0))


def test_a_trained_pipeline_is_perfect_on_what_it_learned() -> None:
    labelled = [*zip(tiny.TEXTS[0][::2], tiny.TEXTS[0][1::2], strict=True)]
    nlp = tiny.trained(su_key="s", nsu_key="n")
    report = evaluate_settings(nlp, labelled, p_ccs=[0], seeds=[0], layout="line")
    assert report["summary"][0]["mean"]["spans_su_f"] == 1


@pytest.mark.parametrize("prefix", ["", "char_"])
def test_without_nsu_the_macro_is_the_mean_of_b_and_i_at_both_levels(prefix: str) -> None:
    (text,) = assemble_texts([("I like cats.", SU), ("They sleep.", SU)], p_cc=0, seed=0)
    scores = score_units([(text.text, text.units, [text.units[0], Unit(13, 24, NSU)])])
    mean = (scores[f"{prefix}bio_b_f"] + scores[f"{prefix}bio_i_f"]) / 2
    assert scores[f"{prefix}bio_macro_f"] == pytest.approx(mean)
    assert 0 < mean < 1


def test_a_report_has_runs_and_means() -> None:
    report = evaluate_settings(
        tiny.trained(), LABELLED, p_ccs=[0.5, 0], seeds=[0, 1], layout="space"
    )
    heads = [(run["p_cc"], run["seed"]) for run in report["runs"]]
    assert heads == [(0.5, 0), (0.5, 1), (0, 0), (0, 1)]
    assert ["sd" in entry for entry in report["summary"]] == [True, True]
    rows = tabulate_scores(report["summary"])
    assert [row[:2] for row in rows[:4]] == [
        ["level", "p_CC"], ["word", "0.5"], ["", "sd"], ["word", "0"]
    ]  # fmt: skip


def test_texts_have_ids() -> None:
    texts = assemble_texts(LABELLED[:2], p_cc=1, seed=3)
    assert [text.id for text in texts] == ["p1-seed3-1", "p1-seed3-2"]


def test_texts_of_a_language_without_spaces_touch() -> None:
    labelled = [("我们走。", SU), ("第三页", NSU)]
    for layout in ("space", "none"):
        (text,) = assemble_texts(labelled, p_cc=0, seed=0, layout=layout, lang="zh")
        assert text.text == "我们走。第三页"
