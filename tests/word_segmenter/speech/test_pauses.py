"""Pause records: JSONL in and out, faults."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.files.records import Line
from spacy_sentid.word_segmenter.speech.pauses import (
    PauseRecord,
    format_pauses,
    parse_pauses,
    pause_gaps,
    read_pauses,
)


def test_gaps_are_chosen_by_duration() -> None:
    record = PauseRecord("a", list("有人在听"), [9, 10, 200])
    assert pause_gaps(record) == [1, 2]
    assert pause_gaps(record, min_ms=11) == [2]
    assert pause_gaps(PauseRecord("a", ["好"], [])) == []


CHARS = st.lists(st.sampled_from("你好A𠮷"), min_size=1)


@given(CHARS, st.data())
def test_records_survive_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, chars: list[str], data: st.DataObject
) -> None:
    n = len(chars) - 1
    pauses = data.draw(st.lists(st.integers(0, 900), min_size=n, max_size=n))
    text = data.draw(st.none() | st.just("".join(chars) + "。"))
    offsets = [(i, i + 1) for i in range(n + 1)] if text and data.draw(st.booleans()) else None
    record = PauseRecord(data.draw(st.text()), chars, pauses, offsets, text)
    path = tmp_path_factory.getbasetemp() / "records.jsonl"
    path.write_text(f"{format_pauses(record)}\n" * 2, encoding="utf8")
    assert list(read_pauses(path)) == [record, record]


FAULTS = [
    ({"chars": ["好"]}, "'pause_ms'"),
    ({"pause_ms": []}, "'chars'"),
    ({"chars": "你好", "pause_ms": [1]}, "'chars'"),
    ({"chars": ["你好"], "pause_ms": []}, "one character"),
    ({"chars": ["你", 3], "pause_ms": [1]}, "one character"),
    ({"chars": [], "pause_ms": []}, "one or more"),
    ({"chars": ["你", "好"], "pause_ms": []}, "1 gaps"),
    ({"chars": ["你", "好"], "pause_ms": [1.5]}, "milliseconds"),
    ({"chars": ["你", "好"], "pause_ms": [True]}, "milliseconds"),
    ({"chars": ["你", "好"], "pause_ms": [-1]}, "0 or more"),
    ({"chars": ["你"], "pause_ms": [], "text": 3}, "'text'"),
    ({"chars": ["你"], "pause_ms": [], "offsets": [[0, 1]]}, "'offsets'"),
    ({"chars": ["你"], "pause_ms": [], "text": "你", "offsets": [[0, 2]]}, "'text'"),
    ({"chars": ["你"], "pause_ms": [], "text": "你", "offsets": [[0, 0]]}, "'offsets'"),
    ({"chars": ["你"], "pause_ms": [], "text": "你", "offsets": []}, "1 characters"),
    ({"chars": ["你"], "pause_ms": [], "text": "你", "offsets": [["0", 1]]}, "'offsets'"),
]


@pytest.mark.parametrize(("found", "message"), FAULTS)
def test_a_fault_is_reported_with_its_place(found: dict, message: str) -> None:
    with pytest.raises(ValueError, match=r"a\.jsonl:7: ") as caught:
        parse_pauses(Line("a.jsonl:7", json.dumps(found)))
    assert message in str(caught.value)


def test_a_bad_line_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = json.dumps({"id": 3, "chars": ["好"], "pause_ms": [], "prosody": []})
    path.write_text(f"{good}\n[]\n", encoding="utf8")
    assert next(read_pauses(path)) == PauseRecord("3", ["好"], [])
    with pytest.raises(ValueError, match=r"a\.jsonl:2: "):
        list(read_pauses(path))


def test_real_pauses_are_read(find_corpus: Callable[[str], Path]) -> None:
    folder = find_corpus("cws/pauses")
    records = list(read_pauses(folder / "bznsyp.jsonl"))
    assert len(records) == 9998
    assert sum(len(pause_gaps(record)) for record in records) == 11912
    with pytest.raises(ValueError, match=r"paper_examples.jsonl:2: .*pause_ms"):
        list(read_pauses(folder / "paper_examples.jsonl"))
