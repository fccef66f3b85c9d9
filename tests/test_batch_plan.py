"""Planning which parts of the inputs of batch jobs are read together."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spacy_sentid.batch.inputs import Source, find_sources
from spacy_sentid.batch.split import InputSplit, plan_splits
from spacy_sentid.batch.tables import list_row_groups


def source(name: str, size: int, format: str = "jsonl", compression: str = "") -> Source:
    return Source(name, format, compression, size, 0)


def ranges(splits: list[InputSplit]) -> list[list[tuple[str, int, int | None]]]:
    return [[(p.source.path, p.start, p.end) for p in split.ranges] for split in splits]


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
    assert [split.size for split in splits] == [100, 100, 100]


@pytest.mark.parametrize(
    "large", [source("l", 999, compression="gz"), source("l", 999, "csv"), source("l", 999, "text"),
              source("-", 0)]
)  # fmt: skip
def test_what_cannot_be_cut_is_a_split_of_its_own(large):
    splits = plan_splits([source("a", 1), large, source("b", 1)], size=100)
    assert [[each.source.path for each in split.ranges] for split in splits] == [
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
    sizes = list_row_groups(sources[0])
    splits = plan_splits(sources, size=sizes[0] * 5 // 2)
    pieces = [piece for split in splits for piece in split.ranges]
    assert [(p.start, p.end) for p in pieces] == [(0, 2), (2, 4), (4, None)]
    assert sum(split.size for split in splits) == sum(sizes)
