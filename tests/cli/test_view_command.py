"""`spacy-sentid view`: from files to pages."""

import json
from pathlib import Path

import pytest
import spacy
import tiny
import typer
from spacy.tokens import DocBin
from spacy.training import Example
from typer.testing import CliRunner
from view_pages import Page

from spacy_sentid.batch.input.documents import Document
from spacy_sentid.batch.work.worker import WorkSettings
from spacy_sentid.cli import app
from spacy_sentid.cli.view import view
from spacy_sentid.files.records import BadLine
from spacy_sentid.sentence_identifier.data.convert import convert_treebank
from spacy_sentid.sentence_identifier.data.documents import read_documents, write_documents
from spacy_sentid.view.text.reading import make_worker, take, view_documents, view_gold

MAIL = "Page 3\n\nI sleep.  You \N{GRINNING FACE} too.\r\n"


@pytest.fixture
def run(tiny_pipeline: Path, tmp_path: Path):
    """A function that runs the command on the small pipeline, and returns the page."""

    def run_command(
        *args: object, command: str = "view", model: str | None = str(tiny_pipeline)
    ) -> Page:
        output = tmp_path / "page.html"
        model_args = [] if model is None else ["--model", model]
        words = [command, *map(str, args), "-o", str(output), *model_args]
        result = CliRunner().invoke(app, words)
        if result.exit_code == 1:
            raise ValueError(result.stderr)
        assert result.exit_code == 0, result.output
        run_command.told = result.stderr  # type: ignore[attr-defined]
        return Page(output.read_bytes().decode("utf8"))

    return run_command


def test_files_become_a_page(run, tmp_path):
    (tmp_path / "a<b>.txt").write_bytes(MAIL.encode())
    (tmp_path / "b.jsonl").write_text(json.dumps({"id": 7, "text": "I sleep.\ud800"}) + "\n")
    page = run(tmp_path / "a<b>.txt", tmp_path / "b.jsonl")
    assert page.text_of("div", "text") == [MAIL, "I sleep.\ufffd"]
    assert page.text_of("h2") == [str(tmp_path / "a<b>.txt"), "7"]
    assert page.text_of("h1") == ["a<b>.txt and 1 more"]
    assert len(page.text_of("script", "probs")) == 2


def test_only_the_first_documents_are_shown_with_a_note(run, tmp_path):
    (tmp_path / "a.txt").write_text("I sleep.\nYou sleep.\nWe sleep.\n")
    page = run(tmp_path / "a.txt", "--format", "lines", "--limit", 2)
    assert len(page.text_of("h2")) == 2
    assert any("first 2" in text for text in page.text_of("p", "lead"))
    assert "--limit" in run.told


def test_bad_records_do_not_count_as_documents(run, tmp_path):
    rows = [{"text": "I sleep."}, {"body": 3}, {"text": "You sleep."}, {"text": "We sleep."}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert len(run(tmp_path / "a.jsonl", "--limit", 2).text_of("h2")) == 2
    assert "2 documents" in run.told


def test_names_of_files_do_not_control_the_terminal(run, tmp_path):
    path = tmp_path / "a\x1b[31m.jsonl"
    path.write_text('{"text": "I sleep."}\n{"body": 3}\n')
    run(path)
    assert "a\\x1b[31m.jsonl:2" in run.told
    assert "\x1b" not in run.told


def test_the_size_is_reported_in_bytes(run, tmp_path):
    (tmp_path / "a.txt").write_text("\N{GRINNING FACE}" * 10_000)
    run(tmp_path / "a.txt")
    size = (tmp_path / "page.html").stat().st_size
    assert f"{size / 1e6:.2f} MB" in run.told


def test_bad_records_are_reported_and_left_out(run, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "I sleep."}\n{"body": 3}\n')
    assert len(run(tmp_path / "a.jsonl").text_of("h2")) == 1
    assert "a.jsonl:2" in run.told


@pytest.mark.parametrize("suffix", [".conllu", ".spacy"])
def test_gold_is_compared_with_the_prediction(run, sample, tmp_path, suffix):
    path = sample / "dev.conllu"
    if suffix == ".spacy":
        docs = convert_treebank(path, spacy.blank("en"))
        path = tmp_path / "dev.spacy"
        DocBin(store_user_data=True, docs=docs).to_disk(path)
    page = run(path, command="view-errors")
    assert page.text_of("caption") == ["Errors by kind", "Scores"]
    ids = set(page.values("id"))
    links = [value.removeprefix("#") for value in page.values("href")]
    assert set(links) <= ids
    assert page.text_of("mark")


def test_gold_of_several_documents_keeps_their_names(sample):
    names = [gold.id for gold in read_documents(sample / "dev.conllu", spacy.blank("en"))]
    assert len(set(names)) == len(names) > 1


def test_pairs_are_in_two_columns(run, tmp_path):
    pairs = [
        {
            "id": "a",
            "hyp": "Sales rose by 2.5 percent in May.",
            "ref": "In May, sales fell by 2.5 %.",
        },
        {"hyp": "Sales rose.", "ref": ["Sales fell.", "Sales rose again."]},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    page = run(path, command="view-pairs", model=None)
    assert page.text_of("h3") == ["Text", "Reference"] * 2
    texts = page.text_of("div", "text")
    assert texts[:2] == [pairs[0]["hyp"], pairs[0]["ref"]]
    assert texts[3] in pairs[1]["ref"]
    assert page.text_of("span", "unsupported")[:2] == ["rose", "fell"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "INPUT... or --units, got neither"),
        (["--units", "GOLD", "--setting", "newline=break"], "--setting with --units"),
    ],
)
def test_wrong_options_are_refused(args, message, sample):
    commands = typer.Typer()
    commands.command()(view)
    words = [str(sample / "dev.conllu") if word == "GOLD" else word for word in args]
    result = CliRunner().invoke(commands, words)
    assert isinstance(result.exception, ValueError)
    assert message in str(result.exception)


