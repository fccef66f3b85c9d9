"""Names that UD splits are joined in the training data of the bundled segmenter."""

from collections.abc import Callable
from pathlib import Path

import pytest

from studies.weights.chinese_names import join_names, write_joined


@pytest.mark.parametrize(
    ("words", "tags", "joined"),
    [
        ("李 登辉 说", "PROPN PROPN VERB", "李登辉 说"),
        ("李 白 杜 甫", "PROPN PROPN PROPN PROPN", "李白 杜甫"),
        ("张 张 纸", "NOUN NUM NOUN", "张 张 纸"),
        ("北京 大学", "PROPN PROPN", "北京 大学"),  # not a surname
        ("李 奥纳多", "PROPN PROPN", "李 奥纳多"),  # too long
        ("李 Bo", "PROPN PROPN", "李 Bo"),
        ("", "", ""),
    ],
)
def test_surname_and_given_name_are_joined(words: str, tags: str, joined: str) -> None:
    assert join_names(words.split(), tags.split()) == joined.split()


def test_joining_names_keeps_the_text(find_corpus: Callable[[str], Path], tmp_path: Path) -> None:
    segmented = find_corpus("cws/source_gsd/train.txt")
    treebank = find_corpus("ud/UD_Chinese-GSD-v1/zh-ud-train.conllu")
    out = write_joined(segmented, treebank, tmp_path / "out.txt")
    before, after = (path.read_text(encoding="utf8") for path in (segmented, out))
    assert before.replace(" ", "") == after.replace(" ", "")
    assert 700 < before.count(" ") - after.count(" ") < 900
