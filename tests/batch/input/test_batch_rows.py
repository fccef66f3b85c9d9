"""Reading documents for batch jobs: rows of CSV and Parquet files."""

import csv
import io
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from batch_reads import read_file, read_resumed, read_texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import DocumentReader
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.files.records import BadLine

IN_FOLDER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None
)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


# CSV


def test_csv_rows_are_documents(tmp_path):
    path = write(
        tmp_path / "a.csv",
        b'\xef\xbb\xbf\nid,text,n\r\n7,"a, ""b""\r\nc\n",3\r\n\r\n,d,\nx,\xc3\xa9',
    )
    assert read_file(path) == [
        Document("7", 'a, "b"\r\nc\n', f"{path}:3"),
        Document(f"{path}:7", "d", f"{path}:7"),
        Document("x", "é", f"{path}:8"),
    ]


@IN_FOLDER
@given(st.lists(st.text(st.sampled_from('ab,"\n\r é\u2028\x00'), max_size=8), max_size=8))
def test_rows_written_by_the_csv_module_are_read(tmp_path, texts):
    texts = [text.replace("\x00", "") for text in texts]
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerows([["text", "id"], *([text, ""] for text in texts)])
    path = write(tmp_path / "a.csv", file.getvalue().encode())
    assert read_texts(path) == texts


CSV_PARTS = st.sampled_from(
    [b"a", b",", b'"', b"\n", b"\r\n", b"\r", b"\xff", b'"b\nc"', "é".encode(), b"x,1\n", b"\x00"]
)


@IN_FOLDER
@given(st.lists(CSV_PARTS, max_size=20).map(b"".join))
def test_any_csv_is_read_or_is_an_error(tmp_path, data):
    path = write(tmp_path / "a.csv", b"text,id\n" + data)
    try:
        found = read_file(path)
    except ValueError as error:
        message = str(error)
    else:
        message = "quote"
        assert all(each.place.startswith(f"{path}:") for each in found)
    assert "quote" in message


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"7", "got 1"),
        (b"7,Yes, you sleep.", "got 3"),
        (b"7,M\xfcnchen", "UTF-8"),
        (b'7,"I\nM\xfcnchen"', "UTF-8"),
        (b"7,I\rsleep.", "CSV"),
    ],
)
def test_a_bad_row_is_left_out_and_the_others_are_read(tmp_path, row, reason):
    path = write(tmp_path / "a.csv", b"id,text\n8,a\n" + row + b"\n9,b\n")
    found = read_file(path)
    assert found[1].place == f"{path}:3"
    assert reason in found[1].reason
    assert [each.text for each in found if isinstance(each, Document)] == ["a", "b"]


def test_extra_empty_fields_do_no_harm(tmp_path):
    assert read_texts(write(tmp_path / "a.csv", b"id,text\n1,a,,\n")) == ["a"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"a\.csv: .*'text'"),
        (b"\xef\xbb\xbf", "columns"),
        (b"id;text\n1;a\n", "'text'.*id;text"),
        (b"text,text\na,b\n", "'text'"),
        (b"text,id,id\na,b,c\n", "'id'"),
        (b"t\xff,text\n", r"a\.csv:1: .*UTF-8"),
        (b"te\rxt\n", r"a\.csv:1: .*columns"),
        (b'text\na\n"b\nc\n', r"a\.csv:3: .*quote"),
        (b'text\na\n"', r"a\.csv:3: .*quote"),
    ],
)
def test_an_invalid_csv_file_is_an_error(tmp_path, data, message):
    path = write(tmp_path / "a.csv", data)
    with pytest.raises(ValueError, match=message):
        read_file(path)


@pytest.mark.parametrize(
    "row",
    [
        b"x" * 21,
        b"x" * 5_000_000,
        b'"' + b"x\n" * 30 + b'"',  # a row of many short lines
        b",".join([b"x" * 7] * 9),  # of many short fields
        b'"b\n' + b"c\n" * 1000,  # without the end of a quote
    ],
    ids=range(5),
)
def test_a_row_that_is_too_long_ends_the_file_with_its_place(tmp_path, row):
    path = write(tmp_path / "a.csv", b"text\na\n" + row + b"\nb\n")
    with pytest.raises(ValueError, match=r"a\.csv:3: the row must have at most 20 bytes.*quote"):
        read_file(path, max_record_bytes=20)
    assert read_resumed(write(path, b"text\na\nb\n"), max_record_bytes=20) == read_file(path)


def test_fields_may_be_long(tmp_path):
    path = write(tmp_path / "a.csv", b"text\n" + b"a" * 200_000 + b"\n")
    assert read_texts(path) == ["a" * 200_000]


def test_csv_files_can_have_pairs(tmp_path):
    path = write(tmp_path / "a.csv", b"id,hyp,ref\n1,a,b\n2,a\n")
    good, bad = read_file(path, pairs=True)
    assert good == Document("1", "a", f"{path}:2", ("b",))
    assert "got 2" in bad.reason


# Parquet


def write_table(path: Path, *, rows: int = 2, **columns: Any) -> Path:
    pq.write_table(pa.table(columns), path, row_group_size=rows)
    return path


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(),
     pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)  # fmt: skip
