"""Reading people's files and writing records."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.language import Language

from spacy_sentid.cli.identify import lay_out_units
from spacy_sentid.sentence_identifier.identify import (
    Document,
    identify_documents,
    read_documents,
    record_line,
)


@pytest.fixture(scope="module")
def nlp(tiny_pipeline: Path) -> Language:
    return spacy.load(tiny_pipeline)


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_text_file_is_one_document_with_its_line_ends(tmp_path):
    path = write(tmp_path / "a.txt", b"Page 3\r\nI sleep.\n")
    assert list(read_documents([path])) == [Document(str(path), "Page 3\r\nI sleep.\n")]


def test_each_line_is_a_document_with_lines(tmp_path):
    path = write(tmp_path / "a.txt", b"Page 3\r\n\nI sleep.")
    documents = list(read_documents([path], lines=True))
    assert documents == [
        Document(f"{path}:1", "Page 3"),
        Document(f"{path}:2", ""),
        Document(f"{path}:3", "I sleep."),
    ]


def test_jsonl_without_id_is_named_by_file_and_line(tmp_path):
    path = write(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"text": "a", "id": 7}\n\n{"text": "b"}\n')
    assert list(read_documents([path])) == [Document(7, "a"), Document(f"{path}:3", "b")]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.jsonl", b'{"text": "a"}\nnonsense\n', r"a\.jsonl:2: found no JSON"),
        ("a.jsonl", b'["text"]\n', r"a\.jsonl:1: found \['text'\], expected an object"),
        ("a.jsonl", b'{"body": "a"}\n', r"a\.jsonl:1: found keys body"),
        ("a.jsonl", b'{"text": 3}\n', r"a\.jsonl:1: found keys text, .* string"),
        ("a.jsonl", b'{"text": "a", "id": [1]}\n', r'a\.jsonl:1: "id" is \[1\]'),
        ("a.txt", b"fine\nM\xfcnchen\n", r"a\.txt:2: found bytes that are not UTF-8"),
    ],
)
def test_bad_input_is_named_with_file_and_line(tmp_path, name, data, message):
    path = write(tmp_path / name, data)
    with pytest.raises(ValueError, match=message):
        list(read_documents([path]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\r\n",
        "I sleep.\r\n\r\nPage 3\r\n",
        "\ufeffI sleep. Page 3",
        "lone \ud800 surrogate. And \x00 NUL.",
        "\N{GRINNING FACE} \N{GRINNING FACE}",
        "שלום עולם. مرحبا",
        "e\u0301 \N{MATHEMATICAL BOLD CAPITAL A} I sleep.",
        "x" * 100_000,
    ],
)
def test_units_tile_the_words_of_any_text(nlp, text):
    [(document, units)] = identify_documents(nlp, [Document("a", text)])
    assert document.text == text
    covered = set()
    for unit in units:
        span = text[unit["start_char"] : unit["end_char"]]
        assert span == span.strip() != ""
        assert 0 <= unit["score"] <= 1
        assert unit["label"] in ("SU", "NSU")
        assert unit["start_char"] >= max(covered, default=-1)
        covered.update(range(unit["start_char"], unit["end_char"]))
    left = "".join(char for i, char in enumerate(text) if i not in covered)
    assert not left.strip().strip("\ufeff")


def test_text_beyond_the_limit_of_spacy_is_taken(nlp):
    nlp.max_length = 10
    [(_, units)] = identify_documents(nlp, [Document("a", "I sleep. I sleep. I sleep.")])
    assert units[-1]["end_char"] == 26


def test_documents_keep_their_order(nlp):
    documents = [Document(i, "I sleep. " * (i % 5)) for i in range(50)]
    assert [document for document, _ in identify_documents(nlp, documents)] == documents


def test_pipeline_without_identifier_is_an_error():
    with pytest.raises(ValueError, match="no 'sentence_identifier'"):
        list(identify_documents(spacy.blank("en"), []))


def test_record_is_one_line_of_ascii_json():
    line = record_line(Document("\udce9.txt", "I"), [{"start_char": 0}])
    assert line.isascii()
    assert json.loads(line) == {"id": "\udce9.txt", "units": [{"start_char": 0}]}


def test_layout_keeps_lines_and_replaces_control_characters():
    text = "A\x1b[31m\r\nB\n\nC D"
    units = [
        {"start_char": 0, "end_char": 9, "label": "NSU", "score": 0.5},
        {"start_char": 11, "end_char": 12, "label": "SU", "score": 1.0},
        {"start_char": 13, "end_char": 14, "label": "SU", "score": 0.0},
    ]
    assert list(lay_out_units(text, units, width=0)) == [
        ("A\ufffd[31m  0.50", True),
        ("B", True),
        ("", False),
        ("C  1.00", False),
        ("D  0.00", False),
    ]
