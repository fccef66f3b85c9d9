"""Chunks for retrieval: what a chunk contains, and laws that hold for any Doc."""

import json
import pickle
import random
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

import spacy_sentid
from spacy_sentid.sentence_identifier.access.units import iter_units
from spacy_sentid.sentence_identifier.chunking.chunks import Chunk, chunk
from spacy_sentid.text.units import NSU_KINDS, Unit

NLP = spacy.blank("en")
Row = tuple[str, str]


def make_doc(*rows: Row, joint: str = "\n") -> Doc:
    """Make a Doc with units from (label, text of words joined by spaces) on lines of their own."""
    words, spans, groups = [], [], {"su": [], "nsu": []}
    for label, text in rows:
        start = len(words)
        words += text.split(" ")
        spans.append((start, len(words), label))
        words.append(joint)
    doc = Doc(NLP.vocab, words=words)
    for start, end, label in spans:
        groups["su" if label == "SU" else "nsu"].append(Span(doc, start, end, label=label))
    doc.spans.update(groups)
    return doc


PAGE = make_doc(
    ("METADATA", "page 1"),
    ("HEADING", "# Returns"),
    ("HEADING", "## Refunds"),
    ("SU", "we refund the price ."),
    ("SU", "you need :"),
    ("LIST_ITEM", "- the receipt"),
    ("LIST_ITEM", "- the item"),
    ("SU", "shipping is extra ."),
    ("HEADING", "## Repairs"),
    ("SU", "send lamps to us ."),
    ("METADATA", "page 2"),
    ("SU", "we repair them ."),
)


def lines(chunks: list[Chunk]) -> list[list[str]]:
    return [[line.strip() for line in found.text.splitlines() if line.strip()] for found in chunks]


def test_a_chunk_starts_at_each_run_of_headings() -> None:
    chunks = chunk(PAGE, max_tokens=100)
    assert [found[0] for found in lines(chunks)] == ["page 1", "# Returns", "## Repairs"]
    assert [found.headings for found in chunks] == [
        (), ("Returns", "Refunds"), ("Returns", "Repairs"),
    ]  # fmt: skip


def test_offsets_are_those_of_the_doc() -> None:
    for found in chunk(PAGE, max_tokens=8):
        assert found.text == PAGE.text[found.start_char : found.end_char]
        assert found.pieces == ((found.start_char, found.end_char),)


def test_units_have_offsets_and_kinds_but_no_doc() -> None:
    chunks = chunk(PAGE, max_tokens=100)
    units = [unit for found in chunks for unit in found.units]
    assert units == [
        Unit(unit.start_char, unit.end_char, unit.kind or unit.label) for unit in iter_units(PAGE)
    ]
    assert pickle.loads(pickle.dumps(chunks)) == chunks
    assert json.loads(json.dumps([found._asdict() for found in chunks]))[0]["text"] == "page 1"


def test_list_items_stay_with_the_sentence_before_them() -> None:
    chunks = chunk(PAGE, max_tokens=12)
    assert lines(chunks)[1:3] == [
        ["# Returns", "## Refunds", "we refund the price ."],
        ["you need :", "- the receipt", "- the item"],
    ]


def test_a_long_list_is_divided_but_not_after_its_introduction() -> None:
    doc = make_doc(
        ("SU", "one two three four ."), ("SU", "you need :"),
        *[("LIST_ITEM", f"- thing {i}") for i in range(5)],
    )  # fmt: skip
    assert lines(chunk(doc, max_tokens=9)) == [
        ["one two three four ."],
        ["you need :", "- thing 0", "- thing 1"],
        ["- thing 2", "- thing 3", "- thing 4"],
    ]


def test_units_that_are_left_out_divide_the_text_into_pieces() -> None:
    *_, last = chunk(PAGE, max_tokens=100, include=["HEADING"])
    assert lines([last]) == [["## Repairs", "send lamps to us .", "we repair them ."]]
    assert len(last.pieces) == 2
    assert last.text == "\n".join(PAGE.text[start:end] for start, end in last.pieces)
    offset = last.text.index("repair them")
    assert PAGE.text[last.original_offset(offset) :].startswith("repair them")
    assert last.original_offset(0) == last.start_char
    assert last.original_offset(len(last.text)) == last.end_char


