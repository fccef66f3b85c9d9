"""The documents study: systems, measures, and runs that are not repeated."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import spacy
import tiny
from spacy.tokens import DocBin
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_sentid.sentence_identifier.data.marked_text import parse_marked_text
from spacy_sentid.sentence_identifier.evaluation.documents import AS_IS
from spacy_sentid.text.units import Unit
from studies import training
from studies.__main__ import app
from studies.documents import measures, runs, senter, systems, tables
from studies.documents.systems import System
from studies.harness import check_plan, is_done, run_path, run_study
from studies.results import Row, format_markdown

MARKED = """=== a | mail
⟪meta|-- file.doc --⟫
⟦I like cats.⟧ ⟦They sleep a lot.⟧

⟪meta|Page 3⟫

=== b | chat
⟦I like cats.⟧
⟪head|Page 3⟫
"""
DOCUMENTS = list(parse_marked_text(MARKED, name="a.txt"))
OURS = System("ours", 0, "")


def test_agreement_compares_marks_of_the_same_documents(tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text(MARKED, encoding="utf8")
    marks = MARKED.partition("=== b")[0].replace("⟪meta|Page 3⟫", "⟦Page 3⟧")
    second.write_text(marks, encoding="utf8")
    result = CliRunner().invoke(app, ["agreement", str(first), str(second)])
    row = result.output.splitlines()[1].split()
    # Two of three predicted SUs are right, none is missed, and two of five noise words are kept.
    assert row[:7] == ["as", "is", "1", "66.7", "100.0", "80.0", "40.0"]
    second.write_text(marks.replace("cats", "dogs"), encoding="utf8")
    result = CliRunner().invoke(app, ["agreement", str(first), str(second)])
    assert result.exit_code == 1
    assert "'a'" in str(result.output) + str(result.exception)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("model") / "ours"
    tiny.trained().to_disk(folder)
    return str(folder)


@pytest.fixture
def study(tmp_path: Path, sample: Path, model: str) -> runs.Study:
    path = tmp_path / "a.txt"
    path.write_text(MARKED, encoding="utf8")
    return runs.Study(
        out=tmp_path / "documents",
        documents={"all": path},
        models={"ours": [model, model]},
        peers=("sentencizer",),
        layouts=(AS_IS, "upper"),
        treebank=sample,
        segmenters=("rule_sentencizer",),
    )


def values(rows: list[Row], metric: str) -> dict[tuple, float]:
    return {tuple(row.setting.values()): row.value for row in rows if row.metric == metric}


# Systems


def test_each_sentence_of_a_peer_counts_as_an_su() -> None:
    for name in systems.COMPONENTS:
        nlp = systems.load_system(System(name, None))
        scores = systems.score_system(nlp, DOCUMENTS)[""]
        assert (scores["noise_kept"], scores["words_lost"]) == (1, 0)
        assert not systems.knows_nsus(nlp)


def test_pysbd_sentences_exclude_white_space() -> None:
    pytest.importorskip("pysbd")
    assert list(systems.split_with_pysbd([" I am.  You are.\n\nYes", ""])) == [
        [Unit(1, 6, "SU"), Unit(8, 16, "SU"), Unit(18, 21, "SU")], [],
    ]  # fmt: skip
    assert systems.score_system(None, DOCUMENTS)[""]["documents"] == 2


def test_unknown_peers_are_refused_and_missing_ones_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ValueError, match="splitta"):
        systems.check_peers(["splitta"])
    monkeypatch.setattr(systems, "find_spec", lambda name: None)
    assert systems.check_peers(systems.PEERS) == ([*systems.COMPONENTS, "senter"], ["pySBD"])


# The senter


def test_sentences_of_the_senter_start_at_units() -> None:
    doc = senter.make_doc(DOCUMENTS[0], spacy.blank("en"))
    sents = [sent.text.strip() for sent in doc.sents]
    assert sents == ["-- file.doc --", "I like cats.", "They sleep a lot.", "Page 3"]


def test_a_senter_learns_from_documents_in_several_layouts(
    study: runs.Study, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list] = []
    monkeypatch.setattr(
        training, "run_spacy", lambda command, log, threads: commands.append(command)
    )
    config = root / "studies/configs/downstream_senter.cfg"
    study = replace(study, peers=("senter",), senter_config=config, senter_steps=7)
    (trainings, measured) = runs.list_stages(study, {})
    assert [job.name for job in trainings] == ["train-senter-0"]
    assert "documents-all-senter-0" in [job.name for job in measured]
    rows = runs.run_job(study, trainings[0])["rows"]
    folder = runs.senter_path(study, 0).parent
    docs = list(DocBin().from_disk(folder / "train.spacy").get_docs(spacy.blank("en").vocab))
    assert len(docs) % (1 + senter.N_DRAWS) == 0
    assert len({doc.text for doc in docs[: 1 + senter.N_DRAWS]}) > 1
    assert {row.metric for row in rows} == {"train_words", "training_seconds"}
    (command,) = commands
    assert "--training.max_steps=7" in command
    tok2vec = load_config(folder / "config.cfg")["components"]["senter"]["model"]["tok2vec"]
    assert (tok2vec["width"], tok2vec["depth"]) == (96, 4)


# Measures


def test_documents_are_scored_by_layout_and_by_kind(study: runs.Study, model: str) -> None:
    path = study.documents["all"]
    ours = OURS._replace(path=model)
    rows = measures.measure_documents(ours, "all", path, layouts=study.layouts)
    assert values(rows, "su_f")["all", AS_IS] == 1
    assert values(rows, "documents") == {
        ("all", AS_IS): 2, ("all", AS_IS, "chat"): 1, ("all", AS_IS, "mail"): 1,
        ("all", "upper"): 2,
    }  # fmt: skip
    assert values(rows, "gold")["all", AS_IS, "METADATA"] == 2
    assert ("all", AS_IS, "CODE") not in values(rows, "f")
    peer = measures.measure_documents(System("sentencizer", None), "all", path, layouts=[AS_IS])
    assert not [row.metric for row in peer if row.metric.startswith(("nsu", "kind"))]
    assert values(peer, "noise_kept")["all", AS_IS] == 1


def test_the_kind_of_text_is_read_from_ids(tmp_path: Path, sample: Path) -> None:
    rows = [{"id": f"email-{n}", "text": "Hi.", "units": []} for n in range(2)]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf8")
    assert [document.genre for document in measures.read_set(path)] == ["email", "email"]


def test_units_are_measured_joined_and_segmented(study: runs.Study, model: str) -> None:
    ours = OURS._replace(path=model)
    rows = measures.measure_units(ours, study.treebank, segmenters=study.segmenters)
    assert list(values(rows, "bio_macro_f")) == [
        (0.5, "space"), (0.0, "space"), (0.5, "line"), (0.0, "line"), ("rule_sentencizer",),
    ]  # fmt: skip


def test_calibration_is_measured_on_each_set_and_on_all(study: runs.Study, model: str) -> None:
    ours = OURS._replace(path=model)
    rows = measures.measure_calibration(ours, study.documents, layouts=study.layouts)
    assert set(values(rows, "su_label")) == {("all",), ("mixed",)}
    assert all(0 <= row.value <= 1 for row in rows)


# Runs and tables


@pytest.mark.slow
def test_runs_are_repeated_only_after_a_change(study: runs.Study) -> None:
    study = replace(study, treebank=None)
    plan = runs.make_plan(study)
    check_plan(plan)
    known = runs.fingerprint_models(study.models)
    stages = runs.list_stages(study, known)
    jobs = [job for stage in stages for job in stage]
    assert len({job.name for job in jobs}) == len(jobs) == 5
    for job in jobs:
        path = run_path(plan, job)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps({"measured_with": job.measured_with, **runs.run_job(study, job)})
        )
        assert is_done(plan, job)
    other = replace(study, layouts=(AS_IS,))
    assert not any(is_done(plan, job) for job in runs.list_stages(other, known)[1])
    changed = dict.fromkeys(known, "other")
    n_done = sum(is_done(plan, job) for job in runs.list_stages(study, changed)[1])
    assert n_done == 1  # the peer

    rows = run_study(plan, None, stages, only_tables=True)  # type: ignore[arg-type]
    results = tables.make_results(plan.to_dict(), rows, models=["ours"], command="x")
    text = format_markdown(results)
    assert "| ours | 2 | 100.0±0.0 |" in text
    assert "| sentencizer |  |" in text
    assert "## all: SU F1 by layout" in text
    assert "| METADATA | 2 | 2 |" in text
    assert "| chat | 2 | 1 |" in text
    assert "## all, as it is: kinds of text, SU F1" in text
    assert "| mixed | ours | 2 |" in text


def test_names_of_sets_are_checked() -> None:
    for wrong in (["a"], ["a="], ["=b"], ["a=b", "a=c"]):
        with pytest.raises(ValueError, match="--documents"):
            runs.find_sets(wrong)


def run(*arguments: object, code: int = 0) -> str:
    found = CliRunner().invoke(app, ["documents", *map(str, arguments)])
    assert found.exit_code == code, found.output
    return found.output


@pytest.mark.slow
def test_the_command_writes_tables(study: runs.Study, model: str, root: Path) -> None:
    options = ["--documents", f"all={study.documents['all']}", "--layout", "upper"]
    options += ["--peers", "sentencizer", "--treebank", "", "--model", f"ours={model}"]
    text = run(*options, "--out", study.out)
    assert "| ours | 1 | 100.0 |" in text
    assert f"--model ours={model}" in text
    assert study.out.with_suffix(".json").exists()


def test_invalid_options_are_an_error(study: runs.Study) -> None:
    options = ["--documents", f"all={study.documents['all']}", "--out", study.out]
    assert "'sideways'" in run(*options, "--layout", "sideways", code=1)
    assert "senter" in run(*options, "--model", "senter=en", code=1)
    assert "--treebank" in run(*options, "--treebank", "", code=1)
