"""Train parsers, a senter and an identifier for each seed, and parse raw documents in each way.

trainings (part, seed) -> `spacy train` -> a pipeline of all parts -> scores -> runs/SEED.json

A study that was interrupted goes on: what was trained is not trained again, and a seed that has its
JSON is done.
"""

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_config

from .. import training
from ..filling import fill_config
from ..output import open_output
from ..pretrained import DEFAULT_NAMES
from ..sentence_identifier.convert import group_documents, label_units, make_gold_doc
from ..treebank import read_treebank
from .plans import TRAINED, Plan
from .scores import Word, count_words, rate_counts, sum_counts
from .systems import (
    IDENTIFIER,
    SENTER,
    SHIPPED,
    SYSTEMS,
    find_sents,
    find_words,
    parse_texts,
)

PARSER = "parser"
# Tagger and parser learn from whole documents, as spaCy's do, which are to find sentences; or from
# units one by one, as most parsers of treebanks do, which are given sentences.
PARSERS = {"documents": PARSER, "units": "unit-parser"}
PARTS = (IDENTIFIER, *PARSERS.values(), SENTER)
# Blank lines between paragraphs, as the treebank has them; or everything on one line.
LAYOUTS = ("paragraphs", "one line")


class Training(NamedTuple):
    """One training."""

    part: str
    seed: int

    @property
    def name(self) -> str:
        """What its folder is called."""
        return f"{self.part}-{self.seed}"


class GoldText(NamedTuple):
    """A raw document, and what it should become."""

    text: str
    words: list[Word]
    units: list[tuple[int, int]]  # characters, NSUs too
    sus: list[tuple[int, int]]


def list_trainings(plan: Plan) -> list[Training]:
    """List all trainings, seed after seed."""
    return [Training(part, seed) for seed in plan.seeds for part in PARTS]


def model_path(plan: Plan, found: Training) -> Path:
    """Name the pipeline that a finished training leaves."""
    return plan.out / "training" / found.name / "model-best"


def train_parts(plan: Plan, *, jobs: int) -> Iterator[Training]:
    """Train what is not there yet; yields each when it is done.

    jobs: Trainings at a time.
    """
    todo = [entry for entry in list_trainings(plan) if not model_path(plan, entry).exists()]
    return training.run_jobs(partial(train_part, plan), todo, jobs=jobs)


def train_part(plan: Plan, entry: Training) -> None:
    """Train one pipeline on the documents of the treebank."""
    started = time.monotonic()
    folder = model_path(plan, entry).parent
    # It takes its name when it is complete; what was interrupted is made anew.
    partial_folder = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial_folder, ignore_errors=True)
    partial_folder.mkdir(parents=True)
    filled = partial_folder / "config.cfg"
    of_units = entry.part == PARSERS["units"]
    fill_config(plan.configs[PARSER if of_units else entry.part], filled, lang=plan.lang)
    config = load_config(filled)
    overrides = {
        "system.seed": entry.seed,
        "paths.train": plan.corpus_path("train"),
        "paths.dev": plan.corpus_path("dev"),
        **training.list_step_overrides(config, plan.max_steps or config["training"]["max_steps"]),
    }
    if of_units:
        overrides |= {f"corpora.{split}.gold_preproc": True for split in TRAINED}
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
    if result_path(plan, seed).exists():
        return
    scores: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for name, part in PARSERS.items():
        nlp = assemble_pipeline(plan, part, seed)
        scores[name] = {
            layout: measure_systems(nlp, read_gold(plan, nlp, layout=layout)) for layout in LAYOUTS
        }
    seconds = {
        part: json.loads(
            (model_path(plan, Training(part, seed)).parent / "training.json").read_text("utf8")
        )["training_seconds"]
        for part in PARTS
    }
    with open_output(result_path(plan, seed)) as file:
        json.dump({"seed": seed, "training_seconds": seconds, "scores": scores}, file, indent=1)
        file.write("\n")


def assemble_pipeline(plan: Plan, parser: str, seed: int) -> Language:
    """Put what was trained into one pipeline: all that finds sentences, then tagger and parser."""
    if plan.gpu_id >= 0:
        spacy.require_gpu(plan.gpu_id)
    nlp = spacy.load(model_path(plan, Training(parser, seed)))
    for part in (SENTER, IDENTIFIER):
        nlp.add_pipe(part, source=spacy.load(model_path(plan, Training(part, seed))), first=True)
    if plan.lang in DEFAULT_NAMES[IDENTIFIER]:
        nlp.add_pipe(IDENTIFIER, name=SHIPPED, first=True)
    return nlp


def measure_systems(nlp: Language, gold: list[GoldText]) -> dict[str, dict[str, float]]:
    """Score each way that the pipeline has the components for: system -> rates."""
    return {
        name: measure_system(nlp, name, gold)
        for name, system in SYSTEMS.items()
        if system.pipe != SHIPPED or SHIPPED in nlp.pipe_names
    }


def measure_system(nlp: Language, name: str, gold: list[GoldText]) -> dict[str, float]:
    """Score one way; see `scores.rate_counts`."""
    starts = [[start for start, _ in entry.units] for entry in gold]
    docs = parse_texts(nlp, SYSTEMS[name], [entry.text for entry in gold], starts)
    return rate_counts(
        sum_counts(
            count_words(entry.words, find_words(doc), entry.sus, sents=find_sents(doc))
            for entry, doc in zip(gold, docs, strict=True)
        )
    )


def read_gold(plan: Plan, nlp: Language, *, layout: str) -> list[GoldText]:
    """Read the raw documents of the test split with their trees and units.

    A multiword token that its words do not spell is one word, that no parser can get right.
    """
    gold = []
    for path in plan.test_paths():
        for document in group_documents(label_units(read_treebank(path))):
            if layout == LAYOUTS[1]:
                document = [(replace(unit, newpar=False), label) for unit, label in document]
            gold.append(_make_gold(make_gold_doc(document, nlp)))
    return gold


def read_results(plan: Plan) -> list[dict[str, Any]]:
    """Read the JSONs of the seeds that are done."""
    paths = [result_path(plan, seed) for seed in plan.seeds]
    return [json.loads(path.read_text(encoding="utf8")) for path in paths if path.exists()]


def _make_gold(doc: Doc) -> GoldText:
    spans = {key: [(s.start_char, s.end_char) for s in doc.spans[key]] for key in ("su", "nsu")}
    return GoldText(doc.text, find_words(doc), sorted(spans["su"] + spans["nsu"]), spans["su"])
