"""Segmenters by name, and sentences found again in their text."""

import sys
from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError
from types import ModuleType, SimpleNamespace

import pytest
import spacy

from spacy_sentid.sentence_identifier.segmenters import locate_sentences, make_segmenter

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


def test_a_component_is_put_in_a_pipeline_of_the_language() -> None:
    assert list(make_segmenter("sentencizer", lang="zh")(["你好。再见。"])) == [[(0, 3), (3, 6)]]


@pytest.mark.parametrize(
    ("name", "lang", "message"),
    [
        ("nowhere", "en", "'nowhere'"),
        ("", "en", "segmenter ''"),
        ("parser", "en", "'parser'"),
        ("sentencizer", "zzz", "'zzz'"),
    ],
)
def test_unknown_segmenter_is_an_error(name: str, lang: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_segmenter(name, lang=lang)


def test_a_pipeline_without_sentence_borders_is_an_error(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(ValueError, match="components"):
        list(make_segmenter(str(tmp_path))(["Hi there."]))


def test_ersatz_missing_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ersatz.split", None)
    with pytest.raises(ValueError, match="ersatz"):
        make_segmenter("ersatz")


def install_ersatz(monkeypatch: pytest.MonkeyPatch, split: Callable) -> None:
    module = ModuleType("ersatz.split")
    module.split = split  # type: ignore[attr-defined]
    for name in ("ersatz", "ersatz.split", "sentencepiece"):
        monkeypatch.setitem(sys.modules, name, module)


def test_ersatz_model_that_torch_refuses_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    def split(args: SimpleNamespace) -> list[str]:
        raise UnpicklingError("Weights only load failed.")

    install_ersatz(monkeypatch, split)
    with pytest.raises(ValueError, match="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"):
        list(make_segmenter("ersatz")(TEXTS))


def test_ersatz_is_given_text_and_its_sentences_found_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[str] = []

    def split(args: SimpleNamespace) -> list[str]:
        given.append(args.text)
        return [part.strip() + "." for part in args.text.split(".") if part.strip()]

    install_ersatz(monkeypatch, split)
    texts = ["Hi there.  Bye.", "", " "]
    assert list(make_segmenter("ersatz")(texts)) == [[(0, 9), (11, 15)], [], []]
    assert given == texts[:1]


@pytest.mark.parametrize(
    ("text", "sentences", "pieces"),
    [
        ("Hi.\nBye.", ["Hi.", "Bye."], ["Hi.", "Bye."]),
        ("Hi  Bo.Bye.", ["Hi Bo.", "Bye."], ["Hi  Bo.", "Bye."]),
        ("½ … ok. Ａ", ["1⁄2 ... ok.", "A"], ["½ … ok.", "Ａ"]),  # compatible characters
        ("cafe\u0301 é. x", ["café é.", "x"], ["cafe\u0301 é.", "x"]),
        ("a\u200bb. c", ["ab.", "", "c"], ["a\u200bb.", "c"]),
        ("", [], []),
    ],
)
def test_sentences_are_found_again(text: str, sentences: list[str], pieces: list[str]) -> None:
    assert [text[start:end] for start, end in locate_sentences(text, sentences)] == pieces


@pytest.mark.parametrize(
    ("text", "sentences", "message"),
    [
        ("Hi. Bye.", ["Hi.", "Buy."], r"'Buy\.'.*'Bye\.'"),
        ("Hi. Bye.", ["Hi."], r"''.*'Bye\.'"),
        ("Hi.", ["Hi.", "Bye."], r"'Bye\.'.*''"),
    ],
)
def test_other_words_are_an_error(text: str, sentences: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        locate_sentences(text, sentences)
