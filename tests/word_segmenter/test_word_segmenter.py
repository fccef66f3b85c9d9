"""The component in use: words of any text, pipes, processes, saving, errors, later components."""

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import tiny_words
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Example
from spacy.util import registry

from spacy_sentid.word_segmenter.characters import read_characters
from spacy_sentid.word_segmenter.component import WordSegmenter
from spacy_sentid.word_segmenter.gold import make_partial_doc
from spacy_sentid.word_segmenter.scorer import make_word_scorer

TEXTS = [*tiny_words.TEXTS, *tiny_words.ODD_TEXTS]


@pytest.fixture(scope="module")
def nlp() -> Language:
    """The trained pipeline, which all tests share."""
    return tiny_words.trained()


@pytest.fixture
def copy() -> Language:
    """A copy of the trained pipeline, for tests that change it."""
    return tiny_words.fresh()


def words_of(nlp: Language, texts: Sequence[str] = TEXTS, **options: Any) -> list[list[str]]:
    return tiny_words.words_of(nlp.pipe(texts, **options))


def assert_same(one: Language, other: Language) -> None:
    assert words_of(one) == words_of(other)
    docs = [one.make_doc(text) for text in TEXTS]
    scores = [tiny_words.pipe_of(nlp).score_tags(read_characters(docs)) for nlp in (one, other)]
    for a, b in zip(*scores, strict=True):
        assert np.allclose(a, b, atol=1e-5)


def test_it_learns_a_few_sentences(nlp: Language) -> None:
    assert words_of(nlp, tiny_words.TEXTS) == tiny_words.SENTENCES


def test_the_scorer_is_registered() -> None:
    assert registry.get("scorers", "spacy_sentid.word_scorer.v1") is make_word_scorer


# Any text

CHINESE = st.text("我喜欢吃苹果北京大学一二，。 \n\u3000aZ1", max_size=30)


@given(text=st.text(max_size=30) | CHINESE)
def test_the_text_is_never_changed(nlp: Language, text: str) -> None:
    doc = nlp(text)
    assert doc.text == text
    for token in doc:
        assert token.text.isspace() or len(token.text.split()) == 1


@pytest.fixture(scope="module")
def english() -> Language:
    english = spacy.blank("en")
    english.add_pipe(tiny_words.NAME, source=tiny_words.trained())
    return english


@given(text=st.text("Iike cats.5 \n好吃。", max_size=30))
def test_tokens_of_another_tokenizer_are_never_split(english: Language, text: str) -> None:
    before = english.make_doc(text)
    doc = english(text)
    assert doc.text == text
    assert {token.idx for token in doc} <= {token.idx for token in before}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        (" \n", [" \n"]),
        ("我喜欢\n喜欢我", ["我", "喜欢", "\n", "喜欢", "我"]),
        ("北 京", ["北", "京"]),
        ("妈妈 在厨房", ["妈妈", "在", "厨房"]),
        ("请打开Windows电脑", ["请", "打开", "Windows", "电脑"]),
        ("请打开Win dows电脑", ["请", "打开", "Win", "dows", "电脑"]),
    ],
)
def test_white_space_ends_words(nlp: Language, text: str, words: list[str]) -> None:
    assert [token.text for token in nlp(text)] == words


def test_a_long_line_without_punctuation_is_segmented(nlp: Language) -> None:
    line = "妈妈在厨房做饭他们正在讨论这个问题" * 6_000
    assert len(line) > 100_000
    doc = nlp(line)
    assert doc.text == line
    start = [token.text for token in nlp(line[:1000])][:400]
    assert [token.text for token in doc][:400] == start


# Many texts


@pytest.mark.parametrize(
    "options", [{"batch_size": 1}, {"batch_size": 7}, {}, {"n_process": 2, "batch_size": 8}]
)
def test_single_texts_batches_and_processes_have_equal_results(
    nlp: Language, options: dict[str, int]
) -> None:
    alone = [[token.text for token in nlp(text)] for text in TEXTS]
    assert words_of(nlp, TEXTS, **options) == alone


def test_a_batch_of_only_white_space_has_no_words(nlp: Language) -> None:
    assert words_of(nlp, ["", " ", "\n"], batch_size=3) == [[], [" "], ["\n"]]
    assert list(nlp.pipe([])) == []


@pytest.mark.parametrize("options", [{}, {"batch_size": 2}, {"n_process": 2}])
def test_contexts_stay_with_their_texts(nlp: Language, options: dict[str, int]) -> None:
    pairs = [(text, {"number": number}) for number, text in enumerate(TEXTS)]
    found = [(doc.text, context) for doc, context in nlp.pipe(pairs, as_tuples=True, **options)]
    assert found == pairs


