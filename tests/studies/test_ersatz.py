"""ERSATZ as a segmenter, and the offsets of its sentences."""

import sys
from collections.abc import Callable
from pickle import UnpicklingError
from types import ModuleType, SimpleNamespace

import pytest

from studies.identifier.ersatz import locate_sentences, make_segmenter

TEXTS = ["Hi there. Bye!  Page 3", "", "Hi", " \n", "One. Two."]


def test_other_names_select_our_segmenters() -> None:
    assert list(make_segmenter("sentencizer")(["Hi. Bye."])) == [[(0, 3), (4, 8)]]


def test_the_error_for_missing_ersatz_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ersatz.split", None)
    with pytest.raises(ValueError, match="ersatz"):
        make_segmenter("ersatz")


def install_ersatz(monkeypatch: pytest.MonkeyPatch, split: Callable) -> None:
    module = ModuleType("ersatz.split")
    module.split = split  # type: ignore[attr-defined]
    for name in ("ersatz", "ersatz.split", "sentencepiece"):
        monkeypatch.setitem(sys.modules, name, module)


def test_the_error_for_an_ersatz_model_that_torch_refuses_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def split(args: SimpleNamespace) -> list[str]:
        raise UnpicklingError("Weights only load failed.")

    install_ersatz(monkeypatch, split)
    with pytest.raises(ValueError, match="TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"):
        list(make_segmenter("ersatz")(TEXTS))


def test_ersatz_sentences_get_offsets(
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
        ("½ … ok. Ａ", ["1⁄2 ... ok.", "A"], ["½ … ok.", "Ａ"]),  # compatibility characters
        ("cafe\u0301 é. x", ["café é.", "x"], ["cafe\u0301 é.", "x"]),
        ("a\u200bb. c", ["ab.", "", "c"], ["a\u200bb.", "c"]),
        ("", [], []),
    ],
)
def test_sentences_are_located_in_their_text(
    text: str, sentences: list[str], pieces: list[str]
) -> None:
    assert [text[start:end] for start, end in locate_sentences(text, sentences)] == pieces


@pytest.mark.parametrize(
    ("text", "sentences", "message"),
    [
        ("Hi. Bye.", ["Hi.", "Buy."], r"'Buy\.'.*'Bye\.'"),
        ("Hi. Bye.", ["Hi."], r"''.*'Bye\.'"),
        ("Hi.", ["Hi.", "Bye."], r"'Bye\.'.*''"),
    ],
)
def test_sentences_with_other_words_are_an_error(
    text: str, sentences: list[str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        locate_sentences(text, sentences)
