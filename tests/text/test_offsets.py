"""Offset maps: edits, spans, characters, composition, bytes."""

import pickle
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.text.offsets import Edit, MappedText, OffsetMap, apply_edits, keep_spans

# "<p>A &lt;&gt; B<br>" -> "A <> B"
CLEANED = apply_edits("<p>A &lt;&gt; B<br>", [(0, 3, ""), (5, 9, "<"), (9, 13, ">"), (15, 19, "")])


@pytest.mark.parametrize(
    ("span", "source"),
    [
        ((0, 6), (3, 15)),  # without deleted text at the edges
        ((0, 1), (3, 4)),
        ((2, 3), (5, 9)),  # two entities that touch keep their own sources
        ((3, 4), (9, 13)),
        ((2, 4), (5, 13)),
        ((1, 5), (4, 14)),
        ((0, 0), (3, 3)),  # empty: the start of the next character
        ((3, 3), (9, 9)),
        ((5, 5), (14, 14)),
        ((6, 6), (19, 19)),  # at the end: the end of the original
    ],
)
def test_spans_map_to_the_original(span: tuple[int, int], source: tuple[int, int]) -> None:
    assert CLEANED.text == "A <> B"
    assert CLEANED.offsets.map_span(*span) == source


@pytest.mark.parametrize("span", [(-1, 2), (3, 2), (0, 7), (7, 7)])
def test_spans_outside_the_filtered_text_raise(span: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="within the 6 characters"):
        CLEANED.offsets.map_span(*span)


@pytest.mark.parametrize("offset", [-1, 7])
def test_characters_outside_the_filtered_text_raise(offset: int) -> None:
    with pytest.raises(ValueError, match="within the 6 characters"):
        CLEANED.offsets.map_offset(offset)


def test_characters_map_to_the_original() -> None:
    assert [CLEANED.offsets.map_offset(i) for i in range(7)] == [3, 4, 5, 9, 13, 14, 15]
    assert OffsetMap.identity(0).map_offset(0) == apply_edits("a", [(0, 1, "")]).offsets.map_offset(
        0
    )


def test_characters_are_found_in_the_changed_text() -> None:
    places = [CLEANED.offsets.find_char(i) for i in range(19)]
    assert places == [None] * 3 + [0, 1] + [2] * 4 + [3] * 4 + [4, 5] + [None] * 4


def test_inserted_text_has_an_empty_source() -> None:
    changed = apply_edits("ab", [(0, 0, "1) "), (1, 1, "-"), (2, 2, "!")])
    assert changed.text == "1) a-b!"
    assert [changed.offsets.map_span(*span) for span in [(0, 3), (2, 4), (4, 5), (6, 7)]] == [
        (0, 0), (0, 1), (1, 1), (2, 2),
    ]  # fmt: skip
    assert [changed.offsets.find_char(i) for i in range(2)] == [3, 5]


def test_kept_spans_are_joined_by_spaces() -> None:
    kept = keep_spans("<b>so it is</b>", [(3, 5), (5, 8), (9, 11)])
    assert kept.text == "so  it is"
    assert [kept.offsets.map_offset(i) for i in range(10)] == [3, 4, 5, 5, 6, 7, 8, 9, 10, 11]
    with pytest.raises(ValueError, match="in text order"):
        keep_spans("abc", [(1, 3), (0, 1)])


def test_maps_of_consecutive_texts_can_be_joined() -> None:
    joined = CLEANED.offsets.join(apply_edits("<b>c", [(0, 3, "")]).offsets, 1)
    assert (joined.n_chars, joined.n_original) == (8, 23)
    assert [joined.map_span(i, i + 1) for i in (5, 6, 7)] == [(14, 15), (19, 19), (22, 23)]


def test_a_span_that_cuts_a_replaced_text_has_its_whole_source() -> None:
    offsets = apply_edits("a½b", [(1, 2, "1/2")]).offsets
    assert [offsets.map_span(i, i + 1) for i in range(5)] == [(0, 1)] + [(1, 2)] * 3 + [(2, 3)]
    assert offsets.map_span(2, 2) == (1, 1)


def test_empty_texts_have_a_map() -> None:
    assert apply_edits("", []) == MappedText("", OffsetMap.identity(0))
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
    ],
)
def test_edits_out_of_order_raise(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="in text order"):
        apply_edits("abc", edits)


def test_empty_edits_change_nothing() -> None:
    assert apply_edits("abc", [(1, 1, "")]) == MappedText("abc", OffsetMap.identity(3))


@pytest.mark.parametrize(
    "pieces",
    [
        [(0, 1, 2)],
        [(1, 1, 2)],
        [(0, 0, -1)],
        [(0, 0, 3), (2, 5, 1)],
        [(0, 0, 3), (5, 2, 1)],
    ],
)
def test_wrong_maps_raise(pieces: list) -> None:
    with pytest.raises(ValueError, match="at index"):
        OffsetMap.from_pieces(pieces).check()


def test_maps_of_other_texts_do_not_compose() -> None:
    with pytest.raises(ValueError, match="of 6 characters, got 4"):
        CLEANED.offsets.compose(OffsetMap.identity(4))


def test_two_changes_of_one_place_have_one_source() -> None:
    first = apply_edits("&amp;lt;x", [(0, 5, "&")])
    second = apply_edits(first.text, [(0, 4, "<")])
    offsets = first.offsets.compose(second.offsets)
    assert second.text == "<x"
    assert (offsets.map_span(0, 1), offsets.map_span(1, 2)) == ((0, 8), (8, 9))


