"""Evaluation texts of a treebank, and what a pipeline scores on them."""

import pytest
import tiny

from spacy_sentid.sentence_identifier.evaluation import assemble_texts, evaluate_pipeline

LABELLED = [(f"Unit number {i}.", "NSU" if i % 3 == 0 else "SU") for i in range(40)]


@pytest.mark.parametrize("p_cc", [0, 0.5, 1])
def test_texts_hold_every_unit_in_order(p_cc: float) -> None:
    texts = list(assemble_texts(LABELLED, p_cc=p_cc, seed=0, max_words=30))
    units = [
        (text.text[unit.start : unit.end], unit.label) for text in texts for unit in text.units
    ]
    assert units == LABELLED


def test_p_zero_fills_texts_up_to_the_cap() -> None:
    texts = list(assemble_texts(LABELLED, p_cc=0, seed=0, max_words=30))
    assert {len(text.units) for text in texts} == {10}


def test_p_one_gives_one_unit_a_text() -> None:
    assert len(list(assemble_texts(LABELLED, p_cc=1, seed=0))) == len(LABELLED)


@pytest.mark.parametrize(
    ("layout", "joint"), [("space", " "), ("line", "\n"), ("paragraph", "\n\n")]
)
def test_units_are_joined_by_the_layout(layout: str, joint: str) -> None:
    (text,) = assemble_texts(LABELLED, p_cc=0, seed=0, layout=layout)
    assert text.text == joint.join(unit for unit, _ in LABELLED)


def test_the_same_seed_gives_the_same_texts() -> None:
    first, again, other = (list(assemble_texts(LABELLED, p_cc=0.5, seed=s)) for s in (1, 1, 2))
    assert first == again != other


def test_units_of_white_space_are_left_out() -> None:
    (text,) = assemble_texts([(" ", "NSU"), ("Hi.", "SU")], p_cc=0, seed=0)
    assert text.text == "Hi."


@pytest.mark.parametrize("p_cc", [-0.1, 1.1, float("nan")])
def test_p_outside_zero_to_one_raises(p_cc: float) -> None:
    with pytest.raises(ValueError, match="p_cc is"):
        list(assemble_texts(LABELLED, p_cc=p_cc, seed=0))


def test_a_trained_pipeline_is_perfect_on_what_it_learned() -> None:
    labelled = [*zip(tiny.TEXTS[0][::2], tiny.TEXTS[0][1::2], strict=True)]
    texts = list(assemble_texts(labelled, p_cc=0, seed=0, layout="line"))
    assert evaluate_pipeline(tiny.trained(), texts)["spans_su_f"] == 1


def test_span_keys_may_be_others() -> None:
    texts = list(assemble_texts(LABELLED[:4], p_cc=0, seed=0))
    nlp = tiny.trained(su_key="s", nsu_key="n")
    scores = evaluate_pipeline(nlp, texts, su_key="s", nsu_key="n")
    assert "bio_macro_f" in scores
