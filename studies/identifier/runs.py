"""Train and measure the systems: one small JSON a run, and none is made twice.

jobs (domain, system, seed) -> config with overrides -> `spacy train` -> scores -> runs/<name>.json

Each run trains in a process of its own, with a log beside it. A study that was interrupted goes on
with the runs that have no JSON yet.
"""

import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.util import load_config
from thinc.api import Config

from spacy_sentid.files.atomic import open_output
from spacy_sentid.pipelines import fill_config
from spacy_sentid.sentence_identifier.evaluation import assemble_setting, evaluate_pipeline
from studies import training
from studies.identifier.plans import Domain, Plan
from studies.identifier.systems import (
    COMPONENT,
    CORPORA,
    IN_DOMAIN,
    SEGMENTATION,
    SYSTEMS,
    UNIDIRECTIONAL_WEIGHTS,
    System,
    config_path,
    training_overrides,
)


def unidirectional_weight_row(row: str, unidirectional_weight: float) -> str:
    """Name the row of a lambda in the scores of a run."""
    return f"{row}, lambda = {unidirectional_weight:g}"


class Job(NamedTuple):
    """One run."""

    domain: Domain
    system: str
    seed: int

    @property
    def name(self) -> str:
        """What its files are called."""
        return f"{self.domain.name}-{self.system}-{self.seed}"


def list_jobs(plan: Plan) -> list[Job]:
    """List all runs, seed after seed, so that what is there early is complete for some seeds.

    The other rates of Table 9 are trained where there is no annotation of NSUs, as in the paper.
    """
    return [
        Job(domain, system, seed)
        for seed in plan.seeds
        for domain in reversed(plan.domains)
        for system in plan.systems
        if SYSTEMS[system].in_study or domain.name == SEGMENTATION
    ]


def result_path(plan: Plan, job: Job) -> Path:
    """Name the file that a finished run leaves."""
    return plan.out / "runs" / f"{job.name}.json"


def run_jobs(plan: Plan, *, jobs: int) -> Iterator[Job]:
    """Make all runs that are not there yet; yields each when it is done.

    jobs: Runs at a time.
    """
    todo = [job for job in list_jobs(plan) if not result_path(plan, job).exists()]
    return training.run_jobs(partial(run_job, plan), todo, jobs=jobs)


def run_job(plan: Plan, job: Job) -> None:
    """Train one pipeline, measure it, and write its JSON."""
    started = time.monotonic()
    system = SYSTEMS[job.system]
    folder = plan.out / "training" / job.name
    train_system(plan, job, folder)
    seconds = time.monotonic() - started
    result = {
        "domain": job.domain.name,
        "system": job.system,
        "seed": job.seed,
        "training_seconds": round(seconds),
        "scores": measure_system(plan, folder / "model-best", system, seed=job.seed),
    }
    with open_output(result_path(plan, job)) as file:
        json.dump(result, file, indent=1)
        file.write("\n")


def train_system(plan: Plan, job: Job, folder: Path) -> None:
    """Train with `spacy train`, in a process of its own; what it says goes to train.log.

    Raises ValueError with the end of the log if that fails.
    """
    system, domain = SYSTEMS[job.system], job.domain
    folder.mkdir(parents=True, exist_ok=True)
    short = config_path(system, paper=plan.paper_config, ours=domain.ours)
    filled = folder / "config.cfg"
    fill_config(short, filled, lang=plan.lang)
    config = load_config(filled)
    overrides = {
        "system.seed": job.seed,
        "paths.train": str(domain.folder / "train.spacy"),
        "paths.dev": str(domain.folder / "dev.spacy"),
        **training_overrides(system, config),
        **{name: value for name, value in plan.overrides.items() if _has_block(config, name)},
    }
    if plan.layout != "space":
        overrides |= {f"{corpus}.layouts": {plan.layout: 1.0} for corpus in CORPORA}
    steps = None if system.ours else domain.max_steps
    if steps is None:
        steps = overrides.get("training.max_steps")
    overrides |= training.list_step_overrides(config, steps)
    training.train_pipeline(filled, folder, overrides, gpu_id=plan.gpu_id, threads=plan.threads)


def measure_system(
    plan: Plan, model: Path, system: System, *, seed: int
) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """Score a trained pipeline on all test sets: domain -> row -> setting -> scores.

    seed: Of the draws of the texts: those of a training seed are its own.
    """
    if plan.gpu_id >= 0:
        spacy.require_gpu(plan.gpu_id)
    nlp = spacy.load(model)
    pipe: Any = nlp.get_pipe(COMPONENT)
    rows = dict(system.rows)
    if system.sweep:
        for name in list(rows):
            rows |= {
                unidirectional_weight_row(name, x): {**rows[name], "unidirectional_weight": x}
                for x in UNIDIRECTIONAL_WEIGHTS
            }
    scores: dict[str, dict] = {}
    for domain in plan.domains:
        texts = {
            setting.name: assemble_setting(
                domain.test, setting, seed=seed, layout=plan.layout, lang=plan.lang
            )
            for setting in domain.settings
        }
        scores[domain.name] = {}
        for row, settings in rows.items():
            if "unidirectional_weight" in settings and domain.name != IN_DOMAIN:
                continue
            before = dict(pipe.cfg)
            pipe.cfg.update(settings)
            scores[domain.name][row] = {
                name: evaluate_pipeline(nlp, inputs) for name, inputs in texts.items()
            }
            pipe.cfg.update(before)
    return scores


def read_results(plan: Plan) -> list[dict[str, Any]]:
    """Read the JSONs of all runs that are done."""
    paths = (result_path(plan, job) for job in list_jobs(plan))
    return [json.loads(path.read_text(encoding="utf8")) for path in paths if path.exists()]


def _has_block(config: Config, name: str) -> bool:
    """Whether a config has the block of a setting; ours may be of another encoder."""
    block: Any = config
    for part in name.split(".")[:-1]:
        if part not in block:
            return False
        block = block[part]
    return True
