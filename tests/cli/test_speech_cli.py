"""The commands that turn speech into pauses, and pauses into statistics."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import spacy
from tiny_speech import DICTIONARY, write_mfa, write_textgrid
from typer.testing import CliRunner, Result

from spacy_sentid.cli import app

pytest.importorskip("praatio")

WORDS = [(0, 0.1, ""), (0.1, 0.3, "有人"), (0.3, 0.53, "sil"), (0.53, 0.9, "在")]
CTM = "c 1 0 0.2 好\nc 1 0.3 0.2 的\nd 1 x 0 好\n"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def read_records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


@pytest.fixture
def alignments(tmp_path: Path) -> Path:
    """A folder of a good and a bad TextGrid, a CTM and pauses."""
    folder = tmp_path / "alignments"
    (folder / "li").mkdir(parents=True)
    write_textgrid(folder / "li/a.TextGrid", words=WORDS)
    write_textgrid(folder / "li/b.textgrid", words=[(0, 1, "有"), (0.5, 1, "人")])
    (folder / "all.ctm").write_text(CTM, encoding="utf8")
    line = json.dumps({"id": "e", "chars": ["走", "吧"], "pause_ms": [20], "text": "走吧。"})
    (folder / "e.jsonl").write_text(line + "\n[]\n", encoding="utf8")
    return folder


def test_pauses_are_found_in_all_files(alignments: Path) -> None:
    out = alignments / "pauses.jsonl"
    for _ in range(2):  # the output in the folder is no input the second time
        result = run("speech", "pauses", alignments, "-o", out)
        assert "3 utterances with 3 pauses" in result.stderr
        assert "3 bad" in result.stderr
        assert read_records(out) == [
            {"id": "c", "chars": ["好", "的"], "pause_ms": [100]},
            {"id": "e", "chars": ["走", "吧"], "pause_ms": [20], "offsets": [[0, 1], [1, 2]],
             "text": "走吧。"},
            {"id": "li/a", "chars": ["有", "人", "在"], "pause_ms": [0, 230]},
        ]  # fmt: skip
        faults = {row["place"]: row["reason"] for row in read_records(Path(f"{out}.errors.jsonl"))}
        assert list(faults) == [
            f"{alignments}/all.ctm:3",
            f"{alignments}/e.jsonl:2",
            f"{alignments}/li/b.textgrid, tier 'words', 0.500 s",
        ]
        assert (
            "after the end of '有'" in faults[f"{alignments}/li/b.textgrid, tier 'words', 0.500 s"]
        )


def test_transcripts_give_offsets_and_are_checked(alignments: Path, tmp_path: Path) -> None:
    text = tmp_path / "texts.tsv"
    text.write_text("a\t有人，在。\nc\t好\ne\t走啊\n", encoding="utf8")
    out = tmp_path / "pauses.jsonl"
    run("speech", "pauses", alignments, "--text", text, "-o", out)
    assert [row["offsets"] for row in read_records(out)] == [[[0, 1], [1, 2], [3, 4]]]
    faults = {row["place"]: row["reason"] for row in read_records(Path(f"{out}.errors.jsonl"))}
    place = f"{alignments}/all.ctm, utterance 'c', 0.300 s"
    assert "'的'" in faults[place]
    assert "'吧'" in faults[f"{alignments}/e.jsonl, utterance 'e'"]


def test_phones_are_counted(tmp_path: Path) -> None:
    phones = [(0, 0.1, "h"), (0.1, 0.2, "ao3"), (0.2, 0.3, ""), (0.3, 0.4, "d"), (0.4, 0.5, "e5")]
    grid = write_textgrid(tmp_path / "a.TextGrid", words=[(0, 1, "x")], phones=phones)
    text = tmp_path / "texts.jsonl"
    text.write_text('{"id": "a", "text": "好的"}\n', encoding="utf8")
    out = tmp_path / "pauses.jsonl"
    run("speech", "pauses", grid, "--kind", "phones", "--text", text, "-o", out)
    assert read_records(out)[0]["pause_ms"] == [100]
    message = run("speech", "pauses", grid, "--kind", "phones", "-o", out, code=1).stderr
    assert "utterance" in message
    assert "phones" in message
    assert read_records(out)[0]["pause_ms"] == [100]  # the older output stays


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.jsonl", "-o", "a.jsonl"], "a.jsonl"),
        (["a.txt", "-o", "b.jsonl"], "a.txt"),
        (["empty", "-o", "b.jsonl"], "empty"),
        (["a.TextGrid", "--tier", "hanzi", "-o", "b.jsonl"], "'words'"),
    ],
)
def test_wrong_arguments_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.jsonl", "a.txt"):
        Path(name).touch()
    Path("empty").mkdir()
    write_textgrid(Path("a.TextGrid"), words=WORDS)
    assert message in run("speech", "pauses", *arguments, code=1).stderr


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the model: p_B is 0.95 after 人, and 0.5 elsewhere."""

    def boundary_probs(nlp: object, texts: Iterable[str]) -> Iterable[np.ndarray]:
        return (np.array([0.95 if char == "人" else 0.5 for char in text[:-1]]) for text in texts)

    prefix = "spacy_sentid.word_segmenter"
    monkeypatch.setattr("spacy_sentid.components.pipelines.load", lambda *names: spacy.blank("zh"))
    monkeypatch.setattr(f"{prefix}.speech.statistics.boundary_probs", boundary_probs)


