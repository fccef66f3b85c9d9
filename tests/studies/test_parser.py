"""The parser study: splits, grids, runs that are not repeated, tables and the figure."""

import json
from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from studies import training
from studies.__main__ import app
from studies.harness import check_plan
from studies.parser import runs, tables
from studies.parser import splits as reading
from studies.results import Row, format_markdown, read_results

runner = CliRunner()


@pytest.fixture
def splits(tmp_path: Path, sample: Path) -> Path:
    """The splits of two languages, both made from parts of the sample."""
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.conllu").write_bytes((sample / f"{split}.conllu").read_bytes())
    entry = {
        "train": [{"file": "dev.conllu"}, {"file": "train.conllu", "from": 3, "to": 60}],
        "dev": [{"file": "dev.conllu", "to": 20}],
        "test": [{"file": "test.conllu"}],
    }
    path = tmp_path / "splits.json"
    path.write_text(json.dumps({"_": "a remark", "en": entry, "de": entry}))
    return path


def make_study(splits: Path, root: Path, **options: object) -> runs.Study:
    found = reading.read_splits(splits)
    values: dict = {
        "out": splits.parent / "study",
        "treebanks": tuple(
            reading.Treebank(lang, found[lang], n, 4) for lang, n in (("en", 2), ("de", 1))
        ),
        "grid": reading.parse_grid(".5/.1"),
        "config": root / "configs/parser.cfg",
    }
    return runs.Study(**{**values, **options})


def result_rows(lang: str, cell: str, seed: int, value: float) -> list[Row]:
    """Make the rows of a run from one value. Wrong punctuation has the rate 1 - `value`."""
    phrases = {
        "n_phrases": 10,
        "wrong_punct_rate": 1 - value,
        "np_detection": value / 2,
        "propn_rate": value / 2,
        "roots": {"NOUN": 3},
    }
    scores = {
        "noun_phrases": {"units": phrases, "extracted": phrases},
        "treebank": {"n_units": 7, "las_conll": value, "pos_acc": value},
    }
    trained = {"augmented": {"train": {"n_units": 3}}, "training_seconds": 1}
    p, n = map(float, cell.split("/"))
    return runs.list_scores(lang, reading.Cell(p, n), seed, trained, scores)


ROWS = [
    *result_rows("en", "0/0", 0, 0.50),
    *result_rows("en", "0/0", 1, 0.52),
    *result_rows("en", "0.5/0.1", 0, 0.54),
    *result_rows("en", "0.5/0.1", 1, 0.54),
    *result_rows("de", "0/0", 0, 0.4),
    *result_rows("de", "0.5/0.1", 0, 0.9),
]


