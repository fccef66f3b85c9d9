"""The pause study: runs that are not repeated, tables of synthetic counts, and trainings."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import spacy
import typer
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from tiny_pauses import make_study
from typer.testing import CliRunner

from spacy_sentid.word_segmenter.corpus import make_word_corpus
from studies import harness, training
from studies.commands.pauses import pauses
from studies.harness import Job, read_runs
from studies.pauses import comparisons, measures, plans, runs, systems, tables, trainings
from studies.pauses.comparisons import Pair, compare_all, compare_variants, list_pairs
from studies.pauses.runs import Run, Variant
from studies.pauses.systems import SYSTEMS
from studies.pauses.targets import HELD_OUT
from studies.results import Results, list_cells, read_results


@pytest.fixture
def study(tmp_path: Path, root: Path) -> plans.Study:
    return make_study(tmp_path, root)


# Runs


def test_runs_start_with_the_bases_and_are_ordered_by_seed(study: plans.Study) -> None:
    names = [run.name for run in runs.list_runs(replace(study, seeds=(0, 1)))]
    assert names[:5] == ["base-0", "base-1", "source-only-0", "self-training-0", "p0.5-0"]
    assert names[5:10] == [
        "simulated-some-self-training-0",
        "simulated-some-no-filter-noise0-0",
        "simulated-some-no-filter-noise0.5-0",
        "simulated-some-p0.5-noise0-0",
        "simulated-some-p0.5-noise0.5-0",
    ]
    assert len(names) == len(set(names)) == 2 * 9


def test_a_study_can_be_extended_but_not_changed(study: plans.Study) -> None:
    def check(changed: plans.Study) -> None:
        harness.check_plan(runs.make_plan(changed))

    check(study)
    done = study.out / "runs" / "base-0.json"
    done.parent.mkdir()
    done.write_text("{}")
    check(replace(study, seeds=(0, 1), systems=tuple(SYSTEMS), noises=(0.1,)))
    check(replace(study, simulate={**study.simulate, "other": study.source_dev}))
    check(replace(study, simulate={}, tests={}))
    before = (study.out / "plan.json").read_text()
    assert set(json.loads(before)["simulate"]) == {"some", "other"}
    with pytest.raises(ValueError, match="tune_steps"):
        check(replace(study, tune_steps=6))
    with pytest.raises(ValueError, match="simulate some"):
        check(replace(study, simulate={"some": study.source_dev}))
    study.pauses.write_text("{}")
    with pytest.raises(ValueError, match="inputs"):
        check(study)
    assert (study.out / "plan.json").read_text() == before


@pytest.mark.parametrize("text", ["a", "=f", "a b={f}", "a={f},a={f}"])
def test_broken_names_of_files_raise(tmp_path: Path, text: str) -> None:
    file = tmp_path / "f"
    file.touch()
    with pytest.raises(ValueError, match="--test"):
        plans.parse_named_files([text.format(f=file)], "--test")


@pytest.mark.parametrize("text", ["1", "-.1", "x", "", "nan"])
def test_broken_noises_raise(text: str) -> None:
    with pytest.raises(ValueError, match="--noises"):
        plans.parse_noises(text)


def test_unknown_systems_raise() -> None:
    assert systems.parse_systems("all") == tuple(SYSTEMS)
    with pytest.raises(ValueError, match="--systems"):
        systems.parse_systems("base,p2")


def test_every_system_that_is_compared_exists() -> None:
    names = {*systems.MAIN, *systems.SIMULATED, *systems.REFERENCES}
    names |= {name for pair in systems.PAIRS for name in pair}
    names |= {name for _, *pair in systems.INTERVALS for name in pair}
    assert names == set(SYSTEMS)


# Tables of synthetic counts


def synthetic_runs(study: plans.Study) -> tuple[dict, dict]:
    """Make runs of three seeds. In p0.5 all words are right, in other systems about half."""
    results, counts = {}, {}
    many = replace(study, seeds=(0, 1, 2))
    for run in runs.list_runs(many):
        system, file, _ = run.variant
        right = 10 if system == "p0.5" else 4 + run.seed
        row = dict(zip(measures.COLUMNS, (right, 10, 10, 3, 20, 4, 2), strict=True))
        names = runs.list_tests(many, run.variant)
        counts[run] = {name: np.array([[*row.values()]] * 12) for name in names}
        scores: dict = {name: measures.score_counts(counts[run][name]) for name in names}
        target = {"sentences": 5, "characters": 50, "pauses": 8, "boundaries": 6, "changed": 1}
        target |= {"true": 6, "true_kept": 3, "noise": 4, "noise_kept": 1}
        found: dict = {"training_seconds": 1, "target": target, "scores": scores}
        if file is None:
            scores[HELD_OUT] = measures.score_pauses(np.array([[4, 3, 2, 1, 5, 11, 8]] * 3))
        if system == "base":
            found["target"] = {}
            bins = [0.1, 0.0, 0.1, 0.8]
            found["filter"] = {
                "pauses": 10, "noise": 10, "kept": 0.9, "dropped": 1.0, "pause_bins": bins,
                "noise_bins": bins,
            }  # fmt: skip
        results[run] = found
    return results, counts


@pytest.fixture
def results(study: plans.Study) -> Results:
    found, counts = synthetic_runs(study)
    rows = [row for run, result in found.items() for row in runs.list_results(run, result)]
    rows += compare_all(counts, list_pairs(study))
    return tables.make_results(runs.make_plan(study).to_dict(), rows)


def cells_of(results: Results, title: str) -> list[list[str]]:
    (table,) = [table for table in results.tables if table.title == title]
    return list_cells(results, table)


def test_tables_have_mean_deviation_and_marks(results: Results) -> None:
    assert cells_of(results, "Table 3: F1") == [
        ["system", "seeds", "zx-test"],
        ["base", "3", "50.00±10.00"],
        ["source only", "3", "50.00±10.00"],
        ["self-training", "3", "50.00±10.00"],
        ["p >= .5", "3", "100.00±0.00 b+ s+"],
        ["paper: base", "", "93.49"],
        ["paper: p >= .5", "", "93.90"],
    ]
    row = cells_of(results, "Table 3: zx-test")[4]
    assert row[5:] == ["50.0±0.0", "15.0±0.0", "+50.00", "0.001", "+50.00", "0.001"]
    found = cells_of(results, "What is it that helps?")
    assert found[1:] == [["p >= .5 minus source only", "+50.00", "0.001"]]


def test_simulated_pauses_are_compared_by_noise(results: Results) -> None:
    rows = cells_of(results, "Simulated pauses: some")
    assert [row[:2] for row in rows[1:]] == [
        ["-", "base"], ["-", "source only"], ["-", "self-training"], ["0 %", "no filter"],
        ["0 %", "p >= .5"], ["50 %", "no filter"], ["50 %", "p >= .5"],
    ]  # fmt: skip
    assert rows[-1][6:8] == ["50.0±0.0", "75.0±0.0"]
    assert rows[-1][8:] == ["+50.00", "0.001"] * 4


def test_recall_at_held_out_pauses_is_next_to_the_splitting(results: Results) -> None:
    rows = cells_of(results, "Pauses held out")
    assert rows[0][2:] == ["recall", "off punctuation", "S", "boundaries"]
    assert rows[1][2:] == ["75.00±0.00", "50.00±0.00", "45.45±0.00", "70.00±0.00"]


def test_the_filter_is_shown_by_seed(results: Results) -> None:
    rows = cells_of(results, "What the filter keeps and drops")
    assert [row[0] for row in rows[1:]] == ["0", "1", "2"]
    assert rows[1][2:] == ["10", "10.0", "0.0", "10.0", "80.0", "90.0", "10", "100.0"]


def test_intervals_are_compared_with_the_same_sentences() -> None:
    pair = Pair("test", Variant("p0.1-0.5"), Variant("p0.1-0.5-self"))
    rows = comparisons.list_differences(pair, 0.1, 0.01)
    assert [row.metric for row in rows] == ["difference", "p"]
    assert rows[0].setting == {"test": "test", "versus": comparisons.SAME_SENTENCES}


def test_pairs_are_compared_by_the_seeds_that_both_have(study: plans.Study) -> None:
    _, counts = synthetic_runs(study)
    del counts[Run(Variant("p0.5"), 0)], counts[Run(Variant("base"), 2)]
    pair = Pair("zx-test", Variant("p0.5"), Variant("base"))
    found = compare_variants(counts, pair)
    assert found is not None
    assert found[0] == pytest.approx(0.5)
    assert compare_variants({}, pair) is None


# Trainings


def fake_train(command: list, log: Path, *, threads: int | None) -> None:
    """Save a pipeline without training it, in place of `spacy train`."""
    options = dict(part[2:].split("=", 1) for part in map(str, command) if "=" in part)
    config = load_config(command[1])
    paths = json.loads(options["corpora.train.path"])
    nlp = load_model_from_config(config, auto_fill=True)
    reader = make_word_corpus(paths, False)

    def read() -> Iterator[Example]:
        yield from reader(nlp)

    nlp.initialize(read)
    for name in ("model-best", "model-last"):
        nlp.to_disk(command[3] / name)


def test_all_but_the_base_start_from_its_weights(study: plans.Study, root: Path) -> None:
    path = study.out / "config.cfg"
    path.parent.mkdir()
    config = load_config(root / "configs/words_trf.cfg")
    config["initialize"] = {"components": {"word_segmenter": {"dictionary": "d.txt"}}}
    config.to_disk(path)
    trainings.start_from_base(path, Path("base-0/model-best"))
    assert load_config(path)["initialize"]["components"] == {}
    found = load_config(path)["components"]
    assert found["transformer"] == {"source": "base-0/model-best"}
    assert found["word_segmenter"]["pretrained"] == "base-0/model-best"


def test_all_but_the_base_have_other_steps_and_rates(study: plans.Study) -> None:
    config = load_config(study.config)
    known = replace(study, dictionary=study.source_dev, steps=600, tune_steps=90)
    base = trainings.list_overrides(known, Run(Variant("base"), 0), config)
    other = trainings.list_overrides(known, Run(Variant("p0.5"), 0), config)
    rate = "training.optimizer.learn_rate"
    names = ("training.max_steps", f"{rate}.total_steps", f"{rate}.warmup_steps")
    assert [base[name] for name in names] == [600, 600, 60]
    assert [other[name] for name in names] == [90, 90, 9]
    assert base["training.eval_frequency"] == 100
    assert base["paths.dictionary"] == str(study.source_dev)
    assert f"{rate}.initial_rate" not in base
    assert other[f"{rate}.initial_rate"] == 0.0005
    assert "paths.dictionary" not in other
    config["training"]["optimizer"]["learn_rate"] = 0.1
    assert trainings.list_overrides(known, Run(Variant("p0.5"), 0), config)[rate] == 0.0005


def make_job(study: plans.Study, run: Run) -> Job:
    plan = runs.make_plan(study)
    return next(job for stage in runs.list_stages(study, plan) for job in stage if job.spec == run)


def test_runs_write_json_and_are_not_trained_twice(
    study: plans.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "run_spacy", fake_train)
    study = replace(study, systems=("base", "p0.5", "partial-no-filter"))
    plan = runs.make_plan(study)

    def make(study: plans.Study, run: Run) -> None:
        harness._make_run(plan, partial(runs.run_job, study, plan), make_job(study, run))

    ours = Run(Variant("p0.5"), 0)
    simulated = Run(Variant("no-filter", "some", 0.5), 0)
    for run in (Run(Variant("base"), 0), ours, Run(Variant("partial-no-filter"), 0), simulated):
        make(study, run)
    stages = runs.list_stages(study, plan)
    found = {job.name: result for job, result in read_runs(plan, [*stages[0], *stages[1]])}
    assert list(found) == [
        "base-0", "p0.5-0", "partial-no-filter-0", "simulated-some-no-filter-noise0.5-0",
    ]  # fmt: skip
    assert found["base-0"]["target"] == {}
    assert found["p0.5-0"]["target"]["sentences"] == 17
    counts = found["simulated-some-no-filter-noise0.5-0"]["target"]
    assert counts["boundaries"] == counts["true"] + counts["noise"] == 2 * counts["noise"]
    # Without training, a pipeline keeps the weights of the base.
    word_f = [
        [row[-1] for row in found[name]["rows"] if row[2:4] == [{"test": "zx-test"}, "word_f"]]
        for name in ("base-0", "p0.5-0")
    ]
    assert word_f[0] == word_f[1] != []
    chunks = study.out / "training" / "partial-no-filter-0" / "target.jsonl"
    assert json.loads(chunks.read_text().splitlines()[0]).keys() == {"chunks"}
    assert not (study.out / "training" / "base-0" / "model-last").exists()
    assert harness.is_done(plan, make_job(study, ours))
    # With other test files, a run is measured again but not trained again.
    monkeypatch.setattr(training, "run_spacy", None)
    more = replace(study, tests={**study.tests, "dev": study.source_dev})
    assert not harness.is_done(plan, make_job(more, ours))
    make(more, ours)
    assert set(runs.read_counts(plan, make_job(more, ours))) == {"zx-test", "dev", HELD_OUT}


def test_a_repeated_run_also_repeats_its_base(study: plans.Study) -> None:
    small = replace(study, systems=("base", "p0.5"), simulate={})
    plan = runs.make_plan(small)

    def list_open() -> list[str]:
        stages = runs.list_stages(small, plan)
        return [job.name for stage in stages for job in stage if not harness.is_done(plan, job)]

    for job in (job for stage in runs.list_stages(small, plan) for job in stage):
        path = harness.run_path(plan, job)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"measured_with": job.measured_with}))
        runs.counts_path(plan, job).touch()
    assert list_open() == []
    (study.out / "runs" / "p0.5-0.json").unlink()
    assert list_open() == ["base-0", "p0.5-0"]


def run_command(study: plans.Study, *options: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(pauses)
    command = [str(study.pauses), "--source", str(study.source[0]), "--config", str(study.config)]
    command += ["--source-dev", str(study.source_dev), "--target-dev", str(study.target_dev)]
    command += ["--test", f"zx-test={study.tests['zx-test']}", "--out", str(study.out)]
    done = CliRunner().invoke(app, [*command, *options])
    return done.exit_code, done.output if done.exit_code == 0 else str(done.exception)


def test_the_command_refuses_a_missing_config(study: plans.Study) -> None:
    code, output = run_command(study, "--config", "nothing.cfg")
    assert code == 1
    assert "nothing.cfg" in output
    assert not study.out.exists()


@pytest.mark.slow
def test_a_study_runs_from_pauses_to_tables(study: plans.Study) -> None:
    options = ["--seeds", "1", "--systems", "self-training,p0.5", "--steps", "5"]
    code, output = run_command(study, *options)
    assert code == 0, output
    assert "Table 3: F1" in output
    found = read_results(study.out.with_name("study.json"))
    systems = {row.system for row in found.rows if not row.system.startswith("paper")}
    assert systems == {"base", "self-training", "p0.5"}
    assert all(0 <= value <= 1 for value in found.values("p0.5", "word_f", {"test": "zx-test"}))
    assert found.values("p0.5", "p", {"test": "zx-test", "versus": "base"})
    assert "## Pauses held out" in study.out.with_name("study.md").read_text()
    nlp = spacy.load(study.out / "training" / "p0.5-0" / "model")
    assert nlp("今天下雨").text == "今天下雨"
    # Finished runs are not repeated, and runs of another study are refused.
    log = study.out / "training" / "p0.5-0" / "train.log"
    before = log.stat().st_mtime_ns
    assert run_command(study, *options) == (0, output)
    assert log.stat().st_mtime_ns == before
    code, output = run_command(study, *options[:-1], "6")
    assert code == 1
    assert "steps" in output
