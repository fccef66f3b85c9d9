"""Retrain a tagger and parser on augmented treebanks, and measure them (section 6.2).

jobs (language, P, N, seed) -> augmented train and dev -> `spacy train` -> scores -> runs/NAME.json

A study that was interrupted goes on with the runs that have no JSON yet, and does not train again
what was trained.
"""

import json
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.tokens import DocBin

from spacy_sentid.corpus_augmenter.parsing import (
    gold_noun_phrases,
    parse_phrases,
    read_parsing_docs,
    read_phrases,
)
from spacy_sentid.corpus_augmenter.robustness import (
    NounPhraseScores,
    score_noun_phrases,
    score_treebank,
)
from spacy_sentid.corpus_augmenter.treebanks import augment_treebanks
from spacy_sentid.files.atomic import open_output
from spacy_sentid.pipelines import fill_config
from studies import training
from studies.parser.plans import Cell, Plan, Treebank, describe_measures
from studies.parser.reviews import read_lexicon, read_reviews, score_polarities
from studies.parser.sentiment import detect_polarities
from studies.processes import run_parallel

# Noun phrases that are drawn from the test split, as many as the paper has titles.
N_EXTRACTED = 1500


class Job(NamedTuple):
    """One run."""

    treebank: Treebank
    cell: Cell
    seed: int  # of the augmentation and of the training

    @property
    def name(self) -> str:
        """What its files are called."""
        p, n = self.cell
        return f"{self.treebank.lang}-p{p:g}-n{n:g}-{self.seed}"


def list_jobs(plan: Plan) -> list[Job]:
    """List all runs, seed after seed, so that what is there early is complete for some seeds."""
    n_seeds = max(treebank.n_seeds for treebank in plan.treebanks)
    return [
        Job(treebank, cell, seed)
        for seed in range(n_seeds)
        for treebank in plan.treebanks
        if seed < treebank.n_seeds
        for cell in plan.grid
    ]


def result_path(plan: Plan, job: Job) -> Path:
    """Name the file that a finished run leaves."""
    return plan.out / "runs" / f"{job.name}.json"


def read_results(plan: Plan) -> list[dict[str, Any]]:
    """Read the JSONs of all runs that are done."""
    paths = (result_path(plan, job) for job in list_jobs(plan))
    return [json.loads(path.read_text(encoding="utf8")) for path in paths if path.exists()]


def run_jobs(plan: Plan, *, jobs: int) -> Iterator[Job]:
    """Make all runs that are not there yet; yields each when it is done.

    jobs: Runs at a time.
    """
    return run_parallel(partial(run_job, plan), list_open_jobs(plan), processes=jobs)


def list_open_jobs(plan: Plan) -> list[Job]:
    """List the runs that are not there, or were measured with other files."""
    measures = {entry.lang: describe_measures(plan, entry) for entry in plan.treebanks}
    todo = []
    for job in list_jobs(plan):
        path = result_path(plan, job)
        found = json.loads(path.read_text(encoding="utf8")) if path.exists() else {}
        if found.get("measured_with") != measures[job.treebank.lang]:
            todo.append(job)
    return todo


def run_job(plan: Plan, job: Job) -> None:
    """Augment, train, measure, and write the JSON."""
    folder = plan.out / "training" / job.name
    if not folder.exists():
        # It takes its name when it is complete; what was interrupted is made anew.
        partial_folder = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(partial_folder, ignore_errors=True)
        train_parser(plan, job, partial_folder)
        partial_folder.rename(folder)
    result = {
        "lang": job.treebank.lang,
        "remove_punct": job.cell.remove_punct,
        "add_np": job.cell.add_np,
        "seed": job.seed,
        **json.loads((folder / "training.json").read_text(encoding="utf8")),
        "measured_with": describe_measures(plan, job.treebank),
        "scores": measure_parser(plan, job.treebank, folder / "model-best"),
    }
    with open_output(result_path(plan, job)) as file:
        json.dump(result, file, indent=1)
        file.write("\n")


