"""The benchmark of sentence splitters: its noisy texts, and how it counts boundaries."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def peers(root: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(root / "benchmarks")
    import sentence_peers

    return sentence_peers


@pytest.fixture
def noise(root: Path) -> list[dict[str, Any]]:
    lines = (root / "benchmarks/sentence_noise.jsonl").read_text(encoding="utf8").splitlines()
    return [json.loads(line) for line in lines]


def test_ends_of_noisy_texts_are_between_a_character_and_white_space(
    noise: list[dict[str, Any]],
) -> None:
    for row in noise:
        text, ends = row["text"], row["ends"]
        assert ends == sorted(set(ends)), row["id"]
        assert ends[-1] == len(text) == len(text.rstrip()), row["id"]
        for end in ends:
            assert not text[end - 1].isspace(), row["id"]
            assert text[end : end + 1].isspace() or end == len(text), row["id"]


def test_every_empty_line_of_a_noisy_text_is_a_boundary(noise: list[dict[str, Any]]) -> None:
    for row in noise:
        at = row["text"].find("\n\n")
        while at >= 0:
            assert at in row["ends"], row["id"]
            at = row["text"].find("\n\n", at + 2)


def test_a_third_of_the_noisy_texts_is_for_tuning_and_a_third_has_wrapped_lines(
    noise: list[dict[str, Any]],
) -> None:
    assert len({row["id"] for row in noise}) == len(noise) >= 40
    for key in ("dev", "wrapped"):
        share = sum(row[key] for row in noise) / len(noise)
        assert share == pytest.approx(1 / 3, abs=0.04), key
    for row in noise:
        ended = {end for end in row["ends"] if row["text"][end : end + 1] == "\n"}
        line_ends = {i for i, sign in enumerate(row["text"]) if row["text"][i : i + 1] == "\n"}
        inside = {i for i in line_ends if i not in ended and row["text"][i - 1] != "\n"}
        assert bool(inside) is row["wrapped"], row["id"]


@pytest.mark.parametrize(
    ("pieces", "ends"),
    [
        ([], set()),
        (["One. ", "Two.\n", " Three."], {4, 9}),
        (["One.", "", "Two.", "Three."], {4, 9}),
        (["One. Two.  Three."], set()),
        (["One.", "Two. Three."], {4}),
        ([(0, 5), (5, 11), (11, 17)], {4, 9}),
        ([(0, 0), (0, 17)], set()),
    ],
)
def test_ends_are_found_without_white_space(
    peers: ModuleType, pieces: list[Any], ends: set[int]
) -> None:
    assert peers.find_ends("One. Two.\n Three.", pieces) == ends


def test_a_changed_text_is_an_error(peers: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"'Tow\.'"):
        peers.find_ends("One. Two.", ["One.", "Tow."])


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((3, 4, 6), (0.75, 0.5, 0.6)), ((0, 0, 0), (0, 0, 0)), ((0, 2, 0), (0, 0, 0))],
)
def test_scores(peers: ModuleType, counts: tuple[int, ...], expected: tuple[float, ...]) -> None:
    scores = peers.score_counts(*counts)
    assert [scores[key] for key in ("precision", "recall", "f1")] == pytest.approx(expected)


def test_gold_ends_score_one(peers: ModuleType) -> None:
    texts = peers.read_noise(peers.NOISE)
    ends = {text.text: text.ends for text in texts}

    def split(text: str) -> list[tuple[int, int]]:
        starts = [0, *ends.get(text, [])]
        return list(zip(starts, [*starts[1:], len(text)], strict=True))

    system = peers.System("nothing", "nothing", lambda: split)
    result = peers.measure_set(texts, {"gold": system})
    row = result["systems"]["gold"]
    assert result["texts"] == len(texts)
    assert (row["precision"], row["recall"], row["f1"]) == (1, 1, 1)
    assert {group["f1"] for group in row["groups"].values()} == {1}


def write_data(folder: Path) -> Path:
    (folder / "brown").mkdir()
    (folder / "wsj").mkdir()
    (folder / "ud/UD_English-EWT").mkdir(parents=True)
    row = {"text": "Mr. A. slept. B. woke.", "sent_ends": [13, 22], "para_ends": [22]}
    (folder / "brown/brown.jsonl").write_text(6 * (json.dumps(row) + "\n"), encoding="utf8")
    conllu = "# newdoc id = a\n# text = He slept.\n\n# text = She woke.\n\n"
    for name in ("ud/UD_English-EWT/en_ewt-ud-test.conllu", "wsj/wsj-sample-test.conllu"):
        (folder / name).write_text(conllu, encoding="utf8")
    return folder


@pytest.fixture
def run_peers(
    peers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    def run(*options: str) -> dict[str, Any]:
        out = tmp_path / "out"
        command = ["--data", str(write_data(tmp_path)), "--out", str(out), "--megabytes", "1e-5"]
        monkeypatch.setattr(sys, "argv", ["sentence_peers.py", *command, *options])
        peers.main()
        assert out.with_suffix(".md").read_text(encoding="utf8").startswith("Measured by")
        return json.loads(out.with_suffix(".json").read_text(encoding="utf8"))

    return run


def test_a_run_measures_the_installed_systems(
    peers: ModuleType, run_peers: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = peers.System("absent", "no_such_module", list)
    monkeypatch.setitem(peers.SYSTEMS, "syntok", absent)
    monkeypatch.setattr(peers, "NASTY", ("1", "<a"))
    monkeypatch.setattr(peers, "MEGABYTES", (0.01,))
    options = ["--repeats", "2"]
    report = run_peers(*options, "--only", "segment", "spaCy sentencizer", "syntok")
    assert report["missing"] == ["syntok"]
    assert list(report["accuracy"]["Brown"]["systems"]) == ["segment", "spaCy sentencizer"]
    assert report["accuracy"]["EWT test"]["boundaries"] == 1
    assert report["accuracy"]["EWT test"]["systems"]["segment"]["f1"] == 1
    assert report["speed"]["rounds"] == 2
    assert [row["piece"] for row in report["nasty"]] == ["1", "<a"]
    assert report["component"]["paragraphs"]["docs"] == 1
    assert "rule_sentencizer" in report["component"]["texts"]


def test_second_settings_are_measured_only_on_texts_with_line_ends(
    run_peers: Callable[..., dict[str, Any]],
) -> None:
    report = run_peers("--parts", "accuracy", "--only", "segment, newline=break")
    assert not report["accuracy"]["Brown"]["systems"]
    assert list(report["accuracy"]["noisy texts"]["systems"]) == ["segment, newline=break"]
