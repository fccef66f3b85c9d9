"""Words of lexicons: comparison with a simple search, own words, files of dictionaries."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_sentid.word_segmenter.characters import Characters, fold, read_characters
from spacy_sentid.word_segmenter.features.hashing import (
    KeyIndex,
    hash_ngrams,
    hash_words,
)
from spacy_sentid.word_segmenter.features.lexicon import (
    LENGTHS,
    N_COLUMNS,
    OwnWords,
    WordWeights,
    count_own_words,
    count_words,
    find_words,
    lay_out,
    make_dictionary,
    merge,
    read_dictionary,
    subtract_own,
    weigh_word,
)

NLP = spacy.blank("zh")
TEXTS = st.lists(st.text("上下ab12 ，", max_size=8), max_size=4)
# Letters and digits are alike to the model, so different words can be one.
WORDS = st.text("上下ab12", min_size=1, max_size=6)
SENTENCES = st.lists(st.lists(WORDS, max_size=6), max_size=4)


def characters(texts: Sequence[str]) -> Characters:
    return read_characters([NLP.make_doc(text) for text in texts])


def folded(text: str) -> str:
    return "".join(chr(fold(character)[0]) for character in text)


def look_up(
    lexicon: WordWeights, batch: Characters, own: OwnWords | None = None
) -> list[np.ndarray]:
    ngrams = hash_ngrams(batch.codes, batch.must_end, LENGTHS)
    rows = KeyIndex(lexicon.keys).find_ngrams(ngrams)
    found = find_words(np.append(lexicon.values, 0), rows)
    return list(found if own is None else subtract_own(found, own, ngrams))


def knows_word(lexicon: WordWeights, word: str) -> bool:
    return bool(hash_words([word])[0] in lexicon.keys)


# Words in texts


def values_by_place(values: list[np.ndarray]) -> dict[tuple[int, int], int]:
    return {
        (place, length): int(value)
        for length, part in zip(LENGTHS, values, strict=True)
        for place, value in enumerate(part)
        if value
    }


def search(texts: Sequence[str], counts: Counter[str]) -> dict[tuple[int, int], int]:
    """Look up each substring of each run, one after the other."""
    found, start = {}, 0
    for run in (run for text in texts for run in text.split()):
        for i in range(len(run)):
            for length in LENGTHS:
                value = counts[folded(run[i : i + length])] if i + length <= len(run) else 0
                if value:
                    found[start + i, length] = value
        start += len(run)
    return found


@given(SENTENCES, TEXTS)
@example([["11", "12"]], ["11"])
def test_words_are_found_where_a_search_finds_them(
    sentences: list[list[str]], texts: list[str]
) -> None:
    counts = Counter(word for words in sentences for word in words)
    batch = characters(texts)
    found = values_by_place(look_up(count_words(counts.elements()), batch))
    alike: Counter[str] = Counter()
    for word, count in counts.items():
        alike[folded(word)] += count
    assert found == search(texts, alike)


@given(SENTENCES)
@example([["aa"], ["ab"]])
def test_own_words_are_subtracted_exactly(sentences: list[list[str]]) -> None:
    lexicon = count_words(word for words in sentences for word in words)
    batch = characters(["".join(words) for words in sentences])
    own = count_own_words(sentences, batch.lengths)
    found = values_by_place(look_up(lexicon, batch, own))
    expected, start = {}, 0
    for number, words in enumerate(sentences):
        others = sentences[:number] + sentences[number + 1 :]
        counts = Counter(folded(word) for part in others for word in part)
        text = "".join(words)
        for (place, length), value in search([text], counts).items():
            expected[start + place, length] = value
        start += len(text)
    assert found == expected


def test_numbers_of_a_length_are_the_same_word() -> None:
    lexicon = count_words(["25", "31", "字典"])
    assert knows_word(lexicon, "77")
    assert knows_word(lexicon, "字典")
    assert not knows_word(lexicon, "777")
    assert not knows_word(lexicon, "典字")
    assert sorted(lexicon.values.tolist()) == [1, 2]


@given(st.lists(WORDS), WORDS)
def test_a_lexicon_has_only_its_words(words: list[str], other: str) -> None:
    lexicon = count_words(words)
    assert all(knows_word(lexicon, word) for word in words)
    assert knows_word(lexicon, other) == (folded(other) in map(folded, words))


def test_counts_have_a_limit_and_do_not_wrap() -> None:
    assert count_words(["字典"] * 70_000).values.tolist() == [65_535]


def test_a_dictionary_keeps_words_that_can_be_found() -> None:
    dictionary = make_dictionary(
        {"字": 5, "字典": None, "显示屏": 10, "上下左右中": 1, "六" * 6: 9}
    )
    assert sorted(dictionary.values.tolist()) == [300, 484, 700]
    assert not knows_word(dictionary, "字")
    assert len(make_dictionary({}).keys) == 0


def test_frequent_words_have_more_weight() -> None:
    weights = [weigh_word(count) for count in (0, 1, 10, 1000, 10**6, 10**12)]
    assert weights == sorted(weights)
    assert (weights[0], weights[1], weights[-1]) == (0.3, 0.3, 1.0)
    assert weights[1] < weigh_word(None) < weights[-1]


def lexicon_values(lexicon: WordWeights, *words: str) -> list[int]:
    return [
        max(int(part[0]) for part in look_up(lexicon, c) if len(part))
        for c in (characters([word]) for word in words)
    ]


def test_the_higher_value_of_two_dictionaries_is_kept() -> None:
    one = make_dictionary({"字典": 1, "显示": None})
    two = make_dictionary({"字典": None, "屏幕": 1})
    for merged in (merge(one, two), merge(two, one)):
        assert lexicon_values(merged, "字典", "显示", "屏幕", "没有") == [700, 700, 300, 0]
    assert (merge(one, make_dictionary({})).keys == one.keys).all()


@given(st.integers(0, 9), st.data())
def test_weights_are_where_words_begin_end_and_continue(n: int, data: st.DataObject) -> None:
    weights = [
        np.array(data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)))
        for size in (max(n - length + 1, 0) for length in LENGTHS)
    ]
    expected = np.zeros((n, N_COLUMNS))
    for k, (length, values) in enumerate(zip(LENGTHS, weights, strict=True)):
        for place, value in enumerate(values):
            expected[place, k] = value
            expected[place + length - 1, len(LENGTHS) + k] = value
            for inside in range(place + 1, place + length - 1):
                column = 2 * len(LENGTHS) + k - 1
                expected[inside, column] = max(expected[inside, column], value)
    assert (lay_out(weights, n) == expected).all()


# Files of dictionaries


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("字典\n显示屏\n", {"字典": None, "显示屏": None}),
        ("字典 12 n\n显示屏\t3\n", {"字典": 12, "显示屏": 3}),
        ("字典  12\n显示屏\t\t3\n屏幕\u30004\n", {"字典": 12, "显示屏": 3, "屏幕": 4}),
        ("\ufeff字典 n\n\n  显示屏 3.5 \r\n", {"字典": None, "显示屏": None}),
        ("字典 -3\n显示屏 ٣", {"字典": None, "显示屏": None}),
    ],
)
def test_a_dictionary_has_one_word_per_line(
    tmp_path: Path, text: str, expected: dict[str, int | None]
) -> None:
    assert read_dictionary(write(tmp_path / "words.txt", text)) == expected


def test_invalid_bytes_are_an_error_with_the_line(tmp_path: Path) -> None:
    path = write(tmp_path / "words.txt", "字典\n".encode() + "词典\n".encode("gb18030"))
    with pytest.raises(ValueError, match=r"words\.txt:2: .*UTF-8"):
        read_dictionary(path)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_dictionary_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"words\.txt"):
        read_dictionary(write(tmp_path / "words.txt", text))


# Keys


@given(TEXTS, st.sets(st.integers(1, 6), min_size=1))
def test_ngrams_have_the_keys_of_words_and_mark_unbroken_ones(
    texts: list[str], lengths: set[int]
) -> None:
    batch = characters(texts)
    ngrams = hash_ngrams(batch.codes, batch.must_end, lengths)
    assert set(ngrams) == lengths
    flat = "".join("".join(text.split()) for text in texts)
    broken = batch.must_end.tolist()
    for length, (keys, whole) in ngrams.items():
        stretches = [flat[i : i + length] for i in range(max(len(flat) - length + 1, 0))]
        assert keys.tolist() == hash_words(stretches).tolist()
        assert whole.tolist() == [
            not any(broken[i : i + length - 1]) for i in range(len(stretches))
        ]


@given(st.lists(WORDS))
def test_keys_distinguish_folded_words_or_spellings(words: list[str]) -> None:
    assert len(set(hash_words(words).tolist())) == len(set(map(folded, words)))
    assert len(set(hash_words(words, folded=False).tolist())) == len(set(words))


KEYS = st.integers(0, 9) | st.integers(0, 2**64 - 1)


@given(st.sets(KEYS, max_size=30), st.lists(KEYS))
def test_an_index_finds_keys_in_their_rows(keys: set[int], wanted: list[int]) -> None:
    table = sorted(keys)
    wanted += table
    index = KeyIndex(np.array(table, dtype="uint64"))
    rows = index.find(np.array(wanted, dtype="uint64"))
    assert rows.tolist() == [table.index(key) if key in keys else -1 for key in wanted]
