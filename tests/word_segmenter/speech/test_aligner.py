"""The Montreal Forced Aligner through a stand-in: corpus, dictionary, steps, and pauses."""

import json
import os
import sys
from pathlib import Path

import pytest
from tiny_speech import DICTIONARY, write_mfa

from spacy_sentid.word_segmenter.speech import pronunciations
from spacy_sentid.word_segmenter.speech.aligner import align_speech
from spacy_sentid.word_segmenter.speech.alignments import read_textgrid
from spacy_sentid.word_segmenter.speech.matching import pauses_from_alignment
from spacy_sentid.word_segmenter.speech.transcripts import read_transcripts

pytest.importorskip("pypinyin")
pytest.importorskip("cn2an")
pytest.importorskip("praatio")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a shebang")


@pytest.fixture
def audio(tmp_path: Path) -> Path:
    """Recordings of two speakers, some of which cannot be aligned."""
    folder = tmp_path / "audio"
    texts = {"li/a.lab": "有人，在行。", "li/b.txt": "细听", "wu/a.lab": "在听吗", "wu/c.txt": "……"}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf8")
        path.with_suffix(".wav").write_bytes(b"RIFF")
    (folder / "wu/d.wav").write_bytes(b"RIFF")
    return folder


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    path = tmp_path / "mandarin_mfa.dict"
    path.write_text(DICTIONARY, encoding="utf8")
    return path


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the commands with which the stand-in for `mfa`, on the PATH, was called."""
    path = tmp_path / "commands.jsonl"
    write_mfa(tmp_path / "bin", path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    return path


def read_log(path: Path) -> list[list[str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_speech_is_aligned_by_character(
    audio: Path, dictionary: Path, log: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert align_speech(audio, out, dictionary=dictionary, jobs=2) == (2, 3)

    assert (out / "corpus/li/a.lab").read_text(encoding="utf8") == "有 人 在 行\n"
    assert (out / "corpus/li/a.wav").resolve() == audio / "li/a.wav"
    assert (out / "characters.dict").read_text(encoding="utf8").splitlines() == [
        "人\tʐ ə˧˥ n", "听\ttʰ i˥˥ ŋ", "在\tts ai˥˩", "有\tj ou˨˩˦", "细\tɕ i˥˩",
        "行\tɕ i˧˥ ŋ", "行\tx a˧˥ ŋ",
    ]  # fmt: skip

    (adapt,) = read_log(log)
    files = [str(out / name) for name in ("corpus", "characters.dict")]
    assert adapt[:5] == ["adapt", *files, "mandarin_mfa", str(out / "adapted.zip")]
    assert adapt[7:] == [
        "--no_tokenization", "--clean", "--temporary_directory", str(out / "scratch"),
        "--num_jobs", "2", "--output_format", "long_textgrid",
    ]  # fmt: skip
    assert sorted(path.name for path in out.iterdir() if not path.name.startswith(".")) == [
        "adapted.zip", "alignments", "alignments.errors.jsonl", "characters.dict", "corpus",
        "transcripts.jsonl",
    ]  # fmt: skip

    texts = read_transcripts(out / "transcripts.jsonl")
    assert texts == {"li/a": "有人，在行。", "li/b": "细听"}
    found = read_textgrid(out / "alignments/li/a.TextGrid")
    record = pauses_from_alignment(found, texts["li/a"])
    assert record.chars == list("有人在行")
    assert record.pause_ms == [0, 230, 0]


def test_recordings_that_cannot_be_aligned_are_reported(
    audio: Path, dictionary: Path, log: Path, tmp_path: Path
) -> None:
    (audio / "li/b.txt").write_text("坏了", encoding="utf8")
    more = DICTIONARY + "坏\tx w ai˥˩\n了\tl ə˨\n"
    dictionary.write_text(more, encoding="utf8")
    n_aligned, _ = align_speech(audio, tmp_path / "out", dictionary=dictionary)
    assert n_aligned == 1
    lines = (tmp_path / "out/alignments.errors.jsonl").read_text(encoding="utf8").splitlines()
    faults = {Path(row["place"]).name: row["reason"] for row in map(json.loads, lines)}
    reasons = {Path(row["place"]).parent.name: row["reason"] for row in map(json.loads, lines)}
    assert "MFA" in faults["b.wav"]
    assert "吗" in faults["a.wav"]
    assert "……" in faults["c.wav"]
    assert "d.lab" in faults["d.wav"]
    assert set(reasons) == {"li", "wu"}


def test_a_failed_alignment_keeps_the_older_one(
    audio: Path, dictionary: Path, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    align_speech(audio, out, dictionary=dictionary)
    monkeypatch.setenv("MFA_FAILS", "adapt")
    with pytest.raises(ValueError, match=r"mfa adapt.* must write TextGrids.* 3\b"):
        align_speech(audio, out, dictionary=dictionary, acoustic_model="other")
    assert (out / "alignments/li/a.TextGrid").is_file()
    assert not list(out.glob(".alignments-*"))


def test_transcripts_can_come_from_elsewhere(
    audio: Path, dictionary: Path, log: Path, tmp_path: Path
) -> None:
    texts = {"li/a": "在", "a": "有人", "b": "在行"}
    align_speech(audio, tmp_path / "out", dictionary=dictionary, texts=texts)
    found = read_transcripts(tmp_path / "out/transcripts.jsonl")
    assert found == {"li/a": "在", "li/b": "在行", "wu/a": "有人"}


def test_the_error_without_the_program_says_how_to_install_it(
    audio: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="conda install -c conda-forge") as caught:
        align_speech(audio, tmp_path / "out")
    assert "mfa model download dictionary mandarin_mfa" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_nothing_to_align_is_an_error(
    audio: Path, dictionary: Path, log: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"li/a.*--text"):
        align_speech(audio, tmp_path / "out", dictionary=dictionary, texts={})
    assert not log.exists()


def test_characters_have_all_their_readings(dictionary: Path) -> None:
    entries = pronunciations.read_dictionary(dictionary)
    assert entries[5].phones == ("ɕ", "i˧˥", "ŋ")
    syllables = pronunciations.learn_syllables(entries)
    assert syllables["hang2"] == ("x", "a˧˥", "ŋ")  # the more probable of two
    assert "xing2" not in syllables  # 行 has several readings, so none is learned from it
    found = pronunciations.pronounce("行航A吗行", entries)
    assert found["行"] == [("ɕ", "i˧˥", "ŋ"), ("x", "a˧˥", "ŋ")]
    assert found["航"] == [("x", "a˧˥", "ŋ"), ("x", "a˧˥", "n")]
    assert found["A"] == found["吗"] == []


def test_a_syllable_that_no_character_has_alone_is_learned_by_elimination() -> None:
    rows = [("打", "t a˨˩˦"), ("还", "x ai˧˥"), ("还", "x w a˧˥ n")]
    entries = [
        pronunciations.Pronunciation(char, 1.0, tuple(phones.split())) for char, phones in rows
    ]
    assert set(pronunciations.list_readings("打")) == {"da3", "da2"}
    assert pronunciations.learn_syllables(entries) == {}
    da2 = pronunciations.Pronunciation("炟", 1.0, ("t", "a˧˥"))
    assert pronunciations.list_readings("炟") == ["da2"]
    found = pronunciations.learn_syllables([*entries, da2])
    assert found == {"da2": ("t", "a˧˥"), "da3": ("t", "a˨˩˦")}


def test_readings_need_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    with pytest.raises(ValueError, match=r"spacy-sentid\[speech\]"):
        pronunciations.list_readings("行")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "entries"),
        ("有\n", ":1: "),
        ("在\ta\n人 0.5\n", ":2: "),
    ],
)
def test_a_bad_dictionary_is_reported(dictionary: Path, content: str, message: str) -> None:
    dictionary.write_text(content, encoding="utf8")
    with pytest.raises(ValueError, match=r"mandarin_mfa\.dict") as caught:
        pronunciations.read_dictionary(dictionary)
    assert message in str(caught.value)
