"""The generator: fine-tuning, resuming and decoding, with a tiny BART made for the tests."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("transformers")

import torch
from tiny_seq2seq import MAX_POSITIONS, PAIRS, make_bart
from transformers import BertConfig, BertModel

from spacy_sentid.paraphrase_tagger.generation import seq2seq
from spacy_sentid.paraphrase_tagger.generation.candidates import make_filter
from spacy_sentid.paraphrase_tagger.generation.options import Training
from spacy_sentid.paraphrase_tagger.generation.seq2seq import (
    Seq2Seq,
    load_generator,
    train_generator,
)

SOURCES = [source for source, _ in PAIRS]
TARGETS = [target for _, target in PAIRS]
OVERFIT = Training(epochs=60, batch_size=4, learning_rate=0.01)


@pytest.fixture(scope="module")
def bart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bart(tmp_path_factory.mktemp("bart") / "tiny")


@pytest.fixture(scope="module")
def trained(bart: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a generator that learned the four pairs by heart."""
    sure = tmp_path_factory.mktemp("trained")
    start = make_bart(sure / "start", dropout=0.0)
    train_generator(PAIRS, sure / "model", model=str(start), training=OVERFIT)
    return sure / "model"


@pytest.fixture(scope="module")
def generator(trained: Path) -> Seq2Seq:
    return load_generator(str(trained))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_generator(str(folder)).model.state_dict()


def same_weights(one: Path, other: Path) -> bool:
    ours, theirs = weights(one), weights(other)
    return ours.keys() == theirs.keys() and all(torch.equal(ours[n], theirs[n]) for n in ours)


# Training


def test_four_pairs_are_learned_by_heart(generator: Seq2Seq) -> None:
    found = generator.generate(SOURCES)
    assert found == [[target] for target in TARGETS]


def test_the_folder_has_the_model_the_tokenizer_and_a_log(trained: Path) -> None:
    names = {path.name for path in trained.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "training.json"} <= names
    log = json.loads((trained / "training.json").read_text())
    assert log["n_examples"] == 4
    assert len(log["losses"]) == 60
    assert log["losses"][-1] < 0.1 < 1 < log["losses"][0]
    assert log["settings"]["learning_rate"] == 0.01
    assert not list(trained.parent.glob("*.checkpoint"))


SHORT = Training(epochs=3, batch_size=2, learning_rate=0.005, seed=5)


