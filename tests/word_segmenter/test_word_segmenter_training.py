"""The component in training: whole and partial gold, dictionaries, encoders, commands."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import tiny_words
from spacy.cli._util import app as spacy_app
from spacy.cli.train import train
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example
from thinc.api import Model
from typer.testing import CliRunner

from spacy_sentid.pretrained import DEFAULT_NAMES
from spacy_sentid.word_segmenter.characters import read_characters
from spacy_sentid.word_segmenter.gold import make_partial_doc, read_gold

CNN = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "width": 16,
    "depth": 1,
    "embed_size": 200,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": False,
    "pretrained_vectors": None,
}
TOK2VEC = {
    "@architectures": "spacy.Tok2Vec.v2",
    "embed": {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 16,
        "attrs": ["ORTH", "SHAPE"],
        "rows": [200, 100],
        "include_static_vectors": False,
    },
    "encode": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": 16,
        "window_size": 1,
        "maxout_pieces": 2,
        "depth": 1,
    },
}
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 16, "upstream": "*"}


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
    assert nlp.evaluate(tiny_words.examples(nlp))["word_f"] == 1


def initialized() -> Language:
    return tiny_words.train(tiny_words.blank(), steps=0)


# Learning


def test_the_loss_is_that_of_an_update() -> None:
    nlp = initialized()
    pipe, egs = tiny_words.pipe_of(nlp), tiny_words.examples(nlp)
    n = sum(len(eg.predicted) for eg in egs)
    scores, _ = pipe.model.begin_update(read_gold(egs)[0])
    value, loss = pipe.get_loss(egs, scores)
    assert nlp.update(egs, sgd=None)[tiny_words.NAME] == pytest.approx(value, rel=1e-5)
    assert loss.emissions.shape == (n, 4)
    assert loss.transitions.shape == (4, 4)


def test_dropout_does_not_break_training() -> None:
    nlp = tiny_words.blank()
    egs = tiny_words.examples(nlp)
    optimizer = nlp.initialize(lambda: egs)
    optimizer.learn_rate = 0.01
    losses = [nlp.update(egs, sgd=optimizer, drop=0.2)[tiny_words.NAME] for _ in range(30)]
    assert losses[-1] < losses[0] / 2
    # Dropout has no effect on predictions and saved files.
    pipe, docs = tiny_words.pipe_of(nlp), [eg.predicted for eg in egs]
    assert (
        pipe.score_tags(read_characters(docs)).emissions
        == pipe.score_tags(read_characters(docs)).emissions
    ).all()
    loaded = tiny_words.pipe_of(tiny_words.blank().from_bytes(nlp.to_bytes()))
    assert loaded.model.attrs["dropout_rate"] == 0


def test_partial_gold_is_learned() -> None:
    nlp = tiny_words.blank()
    egs = [
        Example(nlp.make_doc("".join(chunks)), make_partial_doc(nlp.vocab, chunks))
        for words in tiny_words.SENTENCES
        for chunks in (["".join(words[:2]), "".join(words[2:-1]), words[-1]],)
    ]
    tiny_words.train(nlp, egs=egs)
    for eg, doc in zip(egs, nlp.pipe([eg.text for eg in egs]), strict=True):
        ends = {token.idx + len(token) for token in doc}
        assert {token.idx + len(token) for token in eg.reference} <= ends


def test_whole_and_partial_gold_can_be_in_a_batch() -> None:
    nlp = tiny_words.blank()
    partial = make_partial_doc(nlp.vocab, ["我们喜欢", "在公园睡觉"])
    egs = [*tiny_words.examples(nlp), Example(nlp.make_doc("我们喜欢在公园睡觉"), partial)]
    tiny_words.train(nlp, egs=egs)
    assert_learned(nlp)
    assert "在" in [token.text for token in nlp("我们喜欢在公园睡觉")]
    # Chunks are not learned as words.
    assert not tiny_words.pipe_of(nlp).in_vocabulary("我们喜欢")


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
@pytest.mark.parametrize("changes", [{}, {"features": None, "encoder": TOK2VEC}])
def test_docs_without_characters_can_be_in_a_batch(text: str, changes: dict[str, Any]) -> None:
    nlp = tiny_words.blank(model=tiny_words.model_config(**changes))
    empty = Example(nlp.make_doc(text), nlp.make_doc(text))
    tiny_words.train(nlp, steps=2, egs=[empty, *tiny_words.examples(nlp), empty])
    assert np.isfinite(nlp.update([empty], sgd=nlp.create_optimizer())[tiny_words.NAME])
    assert nlp(text).text == text


def test_an_empty_update_does_nothing() -> None:
    nlp = initialized()
    before = params(tiny_words.pipe_of(nlp).model)
    nlp.update([], sgd=nlp.create_optimizer())
    assert same(params(tiny_words.pipe_of(nlp).model), before)


def test_later_components_train_on_the_words_of_a_frozen_segmenter() -> None:
    nlp = tiny_words.fresh()
    nlp.add_pipe("tagger")
    egs = tiny_words.examples(nlp)
    for eg in egs:
        for token in eg.reference:
            token.tag_ = f"L{len(token)}"
    nlp.get_pipe("tagger").initialize(lambda: egs, nlp=nlp)
    before = params(tiny_words.pipe_of(nlp).model)
    optimizer = nlp.create_optimizer()
    for _ in range(15):
        nlp.update(egs, sgd=optimizer, exclude=[tiny_words.NAME], annotates=[tiny_words.NAME])
    assert same(params(tiny_words.pipe_of(nlp).model), before)
    assert [token.tag_ for token in nlp("图书馆里很安静。")] == ["L3", "L1", "L1", "L2", "L1"]


# Where it starts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights") / "tiny"
    tiny_words.trained().to_disk(folder)
    return folder


@pytest.mark.parametrize("part", ["", tiny_words.NAME])
def test_pretrained_may_be_a_folder(folder: Path, part: str) -> None:
    assert_learned(tiny_words.blank(pretrained=str(folder / part)))


def test_initialize_restores_pretrained_weights(folder: Path) -> None:
    nlp = tiny_words.blank(pretrained=str(folder))
    before = params(tiny_words.pipe_of(nlp).model)
    tiny_words.train(nlp, steps=1)
    assert not same(params(tiny_words.pipe_of(nlp).model), before)
    nlp.initialize(lambda: tiny_words.examples(nlp))
    assert same(params(tiny_words.pipe_of(nlp).model), before)


def test_initialize_draws_random_weights_without_pretrained() -> None:
    models = []
    for seed in (0, 0, 1):
        nlp = tiny_words.blank()
        spacy.util.fix_random_seed(seed)
        egs = tiny_words.examples(nlp)
        nlp.initialize(lambda egs=egs: egs)  # type: ignore[misc]
        models.append(params(tiny_words.pipe_of(nlp).model))
    assert same(models[0], models[1])
    assert not same(models[0], models[2])


def test_training_continues_after_loading(folder: Path) -> None:
    nlp = spacy.load(folder)
    before = params(tiny_words.pipe_of(nlp).model)
    optimizer = nlp.resume_training()
    assert same(params(tiny_words.pipe_of(nlp).model), before)
    assert nlp.update(tiny_words.examples(nlp), sgd=optimizer)[tiny_words.NAME] < 0.5
    assert not same(params(tiny_words.pipe_of(nlp).model), before)


# Dictionaries


def dictionary_file(folder: Path, text: str = "我喜欢 9\n厨房\n学习中 1000\n") -> Path:
    file = folder / "words.txt"
    file.write_text(text, encoding="utf8")
    return file


def initialize_with(nlp: Language, dictionary: Path, setting: str = "dictionary") -> None:
    nlp.config["initialize"]["components"] = {tiny_words.NAME: {setting: str(dictionary)}}
    spacy.util.fix_random_seed(0)
    nlp.initialize(lambda: tiny_words.examples(nlp))


def dictionary_size(nlp: Language) -> int:
    return len(tiny_words.pipe_of(nlp).model.get_ref("features").get_param("dictionary"))


def test_a_dictionary_is_a_feature_and_not_a_rule(tmp_path: Path) -> None:
    plain, nlp = initialized(), tiny_words.blank()
    initialize_with(nlp, dictionary_file(tmp_path))
    batch, allowed = read_gold(tiny_words.examples(nlp))
    layers = [tiny_words.pipe_of(each).model.get_ref("features") for each in (plain, nlp)]
    rows = [layer.predict(batch) for layer in layers]
    # Only the characters of the dictionary's words change, each of which occurs once.
    changed = np.flatnonzero((rows[0] != rows[1]).any(axis=1))
    text = "".join(tiny_words.TEXTS)
    assert sorted(text[place] for place in changed) == sorted("我喜欢厨房学习中")
    assert (read_gold(tiny_words.examples(plain))[1] == allowed).all()
    optimizer = nlp.create_optimizer()
    for _ in range(60):
        nlp.update(tiny_words.examples(nlp), sgd=optimizer)
    assert_learned(nlp)


def test_words_can_be_added_later_with_or_without_counts() -> None:
    nlp = tiny_words.fresh()
    pipe, doc = tiny_words.pipe_of(nlp), nlp.make_doc(tiny_words.TEXTS[0])
    scores = [pipe.score_tags(read_characters([doc])).emissions]
    for words in (["喜欢吃"], {"欢吃": 5, "苹果": None}, {}):
        pipe.add_words(words)
        scores.append(pipe.score_tags(read_characters([doc])).emissions)
    assert [bool((a == b).all()) for a, b in pairwise(scores)] == [
        False, False, True,
    ]  # fmt: skip
    assert not pipe.in_vocabulary("喜欢吃")  # the vocabulary is that of the training data


def test_a_dictionary_adds_to_the_one_of_pretrained_weights(folder: Path, tmp_path: Path) -> None:
    source = spacy.load(folder)
    tiny_words.pipe_of(source).add_words(["自然语言"])
    source.to_disk(tmp_path)
    nlp = tiny_words.blank(pretrained=str(tmp_path))
    initialize_with(nlp, dictionary_file(tmp_path, "公园\n"))
    assert dictionary_size(nlp) == 2


@pytest.mark.parametrize("pretrained", ["folder", "auto", None])
def test_initializing_again_replaces_the_dictionary(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pretrained: str | None
) -> None:
    monkeypatch.setitem(DEFAULT_NAMES, tiny_words.NAME, {"zh": str(folder)})
    nlp = tiny_words.blank(pretrained=str(folder) if pretrained == "folder" else pretrained)
    for text, size in (("公园\n上海\n", 2), ("厨房\n", 1)):
        initialize_with(nlp, dictionary_file(tmp_path, text))
        assert dictionary_size(nlp) == size
        if pretrained:
            assert_learned(nlp)


def test_a_pipeline_with_added_words_loads_where_its_first_weights_are(
    folder: Path, tmp_path: Path
) -> None:
    nlp = tiny_words.blank(pretrained=str(folder))
    tiny_words.pipe_of(nlp).add_words(["公园", "厨房"])
    nlp.to_disk(tmp_path)
    assert dictionary_size(spacy.load(tmp_path)) == 2


def test_raw_text_is_a_feature_and_not_a_rule(tmp_path: Path) -> None:
    plain, nlp = initialized(), tiny_words.blank()
    text = "小麒麟来了\n那麒麟好\n有麒麟在\n"
    initialize_with(nlp, dictionary_file(tmp_path, text), "raw_text")
    docs = [nlp.make_doc("看麒麟")]
    a, b = (
        tiny_words.pipe_of(each).score_tags(read_characters(docs)).emissions
        for each in (plain, nlp)
    )
    assert (a != b).any()
    assert not tiny_words.pipe_of(nlp).in_vocabulary("麒麟")
    copy = tiny_words.pipe_of(tiny_words.blank().from_bytes(nlp.to_bytes()))
    assert (copy.score_tags(read_characters(docs)).emissions == b).all()


def test_a_dictionary_and_raw_text_need_features(tmp_path: Path) -> None:
    nlp = tiny_words.blank(model=tiny_words.model_config(features=None, encoder=CNN))
    for setting in ("dictionary", "raw_text"):
        with pytest.raises(ValueError, match="features"):
            initialize_with(nlp, dictionary_file(tmp_path), setting)
    with pytest.raises(ValueError, match="features"):
        tiny_words.pipe_of(nlp).add_words(["公园"])
    tiny_words.pipe_of(nlp).cfg["read_ahead"] = 5
    with pytest.raises(ValueError, match="features"):
        list(nlp.pipe(["公园"]))


# Encoders


@pytest.mark.parametrize(
    "changes",
    [
        {"features": None, "encoder": TOK2VEC},
        {"features": None, "encoder": CNN, "width": None},
        {"encoder": CNN, "features": tiny_words.model_config()["features"]},
    ],
)
def test_an_encoder_works_instead_of_features_and_with_them(
    changes: dict[str, Any], tmp_path: Path
) -> None:
    nlp = tiny_words.blank(model=tiny_words.model_config(**changes))
    tiny_words.train(nlp, steps=60)
    assert_learned(nlp)
    assert ("oov_r" in nlp.evaluate(tiny_words.examples(nlp))) is (changes["features"] is not None)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    texts = [*tiny_words.TEXTS, *tiny_words.ODD_TEXTS]
    assert tiny_words.words_of(loaded.pipe(texts)) == tiny_words.words_of(map(nlp, texts))


def test_a_listener_trains_the_encoder_it_listens_to(tmp_path: Path) -> None:
    nlp = spacy.blank("zh")
    nlp.add_pipe("tok2vec", config={"model": TOK2VEC})
    model = tiny_words.model_config(features=None, encoder=LISTENER)
    nlp.add_pipe(tiny_words.NAME, config={"model": model, "pretrained": None})
    egs = tiny_words.examples(nlp)
    optimizer = nlp.initialize(lambda: egs)
    optimizer.learn_rate = 0.01
    before = params(nlp.get_pipe("tok2vec").model)  # type: ignore[attr-defined]
    for _ in range(60):
        nlp.update(egs, sgd=optimizer)
    assert not same(params(nlp.get_pipe("tok2vec").model), before)  # type: ignore[attr-defined]
    assert_learned(nlp)
    nlp.to_disk(tmp_path)
    texts = [*tiny_words.TEXTS, *tiny_words.ODD_TEXTS]
    expected = tiny_words.words_of(map(nlp, texts))
    assert tiny_words.words_of(spacy.load(tmp_path).pipe(texts)) == expected


def test_the_characters_of_a_token_share_its_vector() -> None:
    nlp = spacy.blank("en")
    model = tiny_words.model_config(features=None, encoder=CNN)
    nlp.add_pipe(tiny_words.NAME, config={"model": model, "pretrained": None})
    texts = ["I like cats.", "They sleep a lot."]
    egs = [Example(nlp.make_doc(text), nlp.make_doc(text)) for text in texts]
    tiny_words.train(nlp, steps=5, egs=egs)
    emissions = (
        tiny_words.pipe_of(nlp).score_tags(read_characters([nlp.make_doc("like cats")])).emissions
    )
    assert len(emissions) == 8
    assert np.isfinite(emissions).all()


# spaCy's commands


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("corpus") / "words.txt"
    file.write_text(tiny_words.LINES.strip(), encoding="utf8")
    return file


@pytest.mark.parametrize("extras", [[], ["dictionary", "raw_text"]])
def test_the_config_trains(root: Path, corpus: Path, tmp_path: Path, extras: list[str]) -> None:
    overrides: dict[str, Any] = {
        "paths.train": str(corpus),
        "paths.dev": str(corpus),
        "components.word_segmenter.model.width": 16,
        "training.max_steps": 4,
        "training.eval_frequency": 2,
    }
    for name in extras:
        overrides[f"paths.{name}"] = str(dictionary_file(tmp_path))
    train(root / "configs" / "words.cfg", tmp_path / "out", overrides=overrides)
    meta = json.loads((tmp_path / "out" / "model-last" / "meta.json").read_text())
    assert {"word_p", "word_r", "word_f", "oov_r"} <= set(meta["performance"])
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert nlp("我喜欢吃苹果。").text == "我喜欢吃苹果。"


def test_spacy_evaluate_reports_scores_of_words(folder: Path, tmp_path: Path) -> None:
    data, output = tmp_path / "dev.spacy", tmp_path / "metrics.json"
    egs = tiny_words.examples(tiny_words.blank())
    DocBin(docs=[eg.reference for eg in egs]).to_disk(data)
    arguments = ["evaluate", str(folder), str(data), "--output", str(output)]
    result = CliRunner().invoke(spacy_app, arguments)
    assert result.exit_code == 0, result.output
    scores = json.loads(output.read_text(encoding="utf8"))
    assert [scores[name] for name in ("word_p", "word_r", "word_f", "oov_r")] == [1, 1, 1, 1]