def test_a_split_has_the_units_of_its_parts(splits: Path, root: Path) -> None:
    study = make_study(splits, root)
    reading.write_splits(study.treebanks, study.out)
    text = reading.split_path(study.out, "en", "train").read_text()
    dev = (splits.parent / "dev.conllu").read_text()
    train = (splits.parent / "train.conllu").read_text().split("\n\n")
    assert text == dev + "\n\n".join(train[3:60]) + "\n\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("no json", "JSON"),
        ("{}", "languages"),
        ('{"en": {"train": []}}', "train, dev and test"),
        ('{"en": {"train": [{"f": 1}], "dev": [], "test": []}}', "'file'"),
        ("[]", "object"),
        ('{"en": {"train": [{"from": 1}], "dev": [], "test": []}}', "object"),
        ('{"en": {"train": [{"file": "x", "to": "3"}], "dev": [], "test": []}}', "numbers"),
        ('{"en": {"train": [{"file": "x"}], "dev": [], "test": []}}', "file"),
    ],
)
def test_broken_splits_raise(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "splits.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        reading.read_splits(path)


@pytest.mark.parametrize("text", [".2", "a/b", "1/2/3", "2/0", "-1/0", "nan/0", "0/inf"])
def test_broken_grids_raise(text: str) -> None:
    with pytest.raises(ValueError, match="--grid"):
        reading.parse_grid(text)


@pytest.mark.parametrize("text", ["en=3", "x", "0", "2,en=", "2,=3", ""])
def test_broken_numbers_of_seeds_raise(text: str) -> None:
    with pytest.raises(ValueError, match="--seeds"):
        reading.parse_by_language(text, "--seeds")


def test_jobs_are_ordered_by_seed(splits: Path, root: Path) -> None:
    jobs = runs.list_jobs(make_study(splits, root))
    assert [job.name for job in jobs] == [
        "en-p0-n0-0", "en-p0.5-n0.1-0", "de-p0-n0-0", "de-p0.5-n0.1-0",
        "en-p0-n0-1", "en-p0.5-n0.1-1",
    ]  # fmt: skip


def test_a_study_can_be_extended_but_not_changed(splits: Path, root: Path) -> None:
    study = make_study(splits, root)
    plan = runs.make_plan(study)
    check_plan(plan)
    reading.write_splits(study.treebanks, study.out)
    (study.out / "training" / "en-p0-n0-0").mkdir(parents=True)
    more = {"grid": reading.parse_grid("1/1"), "treebanks": study.treebanks[:1]}
    check_plan(runs.make_plan(make_study(splits, root, **more)))
    assert set(json.loads((study.out / "plan.json").read_text())["treebanks"]) == {"en", "de"}
    before = {path: path.read_bytes() for path in study.out.rglob("*") if path.is_file()}
    shorter = dict(study.treebanks[0].parts, train=study.treebanks[0].parts["dev"])
    for changed in ({"max_steps": 5}, {"parts": shorter}):
        other = make_study(splits, root, treebanks=(study.treebanks[0]._replace(**changed),))
        with pytest.raises(ValueError, match="treebanks en"):
            check_plan(runs.make_plan(other))
    with pytest.raises(ValueError, match="config"):
        check_plan(runs.make_plan(make_study(splits, root, config=root / "configs/identifier.cfg")))
    assert {path: path.read_bytes() for path in study.out.rglob("*") if path.is_file()} == before


def test_a_split_without_units_is_refused(splits: Path, root: Path) -> None:
    text = splits.read_text().replace('"to": 20', '"from": 9000')
    splits.write_text(text)
    with pytest.raises(ValueError, match="dev split of en"):
        runs.make_plan(make_study(splits, root))


def test_reviews_without_a_lexicon_are_refused(splits: Path, root: Path, sample: Path) -> None:
    folder = splits.parent / "sentiment"
    folder.mkdir()
    (folder / "reviews.en.tsv").write_text("Good\tpositive\n")
    with pytest.raises(ValueError, match="both"):
        runs.list_jobs(make_study(splits, root, sentiment=folder))


def fake_train(command: list, log: Path, *, threads: int | None) -> None:
    """Save a pipeline with random weights, in place of `spacy train`."""
    options = dict(
        part[2:].split("=", 1)
        for part in command
        if str(part).startswith("--") and "=" in str(part)
    )
    config = load_config(command[1])
    for name in ("train", "dev"):
        config["paths"][name] = options[f"paths.{name}"]
    nlp = load_model_from_config(config, auto_fill=True)
    docs = list(DocBin().from_disk(options["paths.train"]).get_docs(nlp.vocab))
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    nlp.to_disk(command[3] / "model-best")


def test_runs_return_scores_and_are_not_trained_twice(
    splits: Path, root: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "run_spacy", fake_train)
    phrases = splits.parent / "phrases"
    phrases.mkdir()
    (phrases / "cities.en.txt").write_text("the old city\n")
    study = make_study(splits, root, phrases=phrases, sentiment=sample / "sentiment")
    reading.write_splits(study.treebanks, study.out)
    runs.write_extracted(study)
    job = runs.list_jobs(study)[1]
    rows = runs.run_job(study, job)["rows"]
    found = {(row.metric, row.setting.get("phrases")): row.value for row in rows}
    assert {row.system for row in rows} == {"0.5/0.1"}
    assert found["train_n_units", None] == 85 + 57
    assert found["train_n_added", None] == round(0.1 * 142)
    assert found["train_n_removed", None] == round(0.5 * found["train_n_eligible", None])
    assert {place for _, place in found} == {None, "units", "extracted", "cities"}
    assert found["n_phrases", "cities"] == 1
    assert found["n_units", None] == 80
    assert found["sentiment_units", None] == 40
    # With other test files, a run is measured again but not trained again.
    (phrases / "cities.en.txt").write_text("an older city\n")
    changed = runs.list_jobs(study)[1]
    assert changed.measured_with["cities"] != job.measured_with["cities"]
    (phrases / "cities.en.txt").write_text("the old city\n")
    monkeypatch.setattr(training, "run_spacy", None)
    assert runs.run_job(study, job)["rows"] == rows
    trained = DocBin().from_disk(study.out / "training" / job.name / "train.spacy")
    assert len(trained) == 142 + found["train_n_added", None]


def test_a_failed_training_is_repeated(
    splits: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("'spacy train' failed")

    study = make_study(splits, root)
    reading.write_splits(study.treebanks, study.out)
    runs.write_extracted(study)
    job = runs.list_jobs(study)[0]
    monkeypatch.setattr(training, "run_spacy", fail)
    with pytest.raises(ValueError, match="failed"):
        runs.run_job(study, job)
    monkeypatch.setattr(training, "run_spacy", fake_train)
    assert runs.run_job(study, job)["rows"]


def test_extracted_phrases_come_from_the_test_trees(splits: Path, root: Path) -> None:
    study = make_study(splits, root)
    reading.write_splits(study.treebanks, study.out)
    runs.write_extracted(study)
    text = reading.split_path(study.out, "en", "extracted").read_text()
    assert text.count("# sent_id = ") == text.count("-np") // 2 > 20  # also in `newdoc id`


def test_marks_compare_with_the_deviation_of_the_baseline() -> None:
    results = tables.make_results({"version": "1"}, reading.parse_grid(".5/.1"), ROWS)
    english, german = format_markdown(results).split("## de")
    row = next(line for line in english.split("\n") if line.startswith("| 50 | 10 |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    # 0.54 is compared with 0.51±0.014. Less wrong punctuation is better.
    # The intervals are for 10 phrases, because both seeds have the same phrases.
    assert cells[2:6] == [
        "2", "46.0 [20.8-73.4] **+**", "27.0 [9.1-57.6] **+**", "54.0 [26.6-79.2] **+**",
    ]  # fmt: skip
    assert "| 0 | 0 | 2 | 49.0 [" in english
    # A single run has no deviation, so there are no marks.
    assert "**" not in german
    assert "7 test units; test NPUs 10" in german


def test_the_command_writes_tables_of_finished_runs(splits: Path, root: Path) -> None:
    out = splits.parent / "study"
    treebank = reading.Treebank("en", reading.read_splits(splits)["en"], 2, 4)
    plan = runs.make_plan(make_study(splits, root, treebanks=(treebank,)))
    for cell, seed in (("0/0", 0), ("0/0", 1), ("0.5/0.1", 0), ("0.5/0.1", 1)):
        p, n = cell.split("/")
        path = out / "runs" / f"en-p{p}-n{n}-{seed}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = result_rows("en", cell, seed, 0.5)
        path.write_text(json.dumps({"measured_with": {}, "rows": rows}))
    (out / "plan.json").write_text(json.dumps(plan.to_dict()))
    command = ["parser", str(splits), "--out", str(out), "--grid", ".5/.1", "--seeds", "2"]
    command += ["--config", str(root / "configs/parser.cfg"), "--only-tables"]
    command += ["--max-steps", "4", "--langs", "en"]
    done = runner.invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "## en" in done.stdout
    assert len(read_results(out.with_name("study.json")).rows) > 20
    assert out.with_name("study.svg").exists()
    done = runner.invoke(app, [*command[:-1], "xx"])
    assert done.exit_code == 1
    assert "--langs" in done.stderr


def test_the_splits_of_the_sample_are_english(sample: Path) -> None:
    found = reading.read_splits(sample / "splits.json")
    assert set(found) == {"en"}


def test_phrases_come_from_trees_and_headings(sample: Path, root: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents.txt"
    documents.write_text(
        "=== a | page: x\n⟪head|The old\n city⟫ ⟦It is old.⟧ ⟪head|The old city⟫\n"
    )
    out = tmp_path / "out.en.txt"
    command = ["phrases", str(documents), str(sample / "test.conllu"), str(out)]
    assert CliRunner().invoke(app, command).exit_code == 0
    lines = out.read_text().splitlines()
    assert lines[0] == "The old city"
    assert len(lines) == len(set(lines)) > 5
    assert not [line for line in lines if line[-1] in ".!?"]
