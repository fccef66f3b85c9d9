"""The runs of the pause study, where their files are, and which are still to be made.

plan -> jobs (system, seed[, simulated file, noise]) -> runs/NAME.json, runs/NAME.npz, training/NAME
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spacy_sentid.arrays import Ints2d
from spacy_sentid.files.fingerprint import fingerprint_files
from studies.pauses.plans import Plan
from studies.pauses.systems import BASE, SELF_TRAINING, SIMULATED, SOURCE_ONLY

MODEL = "model"  # the folder of the iteration that is taken
HELD_OUT = "held-out"  # the key of held-out pauses among the counts


class Variant(NamedTuple):
    """A system, on real pauses or on simulated ones: what the runs of all seeds share."""

    system: str
    file: str | None = None
    noise: float | None = None


class Job(NamedTuple):
    """One run."""

    system: str
    seed: int
    file: str | None = None  # a name of --simulate; None = the real pauses
    noise: float | None = None

    @property
    def name(self) -> str:
        """What its files are called."""
        if self.file is None:
            return f"{self.system}-{self.seed}"
        noise = "" if self.noise is None else f"-noise{self.noise:g}"
        return f"simulated-{self.file}-{self.system}{noise}-{self.seed}"

    @property
    def variant(self) -> Variant:
        """What it is a run of."""
        return Variant(self.system, self.file, self.noise)

    @property
    def base(self) -> "Job":
        """The run that it starts from."""
        return Job(BASE, self.seed)


def half_name(file: str) -> str:
    """Name the half of a simulated file that is tested on."""
    return f"half of {file}"


def list_jobs(plan: Plan) -> list[Job]:
    """List all runs: the bases, then seed after seed."""
    others = []
    for seed in plan.seeds:
        others += [Job(system, seed) for system in plan.systems if system != BASE]
        for file in plan.simulate:
            for system in SIMULATED:
                # Without a pause that is believed, noise is the same as none.
                noises = (None,) if system == SELF_TRAINING else plan.noises
                others += [Job(system, seed, file, noise) for noise in noises]
    return [Job(BASE, seed) for seed in plan.seeds] + others


def result_path(plan: Plan, job: Job) -> Path:
    """Name the file that a finished run leaves; beside it are the counts of each sentence."""
    return plan.out / "runs" / f"{job.name}.json"


def counts_path(plan: Plan, job: Job) -> Path:
    """Name the file of the counts: for each test set (n_sentences, len(COLUMNS))."""
    return result_path(plan, job).with_name(f"{job.name}.npz")


def model_path(plan: Plan, job: Job) -> Path:
    """Name the folder of the iteration that is taken."""
    return plan.out / "training" / job.name / MODEL


def read_results(plan: Plan) -> dict[Job, dict[str, Any]]:
    """Read the JSONs of all runs that are done."""
    paths = {job: result_path(plan, job) for job in list_jobs(plan)}
    return {
        job: json.loads(path.read_text(encoding="utf8"))
        for job, path in paths.items()
        if path.exists()
    }


def read_counts(plan: Plan, job: Job) -> dict[str, Ints2d]:
    """Read the counts of each sentence, by test set."""
    with np.load(counts_path(plan, job)) as file:
        return {name: file[name] for name in file.files}


def list_tests(plan: Plan, job: Job) -> dict[str, Path]:
    """List what a run is measured on; a run of a simulated file only on that file's other half."""
    halves = {half_name(name): path for name, path in plan.simulate.items()}
    if job.file is not None:
        return {half_name(job.file): plan.simulate[job.file]}
    return {**plan.tests, **(halves if job.system in (BASE, SOURCE_ONLY) else {})}


def list_open_jobs(plan: Plan) -> list[Job]:
    """List the runs that are not there, or were measured on other files."""
    paths = {path for job in list_jobs(plan) for path in list_tests(plan, job).values()}
    digests = {path: fingerprint_files([path]) for path in paths}
    todo = []
    for job in list_jobs(plan):
        path = result_path(plan, job)
        is_done = path.exists() and counts_path(plan, job).exists()
        found = json.loads(path.read_text(encoding="utf8")) if is_done else {}
        measured = found.get("measured_with", {})
        wanted = {name: digests[path] for name, path in list_tests(plan, job).items()}
        if not is_done or not wanted.items() <= measured.items():
            todo.append(job)
    # What starts from a base needs its model, also where its measures are there.
    lost = {job.base for job in todo if not model_path(plan, job.base).exists()}
    return sorted(lost - set(todo)) + todo
