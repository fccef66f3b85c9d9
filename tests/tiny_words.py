"""A few sentences in words, and a segmenter trained on them in a second."""

from collections.abc import Iterable, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import fix_random_seed

from spacy_sentid.word_segmenter.component import DEFAULT_MODEL, WordSegmenter

NAME = "word_segmenter"
LINES = """
我 喜欢 吃 苹果 。
他 在 北京 大学 学习 中文 。
今天 天气 很 好 。
我们 明天 去 公园 玩 。
老师 在 教室 里 看 书 。
她 昨天 买 了 三 本 书 。
小猫 在 沙发 上 睡觉 。
你 喜欢 喝 茶 吗 ？
妈妈 在 厨房 做 饭 。
弟弟 每天 骑 自行车 上学 。
图书馆 里 很 安静 。
我 的 朋友 住 在 上海 。
火车站 离 这里 不 远 。
他们 正在 讨论 这个 问题 。
医生 说 要 多 喝 水 。
价格 是 25 元 。
请 打开 Windows 电脑 。
自然 语言 处理 很 有趣 。
春天 来 了 ， 花 开 了 。
学生 们 参加 了 运动会 。
"""
SENTENCES = [line.split() for line in LINES.strip().splitlines()]
TEXTS = ["".join(words) for words in SENTENCES]
# Inputs of all sorts: empty, white space, other scripts, signs, emoji, no punctuation.
ODD_TEXTS = [
    "", " ", "\n\n", "我", "  我 喜欢\n\n吃苹果 。 ", "我喜欢New York。", "3.5元 25%", "😀👨‍👩‍👧。",
    "妈妈在厨房做饭他们正在讨论这个问题", "\u3000自然语言\u3000处理", "ﷺ½\u200b", "𠮷野家",
]  # fmt: skip


def model_config(**changes: Any) -> dict[str, Any]:
    """Make the default model with small layers and without dropout."""
    model = deepcopy(DEFAULT_MODEL) | {"width": 24, "dilations": [1]} | changes
    if "features" not in changes:
        rates = dict.fromkeys(("character_dropout", "ngram_dropout", "lexicon_dropout"), 0.0)
        model["features"] = {**model["features"], "widths": [12, 8, 6, 4], **rates}
    return model


def blank(**settings: Any) -> Language:
    nlp = spacy.blank("zh")
    model = settings.pop("model", None) or model_config()
    nlp.add_pipe(NAME, config={"model": model, "pretrained": None, **settings})
    return nlp


def pipe_of(nlp: Language) -> WordSegmenter:
    pipe = nlp.get_pipe(NAME)
    assert isinstance(pipe, WordSegmenter)
    return pipe


def gold_doc(nlp: Language, words: Sequence[str]) -> Doc:
    return Doc(nlp.vocab, words=list(words), spaces=[False] * len(words))


def examples(nlp: Language, sentences: Iterable[Sequence[str]] = tuple(SENTENCES)) -> list[Example]:
    return [Example(nlp.make_doc("".join(words)), gold_doc(nlp, words)) for words in sentences]


def train(nlp: Language, *, steps: int = 40, egs: list[Example] | None = None) -> Language:
    fix_random_seed(0)
    egs = examples(nlp) if egs is None else egs
    optimizer = nlp.initialize(lambda: egs)
    optimizer.learn_rate = 0.01
    for _ in range(steps):
        nlp.update(egs, sgd=optimizer)
    return nlp


@cache
def trained() -> Language:
    """Return the pipeline that is trained once per session. Tests must not change it."""
    return train(blank())


def fresh(**settings: Any) -> Language:
    """Make a copy of the trained pipeline, with other settings if given."""
    return blank(**settings).from_bytes(trained().to_bytes())


def words_of(docs: Iterable[Doc]) -> list[list[str]]:
    return [[token.text for token in doc] for doc in docs]
