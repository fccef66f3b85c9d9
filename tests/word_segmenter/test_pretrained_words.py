"""The bundled weights of the word segmenter: the example of the README, size, licence."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import spacy
import srsly
from spacy.language import Language

from spacy_sentid.components.pipelines import find
from spacy_sentid.pretrained import DEFAULT_NAMES, FOLDER
from spacy_sentid.word_segmenter.boundary_probs import boundary_probs, segment_texts
from spacy_sentid.word_segmenter.component import DEFAULT_MODEL
from spacy_sentid.word_segmenter.corpus import Sentence, make_example, read_words
from spacy_sentid.word_segmenter.scorer import evaluate_sentences

BUNDLED = FOLDER / DEFAULT_NAMES["word_segmenter"]["zh"]
MAX_SIZE = 8 * 1024 * 1024
SAMPLE = Path(__file__).parents[2] / "assets" / "sample" / "words"


def make_pipeline() -> Language:
    nlp = spacy.blank("zh")
    nlp.add_pipe("word_segmenter")
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Language:
    return make_pipeline()


@pytest.mark.parametrize(
    "text",
    [
        "他们 在 北京 大学 学习 语言 学 。",  # GSD splits as finely
        "有 人 在 细细 地 倾听",  # Figure 1 of the paper
        "我 昨天 花 了 3.5万 元",
    ],
)
def test_it_works_at_once(nlp: Language, text: str) -> None:
    assert [token.text for token in nlp(text.replace(" ", ""))] == text.split()


def test_written_and_spoken_text_are_segmented_well(nlp: Language) -> None:
    golds = read_words(SAMPLE / "test.txt")
    assert evaluate_sentences(partial(segment_texts, nlp), golds)["word_f"] > 0.85


def test_words_that_are_added_are_evidence(nlp: Language) -> None:
    text = "田不易看着张小凡"
    before = next(boundary_probs(nlp, [text]))
    mine = make_pipeline()
    find(mine, "word_segmenter").add_words({"田不易": 100_000})
    after = next(boundary_probs(mine, [text]))
    assert after[:2].sum() < before[:2].sum()


def test_raw_text_is_evidence(nlp: Language) -> None:
    mine = make_pipeline()
    texts = ["喵星咪来了", "看喵星咪吃", "那喵星咪好", "有喵星咪在", "把喵星咪给他"]
    find(mine, "word_segmenter").read_raw_text(texts, mine.make_doc)
    before, after = (next(boundary_probs(each, ["想喵星咪了"])) for each in (nlp, mine))
    assert not np.allclose(before, after)


def test_texts_read_ahead_are_temporary_evidence(nlp: Language) -> None:
    """Check that a repeated name in the texts of a call becomes a word, in this call only."""
    texts = ["青罗派来了", "他在青罗派学剑", "青罗派的人走了", "我从青罗派来", "谁见过青罗派"] * 4
    mine = make_pipeline()
    pipe = find(mine, "word_segmenter")
    before = pipe.model.to_bytes()
    words = []
    for n in (0, 20):
        pipe.cfg["read_ahead"] = n
        words.append([[token.text for token in doc] for doc in mine.pipe(texts, batch_size=3)])
    pipe.cfg["read_ahead"] = 0
    plain, ahead = words
    assert plain == [[token.text for token in doc] for doc in nlp.pipe(texts)]
    assert [doc.text for doc in mine.pipe(texts)] == texts
    assert sum("青罗派" in row for row in ahead) > sum("青罗派" in row for row in plain)
    assert pipe.model.to_bytes() == before


def test_other_texts_do_not_use_the_texts_read_ahead(nlp: Language) -> None:
    mine = make_pipeline()
    find(mine, "word_segmenter").cfg["read_ahead"] = 20
    text = "我从青罗派来"
    words = [[token.text for token in mine(text)] for _ in mine.pipe(["青罗派来了"] * 30)]
    assert words == [[token.text for token in nlp(text)]] * 30


def test_reading_ahead_is_a_number_of_texts() -> None:
    with pytest.raises(ValueError, match="must be a whole number"):
        spacy.blank("zh").add_pipe("word_segmenter", config={"read_ahead": -1})


def test_any_text_is_kept(nlp: Language) -> None:
    text = "他 们  走了\n\n第二段。iPhone 15 Pro，３．５万😀👍🏽張小凡 test@example.com\t"
    assert nlp(text).text == text


def test_initialize_keeps_the_bundled_weights(nlp: Language) -> None:
    mine = make_pipeline()
    mine.initialize(lambda: [make_example(mine, Sentence(["好"]))])
    assert [token.text for token in mine("我们在学校")] == [
        token.text for token in nlp("我们在学校")
    ]


def test_a_changed_setting_of_training_does_not_matter() -> None:
    features = {**DEFAULT_MODEL["features"], "ngram_dropout": 0.1, "min_count": 1}
    nlp = spacy.blank("zh")
    nlp.add_pipe("word_segmenter", config={"model": {**DEFAULT_MODEL, "features": features}})
    assert [token.text for token in nlp("我们在学校")] == ["我们", "在", "学校"]


def test_the_bundled_weights_are_small() -> None:
    assert sum(file.stat().st_size for file in BUNDLED.rglob("*") if file.is_file()) <= MAX_SIZE


def test_the_bundled_weights_have_a_description() -> None:
    meta = srsly.read_json(BUNDLED / "meta.json")
    assert meta["lang"] == "zh"
    assert "CC BY-SA" in str(meta["sources"])
    assert "MIT" in str(meta["sources"])
    assert "for Chinese" in (BUNDLED / "README.md").read_text()
    assert "Attribution-ShareAlike" in (BUNDLED / "LICENSE").read_text()
