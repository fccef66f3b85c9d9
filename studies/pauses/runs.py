"""Train the systems of the pause study and measure them (sections 3 and 4).

jobs -> `spacy train`: bases on the source; all others from the base of their seed, on source and
target -> scores -> runs/NAME.json, runs/NAME.npz

A study that was interrupted goes on with the runs that have no JSON yet, and does not train again
what was trained.
"""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import spacy
from spacy.language import Language

from spacy_sentid.arrays import Ints2d
from spacy_sentid.files.atomic import open_binary_output, open_output
from spacy_sentid.files.fingerprint import fingerprint_files
from spacy_sentid.word_segmenter.corpus import read_words
from studies.pauses import measures
from studies.pauses.jobs import (
    HELD_OUT,
    Job,
    counts_path,
    list_open_jobs,
    list_tests,
    model_path,
    result_path,
)
from studies.pauses.plans import Plan
from studies.pauses.systems import BASE
from studies.pauses.targets import read_records, read_simulation
from studies.pauses.trainings import train_segmenter
from studies.processes import run_parallel


def run_jobs(plan: Plan, *, jobs: int) -> Iterator[Job]:
    """Make all runs that are not there yet; yields each when it is done.

    jobs: Runs at a time.
    """
    todo = list_open_jobs(plan)
    for is_base in (True, False):
        part = [job for job in todo if (job.system == BASE) == is_base]
        yield from run_parallel(partial(run_job, plan), part, processes=jobs)


def run_job(plan: Plan, job: Job) -> None:
    """Train, measure, and write counts and JSON."""
    if plan.gpu_id >= 0:
        spacy.require_gpu(plan.gpu_id)
    folder = model_path(plan, job).parent
    if not folder.exists():
        # It takes its name when it is complete; what was interrupted is made anew.
        partial_folder = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial_folder, ignore_errors=True)
        partial_folder.mkdir(parents=True)
        train_segmenter(plan, job, partial_folder)
        partial_folder.rename(folder)
    nlp = spacy.load(model_path(plan, job))
    counts = measure_counts(plan, job, nlp)
    scores = {
        name: (measures.score_pauses if name == HELD_OUT else measures.score_counts)(found)
        for name, found in counts.items()
    }
    result = {
        "system": job.system,
        "seed": job.seed,
        "simulated": job.file,
        "noise": job.noise,
        **json.loads((folder / "training.json").read_text(encoding="utf8")),
        "measured_with": {
            name: fingerprint_files([path]) for name, path in list_tests(plan, job).items()
        },
        "scores": scores,
    }
    if job.system == BASE:
        records = read_records(plan.pauses)
        result["filter"] = measures.measure_filter(nlp, records.train, seed=job.seed)
    with open_binary_output(counts_path(plan, job)) as output:
        arrays: dict[str, Any] = dict(counts)
        np.savez_compressed(output, **arrays)
    with open_output(result_path(plan, job)) as file:
        json.dump(result, file, indent=1)
        file.write("\n")


def measure_counts(plan: Plan, job: Job, nlp: Language) -> dict[str, Ints2d]:
    """Count right words by sentence of each test set; of real pauses also those held out."""
    counts = {}
    for name, path in list_tests(plan, job).items():
        gold = read_words(path) if name in plan.tests else read_simulation(path).test
        counts[name] = measures.count_sentences(nlp, gold)
    if job.file is None:
        held_out = read_records(plan.pauses).held_out
        counts[HELD_OUT] = measures.count_pauses(nlp, held_out)
    return counts
