"""Reading documents for batch jobs: texts, lines, JSON lines, pieces and positions."""

import gzip
import io
import json
import os
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from batch_reads import read_file, read_resumed, read_texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_sentid.batch.input import sources
from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import DocumentReader
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.files.records import BadLine

READ = ReadSettings()
# Line ends of all kinds, bytes that are not UTF-8, and a character of four bytes.
PARTS = st.sampled_from(
    [b"a", b" ", b"\n", b"\r\n", b"\r", b"\x00", b"\xff", b"\xc3", "é".encode(), "😀".encode(),
     b"\xef\xbb\xbf", b"I sleep. ", b"\n\n", "\u2028".encode(), b"\xed\xa0\x80"]
)  # fmt: skip
RAW = st.lists(PARTS, max_size=25).map(b"".join)
JSON_PARTS = st.sampled_from(
    [b'{"text": "a"}', b'{"text": "b", "id": 3}', b"\n", b"\n", b"\r\n", b" ", b"\xff", b"[]",
     '{"text": "é\\n"}'.encode(), b"\xef\xbb\xbf", b'{"text": null}', b"{"]
)  # fmt: skip
JSON = st.lists(JSON_PARTS, max_size=25).map(b"".join)
IN_FOLDER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
STORE = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


# Texts


def test_a_text_file_is_one_unchanged_document(tmp_path):
    path = write(tmp_path / "a.txt", b"\xef\xbb\xbfPage 3\r\nI\x00 sleep.\r\n")
    name = str(path)
    assert read_file(path) == [Document(name, "\ufeffPage 3\r\nI\x00 sleep.\r\n", name)]


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b"\n", b"I", b"I sleep.\r"])
def test_the_smallest_texts_are_documents(tmp_path, data):
    assert read_texts(write(tmp_path / "a.txt", data)) == [data.decode()]


def test_a_long_text_is_cut_at_safe_places(tmp_path):
    path = write(tmp_path / "a.txt", "Ä schläft.\n\nDu schläfst. Und".encode())
    name = str(path)
    assert read_file(path, part_chars=16) == [
        Document(name, "Ä schläft.\n\n", name, part=0, start_char=0),
        Document(name, "Du schläfst. Und", name, part=1, start_char=12),
    ]


def test_a_text_that_just_fits_is_not_cut(tmp_path):
    path = write(tmp_path / "a.txt", b"0123456789")
    assert [document.part for document in read_file(path, part_chars=10)] == [None]
    assert [document.part for document in read_file(path, part_chars=9)] == [0, 1]


@IN_FOLDER
@given(RAW, st.integers(1, 12), st.sampled_from([".txt", ".txt.gz", ".txt.zst"]))
def test_the_parts_of_a_text_are_the_text(tmp_path, data, part_chars, suffix):
    path = write(tmp_path / f"a{suffix}", STORE[suffix[4:]](data))
    whole = data.decode("utf8", "surrogateescape")
    for found in read_file(path, part_chars=part_chars):
        if isinstance(found, Document):
            assert whole[found.start_char :].startswith(found.text)
            assert len(found.text) <= part_chars


def test_a_part_that_is_not_utf8_is_left_out_and_the_others_are_read(tmp_path):
    path = write(tmp_path / "a.txt", b"One.\n\nT\xfcwo.\n\nThree.\n\nFour.")
    found = read_file(path, part_chars=8)
    assert found[1] == BadLine(f"{path}:3", found[1].reason)
    assert "UTF-8" in found[1].reason
    assert [each.text for each in found if isinstance(each, Document)] == [
        "One.\n\n", "Three.\n\n", "Four."
    ]  # fmt: skip
    assert [each.start_char for each in found if isinstance(each, Document)] == [0, 13, 21]


def test_a_text_in_utf16_is_a_bad_record(tmp_path):
    path = write(tmp_path / "a.txt", "I sleep.\n".encode("utf-16"))
    [found] = read_file(path)
    assert found[0] == f"{path}:1"


def test_a_character_may_cross_two_reads(tmp_path):
    text = "x" + "é" * 1_200_000
    path = write(tmp_path / "a.txt", text.encode())
    assert "".join(read_texts(path, part_chars=700_000)) == text


# Lines


def test_each_line_is_a_document_without_its_end(tmp_path):
    path = write(tmp_path / "a.txt", b"Page 3\r\n\nI\rsleep.\nYou \x00")
    found = read_file(path, lines=True)
    assert [document.text for document in found] == ["Page 3", "", "I\rsleep.", "You \x00"]
    assert found[1] == Document(f"{path}:2", "", f"{path}:2")


