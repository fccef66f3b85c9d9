"""Evaluation texts of a treebank, and the scores of a pipeline on them."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
import tiny
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.evaluation.joined import (
    Setting,
    assemble_setting,
    assemble_texts,
    evaluate_pipeline,
    evaluate_settings,
    read_labelled_documents,
    score_rows,
    segment_documents,
)
from spacy_sentid.sentence_identifier.evaluation.scorer import score_units
from spacy_sentid.sentence_identifier.evaluation.segmenters import split_by_segments
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
    texts = list(assemble_texts(labelled, p_cc=0, seed=0, layout="line"))
    assert evaluate_pipeline(tiny.trained(), texts)["spans_su_f"] == 1


def test_other_span_keys_can_be_scored() -> None:
    texts = list(assemble_texts(LABELLED[:4], p_cc=0, seed=0))
    nlp = tiny.trained(su_key="s", nsu_key="n")
    scores = evaluate_pipeline(nlp, texts, su_key="s", nsu_key="n")
    assert "bio_macro_f" in scores


@pytest.mark.parametrize("prefix", ["", "char_"])
def test_without_nsu_the_macro_is_the_mean_of_b_and_i_at_both_levels(prefix: str) -> None:
    (text,) = assemble_texts([("I like cats.", SU), ("They sleep.", SU)], p_cc=0, seed=0)
    scores = score_units([(text.text, text.units, [text.units[0], Unit(13, 24, NSU)])])
    mean = (scores[f"{prefix}bio_b_f"] + scores[f"{prefix}bio_i_f"]) / 2
    assert scores[f"{prefix}bio_macro_f"] == pytest.approx(mean)
    assert 0 < mean < 1


# The setting "postprocess".

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
        for text, units in split_by_segments(TEXT, UNITS, segments)
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
    pieces = split_by_segments(*whole, segments)
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
    assert texts == list(assemble_texts(LABELLED, p_cc=1, seed=0))


# Settings.


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


def test_a_report_names_settings_and_runs_a_segmenter_once() -> None:
    done: list[str] = []
    report = evaluate_settings(
        tiny.trained(),
        [LABELLED],
        settings=[Setting(p_cc=0.5), Setting(segmenter="sentencizer")],
        seeds=[0, 1],
        layout="space",
        on_text=done.append,
    )
    heads = [(run["setting"], run["p_cc"], run["segmenter"], run["seed"]) for run in report["runs"]]
    assert heads == [
        ("0.5", 0.5, None, 0),
        ("0.5", 0.5, None, 1),
        ("postprocess", None, "sentencizer", None),
    ]
    assert len(done) == sum(run["texts"] for run in report["runs"])
    assert ["sd" in entry for entry in report["summary"]] == [True, False]
    rows = score_rows(report["summary"])
    assert [row[:2] for row in rows[:4]] == [
        ["level", "p_CC"], ["word", "0.5"], ["", "sd"], ["word", "postprocess"]
    ]  # fmt: skip


# Documents.


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


def test_texts_of_a_language_without_spaces_touch() -> None:
    documents = [[("我们走。", "SU"), ("第三页", "NSU")]]
    for layout in ("space", "none"):
        (text,) = assemble_setting(documents, Setting(p_cc=0.0), layout=layout, lang="zh")
        assert text.text == "我们走。第三页"
