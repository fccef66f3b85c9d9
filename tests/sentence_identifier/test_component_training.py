"""Training the component: initialize, update, other encoders, spaCy's commands."""

import json
from pathlib import Path

import numpy as np
import pytest
import spacy
import tiny
from spacy.cli._util import app as spacy_app
from spacy.cli.find_threshold import find_threshold
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.initialize import init_nlp
from thinc.api import Model
from typer.testing import CliRunner

from spacy_sentid.sentence_identifier.decoding.decode import not_calibrated
from spacy_sentid.sentence_identifier.network import boundaries

CNN = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 32,
    "depth": 1,
    "embed_size": 200,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
    "pretrained_vectors": None,
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32, "upstream": "*"}


def params(model: Model) -> dict[str, np.ndarray]:
    return {
        f"{n}.{name}": node.get_param(name).copy()
        for n, node in enumerate(model.walk())
        for name in node.param_names
        if node.has_param(name)
    }


def same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all((a[key] == b[key]).all() for key in a)


def assert_learned(nlp: Language) -> None:
    """Check that the units of the training texts are found exactly."""
    scores = nlp.evaluate(tiny.examples(nlp))
    assert (scores["spans_su_f"], scores["spans_nsu_f"]) == (1, 1)


# Learning


def test_a_small_corpus_is_learned_exactly() -> None:
    nlp = tiny.blank()
    tiny.train(nlp, 60)
    assert_learned(nlp)


