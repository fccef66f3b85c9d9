"""Pairs with unparaphrased words in brackets, and the pairs in assets/paraphrase."""

from collections import Counter
from pathlib import Path

import pytest

from studies.paraphrase_data.marked_pairs import read_marked_pairs

FOLDER = Path(__file__).parents[2] / "assets/paraphrase"
CLASSES = {
    "modality", "tense", "aspect", "quantifier", "comparative", "abbreviation", "number_word",
    "date", "unit", "coordination", "passive", "nominalisation", "added_adjunct",
    "dropped_adjunct", "coreference", "other",
}  # fmt: skip


def test_lines_become_words_and_tags(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("tense | news | Prices [are] falling. | Prices [were falling], [he said].\n")
    (pair,) = read_marked_pairs(path)
    assert (pair.id, pair.source) == ("a-001", "tense")
    assert pair.words2 == ["Prices", "were", "falling", ",", "he", "said", "."]
    assert (pair.tags1, pair.tags2) == ([0, 1, 0, 0], [0, 1, 1, 0, 1, 1, 0])


def test_a_malformed_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("tense | news | Only one sentence.\n")
    with pytest.raises(ValueError, match=r"a\.txt:1: .* got 3 fields"):
        list(read_marked_pairs(path))


def test_our_pairs_have_known_classes_and_are_in_one_part_only() -> None:
    parts = {
        part: [pair for path in (FOLDER / part).glob("*.txt") for pair in read_marked_pairs(path)]
        for part in ("train", "more", "dev", "test")
    }
    assert {part: len(pairs) for part, pairs in parts.items()} == {
        "train": 2500, "more": 800, "dev": 600, "test": 320,
    }  # fmt: skip
    sentences = Counter()
    for pairs in parts.values():
        assert {pair.source for pair in pairs} == CLASSES
        sentences.update({(*pair.words1, *pair.words2) for pair in pairs})
    assert max(sentences.values()) == 1
