"""Unit concatenation: words, white space, sizes of groups."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.corpora.concatenation import (
    LAYOUTS,
    assemble_text,
    draw_geometric,
    group_units,
    join_units,
)
from spacy_sentid.sentence_identifier.corpora.layout import join_pieces
from spacy_sentid.text.units import Unit

texts = st.text(max_size=60).filter(str.strip)
units = st.lists(st.tuples(texts, st.sampled_from(["SU", "NSU"])), min_size=1, max_size=6)
shares = st.sampled_from([0.0, 0.5, 1.0])


def join(labelled: list[tuple[str, str]], layout: str, seed: int = 0, **rates: float) -> str:
    """Join units, and return the text."""
    pieces = join_units(labelled, rng=Random(seed), layouts={layout: 1}, **rates)
    return join_pieces(pieces)[0]


def sus(*texts: str) -> list[tuple[str, str]]:
    return [(text, "SU") for text in texts]


@given(units, st.sampled_from(LAYOUTS), shares, shares, shares, st.integers())
def test_units_keep_their_words_and_labels(
    labelled: list[tuple[str, str]], layout: str, wrap: float, quote: float, glue: float, seed: int
) -> None:
    rates = {"p_wrap": wrap, "p_quote": quote, "p_no_space": glue}
    pieces = join_units(labelled, rng=Random(seed), layouts={layout: 1}, **rates)
    assert [piece.label for piece in pieces] == [label for _, label in labelled]
    for piece, (text, _) in zip(pieces, labelled, strict=True):
        assert not piece.gap.strip()
        assert piece.text == piece.text.strip()
        if ">" not in text:
            words = [word for word in piece.text.split() if word.strip(">|")]
            assert words == [word for word in text.split() if word.strip(">|")]


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("space", "Hi Bo. See you."),
        ("line", "Hi Bo.\nSee you."),
        ("paragraph", "Hi Bo.\n\nSee you."),
        ("none", "Hi Bo.See you."),
    ],
)
def test_each_layout_has_its_separator(layout: str, text: str) -> None:
    assert join(sus("Hi Bo.", "See you."), layout) == text


@pytest.mark.parametrize(("layout", "text"), [("space", "Hi.Bo."), ("line", "Hi.\nBo.")])
def test_p_no_space_removes_spaces_but_no_line_breaks(layout: str, text: str) -> None:
    assert join(sus("Hi.", "Bo."), layout, p_no_space=1) == text


def test_quoted_lines_all_have_the_mark() -> None:
    pieces = join_units(
        sus("one two " * 30, "Bo."), rng=Random(0), layouts={"paragraph": 1}, p_wrap=1, p_quote=1
    )
    lines = join_pieces(pieces)[0].split("\n")
    assert len(lines) > 3
    assert all(line.startswith((">", "|")) for line in lines if line)
    assert "" in lines
    assert [piece.gap for piece in pieces] == ["", "\n\n"]


@pytest.mark.parametrize("layout", ["space", "none"])
def test_text_without_line_ends_is_neither_wrapped_nor_quoted(layout: str) -> None:
    assert join(sus("word " * 99), layout, p_wrap=1, p_quote=1) == ("word " * 99).strip()


def test_an_assembled_text_has_the_units_in_characters() -> None:
    found = assemble_text(
        [("我们走。", "SU"), ("第 三", "NSU"), ("OK", "NSU")], layout="none", rng=Random(0)
    )
    assert found.text == "我们走。第 三OK"
    assert found.units == [Unit(0, 4, "SU"), Unit(4, 7, "NSU"), Unit(7, 9, "NSU")]


def test_assembled_texts_use_as_many_random_numbers_as_in_published_studies() -> None:
    # The same generator draws the sizes of the texts of an evaluation.
    for layout, n in (("space", 3), ("line", 3), ("paragraph", 3), ("none", 1)):
        used, expected = Random(0), Random(0)
        assemble_text(sus("A.", "B.", "C."), layout=layout, rng=used)
        for _ in range(n):
            expected.random()
        assert used.getstate() == expected.getstate()


def test_the_same_seed_has_the_same_text() -> None:
    labelled = [(f"Unit {i}.", "NSU" if i % 2 else "SU") for i in range(30)]
    assert join(labelled, "mixed", 1) == join(labelled, "mixed", 1)
    assert len({join(labelled, "mixed", seed) for seed in range(5)}) > 1


@given(
    st.lists(st.integers(1, 9), max_size=30),
    st.lists(st.floats(0, 1), min_size=1, max_size=3),
    st.integers(1, 20),
    st.integers(),
)
def test_groups_tile_the_units_within_the_maximum(
    lengths: list[int], p_cc: list[float], cap: int, seed: int
) -> None:
    runs = list(group_units(lengths, p_cc=p_cc, max_length=cap, rng=Random(seed)))
    assert [i for run in runs for i in run] == list(range(len(lengths)))
    assert all(len(run) == 1 or sum(lengths[i] for i in run) <= cap for run in runs)


def test_p_zero_fills_every_group_up_to_the_maximum() -> None:
    runs = group_units([2] * 7, p_cc=[0], max_length=6, rng=Random(0))
    assert [len(run) for run in runs] == [3, 3, 1]


def test_p_one_has_groups_of_one_unit() -> None:
    runs = group_units([2] * 7, p_cc=[1], max_length=99, rng=Random(0))
    assert [len(run) for run in runs] == [1] * 7


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
def test_the_number_of_units_is_geometric(p: float) -> None:
    rng, n = Random(0), 20000
    draws = [draw_geometric(p, rng) for _ in range(n)]
    assert min(draws) == 1
    assert sum(draws) / n == pytest.approx(1 / p, rel=0.03)
    assert draws.count(2) / n == pytest.approx((1 - p) * p, abs=0.01)


def test_p_zero_draws_no_limit() -> None:
    assert draw_geometric(0, Random(0)) == math.inf
    # Close to 0, the length is too large for a float.
    assert {draw_geometric(5e-324, Random(seed)) for seed in range(20)} == {math.inf}