def write_pauses(path: Path) -> Path:
    rows = [
        {"id": "a", "chars": list("有人在听"), "pause_ms": [20, 230, 0]},
        {"id": "b", "chars": list("好的"), "pause_ms": [600]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    return path


@pytest.mark.usefixtures("model")
def test_pauses_are_counted_by_probability_and_duration(tmp_path: Path) -> None:
    found = write_pauses(tmp_path / "pauses.jsonl")
    gold = tmp_path / "gold.txt"
    gold.write_text("有人 ， 在 听 。\n", encoding="utf8")
    out = tmp_path / "out" / "table.json"
    result = run("speech", "statistics", found, "--gold", gold, "--json", out)
    assert "1 of 2 utterances" in result.stderr
    assert [line.split()[:4] for line in result.stdout.splitlines()[2:4]] == [
        ["[0.1,", "0.9)", "2", "66.7"],
        ["[0.9,", "1.0)", "1", "33.3"],
    ]
    report = json.loads(out.read_text())
    assert (report["model"], report["n_pauses"]) == ("zh", 3)
    assert [row["accuracy"] for row in report["bins"]] == [None, 0.0, 1.0, None]
    assert report["bins"][1]["internal"]["[500, INF)"] == 0.5


@pytest.mark.usefixtures("model")
def test_statistics_without_pauses_are_an_error(tmp_path: Path) -> None:
    found = tmp_path / "pauses.jsonl"
    found.write_text('{"chars": ["好", "的"], "pause_ms": [5]}\n', encoding="utf8")
    assert "pauses" in run("speech", "statistics", found, code=1).stderr
    assert "output" in run("speech", "statistics", found, "--json", found, code=1).stderr
    found.write_text("[]\n", encoding="utf8")
    assert "pauses.jsonl:1" in run("speech", "statistics", found, code=1).stderr


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
    assert "Nothing" in run("speech", "align", audio, out, "--dictionary", dictionary).stderr
    found = tmp_path / "pauses.jsonl"
    run("speech", "pauses", out / "alignments", "--text", out / "transcripts.jsonl", "-o", found)
    assert read_records(found) == [
        {"id": "a", "chars": list("有人在听"), "pause_ms": [0, 230, 0], "text": "有人，在听。",
         "offsets": [[0, 1], [1, 2], [3, 4], [4, 5]]}
    ]  # fmt: skip
    assert "out" in run("speech", "align", audio, audio / "out", code=1).stderr