MARKED = "=== m1 | mail\n⟪head|Page 3⟫\n⟦I sleep.⟧ ⟪nsu|Oh!⟫\n"


@pytest.mark.parametrize("suffix", [".txt", ".jsonl", ".spacy"])
def test_documents_with_units_are_shown_without_a_pipeline(run, tmp_path, suffix):
    (tmp_path / "a.txt").write_text(MARKED)
    nlp = spacy.blank("en")
    path = tmp_path / f"b{suffix}"
    write_documents(read_documents(tmp_path / "a.txt", nlp), path, nlp)
    page = run("--units", path, model="no-such-pipeline")
    assert page.text_of("h2") == ["m1"]
    assert page.text_of("span", "k-heading")[-1] == "Page 3"
    assert page.text_of("span", "nsu") == ["Page 3", "Oh!"]
    assert page.values("data-s") == []
    page = run(path, command="view-errors")
    assert page.text_of("div", "text") == ["Page 3\nI sleep. Oh!"]


def test_records_of_identify_are_shown_on_their_inputs(run, tmp_path):
    (tmp_path / "a.jsonl").write_text(
        '{"id": 1, "text": "Page 3\\nI sleep."}\n{"id": 2, "text": "x"}\n'
    )
    units = [
        {"start_char": 0, "end_char": 6, "label": "NSU", "score": 0.9, "kind": "METADATA",
         "label_score": 0.8, "kind_score": 0.7},
        {"start_char": 7, "end_char": 15, "label": "SU", "score": 0.95},
    ]  # fmt: skip
    records = tmp_path / "out.jsonl"
    records.write_text(json.dumps({"id": 1, "units": units}) + "\n")
    page = run(tmp_path / "a.jsonl", "--units", records, model="no-such-pipeline")
    assert page.text_of("span", "nsu") == ["Page 3"]
    assert page.values("data-label") == ["metadata", "SU"]
    assert (page.values("data-s"), page.values("data-k")) == (["0.9", "0.95"], ["0.7"])
    assert "a.jsonl:2" in run.told
    for wrong, told in (
        ({"id": 1}, "units"),
        ({"id": [1], "units": units}, "'id'"),
        ({"id": 1, "units": [{"start_char": 0, "end_char": 99, "label": "SU"}]}, "99"),
    ):
        records.write_text(json.dumps(wrong) + "\n")
        with pytest.raises(ValueError, match=rf"out\.jsonl:1: .*{told}"):
            run(tmp_path / "a.jsonl", "--units", records)


def test_records_of_repeated_ids_are_those_of_their_documents(run, tmp_path):
    rows = ['{"id": 1, "text": "I sleep. You too."}', '{"id": 1, "text": "Page 3"}']
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    units = [(0, 8, "SU"), (9, 17, "SU")], [(0, 6, "NSU")]
    names = ("start_char", "end_char", "label")
    records = [{"id": 1, "units": [dict(zip(names, u, strict=True)) for u in us]} for us in units]
    (tmp_path / "out.jsonl").write_text("\n".join(map(json.dumps, records)))
    page = run(tmp_path / "a.jsonl", "--units", tmp_path / "out.jsonl")
    assert page.text_of("span", "su") == ["I sleep.", "You too."]
    assert page.text_of("span", "nsu") == ["Page 3"]


