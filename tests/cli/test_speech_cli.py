"""The commands that turn speech into pauses, and pauses into segmented text."""

import json
import os
from pathlib import Path

import pytest
from tiny_speech import DICTIONARY, write_mfa, write_textgrid
from typer.testing import CliRunner, Result

from spacy_sentid.cli import app

pytest.importorskip("praatio")

WORDS = [(0, 0.1, ""), (0.1, 0.3, "有人"), (0.3, 0.53, "sil"), (0.53, 0.9, "在")]


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def read_records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


@pytest.fixture
def alignments(tmp_path: Path) -> Path:
    """A folder of two good TextGrids and a bad one."""
    folder = tmp_path / "alignments"
    (folder / "li").mkdir(parents=True)
    write_textgrid(folder / "li/a.TextGrid", words=WORDS)
    write_textgrid(folder / "li/b.textgrid", words=[(0, 1, "有"), (0.5, 1, "人")])
    write_textgrid(folder / "c.TextGrid", words=[(0, 0.2, "好"), (0.3, 0.5, "的")])
    return folder


def test_pauses_are_found_in_all_files(alignments: Path) -> None:
    out = alignments / "pauses.jsonl"
    result = run("speech", "pauses", alignments, "-o", out)
    assert "2 utterances with 2 pauses" in result.stderr
    assert "1 bad" in result.stderr
    assert read_records(out) == [
        {"id": "c", "chars": ["好", "的"], "pause_ms": [100]},
        {"id": "li/a", "chars": ["有", "人", "在"], "pause_ms": [0, 230]},
    ]
    (fault,) = read_records(Path(f"{out}.errors.jsonl"))
    assert fault["place"] == f"{alignments}/li/b.textgrid, tier 'words', 0.500 s"
    assert "after the end of '有'" in fault["reason"]


def test_transcripts_give_offsets_and_are_checked(alignments: Path, tmp_path: Path) -> None:
    text = tmp_path / "texts.tsv"
    text.write_text("a\t有人，在。\nc\t好\n", encoding="utf8")
    out = tmp_path / "pauses.jsonl"
    run("speech", "pauses", alignments, "--text", text, "-o", out)
    assert [row["offsets"] for row in read_records(out)] == [[[0, 1], [1, 2], [3, 4]]]
    faults = {row["place"]: row["reason"] for row in read_records(Path(f"{out}.errors.jsonl"))}
    assert "'的'" in faults[f"{alignments}/c.TextGrid, tier 'words', 0.300 s"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.TextGrid", "--text", "texts.txt", "-o", "b.jsonl"], "'a'"),
        (["a.txt", "-o", "b.jsonl"], "a.txt"),
        (["empty", "-o", "b.jsonl"], "empty"),
        (["a.TextGrid", "--tier", "hanzi", "-o", "b.jsonl"], "'words'"),
    ],
)
def test_wrong_arguments_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("texts.txt", "a.txt"):
        Path(name).touch()
    Path("empty").mkdir()
    write_textgrid(Path("a.TextGrid"), words=WORDS)
    assert message in run("speech", "pauses", *arguments, code=1).stderr


def test_pauses_become_training_data(tmp_path: Path) -> None:
    found = tmp_path / "pauses.jsonl"
    rows = [
        {"id": "a", "chars": list("有人在听"), "pause_ms": [20, 230, 0]},
        {"id": "b", "chars": list("好的"), "pause_ms": [600]},
    ]
    found.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    words, chunks = tmp_path / "out.txt", tmp_path / "out.jsonl"
    assert (
        "2 sentences, 3 of 3 pauses" in run("speech", "complete", found, words, "--min-p", 0).stderr
    )
    first, second = words.read_text(encoding="utf8").splitlines()
    assert first.startswith("有 人 在")
    assert second == "好 的"
    run("speech", "complete", found, chunks, "--min-p", 0)
    assert read_records(chunks) == [{"chunks": ["有", "人", "在听"]}, {"chunks": ["好", "的"]}]
    assert ".txt or .jsonl" in run("speech", "complete", found, tmp_path / "a.csv", code=1).stderr
    assert "min_p" in run("speech", "complete", found, words, "--min-p", 2, code=1).stderr
    assert "output" in run("speech", "complete", found, found, code=1).stderr
    found.write_text("[]\n", encoding="utf8")
    assert "pauses.jsonl:1" in run("speech", "complete", found, words, code=1).stderr
    assert words.read_text(encoding="utf8").startswith(first)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script with a shebang")
def test_speech_becomes_pauses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pypinyin")
    write_mfa(tmp_path / "bin", tmp_path / "commands.jsonl")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    audio, out = tmp_path / "audio", tmp_path / "out"
    audio.mkdir()
    for name, text in {"a": "有人，在听。", "b": "坏人"}.items():
        (audio / f"{name}.wav").write_bytes(b"RIFF")
        (audio / f"{name}.txt").write_text(text, encoding="utf8")
    dictionary = tmp_path / "mandarin_mfa.dict"
    dictionary.write_text(DICTIONARY, encoding="utf8")
    result = run("speech", "align", audio, out, "--dictionary", dictionary)
    assert "1 utterances" in result.stderr
    assert "1 bad" in result.stderr
    found = tmp_path / "pauses.jsonl"
    run("speech", "pauses", out / "alignments", "--text", out / "transcripts.jsonl", "-o", found)
    assert read_records(found) == [
        {"id": "a", "chars": list("有人在听"), "pause_ms": [0, 230, 0], "text": "有人，在听。",
         "offsets": [[0, 1], [1, 2], [3, 4], [4, 5]]}
    ]  # fmt: skip
    assert "out" in run("speech", "align", audio, audio / "out", code=1).stderr
