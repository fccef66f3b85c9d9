"""The paraphrase tagger: training, saving, errors, and its use in pipelines."""

import json
from pathlib import Path

import numpy as np
import pytest
import spacy
import tiny_pairs
from spacy.language import Language
from spacy.tokens import DocBin
from spacy.training import Example

from spacy_sentid.paraphrase_tagger.corpus import SUPPORT, UNPARAPHRASED_KEY, pair_from_doc
from spacy_sentid.paraphrase_tagger.long_pairs import cut_evenly
from spacy_sentid.paraphrase_tagger.pairs import get_pair, make_pair
from spacy_sentid.paraphrase_tagger.scorer import align_tags


def supports(nlp: Language) -> list[np.ndarray]:
    docs = nlp.pipe(tiny_pairs.docs(nlp))
    return [doc.spans[UNPARAPHRASED_KEY].attrs[SUPPORT] for doc in docs]


def assert_same(a: Language, b: Language) -> None:
    for one, other in zip(supports(a), supports(b), strict=True):
        assert np.allclose(one, other, atol=1e-5)


def test_it_learns_a_few_pairs() -> None:
    nlp = tiny_pairs.trained()
    found = [pair_from_doc(doc) for doc in nlp.pipe(tiny_pairs.docs(nlp))]
    assert found == tiny_pairs.PAIRS


def test_spans_have_scores_and_support() -> None:
    nlp = tiny_pairs.trained()
    doc = nlp(tiny_pairs.docs(nlp)[0])
    group = doc.spans[UNPARAPHRASED_KEY]
    assert [span.text for span in group] == ["rose", "fell"]
    support = group.attrs[SUPPORT]
    assert support.shape == (len(doc),)
    probs = 1 / (1 + np.exp(support))
    expected = [probs[span.start : span.end].mean() for span in group]
    assert group.attrs["scores"] == pytest.approx(expected)


def test_the_key_is_written_if_nothing_is_found() -> None:
    nlp = tiny_pairs.trained()
    doc = nlp(tiny_pairs.docs(nlp)[1])
    assert list(doc.spans[UNPARAPHRASED_KEY]) == []


def test_results_are_the_same_in_batches_and_processes() -> None:
    nlp = tiny_pairs.trained()
    alone = [nlp(doc).spans[UNPARAPHRASED_KEY].attrs[SUPPORT] for doc in tiny_pairs.docs(nlp)]
    for options in ({"batch_size": 4}, {"n_process": 2, "batch_size": 2}):
        docs = nlp.pipe(tiny_pairs.docs(nlp), **options)
        for one, doc in zip(alone, docs, strict=True):
            assert np.allclose(one, doc.spans[UNPARAPHRASED_KEY].attrs[SUPPORT], atol=1e-5)
            assert get_pair(doc)


def test_results_survive_docbin() -> None:
    nlp = tiny_pairs.trained()
    docs = list(nlp.pipe(tiny_pairs.docs(nlp)))
    copies = DocBin().from_bytes(DocBin(docs=docs).to_bytes()).get_docs(nlp.vocab)
    for doc, copy in zip(docs, copies, strict=True):
        assert pair_from_doc(copy) == pair_from_doc(doc)
        group = copy.spans[UNPARAPHRASED_KEY]
        assert np.allclose(group.attrs[SUPPORT], doc.spans[UNPARAPHRASED_KEY].attrs[SUPPORT])


def test_results_survive_saving_and_loading(tmp_path: Path) -> None:
    nlp = tiny_pairs.trained()
    nlp.to_disk(tmp_path)
    assert_same(nlp, spacy.load(tmp_path))
    assert_same(nlp, tiny_pairs.blank().from_bytes(nlp.to_bytes()))


def test_the_tagger_can_be_sourced_into_another_pipeline() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("paraphrase_tagger", source=tiny_pairs.trained())
    assert_same(tiny_pairs.trained(), nlp)


def test_settings_are_read_and_saved(tmp_path: Path) -> None:
    nlp = tiny_pairs.train(
        tiny_pairs.blank(key="new", threshold=0.25, extend=0.125, smoothing=0.375), steps=0
    )
    pipe = nlp.get_pipe("paraphrase_tagger")
    assert pipe.cfg == {"key": "new", "threshold": 0.25, "extend": 0.125, "smoothing": 0.375}
    pipe.cfg["threshold"] = 0.75
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path).get_pipe("paraphrase_tagger").cfg["threshold"] == 0.75
    changed = spacy.load(tmp_path, config={"components": {"paraphrase_tagger": {"threshold": 0.1}}})
    assert changed.get_pipe("paraphrase_tagger").cfg["threshold"] == 0.1
    assert "new" in nlp(tiny_pairs.docs(nlp)[0]).spans


