"""The evaluation texts of the paper: joined units, and segments of raw text."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.evaluation.joined import assemble_texts
from spacy_sentid.text.units import NSU, SU, Unit
from studies.identifier.postprocess import (
    Setting,
    assemble_setting,
    make_segmenter,
    read_labelled_documents,
    segment_documents,
    split_by_segments,
)

LABELLED = [(f"Unit number {i}.", "NSU" if i % 3 == 0 else "SU") for i in range(40)]
# Segments

TEXT = "Page 3 I sleep. You too?"
UNITS = [Unit(0, 6, NSU), Unit(7, 15, SU), Unit(16, 24, SU)]


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        ([(0, 24)], [["Page 3/NSU", "I sleep./SU", "You too?/SU"]]),
        ([(0, 6), (7, 24)], [["Page 3/NSU"], ["I sleep./SU", "You too?/SU"]]),
        ([(0, 7), (7, 16), (16, 24)], [["Page 3/NSU"], ["I sleep./SU"], ["You too?/SU"]]),
        # An SU in several segments becomes several NSUs, even if it is cut inside a word.
        ([(0, 8), (9, 24)], [["Page 3/NSU", "I/NSU"], ["sleep./NSU", "You too?/SU"]]),
        ([(0, 12), (12, 24)], [["Page 3/NSU", "I sle/NSU"], ["ep./NSU", "You too?/SU"]]),
        ([(0, 8), (9, 14), (14, 24)], [["Page 3/NSU", "I/NSU"], ["sleep/NSU"], [
            "./NSU", "You too?/SU"]]),
        ([(0, 4), (5, 24)], [["Page/NSU"], ["3/NSU", "I sleep./SU", "You too?/SU"]]),
        # Empty segments and segments of white space are skipped.
        ([(0, 6), (6, 7), (7, 7), (7, 24)], [["Page 3/NSU"], ["I sleep./SU", "You too?/SU"]]),
    ],
)  # fmt: skip
def test_an_su_inside_a_segment_is_kept(
    segments: list[tuple[int, int]], expected: list[list[str]]
) -> None:
    found = [
        [f"{text[unit.start : unit.end]}/{unit.label}" for unit in units]
        for text, units, *_ in split_by_segments(TEXT, UNITS, segments)
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("segments", "message"),
    [
        ([], "'Page 3 I sleep. You too?'"),
        ([(0, 6), (9, 24)], "' I '"),
        ([(0, 15)], "' You too?'"),
        ([(0, 7), (6, 24)], "[6, 24)"),
        ([(7, 24), (0, 6)], "'Page 3 '"),
        ([(0, 25)], "24 characters"),
        ([(-1, 24)], "[-1, 24)"),
    ],
)
def test_segments_must_tile_the_text(segments: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        split_by_segments(TEXT, UNITS, segments)


def test_a_text_without_words_has_no_pieces() -> None:
    assert split_by_segments("", [], []) == split_by_segments(" \n", [], [(0, 2)]) == []


@given(st.lists(st.sampled_from([SU, NSU]), max_size=6), st.sets(st.integers(0, 90)))
def test_pieces_contain_all_text_and_only_whole_sus(labels: list[str], cuts: set[int]) -> None:
    labelled = [(f"Unit number {i}.", label) for i, label in enumerate(labels)]
    (whole,) = list(assemble_texts(labelled, p_cc=0, seed=0)) or [("", [])]
    text = whole[0]
    borders = [0, *sorted(cut for cut in cuts if 0 < cut < len(text)), len(text)]
    segments = list(pairwise(borders))
    pieces = split_by_segments(text, whole[1], segments)
    assert "".join("".join(piece.text.split()) for piece in pieces) == "".join(text.split())
    of_units = [p.text[u.start : u.end] for p in pieces for u in p.units]
    assert "".join("".join(unit.split()) for unit in of_units) == "".join(text.split())
    kept = [p.text[u.start : u.end] for p in pieces for u in p.units if u.label == SU]
    gold = [text[u.start : u.end] for u in whole[1] if u.label == SU]
    cut_through = [
        text[u.start : u.end]
        for u in whole[1]
        if u.label == SU and any(u.start < border < u.end for border in borders)
    ]
    assert kept == [unit for unit in gold if unit not in cut_through]
    assert all(p.text[u.start : u.end].strip() == p.text[u.start : u.end] for p in pieces
               for u in p.units)  # fmt: skip


def test_a_segmenter_never_joins_documents() -> None:
    def whole(texts):
        return ([(0, len(text))] for text in texts)

    documents = [[("I sleep.", SU), (" ", NSU)], [("Page 3", NSU)]]
    assert [text.text for text in segment_documents(documents, whole)] == ["I sleep.", "Page 3"]


def test_one_segment_for_each_unit_is_the_same_as_p_one() -> None:
    def lines(texts):
        for text in texts:
            yield [match.span() for match in re.finditer(".+", text)]

    texts = list(segment_documents([LABELLED], lines, layout="line"))
    joined = assemble_texts(LABELLED, p_cc=1, seed=0)
    assert [text[:2] for text in texts] == [text[:2] for text in joined]


# Settings


def test_each_setting_assembles_its_texts() -> None:
    documents = [LABELLED[:10], LABELLED[10:]]
    by_p = assemble_setting(documents, Setting(p_cc=0.5), seed=3)
    assert by_p == list(assemble_texts(LABELLED, p_cc=0.5, seed=3))
    found = assemble_setting(documents, Setting(segmenter="sentencizer"))
    assert [text.text for text in found] == [text for text, _ in LABELLED]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "p_cc.*segmenter"),
        ({"p_cc": 0, "segmenter": "sentencizer"}, "p_cc.*segmenter"),
        ({"p_cc": 1.5}, r"p_cc.*1\.5"),
        ({"p_cc": float("nan")}, "p_cc.*nan"),
    ],
)
def test_a_setting_has_either_p_cc_or_a_segmenter(values: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Setting(**values)


# Documents


def conllu(path: Path, *, newdoc: list[int], n_units: int) -> Path:
    blocks = []
    for i in range(n_units):
        head = f"# newdoc id = d{i}\n" if i in newdoc else ""
        blocks.append(f"{head}# text = Hi{i}\n1\tHi{i}\t_\t_\t_\t_\t0\troot\t_\t_\n")
    path.write_text("\n".join(blocks) + "\n")
    return path


@pytest.mark.parametrize(
    ("newdoc", "sizes"), [([0, 3, 40], [3, 37, 5]), ([], [20, 20, 5]), ([30], [20, 10, 15])]
)
def test_documents_start_at_newdoc_or_have_a_fixed_size(
    tmp_path: Path, newdoc: list[int], sizes: list[int]
) -> None:
    paths = [conllu(tmp_path / "a.conllu", newdoc=newdoc, n_units=45)] * 2
    documents = read_labelled_documents(paths)
    assert list(map(len, documents)) == sizes * 2


def test_documents_are_those_of_convert(sample: Path) -> None:
    assert len(read_labelled_documents([sample / "dev.conllu"])) == 8


# Segmenters

TEXTS = ["Hi there. Bye!  Page 3", "", "Hi", " \n", "One. Two."]


def check_tiling(text: str, segments: list[tuple[int, int]]) -> None:
    pieces = [text[start:end] for start, end in segments]
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert segments == sorted(segments)


def test_sentencizer_tiles_every_text() -> None:
    found = list(make_segmenter("sentencizer")(TEXTS))
    assert len(found) == len(TEXTS)
    for text, segments in zip(TEXTS, found, strict=True):
        check_tiling(text, segments)
    assert found[0][0] == (0, 9)


def test_a_pipeline_segments_by_its_sents(tmp_path: Path) -> None:
    nlp = spacy.blank("de")
    nlp.add_pipe("sentencizer", config={"punct_chars": ["3"]})
    nlp.to_disk(tmp_path)
    assert list(make_segmenter(str(tmp_path))(["Seite 3 Ja."])) == [[(0, 7), (8, 11)]]


def test_a_component_is_added_to_a_pipeline_of_the_language() -> None:
    assert list(make_segmenter("sentencizer", lang="zh")(["你好。再见。"])) == [[(0, 3), (3, 6)]]


@pytest.mark.parametrize(
    ("name", "lang", "message"),
    [
        ("nowhere", "en", "'nowhere'"),
        ("", "en", "''"),
        ("parser", "en", "'parser'"),
        ("sentencizer", "zzz", "'zzz'"),
    ],
)
def test_unknown_segmenter_is_an_error(name: str, lang: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_segmenter(name, lang=lang)


def test_a_pipeline_without_sentence_boundaries_is_an_error(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(ValueError, match="components"):
        list(make_segmenter(str(tmp_path))(["Hi there."]))