def test_maps_pickle() -> None:
    assert pickle.loads(pickle.dumps(CLEANED)) == CLEANED


def test_a_text_may_have_many_edits() -> None:
    text = "ab" * 10**5
    filtered = apply_edits(text, ((i, i + 1, "") for i in range(1, len(text), 2)))
    offsets = filtered.offsets.compose(OffsetMap.identity(10**5))
    assert filtered.text == "a" * 10**5
    assert offsets.map_span(50_000, 50_001) == (10**5, 10**5 + 1)
    assert offsets.map_span(0, 10**5) == (0, 2 * 10**5 - 1)


def edits_of(length: int, *, inserting: bool) -> st.SearchStrategy[list[Edit]]:
    """Generate edits of a text of `length` characters."""

    def build(cuts: list[int], changes: list[str | None]) -> list[Edit]:
        bounds = sorted(cuts if inserting else set(cuts))
        pairs = zip(pairwise(bounds), changes, strict=False)
        return [(start, end, new) for (start, end), new in pairs if new is not None]

    cuts = st.lists(st.integers(0, length), max_size=10)  # two equal cuts insert
    new = st.none() | st.sampled_from(["", "", "x", "yz", "xyz"])
    return st.builds(build, cuts, st.lists(new, min_size=10, max_size=10))


@st.composite
def filtered_texts(
    draw: st.DrawFn, n_filters: int, *, inserting: bool = False
) -> tuple[str, list[MappedText]]:
    """Draw a text and the outputs of a chain of filters, each applied to the last output."""
    text = draw(st.text("abc", max_size=12))
    steps = [MappedText(text, OffsetMap.identity(len(text)))]
    for _ in range(n_filters):
        last = steps[-1].text
        steps.append(apply_edits(last, draw(edits_of(len(last), inserting=inserting))))
    return text, steps[1:]


Borders = set[tuple[int, int]]


def borders_of(offsets: OffsetMap) -> Borders:
    """List the offsets where both texts can be cut: (filtered, original)."""
    return {(f + i, o + i) for f, o, length in offsets.pieces for i in range(length + 1)}


def kept_of(offsets: OffsetMap) -> Borders:
    """List the offsets of all kept characters: (filtered, original)."""
    return {(f + i, o + i) for f, o, length in offsets.pieces for i in range(length)}


def join(first: Borders, second: Borders) -> Borders:
    return {(f, o) for f, m in second for n, o in first if m == n}


@given(filtered_texts(1, inserting=True))
def test_kept_pieces_are_the_original(
    case: tuple[str, list[MappedText]],
) -> None:
    text, [(filtered, offsets)] = case
    offsets.check()
    assert (offsets.n_chars, offsets.n_original) == (len(filtered), len(text))
    for f, o, length in offsets.pieces:
        assert filtered[f : f + length] == text[o : o + length]


@given(filtered_texts(1, inserting=True))
def test_sources_are_in_the_original_in_order(case: tuple[str, list[MappedText]]) -> None:
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
            # By brute force: the last boundary up to the start, the first from the end on.
            assert a == max(o for f, o in borders if f <= start)
            assert b == min(o for f, o in borders if f >= end)
    sources = [offsets.map_span(i, i + 1) for i in range(n)]
    assert all(one <= other for one, other in pairwise(sources))


@given(filtered_texts(2))
def test_composition_keeps_what_both_keep(case: tuple[str, list[MappedText]]) -> None:
    text, (first, second) = case
    both = first.offsets.compose(second.offsets)
    both.check()
    assert (both.n_chars, both.n_original) == (len(second.text), len(text))
    assert borders_of(both) == join(borders_of(first.offsets), borders_of(second.offsets))
    assert kept_of(both) == join(kept_of(first.offsets), kept_of(second.offsets))
    for start in range(len(second.text) + 1):
        for end in range(start + 1, len(second.text) + 1):
            a, b = both.map_span(start, end)
            c, d = first.offsets.map_span(*second.offsets.map_span(start, end))
            assert a <= c <= d <= b


@given(filtered_texts(2, inserting=True))
def test_insertions_compose_to_a_valid_map(case: tuple[str, list[MappedText]]) -> None:
    text, (first, second) = case
    both = first.offsets.compose(second.offsets)
    both.check()
    assert (both.n_chars, both.n_original) == (len(second.text), len(text))
    assert borders_of(both) <= join(borders_of(first.offsets), borders_of(second.offsets))
    assert kept_of(both) == join(kept_of(first.offsets), kept_of(second.offsets))


@given(filtered_texts(3))
def test_composition_is_associative(case: tuple[str, list[MappedText]]) -> None:
    _, steps = case
    a, b, c = (step.offsets for step in steps)
    assert a.compose(b).compose(c) == a.compose(b.compose(c))


@given(filtered_texts(1))
def test_the_identity_composes_to_the_same_map(case: tuple[str, list[MappedText]]) -> None:
    text, [(filtered, offsets)] = case
    assert OffsetMap.identity(len(text)).compose(offsets) == offsets
    assert offsets.compose(OffsetMap.identity(len(filtered))) == offsets


@given(filtered_texts(1, inserting=True))
def test_maps_survive_bytes(case: tuple[str, list[MappedText]]) -> None:
    offsets = case[1][0].offsets
    assert OffsetMap.from_bytes(offsets.to_bytes()) == offsets
