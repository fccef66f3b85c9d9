"""Train a system of the pause study with `spacy train` (section 3.2).

plan, job -> target data, completed by the base -> config, where to start -> model
"""

import json
import shutil
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import spacy
from spacy.util import load_config
from thinc.api import Config

from spacy_sentid.configs import fill_config
from spacy_sentid.files.atomic import open_output
from spacy_sentid.word_segmenter.corpus import read_words
from studies import training
from studies.pauses.jobs import MODEL, Job, model_path
from studies.pauses.plans import Plan, describe_plan
from studies.pauses.systems import BASE, SYSTEMS
from studies.pauses.targets import (
    Target,
    make_simulated_target,
    make_target,
    read_records,
    read_simulation,
    write_target,
)

# Scores of a training on dev: some on the way, so that there is a best iteration to choose.
N_EVALUATIONS = 6
COMPONENT = "word_segmenter"


def train_segmenter(plan: Plan, job: Job, folder: Path) -> None:
    """Train into a folder; training.json says on what, how long, and the score on dev."""
    started = time.monotonic()
    files = [str(path) for path in plan.source]
    data: dict[str, Any] = {}
    if SYSTEMS[job.system].has_target:
        base = spacy.load(model_path(plan, job.base))
        data = write_target(base, SYSTEMS[job.system], find_target(plan, job), folder)
        target = str(folder / data.pop("file"))
        data["repeats"] = count_repeats(plan.source, data["characters"])
        files += [target] * data["repeats"]
    filled = folder / "config.cfg"
    fill_config(plan.config, filled, lang="zh")
    if job.system != BASE:
        start_from_base(filled, model_path(plan, job.base))
    overrides = {
        "system.seed": job.seed,
        "corpora.train.path": files,
        "paths.dev": str(plan.source_dev if job.system == BASE else plan.target_dev),
        **list_overrides(plan, job, load_config(filled)),
    }
    training.train_pipeline(filled, folder, overrides, gpu_id=plan.gpu_id, threads=plan.threads)
    chosen = "model-best" if job.system == BASE else f"model-{plan.iteration}"
    meta = json.loads((folder / chosen / "meta.json").read_text(encoding="utf8"))
    (folder / chosen).rename(folder / MODEL)
    for name in ("model-best", "model-last"):
        shutil.rmtree(folder / name, ignore_errors=True)
    about = {
        "steps": overrides["training.max_steps"],
        "target": data,
        "dev_word_f": meta.get("performance", {}).get("word_f"),
        "training_seconds": round(time.monotonic() - started),
        "inputs": describe_plan(plan)["inputs"],
    }
    with open_output(folder / "training.json") as file:
        json.dump(about, file, indent=1)


def count_repeats(source: Iterable[Path], characters: int) -> int:
    """Tell how often an epoch has the target data: so that it is about a third of all, or more.

    characters: Of the target data.

    >>> count_repeats([], 100)
    1
    """
    n_source = sum(len(word) for path in source for words in read_words(path) for word in words)
    return max(round(n_source / (2 * max(characters, 1))), 1)


def find_target(plan: Plan, job: Job) -> Target:
    """Make the sentences that a run is trained on beside the source, with their pauses.

    Simulated pauses are drawn by the seed of the run; of two shares of noise the true pauses are
    the same.
    """
    if job.file is None:
        return make_target(read_records(plan.pauses))
    simulation = read_simulation(plan.simulate[job.file])
    noise = job.noise or 0.0
    return make_simulated_target(simulation, rate=plan.rate, noise=noise, seed=job.seed)


def list_overrides(plan: Plan, job: Job, config: Config) -> dict[str, Any]:
    """List the settings of a training that differ from the config: steps, rates, the dictionary.

    The weights of a base, from which all others start, have the dictionary in them.
    """
    is_base = job.system == BASE
    steps = plan.steps if is_base else plan.tune_steps
    block = config["training"]
    overrides = {
        "training.max_steps": steps,
        # The same number of updates whatever there is to train on.
        "training.max_epochs": 0,
        "training.patience": 0,
        # Without scores on the way, the model kept would be that of the first step.
        "training.eval_frequency": min(block["eval_frequency"], max(steps // N_EVALUATIONS, 1)),
    }
    rates = block["optimizer"].get("learn_rate")
    if isinstance(rates, dict):
        name = "training.optimizer.learn_rate"
        if "total_steps" in rates:
            overrides[f"{name}.total_steps"] = steps
        if "warmup_steps" in rates:
            overrides[f"{name}.warmup_steps"] = min(rates["warmup_steps"], max(steps // 10, 1))
        if "initial_rate" in rates and not is_base:
            overrides[f"{name}.initial_rate"] = plan.tune_rate
    elif not is_base:
        overrides["training.optimizer.learn_rate"] = plan.tune_rate
    if is_base and plan.dictionary is not None:
        overrides["paths.dictionary"] = str(plan.dictionary)
    return overrides


def start_from_base(filled: Path, base: Path) -> None:
    """Change a filled config: weights of the segmenter, and all before it, are those of a base."""
    config = load_config(filled)
    for name, block in config["components"].items():
        if block.get("factory") == COMPONENT:
            block["pretrained"] = str(base)
        else:
            config["components"][name] = {"source": str(base)}
    # A dictionary, or raw text, is in these weights already.
    config["initialize"].get("components", {}).pop(COMPONENT, None)
    config.to_disk(filled)
