"""Planning which parts of the inputs of batch jobs are read together."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.batch.parquet_files import list_row_groups
from spacy_sentid.batch.plan import (
    Piece,
    Split,
    count_piece_lines,
    list_uncounted,
    number_lines,
    plan_splits,
    split_size,
)
from spacy_sentid.batch.sources import Source, find_sources


def source(name: str, size: int, format: str = "jsonl", compression: str = "") -> Source:
    return Source(name, format, compression, size, 0)


def ranges(splits: list[Split]) -> list[list[tuple[str, int, int | None]]]:
    return [[(p.source.path, p.start, p.end) for p in split.pieces] for split in splits]


def test_small_sources_go_together_up_to_the_size():
    sources = [source(name, 40) for name in "abc"]
    assert ranges(plan_splits(sources, size=100)) == [
        [("a", 0, None), ("b", 0, None)], [("c", 0, None)]
    ]  # fmt: skip


def test_a_large_source_of_lines_is_cut():
    splits = plan_splits([source("a", 250, "lines"), source("b", 50)], size=100)
    assert ranges(splits) == [
        [("a", 0, 100)], [("a", 100, 200)], [("a", 200, None), ("b", 0, None)],
    ]  # fmt: skip
    assert [split.number for split in splits] == [0, 1, 2]
    assert [split_size(split) for split in splits] == [100, 100, 100]


@pytest.mark.parametrize(
    "large", [source("l", 999, compression="gz"), source("l", 999, "csv"), source("l", 999, "text"),
              source("-", 0)]
)  # fmt: skip
def test_what_cannot_be_cut_is_a_split_of_its_own(large):
    splits = plan_splits([source("a", 1), large, source("b", 1)], size=100)
    assert [[piece.source.path for piece in split.pieces] for split in splits] == [
        ["a"], [large.path], ["b"],
    ]  # fmt: skip


def test_a_plan_of_nothing_is_empty():
    assert plan_splits([], size=1) == []
    assert ranges(plan_splits([source("a", 0)], size=1)) == [[("a", 0, None)]]


def test_large_parquet_is_cut_at_row_groups(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pa.table({"text": [os.urandom(500).hex() for _ in range(10)]})
    pq.write_table(table, "a.parquet", row_group_size=2)
    sources = find_sources(["a.parquet"])
    sizes = [n_bytes for _, n_bytes in list_row_groups(sources[0])]
    splits = plan_splits(sources, size=sizes[0] * 5 // 2)
    pieces = [piece for split in splits for piece in split.pieces]
    assert [(p.start, p.end, p.first_line) for p in pieces] == [(0, 2, 0), (2, 4, 4), (4, None, 8)]
    assert sum(map(split_size, splits)) == sum(sizes)
    assert number_lines(splits) == splits


@given(st.binary(max_size=60).map(lambda data: data.replace(b"a", b"\n")), st.integers(1, 20))
def test_lines_before_each_piece_are_counted(tmp_path_factory, data, size):
    path = tmp_path_factory.mktemp("count") / "a.txt"
    path.write_bytes(data)
    splits = plan_splits(find_sources([str(path)] * 2, lines=True), size=size)
    numbered = number_lines(splits)
    for split in numbered:
        for piece in split.pieces:
            assert piece.first_line == data[: piece.start].count(b"\n")
    counts = [count_piece_lines(piece) for piece in list_uncounted(splits)]
    assert number_lines(splits, counts) == numbered


def test_each_source_is_counted_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_bytes(b"\n" * 25)
    Path("b.txt").write_bytes(b"x\n" * 10)
    splits = number_lines(plan_splits(find_sources(["a.txt", "b.txt"], lines=True), size=10))
    lines = [(p.source.path, p.first_line) for split in splits for p in split.pieces]
    assert lines == [("a.txt", 0), ("a.txt", 10), ("a.txt", 20), ("b.txt", 0), ("b.txt", 5)]
    assert Piece(splits[0].pieces[0].source) == splits[0].pieces[0]._replace(end=None)
