"""The parser study: splits, grids, runs that are not made twice, tables, the figure."""

import json
from pathlib import Path

import pytest
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from studies import training
from studies.__main__ import app
from studies.parser import plans, runs, tables

runner = CliRunner()


@pytest.fixture
def splits(tmp_path: Path, sample: Path) -> Path:
    """Two languages on parts of the sample."""
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


def make_plan(splits: Path, root: Path, **options: object) -> plans.Plan:
    found = plans.read_splits(splits)
    values: dict = {
        "out": splits.parent / "study",
        "treebanks": tuple(
            plans.Treebank(lang, found[lang], n, 4) for lang, n in (("en", 2), ("de", 1))
        ),
        "grid": plans.parse_grid(".5/.1"),
        "config": root / "configs/parser_study.cfg",
    }
    return plans.Plan(**{**values, **options})


def result(lang: str, cell: str, seed: int, value: float) -> dict:
    """A run with all scores the same, but wrong punctuation the rest."""
    p, n = map(float, cell.split("/"))
    phrases = {
        "n_phrases": 10,
        "wrong_punct_rate": 1 - value,
        "np_detection": value / 2,
        "propn_rate": value / 2,
    }
    return {
        "lang": lang,
        "remove_punct": p,
        "add_np": n,
        "seed": seed,
        "scores": {
            "noun_phrases": {"units": phrases, "extracted": phrases},
            "treebank": {"n_units": 7, "las_conll": value, "pos_acc": value},
        },
    }


RESULTS = [
    result("en", "0/0", 0, 0.50),
    result("en", "0/0", 1, 0.52),
    result("en", "0.5/0.1", 0, 0.54),
    result("en", "0.5/0.1", 1, 0.54),
    result("de", "0/0", 0, 0.4),
    result("de", "0.5/0.1", 0, 0.9),
]


def test_the_units_of_a_split_are_those_of_its_parts(splits: Path, root: Path) -> None:
    plan = make_plan(splits, root)
    plans.write_splits(plan)
    text = plan.split_path(plan.treebanks[0], "train").read_text()
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
        plans.read_splits(path)


@pytest.mark.parametrize("text", [".2", "a/b", "1/2/3", "2/0", "-1/0", "nan/0", "0/inf"])
def test_broken_grids_raise(text: str) -> None:
    with pytest.raises(ValueError, match="--grid"):
        plans.parse_grid(text)


@pytest.mark.parametrize("text", ["en=3", "x", "0", "2,en=", "2,=3", ""])
def test_broken_numbers_raise(text: str) -> None:
    with pytest.raises(ValueError, match="--seeds"):
        plans.parse_by_language(text, "--seeds")


def test_jobs_go_seed_by_seed(splits: Path, root: Path) -> None:
    jobs = runs.list_jobs(make_plan(splits, root))
    assert [job.name for job in jobs] == [
        "en-p0-n0-0", "en-p0.5-n0.1-0", "de-p0-n0-0", "de-p0.5-n0.1-0",
        "en-p0-n0-1", "en-p0.5-n0.1-1",
    ]  # fmt: skip


def test_a_study_can_be_extended_but_not_changed(splits: Path, root: Path) -> None:
    plan = make_plan(splits, root)
    plans.check_plan(plan)
    plans.check_plan(
        make_plan(splits, root, grid=plans.parse_grid("1/1"), treebanks=plan.treebanks[:1])
    )
    assert set(json.loads((plan.out / "plan.json").read_text())["treebanks"]) == {"en", "de"}
    with pytest.raises(ValueError, match="treebank of en"):
        plans.check_plan(
            make_plan(splits, root, treebanks=(plan.treebanks[0]._replace(max_steps=5),))
        )
    with pytest.raises(ValueError, match="config"):
        plans.check_plan(make_plan(splits, root, config=root / "configs/identifier_cnn.cfg"))


def test_a_refused_study_changes_nothing(splits: Path, root: Path) -> None:
    plan = make_plan(splits, root)
    plans.check_plan(plan)
    plans.write_splits(plan)
    before = {path: path.read_bytes() for path in plan.out.rglob("*") if path.is_file()}
    shorter = dict(plan.treebanks[0].parts, train=plan.treebanks[0].parts["dev"])
    other = make_plan(splits, root, treebanks=(plan.treebanks[0]._replace(parts=shorter),))
    with pytest.raises(ValueError, match="treebank of en"):
        plans.check_plan(other)
    assert {path: path.read_bytes() for path in plan.out.rglob("*") if path.is_file()} == before


def test_a_split_without_units_is_refused(splits: Path, root: Path) -> None:
    text = splits.read_text().replace('"to": 20', '"from": 9000')
    splits.write_text(text)
    with pytest.raises(ValueError, match="dev split of en"):
        plans.check_plan(make_plan(splits, root))


def test_reviews_without_a_lexicon_are_refused(splits: Path, root: Path, sample: Path) -> None:
    folder = splits.parent / "sentiment"
    folder.mkdir()
    (folder / "reviews.en.tsv").write_text("Good\tpositive\n")
    with pytest.raises(ValueError, match="both"):
        runs.list_open_jobs(make_plan(splits, root, sentiment=folder))


def fake_train(command: list, log: Path, *, threads: int | None) -> None:
    """Save a pipeline of random weights where `spacy train` would save the best."""
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


