"""The harness: runs are not repeated, a study can be extended, another study is refused."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from studies import harness
from studies.harness import Job, Plan, check_plan, find_corpus, open_new_folder, run_study
from studies.results import Row


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan(tmp_path / "study", {"steps": 3, "lang": "en"}, {"files": {"a": "1"}})


@pytest.fixture(autouse=True)
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all jobs in this process."""

    def run_parallel(run, tasks, *, processes):
        for task in tasks:
            run(task)
            yield task

    monkeypatch.setattr("studies.processes.run_parallel", run_parallel)


def list_jobs(n: int, **options) -> list[Job]:
    return [Job(f"ours-{seed}", seed, "ours", **options) for seed in range(n)]


def run(made: list[str], job: Job) -> dict:
    made.append(job.name)
    return {"rows": [Row(job.spec, job.seed, {}, "f", 0.5 + job.seed)]}


def test_a_finished_run_is_not_repeated(plan: Plan) -> None:
    made: list[str] = []
    rows = run_study(plan, partial(run, made), [list_jobs(2)])
    assert rows == [Row("ours", 0, {}, "f", 0.5), Row("ours", 1, {}, "f", 1.5)]
    (plan.out / "runs" / "ours-0.json").unlink()
    assert run_study(plan, partial(run, made), [list_jobs(3)])[:2] == rows
    assert made == ["ours-0", "ours-1", "ours-0", "ours-2"]


def test_stages_run_in_order(plan: Plan) -> None:
    made: list[str] = []
    first, second = list_jobs(2)
    run_study(plan, partial(run, made), [[second], [first]])
    assert made == ["ours-1", "ours-0"]


def test_an_interrupted_run_leaves_nothing(plan: Plan) -> None:
    def fail(job: Job) -> dict:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_study(plan, fail, [list_jobs(1)])
    assert not (plan.out / "runs").exists()
    with suppress(KeyboardInterrupt), open_new_folder(plan.out / "model") as folder:
        (folder / "weights").touch()
        raise KeyboardInterrupt
    assert not (plan.out / "model").exists()
    with open_new_folder(plan.out / "model") as folder:
        assert not list(folder.iterdir())
    assert (plan.out / "model").is_dir()


def test_a_run_that_was_measured_with_other_files_is_repeated(plan: Plan, tmp_path: Path) -> None:
    made: list[str] = []
    left = tmp_path / "counts"
    for measured_with in ({"test": "1"}, {"test": "1"}, {"test": "2"}, {"test": "2", "more": "1"}):
        left.touch()
        jobs = list_jobs(1, measured_with=measured_with, leaves=(left,))
        run_study(plan, partial(run, made), [jobs])
    assert len(made) == 3
    left.unlink()
    run_study(plan, partial(run, made), [jobs])
    assert len(made) == 4


def test_only_tables_starts_no_runs(plan: Plan) -> None:
    made: list[str] = []
    with pytest.raises(ValueError, match="no finished runs"):
        run_study(plan, partial(run, made), [list_jobs(1)], only_tables=True)
    assert not made


def test_runs_of_another_study_are_refused(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    check_plan(replace(plan, settings={}))
    check_plan(plan)  # accepted, because there are no runs yet
    run_study(plan, partial(run, []), [list_jobs(1)])
    check_plan(replace(plan, parts={"files": {"b": "2"}}))
    others = {
        "steps": replace(plan, settings={**plan.settings, "steps": 4}),
        "lang": replace(plan, settings={"steps": 3}),
        "files b": replace(plan, parts={"files": {"b": "3"}}),
    }
    for name, other in others.items():
        with pytest.raises(ValueError, match=f"differs in {name}\\."):
            check_plan(other)
    monkeypatch.setattr(harness, "__version__", "9")
    with pytest.raises(ValueError, match="version"):
        check_plan(plan)
    assert json.loads((plan.out / "plan.json").read_text())["files"] == {"a": "1", "b": "2"}
    (plan.out / "plan.json").unlink()
    with pytest.raises(ValueError, match=r"plan\.json"):
        check_plan(plan)


def test_corpora_are_found_by_path_or_in_sentid_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SENTID_DATA", raising=False)
    with pytest.raises(ValueError, match="SENTID_DATA"):
        find_corpus("ud/EWT")
    assert find_corpus(tmp_path) == tmp_path
    (tmp_path / "ud" / "EWT").mkdir(parents=True)
    monkeypatch.setenv("SENTID_DATA", str(tmp_path))
    assert find_corpus("ud/EWT") == tmp_path / "ud" / "EWT"
