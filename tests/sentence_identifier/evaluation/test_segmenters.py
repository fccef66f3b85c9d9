"""Segmenters by name."""

from pathlib import Path

import pytest
import spacy

from spacy_sentid.sentence_identifier.evaluation.segmenters import make_segmenter

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
