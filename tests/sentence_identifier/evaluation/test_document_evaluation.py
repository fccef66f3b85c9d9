"""Scores of pipelines on whole documents, in several layouts."""

import json
from pathlib import Path

import pytest
import spacy
import tiny
from typer.testing import CliRunner

from spacy_sentid.cli import app
from spacy_sentid.scores import summarise_scores
from spacy_sentid.sentence_identifier.corpora.layout import LAYOUT_CHANGES
from spacy_sentid.sentence_identifier.data.marked_text import parse_marked_text
from spacy_sentid.sentence_identifier.evaluation.documents import (
    AS_IS,
    evaluate_documents,
    evaluate_layouts,
    lay_out,
    list_predicted,
    nsu_kind_rows,
    tabulate_scores,
)
from spacy_sentid.text.units import Unit

MARKED = """=== a | mail
⟪meta|-- file.doc --⟫
⟦I like cats.⟧ ⟦They sleep a lot.⟧
⟪meta|Page 3⟫

=== b | chat
⟦I like cats.⟧
⟪meta|Page 3⟫
"""
DOCUMENTS = list(parse_marked_text(MARKED, name="a.txt"))


@pytest.fixture(scope="module")
def nlp() -> spacy.Language:
    return tiny.trained()


def rules() -> spacy.Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    return nlp


def test_a_pipeline_is_scored_by_its_units(nlp: spacy.Language) -> None:
    scores = evaluate_documents(nlp, DOCUMENTS)
    assert set(scores) == {"", "mail", "chat"}
    assert [scores[""][name] for name in ("su_f", "nsu_f", "boundary_f")] == [1, 1, 1]
    assert [scores[""][name] for name in ("noise_kept", "words_lost")] == [0, 0]


def test_span_keys_come_from_the_pipeline() -> None:
    nlp = tiny.trained(su_key="a", nsu_key="b")
    assert evaluate_documents(nlp, DOCUMENTS)[""]["su_f"] == 1


def test_without_an_identifier_sentences_count_as_sus() -> None:
    scores = evaluate_documents(rules(), DOCUMENTS)[""]
    assert (scores["noise_kept"], scores["words_lost"], scores["nsu_r"]) == (1, 0, 0)
    assert (scores["su_p"], scores["su_r"]) == pytest.approx((3 / 5, 1))
    assert list_predicted(rules()("\n I am.  You are.\n "), None) == [
        Unit(2, 7, "SU"),
        Unit(9, 17, "SU"),
    ]


def test_units_are_those_of_the_doc_with_their_kinds(nlp: spacy.Language) -> None:
    doc = nlp(DOCUMENTS[1].text)
    assert list_predicted(doc, ("su", "nsu")) == [Unit(0, 12, "SU"), Unit(13, 19, "NSU")]


@pytest.mark.parametrize("layout", [AS_IS, *LAYOUT_CHANGES])
def test_layouts_are_reproducible(layout: str) -> None:
    changed = list(lay_out(DOCUMENTS, layout))
    assert changed == list(lay_out(DOCUMENTS, layout))
    assert [document.id for document in changed] == ["a", "b"]
    assert [len(document.units) for document in changed] == [4, 2]


def test_a_layout_changes_the_text() -> None:
    assert list(lay_out(DOCUMENTS, AS_IS)) == DOCUMENTS
    (upper, *_) = lay_out(DOCUMENTS, "upper")
    assert upper.text == DOCUMENTS[0].text.upper()
    assert upper.units == DOCUMENTS[0].units


def test_an_unknown_layout_raises(nlp: spacy.Language) -> None:
    with pytest.raises(ValueError, match="'sideways'"):
        evaluate_layouts(nlp, DOCUMENTS, layouts=["sideways"])


def test_scores_are_formatted_as_a_table(nlp: spacy.Language) -> None:
    summary = summarise_scores([evaluate_layouts(nlp, DOCUMENTS, layouts=[AS_IS, "join"])])
    heading, first, second = tabulate_scores(summary)
    assert (first[:2], second[:2]) == (["as is", "2"], ["join", "2"])
    assert first[heading.index("SU F")] == "100.0"
    rows = tabulate_scores(summary, by_kind=True)
    assert [row[0] for row in rows[1:4]] == ["as is", "  chat", "  mail"]
    assert {len(row) for row in rows} == {len(heading)}
    assert nsu_kind_rows(summary)[1:] == [
        ["as is", "METADATA", "3", "0.0", "0.0", "0.0"],  # the small model knows no kinds
        ["join", "METADATA", "3", "0.0", "0.0", "0.0"],
    ]


def test_several_pipelines_are_summarised(nlp: spacy.Language) -> None:
    reports = [evaluate_layouts(one, DOCUMENTS, layouts=[AS_IS]) for one in (nlp, rules())]
    summary = summarise_scores(reports)
    assert summary["mean"][AS_IS][""]["noise_kept"] == 1 / 2
    assert summary["sd"][AS_IS][""]["noise_kept"] == pytest.approx(1 / 2**0.5)
    heading, row = tabulate_scores(summary)
    assert row[heading.index("noise kept")] == "50.0±70.7"


# The command


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["evaluate", "documents", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text(MARKED, encoding="utf8")
    return path


@pytest.mark.usefixtures("wide_terminal")
def test_the_command_prints_a_table_and_writes_json(
    tiny_pipeline: Path, file: Path, tmp_path: Path
) -> None:
    target = tmp_path / "scores.json"
    options = ["--layout", "upper", "--by-kind", "--json", target]
    lines = run(file, "--model", tiny_pipeline, *options).splitlines()
    assert [line.split()[0] for line in lines] == [
        "layout", "as", "chat", "mail", "upper", "chat", "mail",
    ]  # fmt: skip
    report = json.loads(target.read_text())
    assert report["models"] == [str(tiny_pipeline)]
    assert set(report["mean"]) == {"as is", "upper"}
    assert report["mean"]["upper"]["chat"]["documents"] == 1
    assert "sd" not in report


@pytest.mark.usefixtures("wide_terminal")
def test_the_command_takes_the_seeds_of_a_recipe(
    tiny_pipeline: Path, file: Path, tmp_path: Path
) -> None:
    rules().to_disk(tmp_path / "rules")
    target = tmp_path / "scores.json"
    models = ["--model", tiny_pipeline, "--model", tmp_path / "rules"]
    text = run(file, *models, "--nsu-kinds", "--json", target)
    scores, kinds = text.split("\n\n")
    assert "±" in scores.splitlines()[1]
    assert kinds.splitlines()[1].split()[:4] == ["as", "is", "METADATA", "3"]
    report = json.loads(target.read_text())
    assert len(report["runs"]) == len(report["models"]) == 2
    assert report["sd"]["as is"][""]["documents"] == 0


@pytest.mark.usefixtures("wide_terminal")
def test_the_command_scores_pipelines_without_identifier(file: Path, tmp_path: Path) -> None:
    rules().to_disk(tmp_path / "rules")
    (_, row) = run(file, "--model", tmp_path / "rules").splitlines()
    assert row.split()[:3] == ["as", "is", "2"]


def test_inputs_that_cannot_be_evaluated_are_errors(tiny_pipeline: Path, file: Path) -> None:
    message = run(file, "--model", tiny_pipeline, "--layout", "sideways", code=1)
    assert message.startswith("Error: ")
    assert "'sideways'" in message
    file.write_text("I sleep.\n", encoding="utf8")
    assert "a.txt:1" in run(file, "--model", tiny_pipeline, code=1)