def test_a_line_that_is_not_utf8_is_left_out(tmp_path):
    path = write(tmp_path / "a.txt", b"I\n\xff\nyou\n")
    found = read_file(path, lines=True)
    assert [isinstance(each, BadLine) for each in found] == [False, True, False]
    assert found[1][0] == f"{path}:2"


def test_a_very_long_line_is_one_document(tmp_path):
    path = write(tmp_path / "a.txt", b"x" * 3_000_000 + b"\ny")
    assert list(map(len, read_texts(path, lines=True))) == [3_000_000, 1]


@IN_FOLDER
@given(RAW, st.sampled_from(["", ".gz", ".zst"]))
def test_reading_resumes_after_any_line(tmp_path, data, suffix):
    path = write(tmp_path / f"a.txt{suffix}", STORE[suffix](data))
    assert read_resumed(path, lines=True) == read_file(path, lines=True)


@IN_FOLDER
@given(RAW)
def test_lines_end_at_line_feeds_only(tmp_path, data):
    path = write(tmp_path / "a.txt", data)
    for found, raw in zip(read_file(path, lines=True), io.BytesIO(data), strict=True):
        if isinstance(found, Document):
            assert found.text == raw.decode().rstrip("\r\n")
        else:
            assert "\ufffd" in raw.decode(errors="replace")


def count_bytes(monkeypatch) -> list[int]:
    """Count the bytes that are read from local files."""
    counted = []

    class CountedFile(io.FileIO):
        def readinto(self, buffer) -> int:
            counted.append(super().readinto(buffer))
            return counted[-1]

    monkeypatch.setattr(sources.io, "FileIO", CountedFile)
    return counted


def test_records_are_read_once(tmp_path, monkeypatch):
    rows = (json.dumps({"text": "I sleep. " * 12}) + "\n" for n in range(145_000))
    path = write(tmp_path / "a.jsonl", "".join(rows).encode())
    assert path.stat().st_size > 17_000_000
    counted = count_bytes(monkeypatch)
    *_, last = DocumentReader(find_sources([str(path)]), READ)
    assert last.id == f"{path}:145000"
    assert sum(counted) == path.stat().st_size


def test_documents_before_a_resume_point_are_not_read(tmp_path, monkeypatch):
    path = write(tmp_path / "a.jsonl", b'{"text": "I sleep."}\n' * 100_000)
    reader = DocumentReader(find_sources([str(path)]), READ)
    for _ in zip(range(90_000), reader, strict=False):
        pass
    counted = count_bytes(monkeypatch)
    rest = list(DocumentReader(reader.sources, READ, reader.resume_point))
    assert [rest[0].id, rest[-1].id] == [f"{path}:90001", f"{path}:100000"]
    assert sum(counted) == path.stat().st_size // 10


@pytest.mark.skipif(os.name == "nt", reason="paths in URLs differ")
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.parquet"])
def test_a_url_is_read_like_a_file(tmp_path, name):
    if name == "a.parquet":
        pq.write_table(pa.table({"text": list("abcdef")}), tmp_path / name, row_group_size=2)
    else:
        data = b'text\n{"text": "a"}\n{"text": "bc"}\n\n{"text": "d"}'
        write(tmp_path / name, STORE[".gz" if name.endswith(".gz") else ""](data))
    expected = read_resumed(tmp_path / name)
    found = read_resumed(f"file://{tmp_path}/{name}")
    assert [each[1] for each in expected] == [each[1] for each in found]
    assert found[1].place.startswith(f"file://{tmp_path}/{name}:")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")
@pytest.mark.parametrize("suffix", STORE)
def test_a_pipe_is_read(tmp_path, suffix):
    path = tmp_path / f"a.jsonl{suffix}"
    os.mkfifo(path)
    data = STORE[suffix](b'{"text": "a"}\n{"text": "b"}\n')
    writer = threading.Thread(target=path.write_bytes, args=[data])
    writer.start()
    assert read_texts(path) == ["a", "b"]
    writer.join()


# JSON lines


def test_json_lines_have_ids_or_are_named_by_their_place(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        b'\xef\xbb\xbf{"text": "a", "id": 7}\r\n \n {"text": "b"} \n{"id": null, "text": ""}',
    )
    assert read_file(path) == [
        Document(7, "a", f"{path}:1"),
        Document(f"{path}:3", "b", f"{path}:3"),
        Document(f"{path}:4", "", f"{path}:4"),
    ]


def test_other_keys_can_be_named(tmp_path):
    path = write(tmp_path / "a.jsonl", b'{"body": "a", "n": 1, "text": 1, "id": 2}\n')
    assert read_file(path, text_key="body", id_key="n") == [Document(1, "a", f"{path}:1")]