@pytest.mark.parametrize("name", ["a.html", "a.txt", "a.eml"])
def test_view_shows_the_units_that_identify_writes(run, tiny_pipeline, tmp_path, name):
    path = tmp_path / name
    start = "Subject: Hi\n\n" if name == "a.eml" else ""
    path.write_text(f"{start}<h1>Page 3 &amp; 4</h1>\n<p>I <b>like</b> cats. They sleep.</p>")
    records = tmp_path / "out.jsonl"
    command = ["identify", str(path), "-o", str(records), "--model", str(tiny_pipeline)]
    assert CliRunner().invoke(app, command).exit_code == 0
    shown, found = run(path, "--units", records), run(path)
    for tag, css in (("div", "text"), ("span", "nsu"), ("span", "su")):
        assert shown.text_of(tag, css) == found.text_of(tag, css)
    assert shown.values("data-s") == found.values("data-s")


def test_views_have_the_kinds_and_scores_of_units(tmp_path):
    nlp = tiny.blank(model={**tiny.MODEL, "nsu_kinds": True})
    texts = [("Price list", "HEADING", "I like cats.", "SU", "Page 3", "METADATA")]
    docs = [tiny.gold_doc(nlp, units) for units in texts]
    tiny.train(nlp, 60, [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    nlp.to_disk(tmp_path)
    worker = make_worker(WorkSettings(model=str(tmp_path)))
    [view] = view_documents([Document("a", docs[0].text)], worker, on_bad=print)
    assert [unit.kind for unit in view.units] == ["HEADING", "", "METADATA"]
    assert all(unit.label_score and unit.score for unit in view.units)
    assert [unit.kind_score is None for unit in view.units] == [False, True, False]


def test_a_folder_as_output_is_refused_before_the_work(tmp_path):
    commands = typer.Typer()
    commands.command()(view)
    result = CliRunner().invoke(commands, ["no-such.txt", "-o", str(tmp_path)])
    assert result.exit_code == 2
    assert "directory" in result.stderr


def test_gold_documents_without_units_are_refused(tmp_path):
    path = tmp_path / "a.spacy"
    DocBin(docs=[spacy.blank("en")("I sleep.")]).to_disk(path)
    command = ["view-errors", str(path), "-o", str(tmp_path / "page.html")]
    assert (
        "a.spacy:1: a Doc must have gold in spans['su']" in CliRunner().invoke(app, command).stderr
    )


def test_probabilities_of_a_filtered_text_are_at_its_original_tokens(tiny_pipeline, tmp_path):
    tokenizer = {
        "@tokenizers": "spacy_sentid.FilteredTokenizer.v1",
        "filters": [{"@misc": "spacy_sentid.strip_markup.v1"}],
    }
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("sentence_identifier", source=spacy.load(tiny_pipeline))
    nlp.to_disk(tmp_path)
    worker = make_worker(WorkSettings(model=str(tmp_path)))
    text = "<p>I <b>like</b> cats.</p>"
    [view] = view_documents([Document("a", text)], worker, on_bad=print)
    words = [text[prob.start_char : prob.end_char] for prob in view.probs or []]
    assert words == ["I", "like", "cats", "."]


def test_views_have_units_and_probabilities_of_the_tokens(tiny_pipeline):
    worker = make_worker(WorkSettings(model=str(tiny_pipeline)))
    bad = BadLine("a:1", "broken")
    told: list[BadLine] = []
    good = [Document("a", MAIL), Document("b", "", part=1)]
    documents, _ = take([bad, *good], 3, on_bad=told.append)
    first, second = view_documents(documents, worker, on_bad=told.append)
    assert told == [bad]
    assert "".join(first.text[u.start_char : u.end_char] for u in first.units).split()
    assert [MAIL[p.start_char : p.end_char] for p in first.probs or []][:3] == ["Page", "3", "I"]
    assert all(0 <= p.bos_prob <= 1 and 0 <= p.eos_prob <= 1 for p in first.probs or [])
    assert second == ("b, part 2", "", [], None, None)


def test_gold_documents_of_the_same_name_keep_their_gold(tiny_pipeline, sample):
    worker = make_worker(WorkSettings(model=str(tiny_pipeline)))
    found = read_documents(sample / "dev.conllu", spacy.blank("en"))
    golds = [gold._replace(id="same") for gold in found]
    views = list(view_gold(golds, worker, on_bad=print))
    assert [view.gold for view in views] == [gold.units for gold in golds]
    assert {view.name for view in views} == {"same"}
