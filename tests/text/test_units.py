"""Round trips and tiling of label sequences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.text.units import (
    BIO,
    NSU,
    SU,
    Unit,
    bio_from_units,
    bio_of_words,
    count_words,
    flags_from_units,
    units_from_bio,
    units_from_spans,
    word_spans,
)


@st.composite
def tilings(draw: st.DrawFn) -> list[Unit]:
    """Draw units of any size and label that tile a text."""
    units: list[Unit] = []
    for size, label in draw(
        st.lists(st.tuples(st.integers(1, 5), st.sampled_from([SU, NSU])), max_size=8)
    ):
        start = units[-1].end if units else 0
        units.append(Unit(start, start + size, label))
    return units


def length_of(units: list[Unit]) -> int:
    return units[-1].end if units else 0


def merge_nsus(units: list[Unit]) -> list[Unit]:
    merged: list[Unit] = []
    for unit in units:
        if merged and merged[-1].label == unit.label == NSU:
            merged[-1] = Unit(merged[-1].start, unit.end, NSU)
        else:
            merged.append(unit)
    return merged


def assert_tiles(units: list[Unit], length: int) -> None:
    position = 0
    for unit in units:
        assert unit.start == position < unit.end
        position = unit.end
    assert position == length


@given(tilings())
def test_units_to_bio_and_back_only_merges_touching_nsus(units: list[Unit]) -> None:
    assert units_from_bio(bio_from_units(units, length_of(units))) == merge_nsus(units)


@given(tilings())
def test_flags_are_the_edges_of_sus(units: list[Unit]) -> None:
    bos, eos = flags_from_units(units, length_of(units))
    sus = [unit for unit in units if unit.label == SU]
    assert [i for i, flag in enumerate(bos) if flag] == [unit.start for unit in sus]
    assert [i + 1 for i, flag in enumerate(eos) if flag] == [unit.end for unit in sus]


@given(tilings())
def test_units_to_spans_and_back_only_merges_touching_nsus(units: list[Unit]) -> None:
    spans = [(unit.start, unit.end) for unit in units if unit.label == SU]
    assert units_from_spans(spans, length_of(units)) == merge_nsus(units)


@given(st.lists(st.sampled_from(BIO), max_size=12))
def test_units_from_any_bio_labels_tile_the_text(labels: list[str]) -> None:
    assert_tiles(units_from_bio(labels), len(labels))


@given(tilings())
def test_bio_of_legal_units_survives_a_round_trip(units: list[Unit]) -> None:
    labels = bio_from_units(units, length_of(units))
    assert bio_from_units(units_from_bio(labels), len(labels)) == labels


def test_one_word_can_be_bos_and_eos() -> None:
    assert flags_from_units([Unit(0, 1, SU)], 1) == ([1], [1])


@pytest.mark.parametrize(
    "spans", [[(0, 0)], [(2, 1)], [(0, 2), (1, 3)], [(2, 3), (0, 1)], [(0, 4)], [(-1, 1)]]
)
def test_spans_out_of_order_or_range_raise(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match="Spans"):
        units_from_spans(spans, 3)


def words_of(text: str) -> list[str]:
    return [text[start:end] for start, end in word_spans(text)]


@given(st.text(max_size=40))
def test_words_are_all_that_is_not_white_space(text: str) -> None:
    words = words_of(text)
    assert all(words)
    assert "".join(words) == "".join(text.split())
    assert len(words) == count_words(text)


@given(st.text(st.characters(max_codepoint=0xDFF), max_size=40))
def test_words_of_scripts_with_spaces_are_those_of_split(text: str) -> None:
    assert words_of(text) == text.split()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n\u3000\u2003", []),
        ("don't (e.g.)\tgo…", ["don't", "(e.g.)", "go…"]),
        # Han characters, also outside the basic plane, with CJK and full-width punctuation.
        ("我没有钱。", ["我", "没", "有", "钱", "。"]),
        ("「𠀀」，〇！", ["「", "𠀀", "」", "，", "〇", "！"]),
        ("葛\U000e0100城", ["葛\U000e0100", "城"]),
        # A word of another script ends before a character of such a script.
        ("用spaCy 3.8版", ["用", "spaCy", "3.8", "版"]),
        ("“好”……", ["“", "好", "”……"]),
        ("ＡＢＣ１２公司", ["ＡＢＣ１２", "公", "司"]),
        ("我\u3000你", ["我", "你"]),
        ("カタカナとﾊﾟ", ["カ", "タ", "カ", "ナ", "と", "ﾊﾟ"]),
        # Korean has spaces.
        ("한국어는 띄어", ["한국어는", "띄어"]),
        # Vowel signs and tone marks stay with their letter.
        ("ที่นี่ Go", ["ที่", "นี่", "Go"]),
        ("ນີ້", ["ນີ້"]),
        ("ខ្មែរ", ["ខ្", "មែ", "រ"]),
        ("မြန်", ["မြ", "န်"]),
    ],
)
def test_a_character_of_a_script_without_spaces_is_a_word(text: str, words: list[str]) -> None:
    assert words_of(text) == words
    assert count_words(text) == len(words)


@pytest.mark.parametrize(
    ("chars", "labels"),
    [
        ("OOOO", ["O", "O"]),
        ("BIII", ["B", "I"]),
        ("OBII", ["B", "I"]),
        ("IIBI", ["I", "B"]),
        ("OIOO", ["I", "O"]),
        ("IBOO", ["B", "O"]),
    ],
)
def test_words_are_labelled_by_their_characters(chars: str, labels: list[str]) -> None:
    assert bio_of_words(list(chars), [(0, 2), (2, 4)]) == labels