def test_the_seed_determines_the_weights(bart: Path, tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        torch.manual_seed(len(name))
        train_generator(PAIRS, tmp_path / name, model=str(bart), training=SHORT._replace(seed=seed))
    assert same_weights(tmp_path / "a", tmp_path / "b")
    assert not same_weights(tmp_path / "a", tmp_path / "c")


@pytest.mark.parametrize("last_step", [1, 3, 4, 6])
def test_an_interrupted_training_ends_in_the_same_weights(
    bart: Path, tmp_path: Path, last_step: int
) -> None:
    steps = []

    def note(step: int, n_steps: int, loss: float) -> None:
        steps.append(step)
        assert n_steps == 6
        assert loss > 0
        if step == last_step and steps.count(step) == 1:
            raise KeyboardInterrupt

    whole = train_generator(PAIRS, tmp_path / "whole", model=str(bart), training=SHORT)
    with pytest.raises(KeyboardInterrupt):
        train_generator(PAIRS, tmp_path / "out", model=str(bart), training=SHORT, on_step=note)
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "out.checkpoint").exists() is (last_step > 2)
    report = train_generator(PAIRS, tmp_path / "out", model=str(bart), training=SHORT, on_step=note)
    again = 2 * ((last_step - 1) // 2)  # of two updates each
    assert steps == [*range(1, last_step + 1), *range(again + 1, 7)]
    assert report == whole
    assert same_weights(tmp_path / "out", tmp_path / "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"out", "whole"}


def test_a_checkpoint_of_another_training_is_not_resumed(bart: Path, tmp_path: Path) -> None:
    def stop(step: int, n_steps: int, loss: float) -> None:
        if step == 3:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        train_generator(PAIRS, out, model=str(bart), training=SHORT, on_step=stop)
    with pytest.raises(ValueError, match="epochs 3"):
        train_generator(PAIRS, out, model=str(bart), training=SHORT._replace(epochs=4))
    with pytest.raises(ValueError, match="pairs"):
        train_generator(PAIRS[:3], out, model=str(bart), training=SHORT)


def test_an_older_model_is_kept_until_the_new_one_is_complete(bart: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    train_generator(PAIRS, out, model=str(bart), training=SHORT)
    before = (out / "training.json").read_bytes()

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_generator(PAIRS[:2], out, model=str(bart), training=SHORT, on_step=stop)
    assert (out / "training.json").read_bytes() == before
    train_generator(PAIRS[:2], out, model=str(bart), training=SHORT)
    assert (out / "training.json").read_bytes() != before


@pytest.mark.parametrize("name", ["out", "out.checkpoint"])
@pytest.mark.parametrize(
    ("file", "text"),
    [("thesis.txt", "years"), ("state.json", "{}")],
)
def test_a_foreign_folder_is_never_overwritten(
    tmp_path: Path, name: str, file: str, text: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / file).write_text(text)
    # The folder is checked before the model, which does not exist, is loaded.
    with pytest.raises(ValueError, match=re.escape(str(folder))):
        train_generator(PAIRS, tmp_path / "out", model="no-such", training=SHORT)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (folder / file).read_text() == text


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("x")
    with pytest.raises(ValueError, match="out"):
        train_generator(PAIRS, tmp_path / "out", model="no-such", training=SHORT)
    assert (tmp_path / "out").read_text() == "x"


def test_an_empty_folder_is_filled(bart: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    train_generator(PAIRS, tmp_path / "out", model=str(bart), training=SHORT._replace(epochs=1))
    assert (tmp_path / "out" / "training.json").is_file()


def test_the_learning_rate_decays_linearly_to_zero(bart: Path, tmp_path: Path) -> None:
    rates = []
    step_of = torch.optim.AdamW.step

    def step(self: torch.optim.AdamW, *args: object) -> object:
        rates.append(self.param_groups[0]["lr"])
        return step_of(self, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.optim.AdamW, "step", step)
        train_generator(PAIRS, tmp_path / "out", model=str(bart), training=SHORT)
    assert rates == pytest.approx([0.005 * n / 6 for n in (6, 5, 4, 3, 2, 1)])


def test_both_directions_double_the_examples(bart: Path, tmp_path: Path) -> None:
    training = SHORT._replace(both_directions=True, epochs=1)
    report = train_generator(PAIRS, tmp_path / "out", model=str(bart), training=training)
    assert (report.n_examples, report.n_too_long) == (8, 0)


def test_pairs_with_a_long_text_are_skipped(bart: Path, tmp_path: Path) -> None:
    training = SHORT._replace(epochs=1)
    long = [("the " * MAX_POSITIONS, "the mat"), ("the mat", "the " * MAX_POSITIONS)]
    report = train_generator(PAIRS + long, tmp_path / "out", model=str(bart), training=training)
    assert (report.n_examples, report.n_too_long) == (4, 2)
    with pytest.raises(ValueError, match="pairs"):
        train_generator(long, tmp_path / "none", model=str(bart), training=training)


def test_a_loss_that_is_not_finite_ends_the_training(bart: Path, tmp_path: Path) -> None:
    training = SHORT._replace(learning_rate=1e30)
    with pytest.raises(ValueError, match="learning rate"):
        train_generator(PAIRS, tmp_path / "out", model=str(bart), training=training)


# Decoding


def test_several_paraphrases_belong_to_their_text(generator: Seq2Seq) -> None:
    found = generator.generate(SOURCES, 4)
    assert [texts[0] for texts in found] == TARGETS
    assert all(len(texts) <= 4 for texts in found)


def test_long_texts_and_unfinished_paraphrases_are_dropped(
    generator: Seq2Seq, monkeypatch: pytest.MonkeyPatch
) -> None:
    def generate(texts: list[str], max_tokens: int = 256) -> list[list[str]]:
        monkeypatch.setattr(seq2seq, "MAX_TOKENS", max_tokens)
        return generator.generate(texts)

    size = generator.count_tokens(SOURCES[:1])[0]
    texts = [SOURCES[0], SOURCES[3]]
    assert generate(texts, size - 1)[0] == []
    # The target fits with its special pieces, but its end symbol may be the forced one.
    n_target = generator.count_tokens(TARGETS[3:])[0]
    assert generate(texts, n_target + 1)[1] == []
    assert generate(texts, n_target + 2)[1] == [TARGETS[3]]
    assert generate([]) == []
    assert generate(["the " * 100]) == [[]]


# Errors


@pytest.mark.parametrize("name", ["no-such-folder/no-such-model", "folder"])
def test_a_missing_model_is_an_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    name = str(tmp_path) if name == "folder" else name
    with pytest.raises(ValueError, match="--model") as caught:
        load_generator(name)
    assert name in str(caught.value)


def test_an_encoder_is_not_a_generator(bart: Path, tmp_path: Path) -> None:
    shutil.copytree(bart, tmp_path / "bert")
    small = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = BertConfig(vocab_size=50, intermediate_size=8, **small)
    BertModel(config).save_pretrained(str(tmp_path / "bert"))
    with pytest.raises(ValueError, match="Unrecognized configuration class"):
        load_generator(str(tmp_path / "bert"))


def test_unreadable_weights_are_an_error(bart: Path, tmp_path: Path) -> None:
    shutil.copytree(bart, tmp_path / "model")
    # The pointer that git-lfs leaves in place of a large file.
    (tmp_path / "model" / "model.safetensors").write_text("version https://git-lfs\n")
    with pytest.raises(ValueError, match="seq2seq"):
        load_generator(str(tmp_path / "model"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_an_error(bart: Path) -> None:
    with pytest.raises(ValueError, match="cuda:0"):
        load_generator(str(bart), device="cuda:0")


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_missing_package_of_scores_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ValueError, match=r"pip install spacy-sentid\[nlg\]"):
        make_filter()


GENERATION = "paraphrase_tagger.generation"


@pytest.mark.parametrize(
    "module",
    ["files.records", "files.resume", f"{GENERATION}.prompts", f"{GENERATION}.options"],
)  # fmt: skip
def test_plain_modules_do_not_import_spacy_or_torch(module: str) -> None:
    modules = run(f"import sys, spacy_sentid.{module}; print(*sys.modules)").split()
    assert not {"spacy", "torch", "transformers", "numpy", "sacrebleu"} & set(modules)