def test_headings_that_are_left_out_are_still_known() -> None:
    chunks = chunk(PAGE, max_tokens=100, include=())
    assert [found.headings[-1] for found in chunks] == ["Refunds", "Repairs"]
    assert {unit.label for found in chunks for unit in found.units} == {"SU"}
    assert chunks[1].text_with_headings.startswith("Returns\nRepairs\nsend lamps")


def test_headings_are_not_repeated_in_the_text_with_headings() -> None:
    chunks = chunk(PAGE, max_tokens=12)
    assert chunks[1].text_with_headings == chunks[1].text
    assert chunks[2].text_with_headings == "Returns\nRefunds\n" + chunks[2].text
    assert chunks[4].text_with_headings == "Returns\n" + chunks[4].text


def test_an_overlap_repeats_sentences_of_the_section() -> None:
    sentences = [("SU", f"sentence {i} .") for i in range(6)]
    doc = make_doc(*sentences[:4], ("HEADING", "# new"), *sentences[4:])
    assert lines(chunk(doc, max_tokens=9, overlap=1)) == [
        ["sentence 0 .", "sentence 1 .", "sentence 2 ."],
        ["sentence 2 .", "sentence 3 ."],
        ["# new", "sentence 4 .", "sentence 5 ."],
    ]


def test_an_overlap_is_left_out_if_it_does_not_fit() -> None:
    doc = make_doc(("SU", "one two three four ."), ("SU", "six seven eight nine ."))
    assert lines(chunk(doc, max_tokens=6, overlap=3)) == [
        ["one two three four ."],
        ["six seven eight nine ."],
    ]


def test_an_overlap_does_not_divide_a_list() -> None:
    doc = make_doc(
        ("SU", "one two three four ."), ("SU", "you need :"), ("LIST_ITEM", "- a"),
        ("LIST_ITEM", "- b"), ("LIST_ITEM", "- c"),
    )  # fmt: skip
    assert lines(chunk(doc, max_tokens=10, overlap=1)) == [
        ["one two three four ."],
        ["you need :", "- a", "- b", "- c"],
    ]


def test_a_unit_that_is_too_long_is_cut_at_its_best_places() -> None:
    text = "we came home, where it was warm; then we ate and we slept"
    doc = make_doc(("SU", "hello there ."), ("SU", text), ("SU", "bye ."))
    chunks = chunk(doc, max_tokens=5)
    assert lines(chunks) == [
        ["hello there ."], ["we came home,"], ["where it was warm;"], ["then we ate and we"],
        ["slept", "bye ."],
    ]  # fmt: skip
    assert [found.is_cut for found in chunks] == [False, True, True, True, True]
    assert chunks[-1].units[0].label == "SU"


def test_words_are_cut_only_if_they_are_too_long() -> None:
    doc = make_doc(("CODE", "x" * 10))
    assert [found.text for found in chunk(doc, 4, count_tokens=len)] == ["xx", "xxx", "xx", "xxx"]


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_a_doc_without_units_has_no_chunks(text: str) -> None:
    assert chunk(spacy_sentid.load("en")(text)) == []


def test_a_doc_without_kinds_can_be_filtered() -> None:
    doc = make_doc(("NSU", "page 1"), ("SU", "cats sleep ."))
    assert len(chunk(doc)) == 1
    assert lines(chunk(doc, include=["NSU"])) == [["page 1", "cats sleep ."]]
    assert lines(chunk(doc, include=["HEADING"])) == [["cats sleep ."]]