def test_a_threshold_decides() -> None:
    nlp = tiny_pairs.trained()
    pipe = nlp.get_pipe("paraphrase_tagger")
    try:
        for threshold, n_tagged in ((0.0, 10), (1.0, 0)):
            pipe.cfg["threshold"] = threshold
            pair = pair_from_doc(nlp(tiny_pairs.docs(nlp)[0]))
            assert sum(pair.tags1 + pair.tags2) == n_tagged + (threshold == 0)
    finally:
        pipe.cfg["threshold"] = 0.5


def test_spans_are_extended_by_probable_neighbours() -> None:
    nlp = tiny_pairs.trained()
    pipe = nlp.get_pipe("paraphrase_tagger")
    doc = make_pair(nlp, "a b c d", "e f")
    logits = {"a": 0.5, "b": 3.0, "c": -0.5, "d": -3.0, "e": -0.5, "f": -3.0}
    support = np.array([-logits[token.text] for token in doc])
    for extend, expected in ((None, ["a b"]), (0.3, ["a b c"]), (0.01, ["a b c d"])):
        pipe.cfg["extend"] = extend
        pipe.set_annotations([doc], [support])
        assert [span.text for span in doc.spans[UNPARAPHRASED_KEY]] == expected
    pipe.cfg["extend"] = 0.3


def test_white_space_is_never_tagged() -> None:
    nlp = tiny_pairs.trained()
    nlp.get_pipe("paraphrase_tagger").cfg["threshold"] = 0.0
    try:
        doc = nlp(make_pair(nlp, "a  b\n", "\n c"))
    finally:
        nlp.get_pipe("paraphrase_tagger").cfg["threshold"] = 0.5
    tagged = {i for span in doc.spans[UNPARAPHRASED_KEY] for i in range(span.start, span.end)}
    assert tagged == {token.i for token in doc if not token.is_space}
    support = doc.spans[UNPARAPHRASED_KEY].attrs[SUPPORT]
    assert not support[[token.is_space for token in doc]].any()


def test_scores_of_gold_are_1() -> None:
    nlp = tiny_pairs.trained()
    scores = nlp.evaluate(tiny_pairs.examples(nlp))
    for name in ("paraphrase_acc", "unparaphrased_f", "spans_unparaphrased_f"):
        assert scores[name] == 1.0
    assert scores["unparaphrased_best_f"] == 1.0


def test_a_doc_that_is_not_a_pair_is_an_error() -> None:
    with pytest.raises(ValueError, match="make_pair"):
        tiny_pairs.trained()("Just a text.")


def test_training_without_gold_is_an_error() -> None:
    nlp = tiny_pairs.trained()
    doc = tiny_pairs.docs(nlp)[0]
    with pytest.raises(ValueError, match="unparaphrased"):
        nlp.get_pipe("paraphrase_tagger").update([Example(doc, doc.copy())])


def test_the_error_of_damaged_weights_names_the_pair() -> None:
    nlp = tiny_pairs.train(tiny_pairs.blank(), steps=0)
    output = nlp.get_pipe("paraphrase_tagger").model.get_ref("output")
    output.set_param("W", output.get_param("W") * np.nan)
    with pytest.raises(ValueError, match="pair-0"):
        nlp(tiny_pairs.docs(nlp)[0])


