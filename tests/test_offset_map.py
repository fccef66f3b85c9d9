"""Offset maps: edits, spans, composition, JSON."""

import json
import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.rule_sentencizer.offset_map import Edit, Filtered, OffsetMap, apply_edits

# "<p>A &lt;&gt; B<br>" -> "A <> B"
CLEANED = apply_edits("<p>A &lt;&gt; B<br>", [(0, 3, ""), (5, 9, "<"), (9, 13, ">"), (15, 19, "")])


@pytest.mark.parametrize(
    ("span", "source"),
    [
        ((0, 6), (3, 15)),  # what is deleted at the edges is not in it
        ((0, 1), (3, 4)),
        ((2, 3), (5, 9)),  # two entities that touch keep their own sources
        ((3, 4), (9, 13)),
        ((2, 4), (5, 13)),
        ((1, 5), (4, 14)),
        ((0, 0), (3, 3)),  # empty: where the character behind it begins
        ((3, 3), (9, 9)),
        ((5, 5), (14, 14)),
        ((6, 6), (19, 19)),  # at the end: the end of the original
    ],
)
def test_spans_go_back_to_the_original(span: tuple[int, int], source: tuple[int, int]) -> None:
    assert CLEANED.text == "A <> B"
    assert CLEANED.offsets.map_span(*span) == source


@pytest.mark.parametrize("span", [(-1, 2), (3, 2), (0, 7), (7, 7)])
def test_spans_outside_the_filtered_text_raise(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=r"Found span .* of 6 characters\. Give offsets"):
        CLEANED.offsets.map_span(*span)


@pytest.mark.parametrize("offset", [-1, 7])
def test_characters_outside_the_filtered_text_raise(offset: int) -> None:
    with pytest.raises(ValueError, match="Found span"):
        CLEANED.offsets.map_char(offset)


def test_characters_go_back_to_the_original() -> None:
    chars = [CLEANED.offsets.map_char(i) for i in range(7)]
    assert chars == [(3, 4), (4, 5), (5, 9), (9, 13), (13, 14), (14, 15), (19, 19)]


def test_a_span_that_cuts_a_replaced_text_has_its_whole_source() -> None:
    offsets = apply_edits("a½b", [(1, 2, "1/2")]).offsets
    assert [offsets.map_span(i, i + 1) for i in range(5)] == [(0, 1)] + [(1, 2)] * 3 + [(2, 3)]
    assert offsets.map_span(2, 2) == (1, 1)


def test_empty_texts_have_a_map() -> None:
    assert apply_edits("", []) == Filtered("", OffsetMap.identity(0))
    assert OffsetMap.identity(0).map_span(0, 0) == (0, 0)
    assert apply_edits("<p>", [(0, 3, "")]).offsets.map_span(0, 0) == (3, 3)


@pytest.mark.parametrize(
    "edits",
    [
        [(2, 3, ""), (1, 2, "")],
        [(0, 2, ""), (1, 3, "")],
        [(0, 4, "")],
        [(-1, 1, "")],
        [(2, 1, "")],
        [(1, 1, "x")],
    ],
)
def test_edits_out_of_order_or_inserting_raise(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match=r"Found edit .* expected edits in text order .* To"):
        apply_edits("abc", edits)