def test_tokens_that_are_added_to_every_text_are_counted_once() -> None:
    doc = make_doc(*[("SU", "a b c d")] * 4)
    chunks = chunk(doc, max_tokens=10, count_tokens=lambda text: 2 + len(text.split()))
    assert [found.n_tokens for found in chunks] == [10, 10]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 2.5}, "max_tokens"),
        ({"overlap": -1}, "overlap"),
        ({"include": ["TITLE"]}, "include.*HEADING.*TITLE"),
        ({"include": "HEADING"}, "include"),
    ],
)
def test_invalid_arguments_raise(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chunk(PAGE, **arguments)


def test_units_that_overlap_raise() -> None:
    doc = make_doc(("SU", "cats sleep ."))
    doc.spans["nsu"] = [doc[1:2]]
    with pytest.raises(ValueError, match="overlap"):
        chunk(doc)


def test_a_doc_without_units_raises() -> None:
    with pytest.raises(ValueError, match="sentence_identifier"):
        chunk(NLP("cats sleep"))


def test_the_time_is_linear() -> None:
    rng = random.Random(0)
    rows = [(rng.choice(["SU", "SU", *NSU_KINDS]), "a b c d e f") for _ in range(4000)]
    rows += [("SU", "x, " * 9000 + "x")]
    doc = make_doc(*rows)
    start = time.process_time()
    chunk(doc, overlap=2)
    chunk(doc, count_tokens=lambda text: len(text.split()))
    # 0.3 s here. With 4,000 units, quadratic time would be over 20 times as long.
    assert time.process_time() - start < 6


# Laws


COUNTERS: list[Callable[[str], int] | None] = [
    None,
    len,
    lambda text: len(text.split()),
    lambda text: 2 + len(text.split()),
    lambda text: -(-len(text) // 3),  # merges characters over the edges of units
    lambda text: len(text.encode()) + text.count("\n") * 5,
]
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["SU", "SU", "NSU", *NSU_KINDS]),
        st.sampled_from(["a", "# b", "1.2 c d", "- e f", "g, h; i j k l.", "mmmmmmmmmm", "好的。"]),
    ),
    max_size=12,
)


@given(
    ROWS,
    st.integers(1, 30),
    st.integers(0, 3),
    st.one_of(st.none(), st.sets(st.sampled_from(NSU_KINDS))),
    st.sampled_from(COUNTERS),
)
def test_laws_of_chunks(
    rows: list[Row],
    max_tokens: int,
    overlap: int,
    include: set[str] | None,
    count_tokens: Callable[[str], int] | None,
) -> None:
    doc = make_doc(*rows)
    chunks = chunk(doc, max_tokens, overlap=overlap, include=include, count_tokens=count_tokens)
    for found in chunks:
        assert found.text == "\n".join(doc.text[start:end] for start, end in found.pieces)
        assert found.text == found.text.strip()
        assert (found.start_char, found.end_char) == (found.pieces[0][0], found.pieces[-1][1])
        assert count_tokens is None or found.n_tokens == count_tokens(found.text)
        assert found.n_tokens <= max_tokens or len(found.text) == 1
        covered = [range(*piece) for piece in found.pieces]
        assert all(
            any(unit.start in piece and unit.end - 1 in piece for piece in covered)
            for unit in found.units
        )
        for offset in range(len(found.text)):
            assert found.text[offset] == doc.text[found.original_offset(offset)] or (
                found.text[offset] == "\n"
            )
    wanted = [
        (unit.start_char, unit.end_char)
        for unit in iter_units(doc)
        if unit.is_su or include is None or unit.kind in include
    ]
    # In order, each character of each included unit is in exactly one chunk, or in the overlap.
    assert all(one.units[-1].end <= other.units[-1].start for one, other in pairwise(chunks))
    if not overlap:
        parts = [unit[:2] for found in chunks for unit in found.units]
        characters = [i for part in parts for i in range(*part) if not doc.text[i].isspace()]
        expected = [i for unit in wanted for i in range(*unit) if not doc.text[i].isspace()]
        assert characters == expected
    whole = {unit[:2] for found in chunks if not found.is_cut for unit in found.units}
    assert whole <= set(wanted)
