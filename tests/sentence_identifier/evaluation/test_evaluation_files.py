"""Evaluation inputs and predictions on disk."""

import json
from pathlib import Path

import pytest

from spacy_sentid.sentence_identifier.corpora.concatenation import AssembledText
from spacy_sentid.sentence_identifier.evaluation.files import (
    Input,
    read_inputs,
    read_predictions,
    write_inputs,
)
from spacy_sentid.text.units import Unit

TEXTS = [
    AssembledText("Page 3\nÄ \N{GRINNING FACE} sleeps.", [Unit(0, 6, "NSU"), Unit(7, 18, "SU")]),
    AssembledText("Hi.", [Unit(0, 3, "NSU")]),
]
INPUTS = [Input(f"x-{i}", *text) for i, text in enumerate(TEXTS, start=1)]
UNIT = '{"start_char": 0, "end_char": 3, "label": "SU", "score": 0.5}'
LINE = f'{{"id": "x-2", "units": [{UNIT}]}}\n'


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_inputs_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "a.jsonl"
    write_inputs(path, TEXTS, name="x")
    assert read_inputs(path) == INPUTS


def test_predictions_are_matched_by_id_in_any_order(tmp_path):
    path = write(tmp_path / "a.jsonl", LINE + '\n{"id": "x-1", "units": []}\n')
    assert list(read_predictions(INPUTS, path)) == [
        (*TEXTS[0], []),
        (*TEXTS[1], [Unit(0, 3, "SU")]),
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (LINE, r"a\.jsonl: .*x-1"),
        (LINE + LINE, r"a\.jsonl:2: .*x-2"),
        (LINE.replace("x-2", "x-3"), r"a\.jsonl:1: .*x-3"),
        (LINE.replace('"x-2"', "2"), r"a\.jsonl:1: .*id.* 2\b"),
        (LINE.replace('"x-2"', "true"), r"a\.jsonl:1: .*id.*True"),
        (LINE.replace('"id"', '"no"'), r"a\.jsonl:1: .*id"),
        (LINE.replace('"units"', '"no"'), r"a\.jsonl:1: .*units"),
        (LINE.replace("3", "4"), r"a\.jsonl:1: .*unit"),
        (LINE.replace(": 0,", ": -1,"), r"a\.jsonl:1: .*unit"),
        (LINE.replace(": 0,", ": 3,"), r"a\.jsonl:1: .*unit"),
        (LINE.replace(": 0,", ": false,"), r"a\.jsonl:1: .*unit"),
        (LINE.replace(": 0,", ": 0.0,"), r"a\.jsonl:1: .*unit"),
        (LINE.replace("SU", "XU"), r"a\.jsonl:1: .*label"),
        (LINE.replace("SU", '", "label": ["'), r"a\.jsonl:1: "),
        (LINE.replace(UNIT, "7"), r"a\.jsonl:1: .*unit"),
        (LINE.replace(UNIT, f"{UNIT}, {UNIT}"), r"a\.jsonl:1: .*overlap"),
        ("\n[1]\n", r"a\.jsonl:2: .*object"),
        (LINE + "{", r"a\.jsonl:2: .*JSON"),
        (b'{"id": "\xff"}', r"a\.jsonl:1: .*UTF-8"),
    ],
)
def test_bad_predictions_are_named_with_file_and_line(tmp_path, data, message):
    path = write(tmp_path / "a.jsonl", data)
    with pytest.raises(ValueError, match=message):
        list(read_predictions(INPUTS, path))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": 1, "units": []}, r"a\.jsonl:2: .*text"),
        ({"id": 0, "text": "", "units": []}, r"a\.jsonl:2: .*id"),
        (
            {"id": 1, "text": "", "units": [{"start_char": 0, "end_char": 1, "label": "SU"}]},
            r"a\.jsonl:2: .*unit",
        ),
    ],
)
def test_bad_inputs_are_named_with_file_and_line(tmp_path, row, message):
    first = {"id": 0, "text": "", "units": []}
    path = write(tmp_path / "a.jsonl", f"{json.dumps(first)}\n{json.dumps(row)}\n")
    with pytest.raises(ValueError, match=message):
        read_inputs(path)
