"""The record of units: everything that reads it accepts the same, and reads the same."""

import json
from pathlib import Path

import pytest

from spacy_sentid.batch.input.documents import Document
from spacy_sentid.files.records import Line
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.data.records import (
    make_document_record,
    make_unit,
    parse_document,
    read_predictions,
)
from spacy_sentid.text.units import Unit
from spacy_sentid.view.text.reading import view_records

TEXT = "Page 3\nÄ \N{GRINNING FACE} sleeps. "
PAGE, SLEEPS = Unit(0, 6, "METADATA"), Unit(7, 18, "SU")


def row(start: object, end: object, label: object, **more: object) -> dict[str, object]:
    return {"start_char": start, "end_char": end, "label": label, **more}


GOOD = {
    "a kind as the label": ([row(0, 6, "METADATA")], [PAGE]),
    "a kind next to the label": ([row(0, 6, "NSU", kind="METADATA")], [PAGE]),
    "a kind of null": ([row(7, 18, "SU", kind=None)], [SLEEPS]),
    "white space at the edges": ([row(6, 19, "SU")], [SLEEPS]),
    "a unit of white space": ([row(6, 7, "NSU")], []),
    "another order": ([row(7, 18, "SU"), row(0, 6, "METADATA")], [PAGE, SLEEPS]),
    "no units": ([], []),
    "scores": ([row(7, 18, "SU", score=0.5, label_score=1, kind_score=None)], [SLEEPS]),
    "the text of the unit": ([row(7, 18, "SU", text=TEXT[7:18])], [SLEEPS]),
}
BAD = {
    "an unknown label": ([row(0, 6, "PERSON")], "label"),
    "a label that is no string": ([row(0, 6, {})], "label"),
    "an unknown kind": ([row(0, 6, "NSU", kind="PERSON")], "kind"),
    "a kind of an SU": ([row(7, 18, "SU", kind="METADATA")], "kind"),
    "a truth value": ([row(True, 6, "NSU")], "characters"),
    "a fraction": ([row(0.0, 6, "NSU")], "characters"),
    "a string": ([row("0", 6, "NSU")], "characters"),
    "a missing end": ([row(0, None, "NSU")], "characters"),
    "an empty unit": ([row(2, 2, "NSU")], "characters"),
    "a start before the text": ([row(-1, 6, "NSU")], "characters"),
    "an end after the text": ([row(7, 20, "SU")], "characters"),
    "an overlap": ([row(0, 6, "NSU"), row(5, 18, "SU")], "overlap"),
    "the same unit twice": ([row(0, 6, "NSU")] * 2, "overlap"),
    "a score that is no number": ([row(0, 6, "NSU", score="high")], "scores"),
    "the text of bytes": ([row(7, 18, "SU", text="\N{GRINNING FACE} sleeps")], "count"),
    "a number": ([7], "object"),
    "an object": ({}, "list"),
}


def read_gold(path: Path) -> list[Unit]:
    return parse_document(Line(f"{path}:1", path.read_text())).units


def read_predicted(path: Path) -> list[Unit]:
    [units] = read_predictions(path, [GoldDocument(TEXT, [], "a")])
    return units


def read_for_page(path: Path) -> list[Unit]:
    [view] = view_records([Document("a", TEXT)], path, on_bad=pytest.fail)
    return [Unit(*unit[:2], unit.kind or unit.label) for unit in view.units]


READERS = [read_gold, read_predicted, read_for_page]


def write(folder: Path, units: object) -> Path:
    path = folder / "a.jsonl"
    path.write_text(json.dumps({"id": "a", "text": TEXT, "units": units}))
    return path


@pytest.mark.parametrize("name", GOOD)
def test_all_readers_read_the_same_units(name: str, tmp_path: Path) -> None:
    units, expected = GOOD[name]
    path = write(tmp_path, units)
    assert [read(path) for read in READERS] == [expected] * 3


@pytest.mark.parametrize("name", BAD)
def test_all_readers_refuse_the_same_units(name: str, tmp_path: Path) -> None:
    units, word = BAD[name]
    path = write(tmp_path, units)
    for read in READERS:
        with pytest.raises(ValueError, match=rf"a\.jsonl:1.*{word}" if units else "list"):
            read(path)


def test_a_document_is_read_as_it_was_written(tmp_path: Path) -> None:
    document = GoldDocument(TEXT, [PAGE, SLEEPS], "a", "mail")
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(make_document_record(document)))
    assert parse_document(Line("a:1", path.read_text())) == document


def test_unknown_scores_are_not_written() -> None:
    scores = {"score": 0.123456, "kind_score": None}
    assert make_unit(SLEEPS, scores) == row(7, 18, "SU", score=0.1235)


# Predictions

LINE = '{"id": "a", "units": []}\n'


def test_predictions_are_matched_by_id_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": 2, "units": [{"start_char": 0, "end_char": 1, "label": "SU"}]}\n' + LINE
    )
    documents = [GoldDocument(TEXT, [], "a"), GoldDocument("x", [], "2")]
    assert list(read_predictions(path, documents)) == [[], [Unit(0, 1, "SU")]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "a.jsonl must .*none for 'a'"),
        (LINE * 2, r"a.jsonl:2: .*'a'"),
        (LINE + LINE.replace('"a"', '"b"'), r"a.jsonl:2: .*'b'"),
        (LINE.replace('"a"', "true"), r"a.jsonl:1: .*id"),
        (LINE.replace('"id"', '"no"'), r"a.jsonl:1: .*id"),
        (LINE.replace('"units"', '"no"'), r"a.jsonl:1: .*units"),
        ("[1]", r"a.jsonl:1: .*object"),
    ],
)
def test_predictions_of_other_documents_are_refused(
    lines: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(lines)
    with pytest.raises(ValueError, match=message):
        list(read_predictions(tmp_path / "a.jsonl", [GoldDocument(TEXT, [], "a")]))
