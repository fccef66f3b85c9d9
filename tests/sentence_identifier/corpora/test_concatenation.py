"""Unit concatenation: offsets, white space, sizes of groups."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.corpora.concatenation import (
    LAYOUTS,
    concatenate_units,
    draw_geometric,
    group_units,
)
from spacy_sentid.text.units import word_spans

texts = st.text(max_size=60).filter(str.strip)
units = st.lists(st.tuples(texts, st.sampled_from(["SU", "NSU"])), min_size=1, max_size=6)
shares = st.sampled_from([0.0, 0.5, 1.0])


@given(units, st.sampled_from(LAYOUTS), shares, shares, shares, st.integers())
def test_offsets_point_to_the_words_of_the_units(
    units: list[tuple[str, str]], layout: str, wrap: float, quote: float, glue: float, seed: int
) -> None:
    names, labels = zip(*units, strict=True)
    joined = concatenate_units(
        names,
        labels,
        rng=Random(seed),
        layouts={layout: 1},
        p_wrap=wrap,
        p_quote=quote,
        p_no_space=glue,
    )
    for text, (start, end), words in zip(names, joined.units, joined.words, strict=True):
        assert [before for before, _ in words] == [first for first, _ in word_spans(text)]
        for (before, after), (first, last) in zip(words, word_spans(text), strict=True):
            word = text[first:last]
            assert text[before:].startswith(word)
            assert joined.text[after:].startswith(word)
            assert start <= after < end


@given(units, st.sampled_from(LAYOUTS), shares, shares, shares, st.integers())
def test_units_tile_all_that_is_not_white_space(
    units: list[tuple[str, str]], layout: str, wrap: float, quote: float, glue: float, seed: int
) -> None:
    names, labels = zip(*units, strict=True)
    joined = concatenate_units(
        names,
        labels,
        rng=Random(seed),
        layouts={layout: 1},
        p_wrap=wrap,
        p_quote=quote,
        p_no_space=glue,
    )
    position = 0
    for start, end in joined.units:
        assert not joined.text[position:start].strip()
        assert start < end
        assert joined.text[start:end] == joined.text[start:end].strip()
        position = end
    assert position == len(joined.text)


@given(units, st.sampled_from(["line", "paragraph", "mixed", "space"]), st.integers())
def test_without_quotes_only_white_space_changes(
    units: list[tuple[str, str]], layout: str, seed: int
) -> None:
    names, labels = zip(*units, strict=True)
    joined = concatenate_units(names, labels, rng=Random(seed), layouts={layout: 1}, p_wrap=1.0)
    assert joined.text.split() == " ".join(names).split()


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
    joined = concatenate_units(
        ["Hi Bo.", "See you."], ["SU", "SU"], rng=Random(0), layouts={layout: 1}
    )
    assert joined.text == text


def test_p_no_space_removes_the_space_between_units() -> None:
    joined = concatenate_units(
        ["Hi.", "Bo."], ["SU"] * 2, rng=Random(0), layouts={"space": 1}, p_no_space=1
    )
    assert (joined.text, joined.units) == ("Hi.Bo.", [(0, 3), (3, 6)])


def test_p_no_space_does_not_remove_line_breaks() -> None:
    joined = concatenate_units(
        ["Hi.", "Bo."], ["SU"] * 2, rng=Random(0), layouts={"line": 1}, p_no_space=1
    )
    assert joined.text == "Hi.\nBo."


def test_quoted_lines_all_have_the_prefix() -> None:
    joined = concatenate_units(
        ["one two " * 20, "Bo."], ["SU"] * 2, rng=Random(0), layouts={"paragraph": 1},
        p_wrap=1, p_quote=1,
    )  # fmt: skip
    assert len(joined.text.splitlines()) > 3
    lines = joined.text.split("\n")
    assert all(line.startswith("> ") for line in lines if line)
    assert "" in lines
    assert [joined.text[start : start + 5] for start, _ in joined.units] == ["> one", "> Bo."]


def test_wrapped_lines_are_no_longer_than_the_widest_width() -> None:
    joined = concatenate_units(["word " * 99], ["SU"], rng=Random(0), layouts={"line": 1}, p_wrap=1)
    lines = joined.text.splitlines()
    assert len(lines) > 5
    assert max(map(len, lines)) <= 78


@pytest.mark.parametrize("layout", ["space", "none"])
def test_text_without_line_ends_is_neither_wrapped_nor_quoted(layout: str) -> None:
    joined = concatenate_units(
        ["word " * 99], ["SU"], rng=Random(0), layouts={layout: 1}, p_wrap=1, p_quote=1
    )
    assert joined.text == ("word " * 99).strip()


def test_units_that_touch_keep_their_offsets() -> None:
    texts = ["我们走。", "第 三", "OK"]
    joined = concatenate_units(texts, ["SU", "NSU", "NSU"], rng=Random(0), layouts={"none": 1})
    assert joined.text == "我们走。第 三OK"
    assert joined.units == [(0, 4), (4, 7), (7, 9)]
    assert joined.words[1:] == [[(0, 4), (2, 6)], [(0, 7)]]


def test_the_same_seed_has_the_same_text() -> None:
    def draw(seed: int) -> str:
        names, labels = [f"Unit {i}." for i in range(30)], ["SU", "NSU"] * 15
        layouts = {"space": 1.0, "mixed": 1.0}
        return concatenate_units(
            names, labels, rng=Random(seed), layouts=layouts, p_no_space=0.2
        ).text

    assert draw(1) == draw(1)
    assert len({draw(seed) for seed in range(5)}) > 1


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
