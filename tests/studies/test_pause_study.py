"""The pause study: plans, tables of made-up counts, runs that are not made twice."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spacy
import typer
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from tiny_pauses import make_plan
from typer.testing import CliRunner

from spacy_sentid.configs import read_config
from spacy_sentid.files.fingerprint import fingerprint_files
from spacy_sentid.word_segmenter.corpus import make_word_corpus
from studies import training
from studies.commands.pauses import pause_study
from studies.pauses import jobs, measures, plans, report, runs, systems, tables, trainings
from studies.pauses.cells import Study, mark
from studies.pauses.comparisons import Comparison, Pair, compare_all, compare_variants, list_pairs
from studies.pauses.jobs import HELD_OUT, Job, Variant
from studies.pauses.systems import SYSTEMS


@pytest.fixture
def plan(tmp_path: Path, root: Path) -> plans.Plan:
    return make_plan(tmp_path, root)


# Plans


def test_jobs_start_with_the_bases_and_go_seed_by_seed(plan: plans.Plan) -> None:
    names = [job.name for job in jobs.list_jobs(replace(plan, seeds=(0, 1)))]
    assert names[:5] == ["base-0", "base-1", "source-only-0", "self-training-0", "p0.5-0"]
    assert names[5:10] == [
        "simulated-some-self-training-0",
        "simulated-some-no-filter-noise0-0",
        "simulated-some-no-filter-noise0.5-0",
        "simulated-some-p0.5-noise0-0",
        "simulated-some-p0.5-noise0.5-0",
    ]
    assert len(names) == len(set(names)) == 2 * 9


def test_a_study_can_be_extended_but_not_changed(plan: plans.Plan) -> None:
    plans.check_plan(plan)
    more = {**plan.simulate, "other": plan.source_dev}
    plans.check_plan(replace(plan, seeds=(0, 1), systems=tuple(SYSTEMS), noises=(0.1,)))
    plans.check_plan(replace(plan, simulate=more))
    plans.check_plan(replace(plan, simulate={}, tests={}))
    before = (plan.out / "plan.json").read_text()
    assert set(json.loads(before)["simulate"]) == {"some", "other"}
    with pytest.raises(ValueError, match="tune_steps"):
        plans.check_plan(replace(plan, tune_steps=6))
    with pytest.raises(ValueError, match="simulated some"):
        plans.check_plan(replace(plan, simulate={"some": plan.source_dev}))
    plan.pauses.write_text("{}")
    with pytest.raises(ValueError, match="pauses"):
        plans.check_plan(plan)
    assert (plan.out / "plan.json").read_text() == before


def test_runs_without_a_plan_are_refused(plan: plans.Plan) -> None:
    (plan.out / "runs").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"plan\.json"):
        plans.check_plan(plan)


@pytest.mark.parametrize("text", ["a", "=f", "a b={f}", "a=nothing", "a={f},a={f}"])
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


# Tables, of made-up counts


def made_up(plan: plans.Plan) -> tuple[dict, dict]:
    """Runs of three seeds in which p0.5 has every word right that the others miss half of."""
    results, counts = {}, {}
    many = replace(plan, seeds=(0, 1, 2))
    for job in jobs.list_jobs(many):
        right = 10 if job.system == "p0.5" else 4 + job.seed
        row = dict(zip(measures.COLUMNS, (right, 10, 10, 3, 20, 4, 2), strict=True))
        names = jobs.list_tests(many, job)
        counts[job] = {name: np.array([[*row.values()]] * 12) for name in names}
        scores: dict = {name: measures.score_counts(counts[job][name]) for name in names}
        target = {"sentences": 5, "characters": 50, "pauses": 8, "boundaries": 6, "changed": 1}
        target |= {"true": 6, "true_kept": 3, "noise": 4, "noise_kept": 1}
        run: dict = {"system": job.system, "seed": job.seed, "target": target, "scores": scores}
        if job.file is None:
            pauses = np.array([[4, 3, 2, 1, 5, 11, 8]] * 3)
            scores[HELD_OUT] = measures.score_pauses(pauses)
        if job.system == "base":
            run["target"] = {}
            bins = [0.1, 0.0, 0.1, 0.8]
            run["filter"] = {
                "pauses": 10, "noise": 10, "kept": 0.9, "dropped": 1.0, "pause_bins": bins,
                "noise_bins": bins,
            }  # fmt: skip
        results[job] = run
    return results, counts


def rows_of(plan: plans.Plan) -> dict[str, list[list[str]]]:
    results, counts = made_up(plan)
    comparisons = compare_all(counts, list_pairs(plan))
    return {
        table.title: table.rows for table in tables.list_tables(Study(plan, results, comparisons))
    }


def test_tables_have_mean_deviation_and_marks(plan: plans.Plan) -> None:
    found = rows_of(plan)
    assert found["Table 3: F1"] == [
        ["system", "seeds", "zx-test"],
        ["base", "3", "50.00±10.00"],
        ["source only", "3", "50.00±10.00"],
        ["self-training", "3", "50.00±10.00"],
        ["p >= .5", "3", "100.00±0.00 b+ s+"],
        ["paper: base", "3", "93.49"],
        ["paper: p >= .5", "3", "93.90"],
    ]
    row = found["Table 3: zx-test"][4]
    assert row[5:] == ["50.0±0.0", "15.0±0.0", "+50.00", "0.001", "+50.00", "0.001"]
    assert found["What is it that helps?"][1:] == [["p >= .5 minus source only", "+50.00", "0.001"]]


def test_simulated_pauses_are_compared_by_noise(plan: plans.Plan) -> None:
    rows = rows_of(plan)["Simulated pauses: some"]
    assert [row[:2] for row in rows[1:]] == [
        ["-", "base"], ["-", "source only"], ["-", "self-training"], ["0 %", "no filter"],
        ["0 %", "p >= .5"], ["50 %", "no filter"], ["50 %", "p >= .5"],
    ]  # fmt: skip
    assert rows[-1][6:8] == ["50.0±0.0", "75.0±0.0"]
    assert rows[-1][8:] == ["+50.00", "0.001"] * 4


def test_recall_at_held_out_pauses_stands_beside_the_splitting(plan: plans.Plan) -> None:
    rows = rows_of(plan)["Pauses held out"]
    assert rows[0][2:] == ["recall", "off punctuation", "S", "boundaries"]
    assert rows[1][2:] == ["75.00±0.00", "50.00±0.00", "45.45±0.00", "70.00±0.00"]


def test_pairs_are_compared_by_the_seeds_that_both_have(plan: plans.Plan) -> None:
    _, counts = made_up(plan)
    del counts[Job("p0.5", 0)], counts[Job("base", 2)]
    pair = Pair("zx-test", Variant("p0.5"), Variant("base"))
    found = compare_variants(counts, pair)
    assert found is not None
    assert found.n_seeds == 1
    assert found.difference == pytest.approx(0.5)
    assert compare_variants({}, pair) is None


@pytest.mark.parametrize(
    ("difference", "p", "expected"),
    [(0.1, 0.01, "b+"), (-0.1, 0.01, "b-"), (0.1, 0.05, ""), (0.0, 0.01, "")],
)
def test_marks(difference: float, p: float, expected: str) -> None:
    assert mark(Comparison(difference, p, 3), "b") == expected


# Runs


def fake_train(command: list, log: Path, *, threads: int | None) -> None:
    """Save a pipeline that was only initialized where `spacy train` would save the best."""
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


def test_all_but_the_base_start_from_its_weights(plan: plans.Plan, root: Path) -> None:
    path = plan.out / "config.cfg"
    path.parent.mkdir()
    config = read_config(root / "configs/words_trf.cfg")
    config["initialize"] = {"components": {"word_segmenter": {"dictionary": "d.txt"}}}
    config.to_disk(path)
    trainings.start_from_base(path, Path("base-0/model-best"))
    assert load_config(path)["initialize"]["components"] == {}
    found = load_config(path)["components"]
    assert found["transformer"] == {"source": "base-0/model-best"}
    assert found["word_segmenter"]["pretrained"] == "base-0/model-best"


def test_all_but_the_base_have_other_steps_and_rates(plan: plans.Plan) -> None:
    config = read_config(plan.config)
    known = replace(plan, dictionary=plan.source_dev, steps=600, tune_steps=90)
    base = trainings.list_overrides(known, Job("base", 0), config)
    other = trainings.list_overrides(known, Job("p0.5", 0), config)
    rate = "training.optimizer.learn_rate"
    names = ("training.max_steps", f"{rate}.total_steps", f"{rate}.warmup_steps")
    assert [base[name] for name in names] == [600, 600, 60]
    assert [other[name] for name in names] == [90, 90, 9]
    assert base["training.eval_frequency"] == 100
    assert base["paths.dictionary"] == str(plan.source_dev)
    assert f"{rate}.initial_rate" not in base
    assert other[f"{rate}.initial_rate"] == 0.0005
    assert "paths.dictionary" not in other
    config["training"]["optimizer"]["learn_rate"] = 0.1
    assert trainings.list_overrides(known, Job("p0.5", 0), config)[rate] == 0.0005


def test_runs_leave_a_json_and_are_not_made_twice(
    plan: plans.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "run_spacy", fake_train)
    for job in (Job("base", 0), Job("p0.5", 0), Job("partial-no-filter", 0)):
        runs.run_job(plan, job)
    runs.run_job(plan, Job("no-filter", 0, "some", 0.5))
    found = jobs.read_results(plan)
    assert list(found) == [Job("base", 0), Job("p0.5", 0), Job("no-filter", 0, "some", 0.5)]
    base, ours, simulated = found.values()
    assert set(base["scores"]) == {"zx-test", "half of some", HELD_OUT}
    assert set(ours["scores"]) == {"zx-test", HELD_OUT}
    assert set(simulated["scores"]) == {"half of some"}
    assert base["target"] == {}
    assert base["filter"]["pauses"] == ours["target"]["pauses"]
    assert ours["target"]["sentences"] == 17
    counts = simulated["target"]
    assert counts["boundaries"] == counts["true"] + counts["noise"] == 2 * counts["noise"]
    # What was not trained has the weights of the base.
    assert ours["scores"] == {k: v for k, v in base["scores"].items() if k != "half of some"}
    chunks = plan.out / "training" / "partial-no-filter-0" / "target.jsonl"
    assert json.loads(chunks.read_text().splitlines()[0]).keys() == {"chunks"}
    assert not (plan.out / "training" / "base-0" / "model-last").exists()
    assert Job("p0.5", 0) not in jobs.list_open_jobs(plan)
    # Other files to measure on: measured anew, not trained anew.
    monkeypatch.setattr(training, "run_spacy", None)
    more = replace(plan, tests={**plan.tests, "dev": plan.source_dev})
    assert {Job("base", 0), Job("p0.5", 0)} <= set(jobs.list_open_jobs(more))
    runs.run_job(more, Job("p0.5", 0))
    assert set(jobs.read_counts(more, Job("p0.5", 0))) == {"zx-test", "dev", HELD_OUT}
    text = report.make_report(more).to_markdown()
    assert "| p >= .5 | 1 |" in text


def test_what_starts_from_a_base_needs_its_model(plan: plans.Plan) -> None:
    small = replace(plan, systems=("base", "p0.5"), simulate={})
    for job, path in ((job, jobs.result_path(small, job)) for job in jobs.list_jobs(small)):
        path.parent.mkdir(parents=True, exist_ok=True)
        digests = {name: fingerprint_files([p]) for name, p in small.tests.items()}
        path.write_text(json.dumps({"measured_with": digests}))
        jobs.counts_path(small, job).touch()
    assert jobs.list_open_jobs(small) == []
    jobs.result_path(small, Job("p0.5", 0)).unlink()
    assert jobs.list_open_jobs(small) == [Job("base", 0), Job("p0.5", 0)]


def run_command(plan: plans.Plan, *options: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command()(pause_study)
    command = [str(plan.pauses), "--source", str(plan.source[0]), "--config", str(plan.config)]
    command += ["--source-dev", str(plan.source_dev), "--target-dev", str(plan.target_dev)]
    command += ["--test", f"zx-test={plan.tests['zx-test']}", "--out", str(plan.out)]
    done = CliRunner().invoke(app, [*command, *options])
    return done.exit_code, done.output if done.exit_code == 0 else str(done.exception)


def test_the_command_refuses_what_it_cannot_do(plan: plans.Plan) -> None:
    code, output = run_command(plan, "--config", "nothing.cfg")
    assert code == 1
    assert "nothing.cfg" in output
    assert not plan.out.exists()


@pytest.mark.slow
def test_a_study_from_pauses_to_tables(plan: plans.Plan) -> None:
    options = ["--seeds", "1", "--systems", "self-training,p0.5", "--steps", "5"]
    code, output = run_command(plan, *options)
    assert code == 0, output
    assert "Table 3: F1" in output
    found = json.loads(plan.out.with_name("study.json").read_text())
    assert [run["system"] for run in found["runs"]] == ["base", "self-training", "p0.5"]
    assert all(0 <= run["scores"]["zx-test"]["word_f"] <= 1 for run in found["runs"])
    assert found["comparisons"]
    assert "## Pauses held out" in plan.out.with_name("study.md").read_text()
    nlp = spacy.load(plan.out / "training" / "p0.5-0" / "model")
    assert nlp("今天下雨").text == "今天下雨"
    # Nothing is made again, and nothing of another study is taken.
    log = plan.out / "training" / "p0.5-0" / "train.log"
    before = log.stat().st_mtime_ns
    assert run_command(plan, *options) == (0, output)
    assert log.stat().st_mtime_ns == before
    code, output = run_command(plan, *options[:-1], "6")
    assert code == 1
    assert "steps" in output