def test_empty_edits_change_nothing() -> None:
    assert apply_edits("abc", [(1, 1, "")]) == Filtered("abc", OffsetMap.identity(3))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "without pieces"),
        ([[0, 0]], "expected .filtered_start, original_start, length."),
        ([[0, 0, 1.0]], "expected .filtered_start, original_start, length."),
        ([[0, 0, "1"]], "expected .filtered_start, original_start, length."),
        ([[0, 1, 2]], "at index 0"),
        ([[1, 1, 2]], "at index 0"),
        ([[0, 0, -1]], "at index 0"),
        ([[0, 0, 3], [2, 5, 1]], "at index 1"),
        ([[0, 0, 3], [5, 2, 1]], "at index 1"),
        ([[0, 0, 3], [3, 3, 1]], "at index 1"),
        ([[0, 0, 3], [5, 3, 1]], "at index 1"),  # an insertion
    ],
)
def test_what_is_no_map_raises(rows: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OffsetMap.from_json(rows)


def test_maps_of_other_texts_do_not_compose() -> None:
    with pytest.raises(ValueError, match=r"a text of 4 characters behind one that gives 6"):
        CLEANED.offsets.compose(OffsetMap.identity(4))


def test_two_changes_of_one_place_have_one_source() -> None:
    first = apply_edits("&amp;lt;x", [(0, 5, "&")])
    second = apply_edits(first.text, [(0, 4, "<")])
    offsets = first.offsets.compose(second.offsets)
    assert second.text == "<x"
    assert (offsets.map_char(0), offsets.map_char(1)) == ((0, 8), (8, 9))


def test_maps_pickle() -> None:
    assert pickle.loads(pickle.dumps(CLEANED)) == CLEANED


def test_a_million_edits_run_through() -> None:
    text = "ab" * 10**6
    filtered = apply_edits(text, ((i, i + 1, "") for i in range(1, len(text), 2)))
    offsets = filtered.offsets.compose(OffsetMap.identity(10**6))
    assert filtered.text == "a" * 10**6
    assert offsets.map_span(500_000, 500_001) == (10**6, 10**6 + 1)
    assert offsets.map_span(0, 10**6) == (0, 2 * 10**6 - 1)


def edits_of(length: int) -> st.SearchStrategy[list[Edit]]:
    """Any edits of a text of `length` characters."""

    def build(cuts: list[int], changes: list[str | None]) -> list[Edit]:
        borders = sorted(set(cuts))
        pairs = zip(pairwise(borders), changes, strict=False)
        return [(start, end, new) for (start, end), new in pairs if new is not None]

    cuts = st.lists(st.integers(0, length), max_size=10)
    new = st.none() | st.sampled_from(["", "", "x", "yz", "xyz"])
    return st.builds(build, cuts, st.lists(new, min_size=10, max_size=10))


@st.composite
def filtered_texts(draw: st.DrawFn, n_filters: int) -> tuple[str, list[Filtered]]:
    """A text, and what a row of filters makes of it, each of what the one before it gave."""
    text = draw(st.text("abc", max_size=12))
    steps = [Filtered(text, OffsetMap.identity(len(text)))]
    for _ in range(n_filters):
        last = steps[-1].text
        steps.append(apply_edits(last, draw(edits_of(len(last)))))
    return text, steps[1:]


Borders = set[tuple[int, int]]


def borders_of(offsets: OffsetMap) -> Borders:
    """All places where both texts can be cut: (filtered, original)."""
    return {(f + i, o + i) for f, o, length in offsets.pieces for i in range(length + 1)}


def kept_of(offsets: OffsetMap) -> Borders:
    """All characters kept: (filtered, original)."""
    return {(f + i, o + i) for f, o, length in offsets.pieces for i in range(length)}


def join(first: Borders, second: Borders) -> Borders:
    return {(f, o) for f, m in second for n, o in first if m == n}


@given(filtered_texts(1))
def test_kept_pieces_are_the_original_and_maps_are_valid(case: tuple[str, list[Filtered]]) -> None:
    text, [(filtered, offsets)] = case
    offsets.check()
    assert (offsets.n_filtered, offsets.n_original) == (len(filtered), len(text))
    for f, o, length in offsets.pieces:
        assert filtered[f : f + length] == text[o : o + length]


@given(filtered_texts(1))
def test_sources_lie_in_the_original_in_order(case: tuple[str, list[Filtered]]) -> None:
    text, [(filtered, offsets)] = case
    borders = borders_of(offsets)
    n = len(filtered)
    for start in range(n + 1):
        for end in range(start, n + 1):
            a, b = offsets.map_span(start, end)
            assert 0 <= a <= b <= len(text)
            if start == end:
                assert a == b
                continue
            # By search: the last border up to the start, the first from the end on.
            assert a == max(o for f, o in borders if f <= start)
            assert b == min(o for f, o in borders if f >= end)
    sources = [offsets.map_char(i) for i in range(n)]
    assert all(one <= other for one, other in pairwise(sources))


@given(filtered_texts(2))
def test_composition_keeps_what_both_keep(case: tuple[str, list[Filtered]]) -> None:
    text, (first, second) = case
    both = first.offsets.compose(second.offsets)
    both.check()
    assert (both.n_filtered, both.n_original) == (len(second.text), len(text))
    assert borders_of(both) == join(borders_of(first.offsets), borders_of(second.offsets))
    assert kept_of(both) == join(kept_of(first.offsets), kept_of(second.offsets))
    for start in range(len(second.text) + 1):
        for end in range(start + 1, len(second.text) + 1):
            a, b = both.map_span(start, end)
            c, d = first.offsets.map_span(*second.offsets.map_span(start, end))
            assert a <= c <= d <= b


@given(filtered_texts(3))
def test_composition_is_associative(case: tuple[str, list[Filtered]]) -> None:
    _, steps = case
    a, b, c = (step.offsets for step in steps)
    assert a.compose(b).compose(c) == a.compose(b.compose(c))


@given(filtered_texts(1))
def test_the_identity_composes_to_the_same_map(case: tuple[str, list[Filtered]]) -> None:
    text, [(filtered, offsets)] = case
    assert OffsetMap.identity(len(text)).compose(offsets) == offsets
    assert offsets.compose(OffsetMap.identity(len(filtered))) == offsets


@given(filtered_texts(1))
def test_maps_survive_json(case: tuple[str, list[Filtered]]) -> None:
    offsets = case[1][0].offsets
    assert OffsetMap.from_json(json.loads(json.dumps(offsets.to_json()))) == offsets
