"""Damaged folders of pipelines load, or a one-line error names the file and what to do."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import spacy
import srsly
import tiny
import tiny_pairs
import tiny_words
from hostile_models import Damage, damage_files
from spacy.language import Language
from typer.testing import CliRunner

from spacy_sentid import load
from spacy_sentid.cli import app
from spacy_sentid.components.weights import weights_from_bytes, weights_to_bytes

MAX_MESSAGE = 500
N_QUICK_FILES = 50


@cache
def make_rules() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("rule_sentencizer")
    return nlp


MAKERS: dict[str, Callable[[], Language]] = {
    "sentence_identifier": tiny.trained,
    "paraphrase_tagger": tiny_pairs.trained,
    "word_segmenter": tiny_words.trained,
    "rule_sentencizer": make_rules,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a pipeline for each component."""
    folder = tmp_path_factory.mktemp("pipelines")
    for name, make in MAKERS.items():
        make().to_disk(folder / name)
    return folder


def list_damages(folders: Path, part: str) -> list[Damage]:
    other = "paraphrase_tagger" if part == "sentence_identifier" else "sentence_identifier"
    others = {name: (folders / other / other / name).read_bytes() for name in ("cfg", "model")}
    return list(damage_files(folders / part / part, others))


def judge(damage: Damage, folder: Path, error: Exception | None) -> str:
    """Describe the effect of a damage in a word: loads, refused, or the problem."""
    if error is None:
        return "loads"
    message = " ".join(str(error).split())
    if not isinstance(error, ValueError | OSError):
        return f"traceback: {error!r:.200}"
    if len(message) >= MAX_MESSAGE + len(str(folder)):
        return f"{len(message):,} characters: {message:.200}"
    return "refused" if str(folder / damage.file) in message else f"no path: {message}"


def try_damages(
    damages: list[Damage], whole: Path, copy: Path, use: Callable[[Path], Any]
) -> Iterator[tuple[Damage, str]]:
    for damage in damages:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(whole, copy)
        damage.apply(copy)
        error: Exception | None = None
        try:
            use(copy)
        except Exception as caught:
            error = caught
        yield damage, judge(damage, copy, error)


def check(found: list[tuple[Damage, str]]) -> None:
    wrong = [f"{damage.file} {damage.kind}: {verdict}" for damage, verdict in found
             if verdict not in ("loads", "refused")]  # fmt: skip
    print(Counter(verdict for _, verdict in found))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("part", MAKERS)
def test_damaged_files_of_a_component_are_named(
    part: str, folders: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    pipe: Any = load(str(folders / part)).get_pipe(part)
    damages = list_damages(folders, part)
    if not pytestconfig.getoption("--slow"):
        damages = Random(part).sample(damages, min(N_QUICK_FILES, len(damages)))
    check(list(try_damages(damages, folders / part / part, tmp_path / "copy",
                           lambda copy: pipe.from_disk(copy, exclude=["vocab"]))))  # fmt: skip


@pytest.mark.parametrize("file", ["config.cfg", "meta.json", "tokenizer", "vocab/strings.json"])
def test_a_folder_with_a_damaged_file_of_spacy_is_named(
    file: str, folders: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folders / "sentence_identifier", copy)
    (copy / file).write_text("{")
    with pytest.raises(ValueError, match=r"Cannot load .*copy \(.*Install the packages"):
        load(str(copy))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, -1e30])
@pytest.mark.parametrize("part", ["sentence_identifier", "word_segmenter"])
def test_weights_of_a_diverged_training_are_refused(
    part: str, value: float, folders: Path, tmp_path: Path
) -> None:
    shutil.copytree(folders / part, tmp_path / "copy")
    file = tmp_path / "copy" / part / "model"
    weights = weights_from_bytes(file.read_bytes())
    params = next(params for params in weights["params"] if params.get("W") is not None)
    params["W"] = params["W"].copy()
    params["W"].flat[3] = value
    file.write_bytes(weights_to_bytes(weights))
    with pytest.raises(ValueError, match=f"{part}/model .*numbers below.*diverged"):
        spacy.load(tmp_path / "copy")


def test_a_changed_byte_of_the_weights_is_detected(folders: Path, tmp_path: Path) -> None:
    part = "sentence_identifier"
    shutil.copytree(folders / part, tmp_path / "copy")
    file = tmp_path / "copy" / part / "model"
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1  # inside a number, so the file can be read
    file.write_bytes(raw)
    with pytest.raises(ValueError, match=r"model must be a file as it was saved.* checksum"):
        spacy.load(tmp_path / "copy")


def test_weights_without_a_checksum_are_read(folders: Path) -> None:
    weights = weights_from_bytes(
        (folders / "word_segmenter" / "word_segmenter" / "model").read_bytes()
    )
    assert weights_from_bytes(srsly.msgpack_dumps(weights))["nodes"] == weights["nodes"]


def test_commands_name_the_damaged_file(folders: Path, tmp_path: Path) -> None:
    shutil.copytree(folders / "sentence_identifier", tmp_path / "copy")
    file = tmp_path / "copy" / "sentence_identifier" / "cfg"
    file.write_text('{"a": 1}')
    text = tmp_path / "a.txt"
    text.write_text("I sleep.")
    output = str(tmp_path / "o.jsonl")
    words = ["identify", str(text), "--model", str(tmp_path / "copy"), "-o", output]
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, isinstance(result.exception, SystemExit)) == (1, True)
    assert f"{file} must be a file as it was saved" in result.stderr
    assert "Copy the folder again" in result.stderr