def test_runs_leave_a_json_and_are_not_made_twice(
    splits: Path, root: Path, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "run_spacy", fake_train)
    phrases = splits.parent / "phrases"
    phrases.mkdir()
    (phrases / "en.txt").write_text("the old city\n")
    plan = make_plan(splits, root, phrases=phrases, sentiment=sample / "sentiment")
    plans.write_splits(plan)
    runs.write_extracted(plan)
    job = runs.list_jobs(plan)[1]
    runs.run_job(plan, job)
    (found,) = runs.read_results(plan)
    report = found["augmented"]["train"]
    assert report["n_units"] == 85 + 57
    assert report["n_added"] == round(0.1 * 142)
    assert report["n_removed"] == round(0.5 * report["n_eligible"])
    scores = found["scores"]
    assert set(scores["noun_phrases"]) == {"units", "extracted", "phrases"}
    assert scores["noun_phrases"]["phrases"]["n_phrases"] == 1
    assert scores["treebank"]["n_units"] == 80
    assert scores["sentiment"]["units"] == 40
    assert job not in runs.list_open_jobs(plan)
    # Measured anew, not trained anew; and so it is if other files are to be measured with.
    (phrases / "en.txt").write_text("an older city\n")
    assert job in runs.list_open_jobs(plan)
    (phrases / "en.txt").write_text("the old city\n")
    monkeypatch.setattr(training, "run_spacy", None)
    runs.result_path(plan, job).unlink()
    runs.run_job(plan, job)
    assert runs.read_results(plan) == [found]
    trained = DocBin().from_disk(plan.out / "training" / job.name / "train.spacy")
    assert len(trained) == report["n_units"] + report["n_added"]


def test_a_training_that_fails_is_made_again(
    splits: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("'spacy train' failed")

    plan = make_plan(splits, root)
    plans.write_splits(plan)
    runs.write_extracted(plan)
    job = runs.list_jobs(plan)[0]
    monkeypatch.setattr(training, "run_spacy", fail)
    with pytest.raises(ValueError, match="failed"):
        runs.run_job(plan, job)
    monkeypatch.setattr(training, "run_spacy", fake_train)
    runs.run_job(plan, job)
    assert len(runs.read_results(plan)) == 1


def test_extracted_phrases_are_those_of_the_test_trees(splits: Path, root: Path) -> None:
    plan = make_plan(splits, root)
    plans.write_splits(plan)
    runs.write_extracted(plan)
    text = runs.extracted_path(plan, plan.treebanks[0]).read_text()
    assert text.count("# sent_id = ") == text.count("-np") // 2 > 20  # also in `newdoc id`


def test_marks_compare_with_the_deviation_of_the_baseline(splits: Path, root: Path) -> None:
    text = tables.study_tables(make_plan(splits, root), RESULTS)
    english, german = text.split("## de")
    row = next(line for line in english.split("\n") if line.startswith("| 50 | 10 |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    # .54 against .51±.014; wrong punctuation is better when it is lower.
    assert cells[2:6] == ["2", "46.0±0.0 **+**", "27.0±0.0 **+**", "54.0±0.0 **+**"]
    assert "| 0 | 0 | 2 | 49.0±1.4 |" in english
    # One run has no deviation: no marks.
    assert "**" not in german
    assert "7 test units; test NPUs 10" in german


@pytest.mark.parametrize(
    ("values", "higher", "expected"),
    [([0.6], True, "+"), ([0.6], False, "−"), ([0.3], True, "−"), ([0.46], True, ""),
     ([], True, "")],
)  # fmt: skip
def test_marks(values: list[float], higher: bool, expected: str) -> None:
    assert tables.mark(values, [0.4, 0.5], higher_is_better=higher) == expected


def test_rounding_is_no_difference() -> None:
    assert tables.mark([0.1, 0.2, 0.3], [0.2, 0.2, 0.2], higher_is_better=True) == ""


def test_the_figure_is_the_same_every_time(splits: Path, root: Path) -> None:
    pytest.importorskip("matplotlib")
    plan = make_plan(splits, root)
    first, second = splits.parent / "1.svg", splits.parent / "2.svg"
    tables.draw_study(plan, RESULTS, first)
    tables.draw_study(plan, RESULTS, second)
    assert first.read_bytes() == second.read_bytes()
    assert "UD: LAS" in first.read_text()


def test_the_command_writes_tables_of_what_is_done(splits: Path, root: Path) -> None:
    pytest.importorskip("matplotlib")
    out = splits.parent / "study"
    for run in RESULTS[:4]:
        run = {**run, "measured_with": {}}
        p, n = run["remove_punct"], run["add_np"]
        path = out / "runs" / f"{run['lang']}-p{p:g}-n{n:g}-{run['seed']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(run))
    command = ["parser", str(splits), "--out", str(out), "--grid", ".5/.1", "--seeds", "2"]
    command += ["--config", str(root / "configs/parser_study.cfg"), "--only-tables"]
    command += ["--langs", "en"]
    done = runner.invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "## en" in done.stdout
    assert len(json.loads(out.with_name("study.json").read_text())["runs"]) == 4
    assert out.with_name("study.svg").exists()
    done = runner.invoke(app, [*command[:-1], "xx"])
    assert done.exit_code == 1
    assert "--langs" in done.stderr


def test_the_project_knows_the_splits_of_the_sample(sample: Path) -> None:
    found = plans.read_splits(sample / "splits.json")
    assert set(found) == {"en"}
