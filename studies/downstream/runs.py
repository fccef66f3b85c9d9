"""Train a parser, a senter and an identifier for each seed, and parse raw documents in each way.

trainings (part, seed) -> `spacy train` -> a pipeline of all parts -> scores -> runs/SEED.json

A study that was interrupted goes on: what was trained is not trained again. Measuring is quick, and
is always done anew.
"""

import json
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.language import Language
from spacy.util import load_config

from spacy_sentid.files.atomic import open_output
from spacy_sentid.pipelines import fill_config
from studies import training
from studies.downstream.corpora import GoldText, read_gold
from studies.downstream.plans import TRAINED, Plan
from studies.downstream.scores import count_words, rate_counts, sum_counts
from studies.downstream.systems import (
    IDENTIFIER,
    SENTER,
    SYSTEMS,
    find_sents,
    find_words,
    parse_texts,
)

PARSER = "parser"
PARTS = (IDENTIFIER, PARSER, SENTER)


class Training(NamedTuple):
    """One training."""

    part: str
    seed: int

    @property
    def name(self) -> str:
        """What its folder is called."""
        return f"{self.part}-{self.seed}"


def list_trainings(plan: Plan) -> list[Training]:
    """List all trainings, seed after seed."""
    return [Training(part, seed) for seed in plan.seeds for part in PARTS]


def model_path(plan: Plan, entry: Training) -> Path:
    """Name the pipeline that a finished training leaves."""
    return plan.out / "training" / entry.name / "model-best"


def is_trained(plan: Plan, seed: int) -> bool:
    """Tell whether all parts of a seed are there."""
    return all(model_path(plan, Training(part, seed)).exists() for part in PARTS)


def train_parts(plan: Plan, *, jobs: int) -> Iterator[Training]:
    """Train what is not there yet; yields each when it is done.

    jobs: Trainings at a time.
    """
    todo = [entry for entry in list_trainings(plan) if not model_path(plan, entry).exists()]
    return training.run_jobs(partial(train_part, plan), todo, jobs=jobs)


def train_part(plan: Plan, entry: Training) -> None:
    """Train one pipeline on the documents of the treebank.

    Parser and senter get them in both layouts; the identifier's reader lays them out by itself.
    """
    started = time.monotonic()
    folder = model_path(plan, entry).parent
    # It takes its name when it is complete; what was interrupted is made anew.
    partial_folder = folder.with_name(f"{folder.name}.partial")
    for old in (folder, partial_folder):
        shutil.rmtree(old, ignore_errors=True)
    partial_folder.mkdir(parents=True)
    filled = partial_folder / "config.cfg"
    fill_config(plan.configs[entry.part], filled, lang=plan.lang)
    in_layouts = entry.part != IDENTIFIER
    overrides = {
        "system.seed": entry.seed,
        **{f"paths.{split}": plan.corpus_path(split, in_layouts=in_layouts) for split in TRAINED},
        **training.list_step_overrides(load_config(filled), plan.max_steps),
    }
    training.train_pipeline(
        filled, partial_folder, overrides, gpu_id=plan.gpu_id, threads=plan.threads
    )
    shutil.rmtree(partial_folder / "model-last")
    seconds = round(time.monotonic() - started)
    with open_output(partial_folder / "training.json") as file:
        json.dump({"training_seconds": seconds}, file)
    partial_folder.rename(folder)


def result_path(plan: Plan, seed: int) -> Path:
    """Name the file that a measured seed leaves."""
    return plan.out / "runs" / f"{seed}.json"


def measure_seed(plan: Plan, seed: int) -> None:
    """Parse the raw test documents in each way, and write the JSON."""
    nlp = assemble_pipeline(plan, seed)
    gold = read_gold(plan, nlp)
    scores = {layout: measure_systems(nlp, texts) for layout, texts in gold.items()}
    seconds = {
        part: json.loads(
            (model_path(plan, Training(part, seed)).parent / "training.json").read_text("utf8")
        )["training_seconds"]
        for part in PARTS
    }
    with open_output(result_path(plan, seed)) as file:
        json.dump({"seed": seed, "training_seconds": seconds, "scores": scores}, file, indent=1)
        file.write("\n")


def assemble_pipeline(plan: Plan, seed: int) -> Language:
    """Put what was trained into one pipeline: all that finds sentences, then tagger and parser."""
    if plan.gpu_id >= 0:
        spacy.require_gpu(plan.gpu_id)
    nlp = spacy.load(model_path(plan, Training(PARSER, seed)))
    for part in (SENTER, IDENTIFIER):
        nlp.add_pipe(part, source=spacy.load(model_path(plan, Training(part, seed))), first=True)
    return nlp


def measure_systems(nlp: Language, gold: list[GoldText]) -> dict[str, dict[str, float]]:
    """Score each way: system -> rates; see `scores.rate_counts`."""
    texts = [entry.text for entry in gold]
    starts = [[start for start, _ in entry.units] for entry in gold]
    rates = {}
    for name, system in SYSTEMS.items():
        docs = parse_texts(nlp, system, texts, starts)
        counts = (
            count_words(entry.words, find_words(doc), entry.sus, sents=find_sents(doc))
            for entry, doc in zip(gold, docs, strict=True)
        )
        rates[name] = rate_counts(sum_counts(counts))
    return rates


def read_results(plan: Plan) -> list[dict[str, Any]]:
    """Read the JSONs of the seeds that were measured."""
    paths = [result_path(plan, seed) for seed in plan.seeds]
    return [json.loads(path.read_text(encoding="utf8")) for path in paths if path.exists()]
