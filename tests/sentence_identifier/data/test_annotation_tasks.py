"""Tasks of annotation tools: what we write, we read back after the tool has exported it."""

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from docs_pages import read_blocks
from hypothesis import given
from hypothesis import strategies as st
from tiny_jobs import TEXTS, interrupt, make_job, read_rows, write_texts
from typer.testing import CliRunner

from spacy_sentid.batch.formats.formats import join_lines
from spacy_sentid.batch.formats.records import make_tool_task
from spacy_sentid.batch.input.documents import Document
from spacy_sentid.batch.job import run_job
from spacy_sentid.batch.work.ray_dataset import identify_dataset
from spacy_sentid.batch.work.work_settings import WorkSettings
from spacy_sentid.batch.work.worker import Worker
from spacy_sentid.cli import app
from spacy_sentid.files.records import Line
from spacy_sentid.sentence_identifier.data.annotation_tasks import CONTROL, SOURCE, TOOLS
from spacy_sentid.sentence_identifier.data.records import (
    LABELS,
    parse_document,
    read_document_records,
)
from spacy_sentid.view.text.colors import COLORS

DOCS = Path(__file__).parents[3] / "docs"
HARD_TEXTS = [
    "Caf\u00e9 \N{GRINNING FACE} I sleep.\r\nPage 3\r\n\r\nYou read the draft.",
    "\ufeffI sleep. A lone \ud800 surrogate.",
    "",
]


def export(task: dict, tool: str) -> dict:
    """Convert a task that a person accepted to what the tool exports."""
    if tool == "prodigy":
        spans = [{**span, "token_start": 0, "token_end": 0} for span in task["spans"]]
        return {**task, "spans": spans, "_task_hash": 7, "answer": "accept"}
    if tool == "doccano":
        return {**task, "Comments": []}
    [prediction] = task["predictions"]
    result = [{**one, "origin": "prediction"} for one in prediction["result"]]
    done = {"id": 5, "was_cancelled": False, "result": result}
    return {"id": 1, "annotations": [done], "file_upload": "a.json", **task}


def read_exported(tasks: Iterable[dict], tool: str) -> list[tuple]:
    """Read what a tool exports, as (id, text, units)."""
    lines = [Line("a:1", json.dumps(export(task, tool))) for task in tasks]
    return [(one.id, one.text, list(map(tuple, one.units))) for one in map(parse_document, lines)]


def run_documents(documents: list[Document], **settings) -> list[dict]:
    worker = Worker(WorkSettings(**settings))
    return [json.loads(line) for line in worker(documents).data.splitlines()]


def list_units(record: dict) -> list[tuple]:
    keys = ("start_char", "end_char")
    return [
        (*(unit[key] for key in keys), unit.get("kind") or unit["label"])
        for unit in record["units"]
    ]


@pytest.mark.parametrize("tool", TOOLS)
def test_exported_tasks_are_read_as_the_units_that_were_found(tool) -> None:
    documents = [Document(f"d{i}", text) for i, text in enumerate([*TEXTS[:4], *HARD_TEXTS])]
    plain = run_documents(documents, with_text=True)
    tasks = run_documents(documents, export=tool)
    found = read_exported(tasks, tool)
    assert [(name, units) for name, _, units in found] == [
        (record["id"], list_units(record)) for record in plain
    ]
    assert any(label not in ("SU", "NSU") for *_, units in found for *_, label in units)
    for (_, text, units), record in zip(found, plain, strict=True):
        assert [text[start:end] for start, end, _ in units] == [
            unit["text"] for unit in record["units"]
        ]


@pytest.mark.parametrize("tool", TOOLS)
def test_offsets_refer_to_the_text_of_the_task(tool, tiny_pipeline) -> None:
    html = Document("a", "I sleep.\n\nYou & I read the draft.", left_out={"tags": 6})
    part = Document("b", "I sleep. Page 3", part=2, start_char=100)
    tasks = run_documents([html, part], export=tool, model=str(tiny_pipeline))
    first, second = read_exported(tasks, tool)
    assert first[1] == html.text
    assert second[1] == "I sleep. Page 3"
    for _, text, units in (first, second):
        ends = [0, *(bound for unit in units for bound in unit[:2]), len(text)]
        gaps = list(pairwise(ends))[::2]
        assert not "".join(text[start:end] for start, end in gaps).strip()
    assert '"part": 2' in json.dumps(tasks[1])


def find_score(task: dict, tool: str) -> float | None:
    holder = {"prodigy": task.get("meta"), "doccano": task}.get(tool) or task["predictions"][0]
    return holder.get("score")