def test_text_columns_of_all_kinds_are_read(tmp_path, kind):
    texts = ["é\r\n", "", None, "a"]
    path = tmp_path / "a.parquet"
    try:
        write_table(path, text=pa.array(texts).cast(kind), other=pa.array([1, 2, 3, 4]))
    except pa.ArrowNotImplementedError:
        assert kind == pa.string_view()
        pytest.skip(f"pyarrow {pa.__version__} cannot write {kind}")
    found = read_file(path)
    assert found[0] == Document(f"{path}:1", "é\r\n", f"{path}:1")
    assert found[2] == BadLine(f"{path}:3", found[2].reason)
    assert [each.text for each in found if isinstance(each, Document)] == ["é\r\n", "", "a"]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (pa.array([7, None], pa.int64()), [7, "place"]),
        (pa.array([7, 2**64 - 1], pa.uint64()), [7, 2**64 - 1]),
        (pa.array(["x", None]), ["x", "place"]),
        (pa.array(["x", "y"]).dictionary_encode(), ["x", "y"]),
        (pa.nulls(2), ["place", "place"]),
    ],
)
def test_ids_are_strings_or_whole_numbers(tmp_path, ids, expected):
    path = write_table(tmp_path / "a.parquet", text=pa.array(["a", "b"]), id=ids)
    names = [name.replace("place", f"{path}:{n}") if isinstance(name, str) else name
             for n, name in enumerate(expected, start=1)]  # fmt: skip
    assert [document.id for document in read_file(path)] == names


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary()], ids=str)
def test_a_row_that_is_not_utf8_is_left_out(tmp_path, kind):
    raw = pa.array(
        [b"a", b"\xff", b"b"], pa.large_binary() if "large" in str(kind) else pa.binary()
    )
    column = raw if kind == pa.binary() else pa.Array.from_buffers(kind, 3, raw.buffers())
    found = read_file(write_table(tmp_path / "a.parquet", text=column))
    assert [isinstance(each, BadLine) for each in found] == [False, True, False]
    assert "UTF-8" in found[1].reason


def test_reading_resumes_after_any_row(tmp_path):
    texts = [None if n % 5 == 3 else "x" * n for n in range(23)]
    path = write_table(tmp_path / "a.parquet", text=pa.array(texts), rows=4)
    whole = read_file(path)
    assert len(whole) == 23
    assert read_resumed(path) == whole


@pytest.mark.parametrize("kind", ["string", "binary", "dictionary"])
def test_a_row_of_parquet_that_is_too_long_is_left_out(tmp_path, kind):
    texts = pa.array(["a", "é" * 11, "b", "é" * 9, "é" * 11])
    column = texts.dictionary_encode() if kind == "dictionary" else texts.cast(kind)
    path = write_table(tmp_path / "a.parquet", text=column, rows=3)
    found = read_file(path, max_record_bytes=20)
    assert [isinstance(each, BadLine) for each in found] == [False, True, False, False, True]
    assert found[1].place == f"{path}:2"
    assert found[1].reason.startswith("the row must have at most 20 bytes, got 22.")
    assert read_resumed(path, max_record_bytes=20) == found


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_text_that_many_rows_of_parquet_share_takes_little_memory(tmp_path, in_memory):
    column = pa.array(["x" * 100_000] * 2_000)
    column = column.dictionary_encode() if in_memory else column
    path = write_table(tmp_path / "a.parquet", text=column, rows=2_000)
    assert path.stat().st_size < 50_000  # of 200 MB
    del column
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    rows = DocumentReader(find_sources([str(path)]), ReadSettings())
    of_arrow = max(pa.total_allocated_bytes() - before for _ in rows)
    of_python = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert max(of_arrow, of_python) < 20_000_000


def test_a_table_without_rows_has_no_documents(tmp_path):
    path = write_table(tmp_path / "a.parquet", text=pa.array([], pa.string()))
    assert read_file(path) == read_resumed(path) == []


def test_only_the_columns_that_are_needed_are_read(tmp_path, monkeypatch):
    path = write_table(tmp_path / "a.parquet", body=pa.array(["a"]), text=pa.array([1]))
    assert read_texts(path, text_key="body") == ["a"]


def test_parquet_files_can_have_pairs(tmp_path):
    refs = pa.array([["b", "c"], None, [], [None]])
    path = write_table(tmp_path / "a.parquet", hyp=pa.array(["a"] * 4), ref=refs)
    found = read_file(path, pairs=True)
    assert found[0] == Document(f"{path}:1", "a", f"{path}:1", ("b", "c"))
    assert all(isinstance(each, BadLine) for each in found[1:])
    path = write_table(tmp_path / "b.parquet", hyp=pa.array(["a"]), ref=pa.array(["b"]))
    assert read_file(path, pairs=True)[0].refs == ("b",)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"body": ["a"]}, r"a\.parquet: .*'text'.*body"),
        ({"text": [1]}, "int64.*'text'|'text'.*int64"),
        ({"text": [["a"]]}, "list.*'text'|'text'.*list"),
        (
            {"text": ["a"], "id": [1.0]},
            "double.*'id'|'id'.*double",
        ),
    ],
)
def test_parquet_without_the_columns_is_an_error(tmp_path, columns, message):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    with pytest.raises(ValueError, match=message):
        read_file(path)


def test_two_columns_with_the_same_name_are_an_error(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table([pa.array(["a"])] * 2, names=["text", "text"]), path)
    with pytest.raises(ValueError, match="'text'"):
        read_file(path)


@pytest.mark.parametrize("spoil", [
    lambda data: b"", lambda data: b"text\n", lambda data: data[:-1], lambda data: data[100:],
    lambda data: data[: len(data) // 2], lambda data: b"x" * 60 + data[60:],
])  # fmt: skip
def test_a_broken_parquet_file_is_named(tmp_path, spoil):
    path = write_table(tmp_path / "a.parquet", text=pa.array([str(n) * 50 for n in range(50)]))
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(ValueError, match=r"a\.parquet"):
        read_file(path)


def test_a_missing_file_is_named(tmp_path):
    path = write_table(tmp_path / "a.parquet", text=pa.array(["a"]))
    sources = find_sources([str(path)])
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"a\.parquet"):
        list(DocumentReader(sources, ReadSettings()))
