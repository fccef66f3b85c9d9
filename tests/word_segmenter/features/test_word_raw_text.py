"""Statistics of raw text: comparison with simple counts, repeated texts, gaps, merging."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.word_segmenter.characters import SYMBOL, Characters, fold, read_characters
from spacy_sentid.word_segmenter.features.hashing import KeyIndex, hash_ngrams, hash_words
from spacy_sentid.word_segmenter.features.raw_text import (
    AFTER,
    BEFORE,
    COUNT,
    EMPTY,
    LENGTHS,
    MIN_COUNT,
    N_COLUMNS,
    N_GAP_COLUMNS,
    STEPS,
    VARIETY,
    RawText,
    lay_out,
    learn_raw_text,
    merge,
)

NLP = spacy.blank("zh")
TEXTS = st.lists(st.text("上下字1 ，", max_size=10), max_size=5)


def characters(texts: Sequence[str]) -> Characters:
    return read_characters([NLP.make_doc(text) for text in texts])


def folded(text: str) -> str:
    return "".join(chr(fold(character)[0]) for character in text)


class Seen(NamedTuple):
    """Counts of the neighbours of an n-gram, with a number for each that equals no other."""

    before: Counter
    after: Counter


def look_at(texts: Sequence[str]) -> tuple[dict[str, Seen], int]:
    """Count texts n-gram by n-gram; return the counts and the number of characters."""
    seen: dict[str, Seen] = {}
    copies, size = set(), 0
    for text in texts:
        bare = "".join(folded(c) for c in text if not c.isspace() and fold(c)[1] != SYMBOL)
        if bare in copies:
            continue
        copies.add(bare)
        for run in map(folded, text.split()):
            size += len(run)
            for length in LENGTHS:
                for i in range(len(run) - length + 1):
                    own = seen.setdefault(run[i : i + length], Seen(Counter(), Counter()))
                    for counter, place in ((own.before, i - 1), (own.after, i + length)):
                        inside = 0 <= place < len(run)
                        is_other = not inside or fold(run[place])[1] == SYMBOL
                        counter[counter.total() if is_other else run[place]] += 1
    return {key: own for key, own in seen.items() if own.before.total() >= MIN_COUNT}, size


def measure(own: Seen) -> list[float]:
    row = [0.0] * 4
    row[COUNT] = math.log(own.before.total())
    for column, counter in ((BEFORE, own.before), (AFTER, own.after)):
        shares = [count / counter.total() for count in counter.values()]
        row[column] = -sum(share * math.log(share) for share in shares)
    row[VARIETY] = math.log(min(len(own.before), len(own.after)))
    return row


def rows_of(raw: RawText, ngrams: Sequence[str]) -> np.ndarray:
    """Look up the values of n-grams; nan if there are no values."""
    rows = KeyIndex(raw.keys).find(hash_words(ngrams))
    values = raw.values[rows] / STEPS if len(raw.keys) else np.zeros((len(rows), 4))
    values[rows < 0] = np.nan
    return values


def lay_out_rows(raw: RawText, batch: Characters) -> np.ndarray:
    rows = KeyIndex(raw.keys).find_ngrams(hash_ngrams(batch.codes, batch.must_end, LENGTHS))
    if len(raw.keys):
        raw = raw._replace(values=np.append(raw.values, np.zeros((1, 4), "uint8"), axis=0))
    return lay_out(raw, rows, batch.must_end)


@given(TEXTS)
def test_statistics_equal_simple_counts(texts: list[str]) -> None:
    expected, size = look_at(texts)
    half = len(texts) // 2
    raw = learn_raw_text([characters(texts[:half]), characters(texts[half:])])
    assert len(raw.keys) == len(expected)
    if expected:
        assert raw.size.tolist() == [size]
        found = rows_of(raw, list(expected))
        values = np.array([measure(own) for own in expected.values()])
        assert np.abs(found - values).max() <= 0.5 / STEPS + 1e-9


def test_a_repeated_text_counts_once() -> None:
    once, again = (learn_raw_text([characters(["上下上下"] * n)]) for n in (1, 3))
    assert all((a == b).all() for a, b in zip(once, again, strict=True))
    bare = learn_raw_text([characters(["上下，上下。", "上下上下"])])
    assert rows_of(bare, ["上下"])[0, COUNT] == rows_of(once, ["上下"])[0, COUNT]


def test_empty_text_has_no_statistics() -> None:
    for batches in ([], [characters([])], [characters(["", " \n"])]):
        raw = learn_raw_text(batches)
        assert [part.tolist() for part in raw] == [part.tolist() for part in EMPTY]


@given(TEXTS, TEXTS)
def test_merging_adds_counts_and_keeps_the_larger_other_values(
    one: list[str], other: list[str]
) -> None:
    a, b = (learn_raw_text([characters(texts)]) for texts in (one, other))
    merged = merge(a, b)
    ngrams = sorted({*look_at(one)[0], *look_at(other)[0]})
    assert len(merged.keys) == len(ngrams)
    assert (np.diff(merged.keys.astype("int64")) > 0).all()
    assert merged.size == a.size + b.size
    if ngrams:
        first, second, found = (rows_of(raw, ngrams) for raw in (a, b, merged))
        assert (found[:, 1:] == np.fmax(first, second)[:, 1:]).all()
        counts = sum(np.where(np.isnan(raw[:, 0]), 0, np.exp(raw[:, 0])) for raw in (first, second))
        assert np.allclose(found[:, 0], np.log(counts), atol=0.5 / STEPS + 1e-6)


@given(TEXTS, TEXTS)
def test_statistics_become_features_of_gaps(train: list[str], test: list[str]) -> None:
    raw, batch = learn_raw_text([characters(train)]), characters(test)
    n = len(batch.codes)
    found = lay_out_rows(raw, batch)
    assert found.shape == (n, N_COLUMNS)
    flat = "".join(map(chr, batch.codes.tolist()))
    broken = batch.must_end.tolist()

    def value(start: int, end: int, column: int) -> float:
        if start < 0 or end > n or any(broken[start : end - 1]):
            return 0.0
        return float(np.nan_to_num(rows_of(raw, [flat[start:end]])[0, column]))

    gaps = np.zeros((n + 1, N_GAP_COLUMNS))
    for gap in range(1, n):
        if broken[gap - 1] or not len(raw.keys):
            continue
        two = value(gap - 1, gap + 1, COUNT)
        alone = value(gap - 1, gap, COUNT) + value(gap, gap + 1, COUNT)
        row = [(two + math.log(raw.size[0]) - alone) / 4 if two else -0.5, two / 3]
        for length in LENGTHS:
            row.append(value(gap - length, gap, AFTER) / 2)
            row.append(value(gap, gap + length, BEFORE) / 2)
        for length in LENGTHS[1:]:
            starts = range(gap - length + 1, gap)
            row.append(max(value(start, start + length, VARIETY) for start in starts) / 2)
        gaps[gap] = row
    assert np.allclose(found, np.hstack([gaps[:-1], gaps[1:]]), atol=1e-5)


def test_the_characters_of_a_raw_text_word_are_associated() -> None:
    texts = ["小麒麟来了", "那麒麟好", "有麒麟在", "小花来了", "那花好", "有花在"]
    raw, batch = learn_raw_text([characters(texts)]), characters(["小麒麟好"])
    columns = lay_out_rows(raw, batch)
    across = columns[:-1, N_GAP_COLUMNS]  # association in the gap after each character
    assert across.argmax() == 1