@pytest.mark.parametrize("tool", TOOLS)
def test_tasks_have_a_score_to_sort_by(tool) -> None:
    units = [
        {"start_char": 0, "end_char": 2, "label": "NSU", "score": 0.9},
        {"start_char": 3, "end_char": 7, "label": "SU", "score": 0.4},
    ]
    task = make_tool_task({"id": 1, "text": "No I am", "units": units}, tool)
    assert find_score(task, tool) == 0.65
    assert find_score(make_tool_task({"id": 1, "text": " ", "units": []}, tool), tool) is None


# Files


@given(st.lists(st.integers(), max_size=6))
def test_lines_are_joined_to_an_array(numbers) -> None:
    assert json.loads(b"".join(join_lines(b"%d\n" % n for n in numbers))) == numbers


def make_export(tiny_pipeline: Path, texts: Path, out: object, **settings):
    work = WorkSettings(model=str(tiny_pipeline), export="label-studio")
    return make_job(tiny_pipeline, texts, out=out, work=work, shard_size=60, **settings)


def test_an_array_of_many_shards_has_the_records_of_the_lines(tiny_pipeline, tmp_path) -> None:
    texts = write_texts(tmp_path)
    for name in ("a.json", "a.jsonl"):
        assert run_job(make_export(tiny_pipeline, texts, tmp_path / name)).n_shards > 3
    tasks = json.loads((tmp_path / "a.json").read_bytes())
    assert tasks == read_rows(tmp_path / "a.jsonl")
    exported = [export(task, "label-studio") for task in tasks]
    (tmp_path / "back.json").write_text(json.dumps(exported, indent=1))
    found = list(read_document_records(tmp_path / "back.json"))
    assert [one.text for one in found] == TEXTS
    assert [one.id for one in found] == [str(n) for n in range(len(TEXTS))]


def test_an_interrupted_array_is_resumed_with_the_same_bytes(tiny_pipeline, tmp_path) -> None:
    texts = write_texts(tmp_path)
    run_job(make_export(tiny_pipeline, texts, tmp_path / "a.json"))
    job = make_export(tiny_pipeline, texts, tmp_path / "b.json")
    interrupt(job)
    assert run_job(job).n_shards_before > 0
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()
    other = WorkSettings(model=str(tiny_pipeline), export="prodigy")
    with pytest.raises(ValueError, match="export"):
        run_job(make_job(tiny_pipeline, texts, out=tmp_path / "b.json", work=other, shard_size=60))


def test_each_file_of_a_folder_is_an_array(tiny_pipeline, tmp_path) -> None:
    texts = write_texts(tmp_path)
    run_job(make_export(tiny_pipeline, texts, f"{tmp_path}/out/", folder_suffix=".json"))
    parts = sorted((tmp_path / "out").glob("part-*.json"))
    tasks = [task for part in parts for task in json.loads(part.read_bytes())]
    assert [task["data"]["text"] for task in tasks] == TEXTS


# What is refused


@pytest.mark.parametrize("settings", [{"task": "words"}, {"keep": "su"}, {"with_text": True}])
def test_tasks_are_for_units_alone(settings) -> None:
    with pytest.raises(ValueError, match="export"):
        WorkSettings(export="prodigy", **settings)


def test_a_dataset_of_ray_has_no_tasks() -> None:
    with pytest.raises(ValueError, match="export must be None for a dataset"):
        identify_dataset(None, export="doccano")


@pytest.mark.parametrize(("options", "word"), [(["-o", "a.csv"], ".json"), ([], "output")])
def test_tools_need_a_file_of_json(options, word, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("I sleep.")
    command = ["identify", "a.txt", "--export", "prodigy", *options]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert word in done.stderr


def test_the_command_writes_tasks_without_a_hint_to_view_them(
    tiny_pipeline, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("I sleep.")
    command = ["identify", "a.txt", "-o", "a.jsonl", "--export", "prodigy"]
    done = CliRunner().invoke(app, [*command, "--model", str(tiny_pipeline)])
    assert done.exit_code == 0, done.stderr
    assert "view" not in done.stderr
    [task] = read_rows(tmp_path / "a.jsonl")
    assert (task["id"], task["text"]) == ("a.txt", "I sleep.")


# The guide


def test_the_labeling_interface_in_the_guide_fits_the_tasks() -> None:
    [block] = [block for block in read_blocks(DOCS, "guides/train.md") if block.lang == "xml"]
    [labels, text] = ElementTree.fromstring(block.code)
    colors = [(label.get("value"), label.get("background")) for label in labels]
    assert colors == [(label, COLORS[label]) for label in LABELS]
    assert (labels.get("name"), labels.get("toName")) == (CONTROL, SOURCE)
    assert (text.get("name"), text.get("value")) == (SOURCE, f"${SOURCE}")