def test_a_lone_surrogate_is_text(tmp_path):
    path = write(tmp_path / "a.jsonl", b'{"text": "\\ud800", "id": "\\udfff"}')
    assert read_file(path) == [Document("\udfff", "\ud800", f"{path}:1")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"nonsense", "JSON"),
        (b'{"text": "a"} {}', "character 14"),
        (b'{"text": "a', "character 10"),
        (b"[" * 100_000, "JSON"),
        (b'{"text": "a", "id": ' + b"9" * 5000 + b"}", "JSON"),
        (b'["text"]', "object"),
        (b'"' + b"x" * 99 + b'"', "..."),
        (b"{}", "'text'"),
        (b'{"body": "a", "id": 1}', "'body'"),
        (b'{"text": ' + b"[" * 900 + b"]" * 900 + b"}", "'text'"),
        (b'{"text": 3}', "'text'"),
        (b'{"text": null}', "'text'"),
        (b'{"text": "a", "id": [1]}', "'id'"),
        (b'{"text": "a", "id": true}', "'id'"),
        (b'{"text": "a", "id": 1.5}', "'id'"),
        (b'{"text": "\xff"}', "UTF-8"),
    ],
)
def test_a_bad_json_line_is_left_out_and_the_others_are_read(tmp_path, line, reason):
    path = write(tmp_path / "a.jsonl", line + b'\n{"text": "a"}\n')
    bad, good = read_file(path)
    assert bad.place == f"{path}:1"
    assert reason in bad.reason
    assert good.text == "a"


@IN_FOLDER
@given(JSON)
def test_reading_resumes_after_any_json_line(tmp_path, data):
    path = write(tmp_path / "a.jsonl", data)
    assert read_resumed(path) == read_file(path)


def test_pairs_have_a_text_and_references(tmp_path):
    rows = [
        {"hyp": "a", "ref": "b"}, {"hyp": "a", "ref": ["b", "c"], "id": 1}, {"hyp": "a"},
        {"hyp": "a", "ref": []}, {"hyp": "a", "ref": [1]}, {"hyp": 1, "ref": "b"},
    ]  # fmt: skip
    path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)).encode())
    found = read_file(path, pairs=True)
    assert found[:2] == [
        Document(f"{path}:1", "a", f"{path}:1", ("b",)), Document(1, "a", f"{path}:2", ("b", "c"))
    ]  # fmt: skip
    assert all("'ref', a string or a list of strings" in each.reason for each in found[2:])


def test_pairs_in_a_text_are_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"a\.txt.*pairs"):
        read_file(write(tmp_path / "a.txt", b"a"), pairs=True)


# Several files, and errors of files


def test_sources_of_all_formats_are_read_in_order(tmp_path):
    write(tmp_path / "a.txt", b"One.")
    write(tmp_path / "b.jsonl", b'{"text": "Two."}\n\n')
    write(tmp_path / "c.csv", b"text\nThree.\n")
    write(tmp_path / "d.jsonl.gz", gzip.compress(b'{"text": "Four."}\nx'))
    write(tmp_path / "e.jsonl", b"")
    write(tmp_path / "f.txt", b"")
    reader = DocumentReader(find_sources([str(tmp_path)]), READ)
    found = [(each, reader.n_stored) for each in reader]
    texts = [each.text for each, _ in found if isinstance(each, Document)]
    assert texts == ["One.", "Two.", "Three.", "Four.", ""]
    stored = [n_stored for _, n_stored in found]
    assert stored == sorted(stored)
    assert reader.n_stored == reader.n_total
    assert read_resumed(tmp_path) == [each for each, _ in found]


def test_documents_before_an_error_of_a_file_are_read(tmp_path):
    data = gzip.compress(b"".join(b'{"text": "%d"}\n' % n for n in range(100_000)))
    path = write(tmp_path / "a.jsonl.gz", data[:-9])
    found = iter(DocumentReader(find_sources([str(path)]), READ))
    assert next(found).text == "0"
    with pytest.raises(ValueError, match=r"a\.jsonl\.gz: .*truncated"):
        list(found)


@pytest.mark.parametrize("format", ["text", "lines", "jsonl", "csv"])
def test_standard_input_is_read_and_stays_open(monkeypatch, format):
    data = b"text,id\n" * (format == "csv") + b'{"text": "a"},1\n\xff\n' + b'{"text": "b"}\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    found = list(DocumentReader(find_sources(["-"], format=format), ReadSettings(part_chars=8)))
    assert len(found) > 2
    assert not sys.stdin.buffer.closed