def test_annotations_of_a_doc_are_copied(nlp: Language) -> None:
    doc = nlp.make_doc(tiny_words.TEXTS[1])
    doc.user_data["source"] = "letters"
    doc.ents = [Span(doc, 2, 6, label="ORG")]
    words = nlp(doc)
    assert words.user_data["source"] == "letters"
    assert [(entity.text, len(entity)) for entity in words.ents] == [("北京大学", 2)]


def test_results_survive_docbin(nlp: Language) -> None:
    docs = list(nlp.pipe(TEXTS))
    data = DocBin(docs=docs, store_user_data=True).to_bytes()
    copies = list(DocBin().from_bytes(data).get_docs(nlp.vocab))
    assert tiny_words.words_of(copies) == tiny_words.words_of(docs)
    assert [doc.text for doc in copies] == TEXTS


def test_components_after_it_see_words(copy: Language) -> None:
    ruler = copy.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "ORG", "pattern": [{"TEXT": "北京"}, {"TEXT": "大学"}]}])  # type: ignore[attr-defined]
    attributes = copy.add_pipe("attribute_ruler")
    attributes.add([[{"TEXT": "学习"}]], {"POS": "VERB"})  # type: ignore[attr-defined]
    for doc in (copy(tiny_words.TEXTS[1]), *copy.pipe(tiny_words.TEXTS[1:2])):
        assert [(entity.text, entity.label_) for entity in doc.ents] == [("北京大学", "ORG")]
        assert [token.text for token in doc if token.pos_ == "VERB"] == ["学习"]


# Saved and loaded


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words") / "tiny"
    tiny_words.trained().to_disk(folder)
    return folder


def test_a_loaded_pipeline_is_the_same(nlp: Language, folder: Path) -> None:
    assert_same(nlp, spacy.load(folder))
    assert_same(nlp, tiny_words.blank().from_bytes(nlp.to_bytes()))


def test_the_component_alone_can_be_saved(nlp: Language, tmp_path: Path) -> None:
    pipe = tiny_words.pipe_of(nlp)
    pipe.to_disk(tmp_path / "pipe")
    other, third = tiny_words.blank(), tiny_words.blank()
    tiny_words.pipe_of(other).from_disk(tmp_path / "pipe")
    tiny_words.pipe_of(third).from_bytes(pipe.to_bytes())
    assert_same(nlp, other)
    assert_same(nlp, third)


