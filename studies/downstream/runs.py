"""Train a parser, a senter and an identifier for each seed, and parse raw documents with them.

trainings (part, seed) -> `spacy train` -> a pipeline of all parts of a seed -> scores -> rows
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.language import Language
from spacy.util import load_config

from spacy_sentid.conllu.treebank import find_treebank_files
from studies import training
from studies.downstream.corpora import SPLITS, TRAINED, GoldText, corpus_path, read_gold
from studies.downstream.scores import count_words, rate_counts, sum_counts
from studies.downstream.systems import (
    IDENTIFIER,
    SENTER,
    SYSTEMS,
    find_sents,
    find_words,
    parse_texts,
)
from studies.harness import Job, Plan, fingerprint_inputs, train_once
from studies.results import Row, list_rows

PARSER = "parser"
PARTS = (IDENTIFIER, PARSER, SENTER)


@dataclass(frozen=True)
class Study:
    """Settings of the study."""

    out: Path
    treebank: Path
    configs: Mapping[str, Path]  # config of each of PARTS
    seeds: tuple[int, ...]
    lang: str = "en"
    max_steps: int | None = None  # None = as in the configs
    gpu_id: int = -1
    threads: int | None = None  # threads of each training; None = the default of the libraries


class Spec(NamedTuple):
    """The task of a run."""

    part: str | None  # the part to train; None = evaluate the parts of a seed


def make_plan(study: Study) -> Plan:
    """Make the plan. Seeds may be added later."""
    files = {split: find_treebank_files(study.treebank, split) for split in SPLITS}
    settings = {
        "treebank": study.treebank.resolve().name,
        "fingerprints": fingerprint_inputs(files),
        "lang": study.lang,
        "max_steps": study.max_steps,
        "configs": {name: load_config(path).to_str() for name, path in study.configs.items()},
    }
    return Plan(study.out, settings)


def list_stages(study: Study) -> list[list[Job]]:
    """List the trainings, seed by seed, and then the evaluation of each seed."""
    trainings = [
        Job(f"{part}-{seed}", seed, Spec(part), leaves=(model_path(study, part, seed),))
        for seed in study.seeds
        for part in PARTS
    ]
    return [trainings, [Job(f"scores-{seed}", seed, Spec(None)) for seed in study.seeds]]


def model_path(study: Study, part: str, seed: int) -> Path:
    """Return the path of a trained pipeline."""
    return study.out / "training" / f"{part}-{seed}" / "model-best"


def run_job(study: Study, job: Job) -> dict[str, Any]:
    """Train a part, or evaluate a seed."""
    if job.spec.part is None:
        return {"rows": measure_seed(study, job.seed)}
    folder = model_path(study, job.spec.part, job.seed).parent
    trained = train_once(folder, partial(train_part, study, job))
    return {"rows": list_rows(job.spec.part, job.seed, {}, trained)}


def train_part(study: Study, job: Job, folder: Path) -> dict[str, Any]:
    """Train one pipeline on the documents of the treebank.

    Parser and senter read them in both layouts. The identifier's corpus reader makes its own
    layouts.
    """
    filled = folder / "config.cfg"
    training.fill_config(study.configs[job.spec.part], filled, lang=study.lang)
    in_layouts = job.spec.part != IDENTIFIER
    overrides = {
        "system.seed": job.seed,
        **{
            f"paths.{split}": corpus_path(study.out, split, in_layouts=in_layouts)
            for split in TRAINED
        },
        **training.list_step_overrides(load_config(filled), study.max_steps),
    }
    training.train_pipeline(filled, folder, overrides, gpu_id=study.gpu_id, threads=study.threads)
    return {}


def measure_seed(study: Study, seed: int) -> list[Row]:
    """Parse the raw test documents with each system, and list the scores."""
    nlp = assemble_pipeline(study, seed)
    rows = []
    for layout, texts in read_gold(study.treebank, nlp).items():
        rows += list_scores(seed, layout, measure_systems(nlp, texts))
    return rows


def list_scores(seed: int, layout: str, scores: Mapping[str, Mapping[str, float]]) -> list[Row]:
    """List the scores of each system, and its gain in LAS over parsing without a splitter."""
    baseline = next(iter(SYSTEMS))
    rows = []
    for name, values in scores.items():
        las = values["las"] - scores[baseline]["las"]
        gain = {} if name == baseline else {"las_gain": las}
        rows += list_rows(name, seed, {"layout": layout}, {**values, **gain})
    return rows


def assemble_pipeline(study: Study, seed: int) -> Language:
    """Assemble the trained parts of a seed: identifier, senter, and then tagger and parser."""
    if study.gpu_id >= 0:
        spacy.require_gpu(study.gpu_id)
    nlp = spacy.load(model_path(study, PARSER, seed))
    for part in (SENTER, IDENTIFIER):
        nlp.add_pipe(part, source=spacy.load(model_path(study, part, seed)), first=True)
    return nlp


def measure_systems(nlp: Language, gold: list[GoldText]) -> dict[str, dict[str, float]]:
    """Compute the rates of each system. See `scores.rate_counts`."""
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
