"""Saving, loading, copying and sending the component to other processes."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import spacy
import tiny
from spacy.language import Language

from spacy_sentid.sentence_identifier.decoding.decode import CALIBRATED

pytestmark = pytest.mark.usefixtures("light_processes")

TEXTS = [tiny.TEXT, "", "Page 4", "She saw them. It rained.\nPage 9", "Dogs bark."]


def assert_same(a: Language, b: Language) -> None:
    for one, other in zip(a.pipe(TEXTS), b.pipe(TEXTS), strict=True):
        assert tiny.unit_texts(one) == tiny.unit_texts(other)
        for key in ("su", "nsu"):
            scores = [doc.spans[key].attrs["scores"] for doc in (one, other)]
            assert np.allclose(*scores, atol=1e-5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("saved") / "tiny"
    tiny.trained().to_disk(folder)
    return folder


def test_a_component_from_bytes_has_the_same_predictions() -> None:
    nlp = tiny.trained()
    assert_same(nlp, tiny.blank().from_bytes(nlp.to_bytes()))


def test_a_saved_pipeline_has_the_same_predictions(folder: Path) -> None:
    assert_same(tiny.trained(), spacy.load(folder))


def test_the_component_alone_can_be_saved(tmp_path: Path) -> None:
    nlp = tiny.trained()
    tiny.pipe_of(nlp).to_disk(tmp_path / "pipe")
    other = tiny.blank()
    tiny.pipe_of(other).from_disk(tmp_path / "pipe")
    assert_same(nlp, other)
    third = tiny.blank()
    tiny.pipe_of(third).from_bytes(tiny.pipe_of(nlp).to_bytes())
    assert_same(nlp, third)


def test_a_pipeline_without_weights_can_be_saved(tmp_path: Path) -> None:
    tiny.blank().to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    assert not tiny.pipe_of(nlp).is_initialized


def test_learned_values_other_than_the_weights_are_saved(folder: Path, tmp_path: Path) -> None:
    nlp = spacy.load(folder)
    pipe = tiny.pipe_of(nlp)
    pipe.calibration = {name: [0.5 + n, -n] for n, name in enumerate(CALIBRATED)}
    nlp.to_disk(tmp_path)
    loaded = tiny.pipe_of(spacy.load(tmp_path))
    assert loaded.calibration == pipe.calibration
    assert loaded.labels_ == pipe.labels_
    assert any(pipe.labels_.values()) is any(loaded.labels_.values())


def test_training_continues_after_loading(folder: Path) -> None:
    nlp = spacy.load(folder)
    optimizer = nlp.resume_training()
    losses = nlp.update(tiny.examples(nlp), sgd=optimizer)
    assert losses[tiny.NAME] < 0.5


@pytest.mark.parametrize(
    ("setting", "value"), [("threshold", 0.25), ("newline", "break"), ("store_probs", True)]
)
def test_settings_changed_at_run_time_are_saved(
    folder: Path, tmp_path: Path, setting: str, value: object
) -> None:
    nlp = spacy.load(folder)
    tiny.pipe_of(nlp).cfg[setting] = value
    for _ in range(2):  # also when saved again
        nlp.to_disk(tmp_path)
        nlp = spacy.load(tmp_path)
    assert tiny.pipe_of(nlp).cfg[setting] == value


@pytest.mark.parametrize("configured", [0.3, 0.018, 1 / 3])
def test_a_change_of_any_number_is_saved(tmp_path: Path, configured: float) -> None:
    nlp = tiny.trained(threshold=configured)
    tiny.pipe_of(nlp).cfg["threshold"] = 0.7
    nlp.to_disk(tmp_path)
    assert tiny.pipe_of(spacy.load(tmp_path)).cfg["threshold"] == 0.7


@pytest.mark.parametrize(
    ("block", "key"), [("loss_weights", "dep"), ("decode_weights", "span_cost")]
)
def test_a_part_of_a_setting_changed_at_run_time_is_saved(
    folder: Path, tmp_path: Path, block: str, key: str
) -> None:
    nlp = spacy.load(folder)
    tiny.pipe_of(nlp).cfg[block][key] = 0.125
    nlp.to_disk(tmp_path)
    assert tiny.pipe_of(spacy.load(tmp_path)).cfg[block][key] == 0.125


def test_the_config_passed_to_load_wins(folder: Path) -> None:
    nlp = spacy.load(folder, config={f"components.{tiny.NAME}.threshold": 0.4})
    assert tiny.pipe_of(nlp).cfg["threshold"] == 0.4
    assert_same(tiny.trained(threshold=0.4), nlp)


def test_the_config_passed_to_load_wins_over_settings_changed_at_run_time(
    folder: Path, tmp_path: Path
) -> None:
    nlp = spacy.load(folder)
    tiny.pipe_of(nlp).cfg["threshold"] = 0.25
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path, config={f"components.{tiny.NAME}.threshold": 0.4})
    assert tiny.pipe_of(loaded).cfg["threshold"] == 0.4


def test_a_pickled_component_works_as_spawned_processes_need() -> None:
    nlp = tiny.trained()
    pipe = pickle.loads(pickle.dumps(tiny.pipe_of(nlp)))
    doc = pipe(nlp.make_doc(tiny.TEXT))
    expected = nlp(tiny.TEXT)
    assert tiny.unit_texts(doc) == tiny.unit_texts(expected)


PROGRAM = """
import multiprocessing, sys
import spacy

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[2])
    nlp = spacy.load(sys.argv[1])
    texts = ["-- file.doc --\\nI like cats. They sleep a lot.\\nPage 3"] * 6
    for doc in nlp.pipe(texts, n_process=2, batch_size=2):
        print(len(doc.spans["su"]), len(doc.spans["nsu"]), len(doc.spans["su"].attrs["scores"]))
"""


@pytest.mark.parametrize(
    "method",
    [
        pytest.param("fork", marks=pytest.mark.skipif(sys.platform == "win32", reason="no fork")),
        pytest.param("spawn", marks=pytest.mark.slow),
    ],
)
def test_two_processes_have_the_same_result_as_one(
    folder: Path, tmp_path: Path, method: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    result = subprocess.run(
        [sys.executable, program, folder, method],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.stdout.split("\n") == ["2 2 2"] * 6 + [""], result.stderr


def test_a_saved_pipeline_loads_without_importing_the_package(folder: Path) -> None:
    code = f"import spacy; print(len(spacy.load({str(folder)!r})('I like cats.').spans['su']))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.stdout == "1\n", result.stderr
