"""The runs of the pause study, which train and evaluate the systems (sections 3 and 4).

Study -> jobs: bases on the source; all others from the base of their seed, on source and target
-> runs/NAME.json, runs/NAME.npz (the counts of each sentence)
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import spacy
from spacy.language import Language
from spacy.util import load_config

from spacy_sentid.arrays import Ints2d
from spacy_sentid.files.atomic import open_binary_output
from spacy_sentid.word_segmenter.corpus import read_words
from studies.harness import Job, Plan, fingerprint_inputs, is_done, run_path, train_once
from studies.pauses import measures
from studies.pauses.plans import Study
from studies.pauses.systems import BASE, SELF_TRAINING, SIMULATED, SOURCE_ONLY
from studies.pauses.targets import HELD_OUT, read_records, read_simulation
from studies.results import Row, Setting, list_rows

MODEL = "model"  # folder of the selected iteration


class Variant(NamedTuple):
    """A system on real or on simulated pauses, without a seed."""

    system: str
    file: str | None = None  # a name of --simulate; None = the real pauses
    noise: float | None = None

    @property
    def setting(self) -> Setting:
        """The setting of the rows of its results."""
        place: Setting = {} if self.file is None else {"simulated": self.file}
        return place if self.noise is None else {**place, "noise": self.noise}


class Run(NamedTuple):
    """A variant with a seed."""

    variant: Variant
    seed: int

    @property
    def name(self) -> str:
        """The stem of the files of the run."""
        system, file, noise = self.variant
        if file is None:
            return f"{system}-{self.seed}"
        share = "" if noise is None else f"-noise{noise:g}"
        return f"simulated-{file}-{system}{share}-{self.seed}"


def half_name(file: str) -> str:
    """Return the name of the test half of a simulated file."""
    return f"half of {file}"


def list_inputs(study: Study) -> dict[str, str]:
    """Compute fingerprints of the files that the trainings depend on."""
    dictionary = [study.dictionary] if study.dictionary else []
    return fingerprint_inputs(
        {
            "pauses": [study.pauses],
            "source": study.source,
            "source_dev": [study.source_dev],
            "target_dev": [study.target_dev],
            "dictionary": dictionary,
        }
    )


def make_plan(study: Study) -> Plan:
    """Make the plan. Tests, noises, systems and seeds may be added later."""
    settings = {
        "config": load_config(study.config).to_str(),
        "steps": study.steps,
        "tune_steps": study.tune_steps,
        "tune_rate": study.tune_rate,
        "iteration": study.iteration,
        "rate": study.rate,
        "inputs": list_inputs(study),
    }
    simulated = fingerprint_inputs({name: [path] for name, path in study.simulate.items()})
    return Plan(study.out, settings, {"simulate": simulated})


def list_runs(study: Study) -> Iterator[Run]:
    """List all runs, first the bases, and then the others seed by seed."""
    for seed in study.seeds:
        yield Run(Variant(BASE), seed)
    for seed in study.seeds:
        for system in study.systems:
            if system != BASE:
                yield Run(Variant(system), seed)
        for file in study.simulate:
            for system in SIMULATED:
                # Self-training uses no pauses, so noise does not affect it.
                for noise in (None,) if system == SELF_TRAINING else study.noises:
                    yield Run(Variant(system, file, noise), seed)


def list_stages(study: Study, plan: Plan) -> list[list[Job]]:
    """List the jobs of the bases, and the jobs that start from them.

    A finished base needs its model only if a job that starts from it is not finished.
    """
    files = {path for run in list_runs(study) for path in list_tests(study, run.variant).values()}
    known = fingerprint_inputs({str(path): [path] for path in files})
    jobs = []
    for run in list_runs(study):
        tests = list_tests(study, run.variant)
        measured_with = {name: known[str(path)] for name, path in tests.items()}
        job = Job(run.name, run.seed, run, measured_with)
        jobs.append(job._replace(leaves=(counts_path(plan, job),)))
    others = [job for job in jobs if job.spec.variant.system != BASE]
    needed = {job.seed for job in others if not is_done(plan, job)}
    bases = [
        job._replace(leaves=(*job.leaves, model_path(study, job.spec)))
        if job.seed in needed
        else job
        for job in jobs
        if job.spec.variant.system == BASE
    ]
    return [bases, others]


def counts_path(plan: Plan, job: Job) -> Path:
    """Return the path of the counts, which have shape (n_sentences, len(COLUMNS)) per test set."""
    return run_path(plan, job).with_name(f"{job.name}.npz")


def read_counts(plan: Plan, job: Job) -> dict[str, Ints2d]:
    """Read the counts of each sentence, by test set. Return {} if the run is not finished."""
    path = counts_path(plan, job)
    if not path.exists():
        return {}
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def model_path(study: Study, run: Run) -> Path:
    """Return the folder of the selected iteration of a run."""
    return study.out / "training" / run.name / MODEL


def list_tests(study: Study, variant: Variant) -> dict[str, Path]:
    """List the test sets of a run. A simulated file is only tested on its other half."""
    halves = {half_name(name): path for name, path in study.simulate.items()}
    if variant.file is not None:
        return {half_name(variant.file): study.simulate[variant.file]}
    return {**study.tests, **(halves if variant.system in (BASE, SOURCE_ONLY) else {})}


def run_job(study: Study, plan: Plan, job: Job) -> dict[str, Any]:
    """Train and evaluate a system. Write the counts, and return the rows and other results."""
    from studies.pauses.trainings import train_segmenter

    run: Run = job.spec
    if study.gpu_id >= 0:
        spacy.require_gpu(study.gpu_id)
    folder = model_path(study, run).parent
    found = train_once(folder, lambda new: train_segmenter(study, run, new))
    nlp = spacy.load(folder / MODEL)
    counts = measure_counts(study, run.variant, nlp)
    scores = {
        name: (measures.score_pauses if name == HELD_OUT else measures.score_counts)(rows)
        for name, rows in counts.items()
    }
    result = {**found, "scores": scores}
    if run.variant.system == BASE:
        records = read_records(study.pauses)
        result["filter"] = measures.measure_filter(nlp, records.train, seed=run.seed)
    path = counts_path(plan, job)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_binary_output(path) as output:
        arrays: dict[str, Any] = dict(counts)
        np.savez_compressed(output, **arrays)
    return {**found, "rows": list_results(run, result)}


def list_results(run: Run, found: Mapping[str, Any]) -> list[Row]:
    """List the rows of a run: its scores, its target data, and for a base the filter's measures."""
    variant, seed = run
    place = variant.setting
    rows = list_rows(variant.system, seed, place, {"training_seconds": found["training_seconds"]})
    for test, scores in found["scores"].items():
        rows += list_rows(variant.system, seed, {"test": test, **place}, scores)
    target = found["target"]
    if target:
        data = {f"target_{key}": value for key, value in target.items()}
        if target.get("true"):
            data["true_kept"] = target["true_kept"] / target["true"]
        if target.get("noise"):
            data["noise_dropped"] = 1 - target["noise_kept"] / target["noise"]
        if variant.file is not None:
            place = {"test": half_name(variant.file), **place}
        rows += list_rows(variant.system, seed, place, data)
    if "filter" in found:
        shares = dict(found["filter"])
        for name in ("pause_bins", "noise_bins"):
            shares |= {f"{name}_{n}": share for n, share in enumerate(shares.pop(name))}
        filtered = {f"filter_{key}": value for key, value in shares.items()}
        rows += list_rows(variant.system, seed, {"by_seed": seed}, filtered)
    return rows


def measure_counts(study: Study, variant: Variant, nlp: Language) -> dict[str, Ints2d]:
    """Count the words of each test set by sentence, and for real pauses the held-out pauses."""
    counts = {}
    for name, path in list_tests(study, variant).items():
        gold = read_words(path) if name in study.tests else read_simulation(path).test
        counts[name] = measures.count_sentences(nlp, gold)
    if variant.file is None:
        counts[HELD_OUT] = measures.count_pauses(nlp, read_records(study.pauses).held_out)
    return counts