def train_parser(plan: Plan, job: Job, folder: Path) -> None:
    """Train on augmented train and dev; training.json says how many units changed, and the time."""
    started = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    lang = job.treebank.lang
    reports = {}
    for split in ("train", "dev"):
        augmented = folder / f"{split}.conllu"
        report = augment_treebanks(
            [plan.split_path(job.treebank, split)],
            augmented,
            remove_punct=job.cell.remove_punct,
            add_np=job.cell.add_np,
            seed=job.seed,
        )
        reports[split] = {
            name: value for name, value in report._asdict().items() if isinstance(value, int)
        }
        docs = read_parsing_docs(augmented, spacy.blank(lang).vocab)
        DocBin(docs=docs).to_disk(folder / f"{split}.spacy")
        augmented.unlink()
    filled = folder / "config.cfg"
    fill_config(plan.config, filled, lang=lang)
    overrides = {
        "system.seed": job.seed,
        "paths.train": folder / "train.spacy",
        "paths.dev": folder / "dev.spacy",
        **training.list_step_overrides(spacy.util.load_config(filled), job.treebank.max_steps),
    }
    training.train_pipeline(filled, folder, overrides, gpu_id=plan.gpu_id, threads=plan.threads)
    seconds = round(time.monotonic() - started)
    with open_output(folder / "training.json") as file:
        json.dump({"augmented": reports, "training_seconds": seconds}, file, indent=1)


def measure_parser(plan: Plan, treebank: Treebank, model: Path) -> dict[str, Any]:
    """Score a trained pipeline on the test split and on noun phrases, and by sentiment."""
    if plan.gpu_id >= 0:
        spacy.require_gpu(plan.gpu_id)
    nlp = spacy.load(model)
    test = plan.split_path(treebank, "test")
    gold = list(read_parsing_docs(test, nlp.vocab))
    lists: dict[str, Any] = {
        "units": list(gold_noun_phrases(gold)),
        # Some end in the punctuation of a word below their head.
        "extracted": list(
            gold_noun_phrases(read_parsing_docs(extracted_path(plan, treebank), nlp.vocab))
        ),
    }
    phrases_path = plan.phrases_path(treebank)
    if phrases_path is not None:
        lists["phrases"] = read_phrases(phrases_path)
    scores: dict[str, Any] = {}
    sentiment = plan.sentiment_paths(treebank)
    if sentiment is not None:
        reviews, lexicon = read_reviews(sentiment[0]), read_lexicon(sentiment[1])
        found = list(detect_polarities(nlp, [review.text for review in reviews], lexicon))
        scores["sentiment"] = score_polarities([r.polarity for r in reviews], found)["all"]
    return {
        **scores,
        "treebank": score_treebank(nlp, gold)._asdict(),
        "noun_phrases": {
            name: _to_json(score_noun_phrases(parse_phrases(nlp, phrases)))
            for name, phrases in lists.items()
            if phrases
        },
    }


def extracted_path(plan: Plan, treebank: Treebank) -> Path:
    """Name the file of the noun phrases that are drawn from a test split."""
    return plan.out / "corpus" / f"{treebank.lang}-extracted.conllu"


def write_extracted(plan: Plan) -> None:
    """Draw noun phrases from each test split, by the method that makes those to train on.

    They are a second list, for a treebank whose test units are nearly all sentences.
    """
    for treebank in plan.treebanks:
        path = extracted_path(plan, treebank)
        units = path.with_suffix(".units")
        test = plan.split_path(treebank, "test")
        report = augment_treebanks([test], units)
        share = min(1.0, N_EXTRACTED / max(report.n_pool, 1))
        augment_treebanks([test], units, add_np=share, np_base="pool")
        # The phrases are what stands behind the units.
        with units.open("rb") as file, open_output(path) as output:
            file.seek(test.stat().st_size)
            output.write(file.read().decode("utf8"))
        units.unlink()


def _to_json(scores: NounPhraseScores) -> dict[str, Any]:
    """Leave out the phrases, which need not be in the repository."""
    return {name: value for name, value in scores.to_dict().items() if not isinstance(value, list)}