def test_units_of_a_script_without_spaces_are_learned() -> None:
    nlp = tiny.blank("zh")
    runs = [
        ("第三页", "NSU", "我喜欢猫。", "SU", "它们睡得很多。", "SU", "图一", "NSU"),
        ("狗在叫。", "SU", "第四页", "NSU", "她看见了它们。", "SU"),
    ]
    docs = [tiny.gold_doc(nlp, units, joint="") for units in runs]
    tiny.train(nlp, 60, [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    for units, doc in zip(runs, docs, strict=True):
        found = nlp(doc.text)
        tiny.assert_sane(found, doc.text)
        assert tiny.unit_texts(found) == list(zip(units[::2], units[1::2], strict=True))


def test_spacys_own_encoder_can_be_used() -> None:
    nlp = tiny.blank(model={**tiny.MODEL, "tok2vec": CNN})
    tiny.train(nlp, 60)
    assert_learned(nlp)


def test_a_listener_trains_the_encoder_it_listens_to() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": CNN})
    model = {**tiny.MODEL, "tok2vec": LISTENER}
    nlp.add_pipe(tiny.NAME, config={"model": model, "pretrained": None})
    egs = tiny.examples(nlp)
    optimizer = nlp.initialize(lambda: egs)
    before = params(nlp.get_pipe("tok2vec").model)  # type: ignore[attr-defined]
    for _ in range(60):
        nlp.update(egs, sgd=optimizer)
    assert not same(params(nlp.get_pipe("tok2vec").model), before)  # type: ignore[attr-defined]
    assert_learned(nlp)


def test_dropout_does_not_break_training() -> None:
    nlp = tiny.blank()
    egs = tiny.examples(nlp)
    optimizer = nlp.initialize(lambda: egs)
    losses = [nlp.update(egs, sgd=optimizer, drop=0.3)[tiny.NAME] for _ in range(30)]
    assert losses[-1] < losses[0] / 2


def test_gradients_of_all_parameters_are_those_of_the_loss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boundaries, "MAX_SEGMENT_ATOMS", 30)
    nlp = tiny.blank(threshold=0.0)
    tiny.train(nlp, 5)
    pipe, egs = tiny.pipe_of(nlp), tiny.examples(nlp)[:2]

    def loss() -> float:
        scores, _ = pipe.model.begin_update(pipe._read(egs)[0])
        return pipe.get_loss(egs, scores)[0]

    for node in pipe.model.walk():
        for name in node.param_names:
            node.set_grad(name, np.zeros_like(node.get_param(name)))
    scores, backprop = pipe.model.begin_update(pipe._read(egs)[0])
    backprop(pipe.get_loss(egs, scores)[1])
    gradients = {
        (n, name): node.get_grad(name).copy()
        for n, node in enumerate(pipe.model.walk())
        for name in node.param_names
    }
    for n, node in enumerate(pipe.model.walk()):
        for name in node.param_names:
            gradient, param = gradients[n, name], node.get_param(name).copy()
            norm = float(np.linalg.norm(gradient))
            if norm < 1e-4:
                continue
            values = []
            for step in (1e-3, -1e-3):
                node.set_param(name, (param + step * gradient / norm).astype("f"))
                values.append(loss())
            node.set_param(name, param)
            found = (values[0] - values[1]) / 2e-3
            assert found == pytest.approx(norm, rel=0.05, abs=0.01), (node.name, name)


def test_the_loss_has_no_side_effects() -> None:
    nlp = tiny.blank()
    tiny.train(nlp, 1)
    pipe, egs = tiny.pipe_of(nlp), tiny.examples(nlp)
    scores, _ = pipe.model.begin_update(pipe._read(egs)[0])
    loss, gradient = pipe.get_loss(egs, scores)
    assert loss > 0
    assert gradient.segments.any()
    nodes = list(pipe.model.walk())
    assert not any(
        node.has_grad(name) and node.get_grad(name).any()
        for node in nodes
        for name in node.param_names
    )


def test_gold_with_other_tokens_can_be_learned() -> None:
    nlp = tiny.blank()
    egs = []
    for eg in tiny.examples(nlp):
        gold = eg.reference
        chars = Doc(nlp.vocab, words=list(gold.text), spaces=[False] * len(gold.text))
        for key in ("su", "nsu"):
            chars.spans[key] = [chars[s.start_char : s.end_char] for s in gold.spans[key]]
        egs.append(Example(eg.predicted, chars))
    tiny.train(nlp, 60, egs)
    assert_learned(nlp)


def test_gold_of_a_part_of_the_text_can_be_learned() -> None:
    nlp = tiny.blank()
    egs = tiny.examples(nlp)
    for eg in egs:
        del eg.reference.spans["nsu"]
    losses = [tiny.train(nlp, steps, egs)[tiny.NAME] for steps in (1, 40)]
    assert losses[1] < losses[0]


def test_docs_without_gold_are_skipped_in_a_batch() -> None:
    nlp = tiny.blank()
    plain = Example(nlp.make_doc("No gold here."), nlp.make_doc("No gold here."))
    tiny.train(nlp, 60, [*tiny.examples(nlp), plain])
    assert_learned(nlp)


# Odd batches


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_docs_without_tokens_can_be_in_a_batch(text: str) -> None:
    nlp = tiny.blank()
    doc = nlp.make_doc(text)
    doc.spans["su"], doc.spans["nsu"] = [], []
    empty = Example(nlp.make_doc(text), doc)
    assert np.isfinite(tiny.train(nlp, 3, [*tiny.examples(nlp), empty])[tiny.NAME])
    assert np.isfinite(nlp.update([empty])[tiny.NAME])


def test_an_update_without_gold_raises() -> None:
    nlp = tiny.trained()
    doc = nlp.make_doc("I sleep.")
    doc.spans["sents"] = [doc[:]]
    with pytest.raises(ValueError, match=r"'su'.*sents"):
        nlp.update([Example(nlp.make_doc(doc.text), doc)])


def test_a_wrong_span_key_raises_at_update() -> None:
    nlp = tiny.blank(su_key="sus")
    egs = tiny.examples(nlp)
    with pytest.warns(UserWarning, match="'sus'"):
        nlp.initialize(lambda: egs)
    with pytest.raises(ValueError, match="su_key"):
        nlp.update(egs)


def test_texts_that_differ_raise() -> None:
    nlp = tiny.trained()
    gold = nlp.make_doc("I sleep.")
    gold.spans["su"] = [gold[:]]
    with pytest.raises(ValueError, match="must be the same"):
        nlp.update([Example(nlp.make_doc("He sings."), gold)])


def test_an_empty_update_does_nothing() -> None:
    nlp = tiny.trained()
    before = params(tiny.pipe_of(nlp).model)
    assert tiny.pipe_of(nlp).update([]) == {tiny.NAME: 0.0}
    assert same(params(tiny.pipe_of(nlp).model), before)


def test_rehearsal_does_nothing() -> None:
    nlp = tiny.trained()
    before = params(tiny.pipe_of(nlp).model)
    optimizer = nlp.resume_training()
    nlp.rehearse(tiny.examples(nlp), sgd=optimizer)
    assert same(params(tiny.pipe_of(nlp).model), before)


# Weights


def test_initialize_without_gold_only_warns() -> None:
    nlp = tiny.blank()
    with pytest.warns(UserWarning, match="'su'"):
        nlp.initialize()
    tiny.assert_sane(nlp("I like cats."), "I like cats.")


def test_initialize_without_pretrained_draws_random_weights() -> None:
    models = []
    for seed in (0, 0, 1):
        nlp = tiny.blank()
        spacy.util.fix_random_seed(seed)
        egs = tiny.examples(nlp)
        nlp.initialize(lambda egs=egs: egs)  # type: ignore[misc]
        models.append(params(tiny.pipe_of(nlp).model))
    assert same(models[0], models[1])
    assert not same(models[0], models[2])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights") / "tiny"
    tiny.trained().to_disk(folder)
    return folder


@pytest.mark.parametrize("part", ["", tiny.NAME])
def test_pretrained_may_be_a_folder(folder: Path, part: str) -> None:
    nlp = tiny.blank(pretrained=str(folder / part))
    assert tiny.unit_texts(nlp(tiny.TEXT)) == tiny.unit_texts(tiny.trained()(tiny.TEXT))


def test_initialize_resets_to_pretrained_weights(folder: Path) -> None:
    nlp = tiny.blank(pretrained=str(folder))
    before = params(tiny.pipe_of(nlp).model)
    nlp.initialize(lambda: tiny.examples(nlp))
    assert same(params(tiny.pipe_of(nlp).model), before)
    tiny.train(nlp, 1)
    assert not same(params(tiny.pipe_of(nlp).model), before)
    nlp.initialize(lambda: tiny.examples(nlp))
    assert same(params(tiny.pipe_of(nlp).model), before)


def test_initialize_draws_new_weights_for_a_trained_component_without_pretrained() -> None:
    nlp = tiny.trained()
    before = params(tiny.pipe_of(nlp).model)
    nlp.initialize(lambda: tiny.examples(nlp))
    assert not same(params(tiny.pipe_of(nlp).model), before)


def test_weights_trained_with_dropout_and_without_line_ends_still_fit(tmp_path: Path) -> None:
    nlp = tiny.trained(newline="ignore")
    nlp.update(tiny.examples(nlp), drop=0.5)
    nlp.to_disk(tmp_path)
    tiny.assert_sane(tiny.blank(pretrained=str(tmp_path))(tiny.TEXT), tiny.TEXT)


def test_pretrained_weights_can_be_trained_further(folder: Path) -> None:
    nlp = tiny.blank(pretrained=str(folder))
    losses = tiny.train(nlp, 3)
    assert losses[tiny.NAME] < 0.5
    assert_learned(nlp)


def test_resume_training_keeps_the_weights() -> None:
    nlp = tiny.trained()
    before = params(tiny.pipe_of(nlp).model)
    optimizer = nlp.resume_training()
    assert same(params(tiny.pipe_of(nlp).model), before)
    nlp.update(tiny.examples(nlp), sgd=optimizer)
    assert not same(params(tiny.pipe_of(nlp).model), before)


def test_a_sourced_component_keeps_its_weights() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(tiny.NAME, source=tiny.trained())
    assert tiny.unit_texts(nlp(tiny.TEXT)) == tiny.unit_texts(tiny.trained()(tiny.TEXT))


def test_a_name_without_weights_raises_when_they_are_needed() -> None:
    nlp = tiny.blank(pretrained="no_such_thing")
    with pytest.raises(ValueError, match="no_such_thing"):
        nlp("I like cats.")
    with pytest.raises(ValueError, match="no_such_thing"):
        nlp.initialize(lambda: tiny.examples(nlp))


def test_weights_of_another_model_raise_when_they_are_needed(folder: Path) -> None:
    model = {**tiny.MODEL, "segment_hidden": 5}
    with pytest.raises(ValueError, match="model"):
        tiny.blank(model=model, pretrained=str(folder))("I like cats.")


def test_a_saved_pipeline_loads_without_the_folder_its_weights_came_from(tmp_path: Path) -> None:
    tiny.trained().to_disk(tmp_path / "weights")
    tiny.blank(pretrained=str(tmp_path / "weights")).to_disk(tmp_path / "pipeline")
    (tmp_path / "weights").rename(tmp_path / "elsewhere")
    nlp = spacy.load(tmp_path / "pipeline")
    assert tiny.unit_texts(nlp(tiny.TEXT)) == tiny.unit_texts(tiny.trained()(tiny.TEXT))


def test_a_language_without_weights_can_be_trained() -> None:
    nlp = tiny.blank("de")
    tiny.train(nlp)
    assert_learned(nlp)


# spaCy's commands


def test_find_threshold_tries_thresholds(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "dev.spacy"
    DocBin(docs=[eg.reference for eg in tiny.examples(tiny.blank())]).to_disk(data)
    _, best, scores = find_threshold(
        str(folder), data, tiny.NAME, "threshold", "spans_su_f", n_trials=3
    )
    assert len(scores) == 3
    assert best == max(scores.values()) == 1


def spacy_command(*arguments: object) -> None:
    result = CliRunner().invoke(spacy_app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output


def test_spacy_evaluate_prints_the_spans(folder: Path, tmp_path: Path) -> None:
    data, output = tmp_path / "dev.spacy", tmp_path / "metrics.json"
    DocBin(docs=[eg.reference for eg in tiny.examples(tiny.blank())]).to_disk(data)
    spacy_command("evaluate", folder, data, "--spans-key", "su", "--output", output)
    assert json.loads(output.read_text(encoding="utf8"))["spans_su_f"] == 1


def test_spacy_assemble_builds_a_pipeline_from_a_config(folder: Path, tmp_path: Path) -> None:
    nlp = tiny.blank(pretrained=str(folder))
    nlp.config.to_disk(tmp_path / "config.cfg")
    with pytest.warns(UserWarning, match="'su'"):
        spacy_command("assemble", tmp_path / "config.cfg", tmp_path / "assembled")
    assembled = spacy.load(tmp_path / "assembled")
    assert tiny.unit_texts(assembled(tiny.TEXT)) == tiny.unit_texts(tiny.trained()(tiny.TEXT))


def test_spacy_package_makes_a_package_that_names_its_requirement(
    folder: Path, tmp_path: Path
) -> None:
    spacy_command("package", folder, tmp_path, "--build", "none", "--name", "tiny")
    (meta,) = tmp_path.glob("en_tiny-*/meta.json")
    assert any(
        "spacy-sentid" in name or "spacy_sentid" in name
        for name in json.loads(meta.read_text(encoding="utf8"))["requirements"]
    )


@pytest.mark.parametrize(
    "name",
    [
        "configs/identifier.cfg",
        "configs/identifier_bos_eos.cfg",
        "studies/weights/configs/identifier_documents.cfg",
    ],
)
def test_a_pipeline_of_the_committed_configs_can_resume_training(
    root: Path, tmp_path: Path, name: str
) -> None:
    data = tmp_path / "gold.spacy"
    DocBin(docs=[eg.reference for eg in tiny.examples(tiny.blank())]).to_disk(data)
    config = spacy.util.load_config(root / name)
    paths = [key for key, path in config["paths"].items() if path is None]
    config["paths"].update(dict.fromkeys(paths, str(data)))
    nlp = init_nlp(spacy.util.load_model_from_config(config, auto_fill=True).config)
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    losses = loaded.update(tiny.examples(loaded), sgd=loaded.resume_training())
    assert losses[tiny.NAME] > 0


def test_the_committed_config_can_be_initialized(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "gold.spacy"
    DocBin(docs=[eg.reference for eg in tiny.examples(tiny.blank())]).to_disk(data)
    config = spacy.util.load_config(root / "configs" / "identifier.cfg")
    config["paths"].update(train=str(data), dev=str(data))
    filled = spacy.util.load_model_from_config(config, auto_fill=True).config
    nlp = init_nlp(filled)
    assert tiny.pipe_of(nlp).is_initialized


def test_the_score_weights_of_the_factory_name_scores_that_exist() -> None:
    nlp = tiny.trained()
    weights = Language.get_factory_meta(tiny.NAME).default_score_weights
    gold = tiny.gold_doc(nlp, ("Page 3", "METADATA", "I like cats.", "SU"))
    assert set(weights) <= set(nlp.evaluate([Example(nlp.make_doc(gold.text), gold)]))


# Regressions


def test_a_trained_component_can_be_initialized_with_other_labels() -> None:
    nlp = tiny.trained()
    tiny.pipe_of(nlp).calibration = {name: [0.5, 0.1] for name in not_calibrated()}
    with pytest.warns(UserWarning, match="'su'"):
        nlp.initialize()  # one Doc without gold: no syntax labels at all
    assert tiny.pipe_of(nlp).calibration == not_calibrated()
    tiny.assert_sane(nlp(tiny.TEXT), tiny.TEXT)


def test_a_pipeline_with_other_labels_than_its_pretrained_weights_loads(tmp_path: Path) -> None:
    tiny.trained().to_disk(tmp_path / "weights")
    nlp = tiny.blank()
    with pytest.warns(UserWarning, match="'su'"):
        nlp.initialize()
    nlp.config["components"][tiny.NAME]["pretrained"] = str(tmp_path / "weights")
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    assert same(params(tiny.pipe_of(loaded).model), params(tiny.pipe_of(nlp).model))
