"""The segmented Chinese text of assets/words."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "assets/words"
FILES = sorted(FOLDER.glob("*/*.txt"))
SIGNS = "，。！？；：、“”‘’《》……（）"


def read(path: Path) -> list[str]:
    return path.read_text(encoding="utf8").splitlines()


def test_there_are_six_thousand_sentences_by_many_voices() -> None:
    assert len(FILES) == 10
    assert sum(len(read(path)) for path in FILES) == 6762


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_words_are_parted_by_one_space_and_signs_are_words(path: Path) -> None:
    for line in read(path):
        words = line.split(" ")
        assert all(words), line
        assert not [word for word in words if len(set(word)) > 1 and set(word) & set(SIGNS)], line


def test_each_sentence_is_there_once() -> None:
    counts = Counter("".join(line.split()) for path in FILES for line in read(path))
    assert max(counts.values()) == 1


def test_none_is_of_the_corpora(find_corpus: Callable[[str], Path]) -> None:
    folder = find_corpus("cws")
    theirs = {"".join(line.split()) for path in folder.glob("*/*.txt") for line in read(path)}
    assert not theirs & {"".join(line.split()) for line in chain(*map(read, FILES))}
