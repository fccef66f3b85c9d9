"""Scores of segmenters by file, the command, and the tables of the benchmark."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import spacy
from thinc.api import fix_random_seed
from typer.testing import CliRunner, Result

from spacy_sentid.cli import app
from spacy_sentid.components.pipelines import find, load
from spacy_sentid.word_segmenter.boundary_probs import segment_texts
from spacy_sentid.word_segmenter.corpus import make_word_corpus, read_vocabulary, read_words
from spacy_sentid.word_segmenter.scorer import evaluate_sentences, tabulate_scores

TRAIN = "邀请 上 朋友 办 个 晚宴\n我们 上 山 ，\n朋友 们 上 山\n"


def segment(texts: Iterable[str]) -> Iterator[list[str]]:
    """Make each character a word."""
    yield from map(list, texts)


@pytest.fixture
def golds(tmp_path: Path) -> dict[str, Path]:
    paths = {name: tmp_path / f"{name}.txt" for name in ("a", "b")}
    paths["a"].write_text("上 山\n\n朋友 来\n", encoding="utf8")
    paths["b"].write_text("晚宴\n", encoding="utf8")
    return paths


def test_each_file_has_its_scores(golds: dict[str, Path]) -> None:
    known = {"上", "晚宴"}.__contains__
    first, second = (
        evaluate_sentences(segment, gold, in_vocabulary=known)
        for gold in map(read_words, golds.values())
    )
    assert first == pytest.approx(
        {
            "sentences": 2,
            "words": 4,
            "characters": 5,
            "word_p": 3 / 5,
            "word_r": 3 / 4,
            "word_f": 6 / 9,
            # Of 山, 朋友 and 来 two were found.
            "oov_r": 2 / 3,
            "oov_rate": 3 / 4,
            "single_rate": 1,
            "gold_single_rate": 3 / 5,
        }
    )
    assert (second["word_f"], second["oov_rate"], second["oov_r"]) == (0, 0, 1)


def test_without_known_words_there_is_no_oov_recall() -> None:
    report = evaluate_sentences(segment, [["上", "山"]])
    assert "oov_r" not in report
    assert report["word_f"] == report["single_rate"] == report["gold_single_rate"] == 1


def test_words_of_training_files_are_known(golds: dict[str, Path]) -> None:
    known = read_vocabulary(golds.values())
    assert [known(word) for word in ("朋友", "晚宴", "朋")] == [True, True, False]


def test_a_file_without_sentences_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"empty\.txt"):
        read_words(tmp_path / "empty.txt")


@pytest.mark.parametrize(
    ("change", "message"), [(lambda text: [[text[1:]]], "same text"), (lambda text: [], "shorter")]
)
def test_a_segmenter_that_changes_the_texts_is_an_error(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate_sentences(lambda texts: chain.from_iterable(map(change, texts)), [["上", "山"]])


def test_the_table_has_no_oov_recall_if_all_words_are_known() -> None:
    scores = evaluate_sentences(segment, [["上", "山"]], in_vocabulary=lambda word: True)
    assert scores["oov_r"] == 1
    heading, row = tabulate_scores([{"file": "a.txt", **scores}])
    assert dict(zip(heading, row, strict=True)) == {
        "file": "a.txt", "sentences": "1", "words": "2", "P": "100.0", "R": "100.0",
        "F1": "100.0", "OOV R": "-", "OOV": "0.0", "S": "100.0", "gold S": "100.0",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "message"),
    [("no/such/folder", "no/such/folder"), ("blank", "'word_segmenter'")],
)
def test_anything_but_a_segmenter_is_an_error(name: str, message: str, tmp_path: Path) -> None:
    if name == "blank":
        name = str(tmp_path / name)
        spacy.blank("zh").to_disk(name)
    with pytest.raises(ValueError, match=message):
        find(load(name, "word_segmenter"), "word_segmenter")


# With a small model.


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small segmenter trained on a few words."""
    fix_random_seed(0)
    folder = tmp_path_factory.mktemp("segmenter")
    (folder / "train.txt").write_text(TRAIN * 3, encoding="utf8")
    nlp = spacy.blank("zh")
    features = {
        "@architectures": "spacy_sentid.CharacterFeatures.v1",
        "widths": [8, 8, 4, 4],
        "min_count": 1,
        "character_dropout": 0.0,
        "ngram_dropout": 0.0,
        "lexicon_dropout": 0.0,
    }
    settings = {
        "@architectures": "spacy_sentid.WordTagger.v1",
        "encoder": None,
        "width": 16,
        "maxout_pieces": 2,
        "dilations": [1],
        "features": features,
    }
    nlp.add_pipe("word_segmenter", config={"pretrained": None, "model": settings})
    examples = list(make_word_corpus(folder / "train.txt", False)(nlp))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(60):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(folder / "model")
    return folder / "model"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["evaluate", "words", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def test_the_words_that_a_model_was_trained_on_are_known(model: Path) -> None:
    known = find(load(str(model), "word_segmenter"), "word_segmenter").in_vocabulary
    assert known is not None
    assert [known(word) for word in ("朋友", "晚宴", "朋")] == [True, True, False]


@pytest.mark.usefixtures("wide_terminal")
def test_the_command_prints_percent_and_writes_shares(
    model: Path, golds: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "scores.json"
    result = run(*golds.values(), "--model", model, "--json", out)
    report = json.loads(out.read_text(encoding="utf8"))
    nlp = load(str(model), "word_segmenter")
    known = find(nlp, "word_segmenter").in_vocabulary
    expected = [
        {
            "file": str(path),
            **evaluate_sentences(
                partial(segment_texts, nlp), read_words(path), in_vocabulary=known
            ),
        }
        for path in golds.values()
    ]
    assert report == {"model": str(model), "train": [], "files": expected}
    # 来 is the only gold word that the model has not seen in training.
    assert [row["oov_rate"] for row in report["files"]] == [0.25, 0]
    printed = [line.split() for line in result.stdout.splitlines()[1:]]
    assert printed == tabulate_scores(expected)[1:]


def test_train_files_tell_the_known_words_instead(
    model: Path, golds: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "scores.json"
    options = ["--train", golds["a"], "--train", golds["b"], "--json", out]
    run(golds["a"], "--model", model, *options)
    report = json.loads(out.read_text(encoding="utf8"))
    assert report["train"] == [str(path) for path in golds.values()]
    assert report["files"][0]["oov_rate"] == 0


def test_the_input_is_not_overwritten(model: Path, golds: dict[str, Path]) -> None:
    before = golds["a"].read_bytes()
    for files in ([golds["a"]], [golds["b"], "--train", golds["a"]]):
        message = run(*files, "--model", model, "--json", golds["a"], code=1).stderr
        assert "output" in message
    assert golds["a"].read_bytes() == before


# The benchmark of speed.


@pytest.fixture
def speed_benchmark(root: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    # The benchmark sets the number of threads of its process at import.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.syspath_prepend(root / "benchmarks")
    import words_speed

    return words_speed


def test_the_long_line_is_of_the_size_asked_for_and_without_punctuation(
    speed_benchmark: ModuleType,
) -> None:
    line = speed_benchmark.make_line(["上，山 。", "朋友a"], n_bytes=1000)
    assert 998 <= len(line.encode("utf8")) <= 1000
    assert line.startswith("上山朋友a上山")


def test_speed_and_shares_of_a_pipeline_are_measured(
    speed_benchmark: ModuleType, model: Path
) -> None:
    from spacy_sentid.word_segmenter import component, crf

    before = component.find_best_tags
    nlp = load(str(model), "word_segmenter")
    systems = {"word_segmenter": lambda texts: speed_benchmark.use_up(nlp.pipe(texts))}
    speeds = speed_benchmark.measure_speed(["上山朋友"] * 20, systems, repeats=1)
    shares = speed_benchmark.measure_shares(["上山朋友"] * 20, nlp, repeats=1)
    assert [speed > 0 for speed in speeds["word_segmenter"]] == [True]
    assert set(shares) == set(speed_benchmark.PARTS)
    assert all(len(row) == 1 and row[0] >= 0 for row in shares.values())
    assert 0 < sum(row[0] for row in shares.values()) <= 1
    assert component.find_best_tags is crf.find_best_tags is before


def test_the_table_of_speeds_has_ratios(speed_benchmark: ModuleType) -> None:
    shares = {part: [0.125, 0.125, 0.5] for part in speed_benchmark.PARTS}
    row = {
        "texts": 2,
        "characters": 4000,
        "systems": {
            "tokenizer alone": [2000.0, 1000.0, 4000.0],
            "word_segmenter": [1000.0, 500.0, 1000.0],
            "jieba": [4000.0, 4000.0, 4000.0],
        },
        "shares": shares,
    }
    report = {
        "python": "3.11", "machine": "m", "versions": {}, "model": "zh", "rounds": 3,
        "texts": {"ZX": row},
    }  # fmt: skip
    lines = speed_benchmark.format_report(report).splitlines()
    (speeds,) = (line for line in lines if line.startswith("| ZX | 2 | 4,000 |"))
    assert "| 2,000 [1,000–4,000] | 1,000 [500–1,000] |" in speeds
    assert speeds.endswith("| 0.50 [0.25–0.50] | 0.25 [0.12–0.25] |")
    assert f"| ZX |{' 12.5 |' * len(speed_benchmark.PARTS)}" in lines
