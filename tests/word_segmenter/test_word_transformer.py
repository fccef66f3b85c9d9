"""A word segmenter with a pretrained encoder: configs/words_trf.cfg with a tiny BERT."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import load_model_from_config

pytest.importorskip("spacy_transformers")

import torch
from transformers import BertConfig, BertModel, BertTokenizerFast

from spacy_sentid.word_segmenter.corpus import Sentence, make_example

torch.set_num_threads(1)
ROOT = Path(__file__).parents[2]
SENTENCES = [
    "我 喜欢 吃 苹果",
    "他们 在 北京 工作",
    "我们 明天 去 学校",
    "天气 很 好",
    "iPad 是 他 的",
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> Path:
    """The folder of a tiny BERT with a piece for each character, and random weights."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("bert") / "tiny"
    folder.mkdir()
    characters = sorted(set("".join(SENTENCES).lower()) - {" "})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters]
    pieces += [f"##{character}" for character in characters]
    (folder / "vocab.txt").write_text("\n".join(pieces), encoding="utf8")
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=512)
    tokenizer.save_pretrained(str(folder))
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    BertModel(config).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="module")
def trained(bert: Path) -> Language:
    """The pipeline of the config, trained on five sentences."""
    config = spacy.util.load_config(ROOT / "configs" / "words_trf.cfg").interpolate()
    config["components"]["transformer"]["model"]["name"] = str(bert)
    nlp = load_model_from_config(config, auto_fill=True)
    spacy.util.fix_random_seed(0)
    egs = examples(nlp)
    optimizer = nlp.initialize(lambda: egs)
    optimizer.learn_rate = 0.005
    for _ in range(60):
        nlp.update(egs, sgd=optimizer)
    return nlp


def examples(nlp: Language) -> list[Example]:
    return [make_example(nlp, Sentence(text.split())) for text in SENTENCES]


@pytest.mark.parametrize("text", SENTENCES)
def test_it_learns_through_the_encoder(trained: Language, text: str) -> None:
    assert [token.text for token in trained("".join(text.split()))] == text.split()


def test_results_do_not_depend_on_length_and_batch(trained: Language) -> None:
    texts = ["".join(text.split()) for text in SENTENCES] + ["我喜欢" * 300, ""]
    found = [[token.text for token in doc] for doc in trained.pipe(texts, batch_size=3)]
    assert found == [[token.text for token in trained(text)] for text in texts]


def test_vectors_of_characters_are_not_copied_to_words(trained: Language) -> None:
    doc = trained("我喜欢吃苹果")
    assert doc._.trf_data is None or not len(doc._.trf_data.align.lengths)


def test_saved_and_loaded(trained: Language, tmp_path: Path) -> None:
    trained.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved")
    for text in SENTENCES:
        text = "".join(text.split())
        assert [token.text for token in again(text)] == [token.text for token in trained(text)]