def test_missing_weights_are_an_error() -> None:
    nlp = tiny_pairs.blank()
    with pytest.raises(ValueError, match="weights"):
        nlp(tiny_pairs.docs(nlp)[0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 1.5}, "threshold"),
        ({"smoothing": 0.5}, "smoothing"),
        ({"extend": -0.5}, "'extend'"),
        ({"model": tiny_pairs.model_config(window=0)}, "'window'"),
        ({"model": tiny_pairs.model_config(features=None)}, "features.*encoder"),
    ],
)
def test_invalid_settings_are_an_error(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiny_pairs.blank(**settings)


def test_an_invalid_lexicon_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "words.npz"
    file.write_text("no")
    features = {"@architectures": "spacy_sentid.PairFeatures.v1", "dropout": 0.1}
    model = tiny_pairs.model_config(features={**features, "lexicon": str(file)})
    nlp = tiny_pairs.blank(model=model)
    with pytest.raises(ValueError, match=r"words\.npz"):
        nlp.initialize(lambda: tiny_pairs.examples(nlp))


def test_gold_is_aligned_with_other_tokens() -> None:
    nlp = spacy.blank("en")
    gold = make_pair(nlp, ["do", "n't", "go"], ["go"])
    gold.spans[UNPARAPHRASED_KEY] = [gold[1:2]]
    pred = make_pair(nlp, ["do", "n't", "go"], ["g", "o"])
    with pytest.raises(ValueError, match="same pair"):
        align_tags(Example(pred, gold))
    whole = make_pair(nlp, "ab cd", "ef")
    gold = make_pair(nlp, "ab cd", "ef")
    with gold.retokenize() as retokenizer:
        retokenizer.split(gold[0], ["a", "b"], heads=[(gold[0], 1), gold[1]])
    gold.spans[UNPARAPHRASED_KEY] = [gold[0:1], gold[2:3]]
    assert align_tags(Example(whole, gold)).tolist() == [-1, 1, 0]


# Long pairs


@pytest.mark.parametrize("length", range(1, 30))
@pytest.mark.parametrize("window", [1, 2, 5, 8])
def test_stretches_cover_a_text_and_fit_the_window(length: int, window: int) -> None:
    cut = cut_evenly(length, window)
    assert {i for start, end in cut for i in range(start, end)} == set(range(length))
    assert all(0 < end - start <= window for start, end in cut)


def test_a_long_text_has_the_support_of_its_best_stretch() -> None:
    nlp = tiny_pairs.trained()

    def support(words1: list[str], words2: list[str]) -> np.ndarray:
        return nlp(make_pair(nlp, words1, words2)).spans[UNPARAPHRASED_KEY].attrs[SUPPORT]

    short = ["The", "dog", "sleeps", "."]
    long = ["no"] * 300 + short
    stretches = [support(short, long[start:end])[:4] for start, end in cut_evenly(304, 128)]
    assert np.allclose(support(short, long)[:4], np.max(stretches, axis=0), atol=1e-5)
    assert len(support(short, long)) == 308


def test_a_long_pair_does_not_change_the_others() -> None:
    nlp = tiny_pairs.trained()
    docs = tiny_pairs.docs(nlp)
    long = make_pair(nlp, ["a"] * 300, ["b", "\n"] * 200)
    expected = supports(nlp)
    found = [doc.spans[UNPARAPHRASED_KEY].attrs[SUPPORT] for doc in nlp.pipe([long, *docs])]
    assert len(found[0]) == 700
    assert not found[0][[token.is_space for token in long]].any()
    for one, other in zip(found[1:], expected, strict=True):
        assert np.allclose(one, other, atol=1e-5)


def test_a_pair_with_too_many_stretches_is_an_error_that_names_it() -> None:
    nlp = tiny_pairs.trained()
    pair = make_pair(nlp, ["a"] * 9000, ["b"] * 9000, pair_id="huge")
    with pytest.raises(ValueError, match=r"'huge'.*9,000"):
        nlp(pair)


def test_the_gradient_is_the_gradient_of_the_loss() -> None:
    nlp = tiny_pairs.train(tiny_pairs.blank(model=tiny_pairs.model_config()), steps=5)
    pipe = nlp.get_pipe("paraphrase_tagger")
    egs = tiny_pairs.examples(nlp)
    docs = [eg.predicted for eg in egs]
    scores, backprop = pipe.model.begin_update(docs)
    _, gradients = pipe.get_loss(egs, scores)
    backprop(gradients)
    output = pipe.model.get_ref("output")
    gradient = output.get_grad("b").copy()
    losses = []
    for step in (1e-2, -1e-2):
        output.set_param("b", output.get_param("b") + step)
        losses.append(pipe.get_loss(egs, pipe.model.predict(docs))[0])
        output.set_param("b", output.get_param("b") - step)
    assert gradient[0] == pytest.approx((losses[0] - losses[1]) / 2e-2, rel=0.02, abs=1e-4)


def test_smoothing_bounds_the_support_that_is_learned() -> None:
    nlp = tiny_pairs.blank(smoothing=0.1)
    pipe = nlp.get_pipe("paraphrase_tagger")
    examples = tiny_pairs.examples(nlp)[:1]
    gold = align_tags(examples[0], key="unparaphrased")
    best = np.where(gold == 1, -1, 1) * np.log(0.9 / 0.1)
    loss, (gradient,) = pipe.get_loss(examples, [best])
    assert gradient == pytest.approx(0, abs=1e-7)
    assert pipe.get_loss(examples, [2 * best])[0] > loss
    pipe.cfg["smoothing"] = 0.0
    assert pipe.get_loss(examples, [2 * best])[0] < pipe.get_loss(examples, [best])[0]


def test_the_config_trains_on_the_sample(tmp_path: Path) -> None:
    from spacy.cli.train import train

    root = Path(__file__).parents[2]
    sample = root / "assets" / "sample" / "paraphrase"
    overrides = {
        "paths.train": str(sample / "dev.jsonl"),
        "paths.dev": str(sample / "test.jsonl"),
        "components.paraphrase_tagger.model.features.lexicon": None,
        "components.paraphrase_tagger.model.width": 16,
        "training.max_steps": 2,
        "training.eval_frequency": 1,
    }
    train(root / "configs" / "paraphrase.cfg", tmp_path / "out", overrides=overrides)
    meta = json.loads((tmp_path / "out" / "model-last" / "meta.json").read_text())
    assert 0 <= meta["performance"]["unparaphrased_best_f"] <= 1
