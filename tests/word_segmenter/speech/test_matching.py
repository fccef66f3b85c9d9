"""Matching of intervals and texts: characters, pauses, and the first mismatch."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.word_segmenter.speech.alignments import Alignment, Interval
from spacy_sentid.word_segmenter.speech.matching import is_silence, pauses_from_alignment
from spacy_sentid.word_segmenter.speech.pauses import PauseRecord


def align(*rows: str) -> Alignment:
    """Make an alignment of "start end label" rows, in ms."""
    intervals = []
    for row in rows:
        start, end, *label = row.split()
        intervals.append(Interval(int(start), int(end), " ".join(label)))
    return Alignment("a", Path("a.TextGrid"), "words", intervals)


def fault_of(alignment: Alignment, text: str | None = None) -> str:
    with pytest.raises(ValueError, match=r"a\.TextGrid.*words") as caught:
        pauses_from_alignment(alignment, text)
    return str(caught.value).removeprefix("a.TextGrid, tier 'words', ")


FIGURE_1 = align(
    "0 100", "100 500 有人", "500 730 sil", "730 900 在", "900 1300 细细地", "1410 1800 倾听",
    "1800 2000 sp",
)  # fmt: skip


def test_pauses_are_between_words_only() -> None:
    found = pauses_from_alignment(FIGURE_1)
    assert found == PauseRecord("a", list("有人在细细地倾听"), [0, 230, 0, 0, 0, 110, 0])


def test_the_text_gives_characters_and_offsets() -> None:
    text = "有人，在细细地“倾听”。"
    found = pauses_from_alignment(FIGURE_1, text)
    assert found.pause_ms == [0, 230, 0, 0, 0, 110, 0]
    assert found.offsets is not None
    assert [text[start:end] for start, end in found.offsets] == list("有人在细细地倾听")
    assert found.text == text


def test_silence_before_and_after_the_speech_is_not_a_pause() -> None:
    found = pauses_from_alignment(align("0 90 <eps>", "90 200 好", "200 900 SIL", "900 901"))
    assert found == PauseRecord("a", ["好"], [])


@pytest.mark.parametrize("noise", ["", "sil", "SP", "<eps>", "[laughter]", "<breath>", "，"])
def test_silence_and_noise_between_characters_are_a_pause(noise: str) -> None:
    found = pauses_from_alignment(align("0 10 好", f"10 40 {noise}", "40 45 sil", "50 60 的"))
    assert found.pause_ms == [40]


@pytest.mark.parametrize("label", ["<unk>", "spn", "SPN"])
def test_an_unknown_word_is_an_error(label: str) -> None:
    alignment = align("0 10 好", f"20 40 {label}", "40 60 的")
    assert fault_of(alignment).startswith("0.020 s: ")
    assert fault_of(alignment, "好坏的").startswith("0.020 s: ")


@pytest.mark.parametrize(
    "rows",
    [
        ["0 10 二零零八", "10 20 年", "30 40 一千两百", "40 50 app"],
        ["0 10 2008", "10 20 年", "30 40 1200", "40 50 ＡＰＰ"],
        ["0 10 2008年", "30 40 1200", "40 50 A", "50 60 PP"],
    ],
)
def test_numbers_and_letters_match_as_spoken_or_written(rows: list[str]) -> None:
    pytest.importorskip("cn2an")
    found = pauses_from_alignment(align(*rows), "2008年，1200 APP")
    assert "".join(found.chars) == "二零零八年一千两百APP"
    assert [gap for gap, pause in enumerate(found.pause_ms) if pause] == [4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("有人再细细地倾听", "0.730 s: "),
        ("有人在细", "0.900 s: "),
        ("有人在细细地倾听吗", "1.800 s: "),
        ("", "0.100 s: "),
    ],
)
def test_the_first_mismatch_is_reported_with_file_tier_and_time(text: str, message: str) -> None:
    assert fault_of(FIGURE_1, text).startswith(message)


def test_an_alignment_without_speech_is_an_error() -> None:
    for alignment in (align(), align("0 100", "100 200 sil")):
        with pytest.raises(ValueError, match="tier 'words'"):
            pauses_from_alignment(alignment, "好")


def test_labels_are_silence_or_speech() -> None:
    assert not is_silence("思")
    assert not is_silence("<unk>")
    assert is_silence("{LG}")


@given(
    st.lists(st.tuples(st.text("你好细", min_size=1, max_size=3), st.integers(0, 400)), min_size=1),
    st.booleans(),
)
def test_pauses_are_where_the_silences_were(words: list[tuple[str, int]], fill: bool) -> None:
    rows, time, expected = [], 30, []
    for n, (word, pause) in enumerate(words):
        rows.append(f"{time} {time + 100} {word}")
        time += 100
        if fill and pause:
            rows.append(f"{time} {time + pause} sil")
        time += pause
        expected += [0] * (len(word) - 1) + ([pause] if n < len(words) - 1 else [])
    text = "，".join(word for word, _ in words)
    found = pauses_from_alignment(align(*rows), text)
    assert found.pause_ms == expected
    assert found.pause_ms == pauses_from_alignment(align(*rows)).pause_ms