def test_saved_twice_it_is_the_same(folder: Path, tmp_path: Path) -> None:
    nlp = spacy.load(folder)
    nlp.to_disk(tmp_path)
    assert nlp.config.to_str() == spacy.load(tmp_path).config.to_str()
    files = [root / tiny_words.NAME / "model" for root in (folder, tmp_path)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_pipeline_without_weights_can_be_saved(tmp_path: Path) -> None:
    tiny_words.blank().to_disk(tmp_path)
    assert not tiny_words.pipe_of(spacy.load(tmp_path)).is_initialized


def test_a_pickled_component_works_as_spawned_processes_need(nlp: Language) -> None:
    pipe = pickle.loads(pickle.dumps(tiny_words.pipe_of(nlp)))
    docs = [nlp.make_doc(text) for text in TEXTS]
    assert tiny_words.words_of(pipe.pipe(docs)) == words_of(nlp)


def test_sourced_into_another_pipeline(nlp: Language) -> None:
    other = spacy.blank("zh")
    other.add_pipe(tiny_words.NAME, source=nlp)
    assert_same(nlp, other)


def test_words_that_were_added_are_saved(nlp: Language, copy: Language, tmp_path: Path) -> None:
    tiny_words.pipe_of(copy).add_words({"喜欢吃": 1000})
    copy.to_disk(tmp_path)
    assert_same(copy, spacy.load(tmp_path))
    with pytest.raises(AssertionError):
        assert_same(copy, nlp)


# Scores


def test_evaluation_gives_scores_of_words(nlp: Language) -> None:
    sentences = [*tiny_words.SENTENCES, ["我", "喜欢吃", "苹果", "。"]]
    scores = nlp.evaluate(tiny_words.examples(nlp, sentences))
    n_words = sum(map(len, tiny_words.SENTENCES))
    right = n_words + 3  # 喜欢 and 吃 are predicted instead of 喜欢吃
    assert scores["word_p"] == pytest.approx(right / (n_words + 5))
    assert scores["word_r"] == pytest.approx(right / (n_words + 4))
    assert scores["word_f"] == pytest.approx(2 * right / (2 * n_words + 9))
    assert scores["oov_r"] == 0
    assert scores["oov_rate"] == pytest.approx(1 / (n_words + 4))


def test_the_score_weights_of_the_factory_name_scores_that_exist(nlp: Language) -> None:
    weights = Language.get_factory_meta(tiny_words.NAME).default_score_weights
    assert set(weights) <= set(nlp.evaluate(tiny_words.examples(nlp)))


def test_partly_annotated_references_are_not_scored(nlp: Language) -> None:
    text = tiny_words.TEXTS[0]
    partial = Example(nlp.make_doc(text), make_partial_doc(nlp.vocab, [text]))
    assert "word_f" not in nlp.evaluate([partial])
    assert nlp.evaluate([partial, *tiny_words.examples(nlp)])["word_f"] == 1


def test_without_a_scorer_there_are_no_scores() -> None:
    nlp = tiny_words.fresh(scorer=None)
    assert tiny_words.pipe_of(nlp).score(tiny_words.examples(nlp)) == {}


def test_words_of_the_training_data_are_known(nlp: Language) -> None:
    pipe = tiny_words.pipe_of(nlp)
    assert pipe.in_vocabulary("自行车")
    assert not pipe.in_vocabulary("自行")


# What is wrong


def test_missing_weights_are_an_error() -> None:
    with pytest.raises(ValueError, match="init-config words"):
        tiny_words.blank()("我喜欢吃苹果。")
    with pytest.raises(ValueError, match="weights"):
        list(tiny_words.blank().pipe(["我", ""]))


@pytest.fixture
def damaged(copy: Language) -> Language:
    output = tiny_words.pipe_of(copy).model.get_ref("output")
    output.set_param("W", output.get_param("W") * np.nan)
    return copy


def test_damaged_weights_are_an_error(damaged: Language) -> None:
    with pytest.raises(ValueError, match="finite"):
        damaged("我喜欢吃苹果。")


def collect(failures: list[tuple]) -> Any:
    def handle(name: str, pipe: WordSegmenter, docs: list[Doc], error: Exception) -> None:
        failures.append((name, [doc.text for doc in docs], str(error)))

    return handle


def test_an_error_handler_gets_the_error_and_other_texts_continue(
    copy: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_ends = WordSegmenter.find_ends

    def find_some(self: WordSegmenter, batch: Any, boundaries: Any = None) -> Any:
        if any("坏" in doc.text for doc in batch.docs):
            raise ValueError("bad luck")
        return find_ends(self, batch, boundaries)

    monkeypatch.setattr(WordSegmenter, "find_ends", find_some)
    failures: list[tuple] = []
    copy.set_error_handler(collect(failures))
    texts = ["我喜欢茶", "坏", "坏了", "你好"]
    assert [doc.text for doc in copy.pipe(texts, batch_size=1)] == ["我喜欢茶", "你好"]
    assert failures == [(tiny_words.NAME, [text], "bad luck") for text in ("坏", "坏了")]


def test_an_error_handler_gets_the_error_of_a_single_text_once(damaged: Language) -> None:
    failures: list[tuple] = []
    damaged.set_error_handler(collect(failures))
    doc = damaged("我喜欢吃苹果。")
    assert doc.text == "我喜欢吃苹果。"
    ((name, texts, error),) = failures
    assert (name, texts) == (tiny_words.NAME, ["我喜欢吃苹果。"])
    assert "finite" in error


def test_the_three_methods_of_spacy_make_the_docs_of_words(nlp: Language) -> None:
    pipe, docs = tiny_words.pipe_of(nlp), [nlp.make_doc("我喜欢吃苹果。"), nlp.make_doc("")]
    joined = pipe.set_annotations(docs, pipe.predict(docs))
    assert tiny_words.words_of(joined) == tiny_words.words_of(map(pipe, docs))
    assert [len(doc) for doc in docs] == [7, 0]


def test_a_name_without_weights_raises_when_they_are_needed() -> None:
    nlp = tiny_words.blank(pretrained="no_such_thing")
    with pytest.raises(ValueError, match="no_such_thing"):
        nlp("我")


def test_weights_of_another_model_raise_when_they_are_needed(folder: Path) -> None:
    nlp = tiny_words.blank(model=tiny_words.model_config(width=5), pretrained=str(folder))
    with pytest.raises(ValueError, match="model"):
        nlp("我")
